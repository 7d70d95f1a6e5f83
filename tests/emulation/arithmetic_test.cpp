// The slow arithmetic against the processor's binary32 and binary64, which round each operation
// once as IEEE 754 says.
#include "emulation/arithmetic.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emulation/number_samples.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

template <typename Real>
struct Processor {
  using Bits = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;
  static const FloatFormat& format() { return std::is_same_v<Real, float> ? kFp32 : kFp64; }
  static Real real(Code code) { return std::bit_cast<Real>(static_cast<Bits>(code.bits)); }
};

template <typename Real>
void expect_same(Code got, Real expected, Code a, Code b, Code c, const char* operation) {
  EXPECT_TRUE(same_bits(got, code_of(expected)))
      << operation << std::hex << " of " << a.bits << ' ' << b.bits << ' ' << c.bits << ": got "
      << got.bits << ", the processor gives " << code_of(expected).bits;
}

template <typename Real>
void check_all(Code a, Code b, Code c) {
  const FloatFormat& format = Processor<Real>::format();
  const Real x = Processor<Real>::real(a);
  const Real y = Processor<Real>::real(b);
  const Real z = Processor<Real>::real(c);
  expect_same<Real>(rounded_sum(a, b, format), x + y, a, b, c, "sum");
  expect_same<Real>(rounded_difference(a, b, format), x - y, a, b, c, "difference");
  expect_same<Real>(rounded_product(a, b, format), x * y, a, b, c, "product");
  expect_same<Real>(rounded_quotient(a, b, format), x / y, a, b, c, "quotient");
  expect_same<Real>(rounded_root(a, format), std::sqrt(x), a, b, c, "root");
  expect_same<Real>(rounded_fma(a, b, c, format), std::fma(x, y, z), a, b, c, "fma");
}

template <typename Real>
class ArithmeticAgainstProcessor : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ArithmeticAgainstProcessor, Reals);

TYPED_TEST(ArithmeticAgainstProcessor, OnSpecialNumbers) {
  const std::vector<Code> codes = special_codes(Processor<TypeParam>::format());
  std::size_t checked = 0;
  for (const Code a : codes) {
    for (const Code b : codes) {
      for (const Code c : codes) {
        check_all<TypeParam>(a, b, c);
        ++checked;
      }
    }
  }
  EXPECT_EQ(checked, 38U * 38U * 38U);
}

// Uniform codes reach every exponent but hardly ever two that interact; near ones do.
TYPED_TEST(ArithmeticAgainstProcessor, OnRandomNumbers) {
  const FloatFormat& format = Processor<TypeParam>::format();
  const RandomStream random(20260901, "arithmetic");
  constexpr std::uint64_t kTriples = 400000;
  for (std::uint64_t i = 0; i < kTriples; ++i) {
    check_all<TypeParam>(any_code(format, random, 6 * i), any_code(format, random, 6 * i + 1),
                         any_code(format, random, 6 * i + 2));
    check_all<TypeParam>(near_code(format, 0, random, 6 * i + 3),
                         near_code(format, 0, random, 6 * i + 4),
                         near_code(format, 0, random, 6 * i + 5));
  }
}

TYPED_TEST(ArithmeticAgainstProcessor, WhereResultsAreSubnormal) {
  const FloatFormat& format = Processor<TypeParam>::format();
  const RandomStream random(20260902, "underflow");
  constexpr std::uint64_t kTriples = 200000;
  std::uint64_t subnormal = 0;
  for (std::uint64_t i = 0; i < kTriples; ++i) {
    const Code a = near_code(format, format.emin / 2, random, 3 * i);
    const Code b = near_code(format, format.emin / 2, random, 3 * i + 1);
    const Code c = near_code(format, format.emin + 12, random, 3 * i + 2);
    check_all<TypeParam>(a, b, c);
    subnormal += classify(rounded_product(a, b, format)) == FloatClass::kSubnormal ? 1 : 0;
  }
  EXPECT_GT(subnormal, kTriples / 10);
}

// r is the correctly rounded 1/sqrt(a) where m^2 a is below 1 for the midpoint m under r, and above
// 1 for the one over it. m has 12 digits and a has 11, so binary64 decides that exactly.
TEST(ReciprocalRoot, IsCorrectlyRoundedForEveryBinary16) {
  int checked = 0;
  for (std::uint64_t bits = 1; bits < kFp16.infinity_magnitude(); ++bits) {
    const Code a{bits, &kFp16};
    const Code r = rounded_reciprocal_root(a, kFp16);
    ASSERT_EQ(classify(r), FloatClass::kNormal) << bits;
    const double value = to_binary64(a);
    const double below = (to_binary64(r) + to_binary64(next_down(r))) / 2;
    const double above = (to_binary64(r) + to_binary64(next_up(r))) / 2;
    EXPECT_LT(below * below * value, 1) << bits;
    EXPECT_GT(above * above * value, 1) << bits;
    ++checked;
  }
  EXPECT_EQ(checked, 31743);
}

TEST(ReciprocalRoot, OfSpecialNumbers) {
  const auto root = [](double a) {
    return to_binary64(rounded_reciprocal_root(code_of(a), kFp64));
  };
  EXPECT_EQ(root(0.0), INFINITY);
  EXPECT_EQ(root(-0.0), -INFINITY);
  EXPECT_EQ(root(INFINITY), 0);
  EXPECT_TRUE(std::isnan(root(-1)));
  EXPECT_TRUE(std::isnan(root(-INFINITY)));
  EXPECT_TRUE(std::isnan(root(NAN)));
  EXPECT_EQ(root(4), 0.5);
  EXPECT_EQ(root(0x1p-1074), 0x1p537);
}

// a (b + c): where the sum is a number of the format, one rounding is a product's; where it is
// not, a two-step computation would differ.
TEST(ProductWithSum, RoundsOnce) {
  const auto value = [](double a, double b, double c) {
    return to_binary64(rounded_product_with_sum(code_of(a), code_of(b), code_of(c), kFp32));
  };
  EXPECT_EQ(value(3, 1, 0.5), 4.5);
  EXPECT_EQ(value(0x1p24 + 2, 1, 0x1p-24), 0x1p24 + 4);  // the product lies above the tie
  EXPECT_EQ(value(1, 1, -1), 0);
  EXPECT_FALSE(std::signbit(value(1, 1, -1)));
  EXPECT_TRUE(std::signbit(value(-1, 1, -1)));
  EXPECT_TRUE(std::isnan(value(INFINITY, 1, -1)));
  EXPECT_EQ(value(-INFINITY, 0x1p-30, 1), -INFINITY);
  EXPECT_TRUE(std::isnan(value(0, INFINITY, 1)));
  EXPECT_TRUE(std::isnan(value(NAN, 1, 1)));
  EXPECT_EQ(value(2, INFINITY, 1), INFINITY);
}

TEST(Maximum, TakesNanAndTellsZerosApart) {
  const auto max = [](double a, double b) {
    return to_binary64(maximum(code_of(a), code_of(b), kFp64));
  };
  EXPECT_EQ(max(1, 2), 2);
  EXPECT_EQ(max(-1, -2), -1);
  EXPECT_FALSE(std::signbit(max(-0.0, 0.0)));
  EXPECT_FALSE(std::signbit(max(0.0, -0.0)));
  EXPECT_TRUE(std::signbit(max(-0.0, -0.0)));
  EXPECT_TRUE(std::isnan(max(NAN, 1)));
  EXPECT_TRUE(std::isnan(max(1, NAN)));
  EXPECT_EQ(max(INFINITY, 1), INFINITY);
}

TEST(WithoutSubnormal, KeepsNormalNumbersAndSigns) {
  const auto flushed = [](double a) { return to_binary64(without_subnormal(code_of(a), kFp32)); };
  EXPECT_EQ(flushed(0x1p-126), 0x1p-126);
  EXPECT_EQ(flushed(0x1.fffffep-127), 0);
  EXPECT_TRUE(std::signbit(flushed(-0x1p-149)));
  EXPECT_EQ(flushed(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(flushed(NAN)));
}

}  // namespace
}  // namespace normcert
