// The table of a device's rcp.approx of widths: its counts, some entries by hand, and the file by
// encoding it again.
#include "emulation/reciprocal_table.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "emulation/deviation_encoder.hpp"

namespace normcert {
namespace {

int deviation(std::uint64_t n) {
  const float rounded = 1.0F / static_cast<float>(n);
  return static_cast<int>(std::bit_cast<std::uint32_t>(device_reciprocal(RsqrtTable::kSm90, n)) -
                          std::bit_cast<std::uint32_t>(rounded));
}

TEST(ReciprocalTable, CountsOfItsEntries) {
  std::map<int, std::size_t> counts;
  for (std::uint64_t n = 1; n <= kReciprocalsMeasured; ++n) ++counts[deviation(n)];
  EXPECT_EQ(counts, (std::map<int, std::size_t>{{-1, 40414}, {0, 907953}, {1, 100209}}));
}

TEST(ReciprocalTable, EncodedAgainItIsTheFile) {
  std::vector<std::int8_t> odd;
  for (std::uint64_t n = 1; n < kReciprocalsMeasured; n += 2) {
    odd.push_back(static_cast<std::int8_t>(deviation(n)));
  }
  const auto files = embedded_reciprocal_tables();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "sm_90.rcp");
  EXPECT_EQ(encoded_deviations(odd), files[0].content);
}

TEST(ReciprocalTable, EntriesByHand) {
  // The first widths that the device misses, and their doubles.
  std::vector<std::uint64_t> missed;
  for (std::uint64_t n = 1; n < 75; ++n) {
    if (deviation(n) != 0) missed.push_back(n);
  }
  EXPECT_EQ(missed, (std::vector<std::uint64_t>{33, 37, 61, 66, 67, 74}));
  for (const std::uint64_t n : missed) EXPECT_EQ(deviation(64 * n), deviation(n));
  for (const std::uint64_t n : {1000U, 2048U, 4096U, 7168U, 8192U}) EXPECT_EQ(deviation(n), 0) << n;
  EXPECT_EQ(deviation(kReciprocalsMeasured + 1), 0);
}

}  // namespace
}  // namespace normcert
