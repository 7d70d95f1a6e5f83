// The order of codes: rank, neighbours and distances, against the order of the values as binary64.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numeric/code.hpp"
#include "numeric/hand_layout.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

std::int64_t greatest_rank(const FloatFormat& format) {
  const HandLayout& layout = hand_layout(format);
  return static_cast<std::int64_t>(layout.greatest_finite) + (format.has_infinity() ? 1 : 0);
}

TEST(CodeOrder, RankRunsThroughTheValuesInOrder) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    const std::int64_t greatest = greatest_rank(*format);
    double previous = -std::numeric_limits<double>::infinity();
    for (std::int64_t r = -greatest; r <= greatest; ++r) {
      const Code code = code_of_rank(r, *format);
      ASSERT_EQ(rank(code), r);
      ASSERT_FALSE(is_nan(code));
      const double value = to_binary64(code);
      if (r > -greatest) {
        ASSERT_LT(previous, value) << format->name << " " << r;
      }
      previous = value;
      ++cases;
    }
    EXPECT_EQ(code_of_rank(0, *format).bits, 0U);
    EXPECT_EQ(rank(zero_of(*format, true)), 0);
    EXPECT_EQ(rank({1, format}), 1);
  }
  EXPECT_EQ(cases, 253U + 249 + 63489 + 65281);
}

TEST(CodeOrder, NeighboursOfEveryCode) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    const std::int64_t greatest = greatest_rank(*format);
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << format->code_bits; ++bits) {
      const Code code{bits, format};
      ++cases;
      if (is_nan(code)) {
        ASSERT_EQ(next_up(code), code);
        ASSERT_EQ(next_down(code), code);
        continue;
      }
      const Code up = next_up(code);
      const Code down = next_down(code);
      const std::int64_t r = rank(code);
      ASSERT_EQ(rank(up), std::min(r + 1, greatest)) << format->name << " " << bits;
      ASSERT_EQ(rank(down), std::max(r - 1, -greatest)) << format->name << " " << bits;
      // A step that reaches zero keeps the sign it came from.
      if (r == -1) {
        ASSERT_EQ(up, zero_of(*format, true));
      }
      if (r == 1) {
        ASSERT_EQ(down, zero_of(*format, false));
      }
      ASSERT_EQ(code_distance(code, up), r == greatest ? 0U : 1U);
      ASSERT_EQ(code_distance(down, code), r == -greatest ? 0U : 1U);
    }
  }
  EXPECT_EQ(cases, 2 * 256U + 2 * 65536);
}

TEST(CodeOrder, NeighboursOfBinary64LikeNextafter) {
  const double infinity = std::numeric_limits<double>::infinity();
  const RandomStream random(1, "neighbours");
  std::uint64_t cases = 0;
  const auto check = [&](std::uint64_t bits) {
    const Code code{bits, &kFp64};
    if (is_nan(code)) return;
    ++cases;
    const double value = std::bit_cast<double>(bits);
    ASSERT_EQ(next_up(code), code_of(std::nextafter(value, infinity))) << value;
    ASSERT_EQ(next_down(code), code_of(std::nextafter(value, -infinity))) << value;
  };
  for (std::uint64_t i = 0; i < 100000; ++i) check(random.bits(i));
  for (const double value :
       {0.0, 1.0, 0x1p-1022, 0x1p-1074, infinity, std::numeric_limits<double>::max()}) {
    check(std::bit_cast<std::uint64_t>(value));
    check(std::bit_cast<std::uint64_t>(-value));
  }
  EXPECT_GT(cases, 99900U);
}

TEST(CodeOrder, Distance) {
  const auto distance = [](double a, double b) { return code_distance(code_of(a), code_of(b)); };
  EXPECT_EQ(distance(0.0, -0.0), 0U);
  EXPECT_EQ(distance(0x1p-1074, -0x1p-1074), 2U);
  EXPECT_EQ(distance(1.0, 2.0), std::uint64_t{1} << 52);
  const double greatest = std::numeric_limits<double>::max();
  EXPECT_EQ(distance(-greatest, greatest), 2 * 0x7fefffffffffffffU) << "no signed overflow";

  std::uint64_t cases = 0;
  const std::int64_t top = greatest_rank(kFp8E5m2);
  for (std::int64_t a = -top; a <= top; ++a) {
    for (std::int64_t b = -top; b <= top; ++b) {
      ++cases;
      ASSERT_EQ(code_distance(code_of_rank(a, kFp8E5m2), code_of_rank(b, kFp8E5m2)),
                static_cast<std::uint64_t>(std::abs(a - b)));
    }
  }
  EXPECT_EQ(cases, 249U * 249U);
}

}  // namespace
}  // namespace normcert
