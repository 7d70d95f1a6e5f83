// Operations in binary32 with a second rounding, for every pair of fp16 and bf16 significands and
// for many pairs of any codes.
#include <gtest/gtest.h>

#include <atomic>

#include "numeric/narrow_operations.hpp"
#include "numeric/random.hpp"
#include "numeric/two_threads.hpp"

namespace normcert {
namespace {

struct Mismatch {
  std::atomic<bool> found = false;
  std::atomic<std::uint64_t> a = 0;
  std::atomic<std::uint64_t> b = 0;
};

void check(const NarrowOperation& operation, Code a, Code b, Mismatch& mismatch) {
  if (operation.rounded_once(a, b) == operation.through_binary32(a, b)) return;
  mismatch.a = a.bits;
  mismatch.b = b.bits;
  mismatch.found = true;
}

void expect_none(const Mismatch& mismatch, const FloatFormat& format) {
  EXPECT_FALSE(mismatch.found) << format.name << std::hex << " " << mismatch.a << " " << mismatch.b;
}

// Where nothing under- or overflows, scaling an operand scales the result: products and quotients
// need one exponent, sums those as far apart as the significands overlap in binary32.
void check_every_pair_of_significands(const FloatFormat& format, int farthest) {
  const std::uint64_t fractions = std::uint64_t{1} << format.fraction_bits();
  const auto field = [&](int exponent) {
    return static_cast<std::uint64_t>(exponent + format.bias()) << format.fraction_bits();
  };
  Mismatch mismatch;
  const std::uint64_t cases = on_two_threads([&](unsigned half) {
    std::uint64_t done = 0;
    for (std::uint64_t x = half; x < fractions; x += 2) {
      for (std::uint64_t y = 0; y < fractions; ++y) {
        const Code a{field(0) + x, &format};
        check(kNarrowOperations[2], a, {field(0) + y, &format}, mismatch);
        check(kNarrowOperations[3], a, {field(0) + y, &format}, mismatch);
        done += 2;
        for (int apart = 0; apart <= farthest; ++apart) {
          const Code above{field(farthest - 13) + x, &format};
          const Code below{field(farthest - 13 - apart) + y, &format};
          check(kNarrowOperations[0], above, below, mismatch);
          check(kNarrowOperations[1], above, below, mismatch);
          done += 2;
        }
      }
    }
    return done;
  });
  expect_none(mismatch, format);
  EXPECT_EQ(cases, fractions * fractions * 2 * static_cast<std::uint64_t>(farthest + 2));
}

// fp16 has 30 binades: numbers 26 of them apart no longer touch in binary32.
TEST(NarrowOperationsExhaustive, EveryPairOfSignificandsOfFp16) {
  check_every_pair_of_significands(kFp16, 26);
}
TEST(NarrowOperationsExhaustive, EveryPairOfSignificandsOfBf16) {
  check_every_pair_of_significands(kBf16, 40);
}

TEST(NarrowOperationsExhaustive, ManyPairsOfAnyCodes) {
  constexpr std::uint64_t kPairs = std::uint64_t{1} << 24;
  for (const FloatFormat* format : {&kFp16, &kBf16}) {
    Mismatch mismatch;
    const RandomStream random(1, "pairs");
    std::atomic<std::uint64_t> skipped = 0;
    const std::uint64_t cases = on_two_threads([&](unsigned half) {
      std::uint64_t done = 0;
      for (std::uint64_t i = half; i < kPairs / 2; i += 2) {
        const std::uint64_t bits = random.bits(i);
        for (const int shift : {0, 32}) {  // two pairs of codes from 64 bits
          const Code a{bits >> shift & 0xffff, format};
          const Code b{bits >> (shift + 16) & 0xffff, format};
          if (!is_finite(a) || !is_finite(b) || b.magnitude() == 0) {
            ++skipped;
            continue;
          }
          for (const NarrowOperation& operation : kNarrowOperations) {
            check(operation, a, b, mismatch);
            ++done;
          }
        }
      }
      return done;
    });
    expect_none(mismatch, *format);
    EXPECT_EQ(cases + 4 * skipped, 4 * kPairs);
    EXPECT_LT(skipped, kPairs / 15) << "1/16 of fp16 codes are not finite";
  }
}

}  // namespace
}  // namespace normcert
