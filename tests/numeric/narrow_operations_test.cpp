#include "numeric/narrow_operations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

#include "numeric/hand_layout.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

std::vector<Code> operands(const FloatFormat& format, std::initializer_list<int> fractions) {
  std::vector<Code> chosen;
  const HandLayout& layout = hand_layout(format);
  const std::uint64_t fields = std::uint64_t{1} << layout.exponent_bits;
  for (std::uint64_t field = 0; field < fields - 1; ++field) {
    const bool at_the_edge = field < 4 || field + 5 > fields;
    const bool near_one = field + 4 > fields / 2 && field < fields / 2 + 3;
    if (fields > 32 && !at_the_edge && !near_one && field % 6 != 0) continue;
    for (const int fraction : fractions) {
      chosen.push_back(
          {field << layout.fraction_bits | static_cast<std::uint64_t>(fraction), &format});
    }
  }
  return chosen;
}

std::uint64_t check_all_pairs(const std::vector<Code>& chosen) {
  std::uint64_t cases = 0;
  for (const NarrowOperation& operation : kNarrowOperations) {
    for (const Code a : chosen) {
      for (const Code b : chosen) {
        if (operation.name == "quotient" && b.magnitude() == 0) continue;
        ++cases;
        const Code once = operation.rounded_once(a, b);
        const Code twice = operation.through_binary32(a, b);
        if (!(once == twice)) {
          ADD_FAILURE() << a.format->name << " " << operation.name << " " << a.bits << " " << b.bits
                        << ": " << once.bits << ", twice " << twice.bits;
          return cases;
        }
      }
    }
  }
  return cases;
}

TEST(NarrowOperations, DirectedPairsOfFp16) {
  const auto chosen = operands(kFp16, {0, 1, 2, 0x155, 0x1ff, 0x200, 0x2ab, 0x3fe, 0x3ff});
  EXPECT_EQ(chosen.size(), 31U * 9);
  EXPECT_EQ(check_all_pairs(chosen), 4U * 279 * 279 - 279);
}

TEST(NarrowOperations, DirectedPairsOfBf16) {
  const auto chosen = operands(kBf16, {0, 1, 2, 0x2a, 0x40, 0x55, 0x7e, 0x7f});
  EXPECT_EQ(chosen.size() % 8, 0U);
  EXPECT_GT(chosen.size(), 50U * 8);
  EXPECT_EQ(check_all_pairs(chosen), 4 * chosen.size() * chosen.size() - chosen.size());
}

TEST(NarrowOperations, RootsOfEveryCode) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : {&kFp16, &kBf16}) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t bits = 0; bits <= layout.greatest_finite; ++bits) {
      const Code code{bits, format};
      ASSERT_EQ(root_rounded_once(code), root_through_binary32(code)) << format->name << bits;
      ++cases;
    }
  }
  EXPECT_EQ(cases, 31744U + 32640);
}

// The exact results themselves, against arithmetic in binary64, which is exact for these.
TEST(NarrowOperations, ExactResultsByHand) {
  const auto fp16 = [](double value) { return round(dyadic_of(value), kFp16); };
  const auto once = [&](std::size_t operation, double a, double b) {
    return to_binary64(kNarrowOperations[operation].rounded_once(fp16(a), fp16(b)));
  };
  EXPECT_EQ(once(0, 2048, 1), 2048);  // ties to even
  EXPECT_EQ(once(0, 2050, 1), 2052);
  EXPECT_EQ(once(0, 2048, 0x1p-24), 2048);
  EXPECT_EQ(once(1, 1, 1), 0);
  EXPECT_EQ(once(1, 0x1p-14, 0x1p-24), 0x3ffp-24);
  EXPECT_EQ(once(2, -3, 5), -15);
  EXPECT_TRUE(std::isinf(once(2, 256, 256)));
  EXPECT_EQ(once(3, 1, 3), 0x1.554p-2);
  EXPECT_EQ(to_binary64(root_rounded_once(fp16(2))), 0x1.6ap+0);
  EXPECT_EQ(to_binary64(root_rounded_once(fp16(9))), 3);
}

// Why the list of operations ends there: a fused multiply-add in binary32 is not innocuous.
TEST(NarrowOperations, FusedMultiplyAddIsDifferent) {
  const float a = 1.5F;
  const float b = 1 + 0x1p-10F;
  const float c = -0x1p-24F;  // all three are fp16 numbers
  const Code twice = convert(code_of(std::fma(a, b, c)), kFp16);
  // a b = 1.5 + 3 x 2^-11 is a tie of fp16; c takes it below.
  const Dyadic exact{false, (Uint128{0xc03} << 13) - 1, -24};
  const Code once = round(exact, kFp16);
  EXPECT_EQ(to_binary64(once), 1.5 + 0x1p-10);
  EXPECT_EQ(to_binary64(twice), 1.5 + 0x1p-9);
}

}  // namespace
}  // namespace normcert
