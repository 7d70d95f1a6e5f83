// The table of rsqrt.approx that was measured on a device of compute capability 9.0, held against
// the checksum of the measurement: one signed byte for each of 2^24 significands and parities.
#include "emulation/rsqrt_table.hpp"

#include <gtest/gtest.h>

#include <span>

#include "formats/sha256.hpp"

namespace normcert {
namespace {

TEST(MeasuredRsqrt, EveryEntryIsAsMeasured) {
  const std::vector<std::int8_t> entries = rsqrt_deviations(RsqrtTable::kSm90);
  ASSERT_EQ(entries.size(), std::size_t{1} << 24);
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(entries))),
            "7f06db366f8eb4064c782d6d957edeb7d94f0146d41b6588ede3fd9992856de6");
}

}  // namespace
}  // namespace normcert
