// Every finite binary32 number, rounded to fp16 and to bf16.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <vector>

#include "numeric/f16c.hpp"
#include "numeric/rounding.hpp"
#include "numeric/two_threads.hpp"

namespace normcert {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kInfinity = 0x7f800000;
constexpr std::uint64_t kFiniteCodes = 2 * std::uint64_t{kInfinity};

// Round half to even by integer addition: adding 0x7fff, and 1 more where the kept part is odd,
// carries into it exactly when that rounds up. Overflow carries into infinity by itself.
std::uint32_t bf16_by_trick(std::uint32_t bits) {
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

// Normal fp16 numbers as above after moving the bias from 127 to 15. Smaller ones by the
// processor's own rounding of an addition: the sum with 2^-1 has its last bit at 2^-24.
std::uint32_t fp16_by_trick(std::uint32_t bits) {
  const std::uint32_t sign = (bits & kSign) >> 16;
  const std::uint32_t magnitude = bits & ~kSign;
  constexpr std::uint32_t kOverflow = 0x477ff000;  // 65520
  constexpr std::uint32_t kLeastNormal = 0x38800000;
  if (magnitude >= kOverflow) return sign | 0x7c00;
  if (magnitude < kLeastNormal) {
    const float sum = std::bit_cast<float>(magnitude) + 0.5F;
    return sign | (std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(0.5F));
  }
  const std::uint32_t rebased = magnitude - ((127U - 15U) << 23);
  return sign | ((rebased + 0xfff + ((rebased >> 13) & 1)) >> 13);
}

struct Mismatch {
  std::atomic<bool> found = false;
  std::atomic<std::uint32_t> at = 0;

  void note(std::uint32_t bits) {
    at = bits;
    found = true;
  }
};

// decode and leading_bits are shared by the four roundings, exactly as round(Dyadic) calls them.
TEST(EveryBinary32, RoundsToFp16AndBf16LikeIntegerTricks) {
  Mismatch mismatch;
  const std::uint64_t cases = on_two_threads([&](unsigned half) {
    std::uint64_t done = 0;
    for (std::uint32_t bits = half; bits < kInfinity; bits += 2) {
      const LeadingBits value = leading_bits(decode({bits, &kFp32}));
      for (const std::uint32_t sign : {0U, kSign}) {
        const bool negative = sign != 0;
        if (round(negative, value, kBf16).bits != bf16_by_trick(sign | bits) ||
            round(negative, value, kFp16).bits != fp16_by_trick(sign | bits)) {
          mismatch.note(sign | bits);
        }
        ++done;
      }
    }
    return done;
  });
  EXPECT_FALSE(mismatch.found) << std::hex << mismatch.at;
  EXPECT_EQ(cases, kFiniteCodes);
}

// With the test above this makes the processor an oracle of `round`.
TEST(EveryBinary32, Fp16TrickLikeTheProcessor) {
  if (!has_f16c()) GTEST_SKIP() << "this processor has no F16C";
  constexpr std::uint32_t kBlock = 4096;
  static_assert(kInfinity % kBlock == 0);
  Mismatch mismatch;
  const std::uint64_t cases = on_two_threads([&](unsigned half) {
    std::uint64_t done = 0;
    const std::uint32_t sign = half == 0 ? 0 : kSign;
    std::vector<float> values(kBlock);
    std::vector<std::uint16_t> codes(kBlock);
    for (std::uint32_t start = sign; start < sign + kInfinity; start += kBlock) {
      for (std::uint32_t i = 0; i < kBlock; ++i) values[i] = std::bit_cast<float>(start + i);
      f16c_from_binary32(values, codes);
      for (std::uint32_t i = 0; i < kBlock; ++i) {
        if (codes[i] != fp16_by_trick(start + i)) mismatch.note(start + i);
      }
      done += kBlock;
    }
    return done;
  });
  EXPECT_FALSE(mismatch.found) << std::hex << mismatch.at;
  EXPECT_EQ(cases, kFiniteCodes);
}

}  // namespace
}  // namespace normcert
