// The bits of the standard set, as they were when these hashes were written: a compiler or machine
// that computes other rows would test other things. A deliberate change of a class changes its
// hash here, and nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "generate/standard_rows.hpp"

namespace normcert {
namespace {

// FNV-1a of 64 bits over the bytes of x and weight.
std::uint64_t hash(const Case& value) {
  std::uint64_t hashed = 0xcbf29ce484222325U;
  for (const TensorView* tensor : {&value.x, &*value.weight}) {
    for (const std::byte byte : tensor->bytes) {
      hashed = (hashed ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
    }
  }
  return hashed;
}

TEST(Golden, EveryClassInBinary32) {
  const std::map<std::string, std::uint64_t> expected = {
      {"zero", 0xc05a4238a6f2e047U},           {"tiny", 0xa3c009bf23111553U},
      {"small", 0x2d58fe8958730bacU},          {"ordinary", 0x06636d5a1c384f0eU},
      {"large", 0xe1f697faad29e4b2U},          {"constant", 0x1003a853d71ec947U},
      {"alternating", 0x796b0bd55ba46647U},    {"one_hot", 0x87fc52d27f501120U},
      {"mixed_scale", 0xb2f433ecf3d5bfd5U},    {"outlier_channel", 0x35afdfb133b546a2U},
      {"q_over_epsilon", 0xeb08a19c4cbec607U}, {"near_overflow", 0x0f275f98b7bd4647U},
      {"subnormal", 0xb000f61562f92a3fU},      {"exact_rms", 0x75ca77fe3f538820U},
      {"midpoint", 0x48903f6df587ecd3U},       {"beyond_range", 0x52d0243d86927147U},
      {"amplitude", 0xbb8cd1a3f42c79fcU},
  };
  const StandardSet set = standard_set(standard_spec(kFp32, 96, "1e-6"));
  EXPECT_EQ(set.cases.size(), expected.size());
  for (const Case& value : set.cases) {
    EXPECT_EQ(hash(value), expected.at(value.id)) << value.id;
  }
}

TEST(Golden, WholeSets) {
  struct Golden {
    const FloatFormat* format;
    std::size_t width;
    const char* epsilon;
    const char* offset;
    std::uint64_t hash;
  };
  const Golden goldens[] = {
      {&kFp64, 64, "1e-6", "0", 0xb096b5b252274e63U},
      {&kFp64, 33, "1e-5", "1", 0xaec2cc24c6cb5106U},
      {&kFp32, 1, "1e-6", "0", 0x7a092f00904147ccU},
      {&kFp32, 1024, "1e-5", "0", 0x0fd7b3595d096387U},
      {&kBf16, 4096, "1e-5", "0", 0x1416574dbc1946deU},
      {&kBf16, 7, "1e-6", "1", 0x8c2b9f0f9bb215c3U},
      {&kFp16, 128, "1e-6", "0", 0xbebe2ed2a0d2071dU},
      {&kFp16, 2, "1e-12", "1", 0x95241f7b617549ffU},
  };
  for (const Golden& golden : goldens) {
    StandardSpec spec = standard_spec(*golden.format, golden.width, golden.epsilon);
    spec.weight_offset = {golden.offset, std::stod(golden.offset)};
    std::uint64_t folded = 0;
    for (const Case& value : standard_set(spec).cases) {
      folded = folded * 0x100000001b3U + hash(value);
    }
    EXPECT_EQ(folded, golden.hash) << golden.format->name << ' ' << golden.width;
  }
}

}  // namespace
}  // namespace normcert
