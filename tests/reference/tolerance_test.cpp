// The pass rule and printed numbers, at their limits and against 256 bits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "reference/exact_row.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

// +-7/5 without weights: x = (1, +-7), q = 25.
RootOfRatio seven_fifths(bool negative) {
  const Case row = built_case({.x = {1, negative ? -7.0 : 7.0}, .epsilon = 0});
  return ExactRow(row, 0).element(1);
}

RootOfRatio zero(bool negative) {
  const Case row = built_case({.x = {negative ? -0.0 : 0.0, 1}});
  return ExactRow(row, 0).element(0);
}

bool within(double got, const RootOfRatio& value, double atol, double rtol) {
  return within_tolerance(code_of(got), value, BigDyadic(atol), BigDyadic(rtol));
}

// Limits that are binary64 numbers although 7/5 is none: (1 + rtol) 7/5 + atol and
// (1 - rtol) 7/5 - atol.
TEST(WithinTolerance, LimitsBelong) {
  struct Limit {
    double got, rtol;
    bool upper;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  int limits = 0;
  for (const Limit& limit : {Limit{1.75, 0.25, true}, Limit{3.5, 1.5, true}, Limit{7, 4, true},
                             Limit{0.875, 0.375, false}, Limit{0, 1, false},
                             Limit{-3.5, 3.5, false}, Limit{-1.75, 2.25, false}}) {
    for (const double atol : {0.0, 0x1p-30, 2.0}) {
      const double got = limit.upper ? limit.got + atol : limit.got - atol;
      const double outside = std::nextafter(got, limit.upper ? infinity : -infinity);
      const double inside = std::nextafter(got, limit.upper ? -infinity : infinity);
      for (const bool negative : {false, true}) {
        const double sign = negative ? -1 : 1;
        const RootOfRatio value = seven_fifths(negative);
        EXPECT_TRUE(within(sign * got, value, atol, limit.rtol)) << got << ' ' << atol;
        EXPECT_TRUE(within(sign * inside, value, atol, limit.rtol)) << got << ' ' << atol;
        EXPECT_FALSE(within(sign * outside, value, atol, limit.rtol)) << got << ' ' << atol;
        ++limits;
      }
    }
  }
  EXPECT_EQ(limits, 42);
}

TEST(WithinTolerance, NothingAllowed) {
  const Case half = built_case({.x = {1}, .epsilon = 3});
  EXPECT_TRUE(within(0.5, ExactRow(half, 0).element(0), 0, 0));
  EXPECT_FALSE(within(-0.5, ExactRow(half, 0).element(0), 0, 0));
  EXPECT_FALSE(within(std::nextafter(0.5, 1), ExactRow(half, 0).element(0), 0, 0));
  // No binary64 number is 7/5.
  EXPECT_FALSE(within(1.4, seven_fifths(false), 0, 0));
  EXPECT_FALSE(within(std::nextafter(1.4, 2), seven_fifths(false), 0, 0));
  EXPECT_TRUE(within(1.4, seven_fifths(false), 0, 0x1p-53));
}

// Around 0 the relative part allows nothing, however great.
TEST(WithinTolerance, ValueZero) {
  for (const bool negative : {false, true}) {
    const RootOfRatio value = zero(negative);
    ASSERT_EQ(value.negative(), negative);
    for (const double rtol : {0.0, 0.5, 1.0, 7.0}) {
      for (const double sign : {-1.0, 1.0}) {
        EXPECT_TRUE(within(sign * 0.0, value, 0, rtol));
        EXPECT_FALSE(within(sign * 0x1p-1074, value, 0, rtol));
        EXPECT_TRUE(within(sign * 0.25, value, 0.25, rtol));
        EXPECT_FALSE(within(sign * std::nextafter(0.25, 1), value, 0.25, rtol));
      }
    }
  }
}

TEST(WithinTolerance, GreatToleranceReachesTheOtherSide) {
  for (const bool negative : {false, true}) {
    const double sign = negative ? -1 : 1;
    const RootOfRatio value = seven_fifths(negative);
    EXPECT_FALSE(within(sign * -0x1p-1074, value, 0, 1));
    EXPECT_TRUE(within(sign * -0x1p-1074, value, 0x1p-1074, 1));
    EXPECT_TRUE(within(sign * -1.39, value, 0, 2));
    EXPECT_FALSE(within(sign * -1.41, value, 0, 2));
    EXPECT_TRUE(within(sign * 4.19, value, 0, 2));
    EXPECT_FALSE(within(sign * 4.21, value, 0, 2));
  }
}

// |got - y| - (atol + rtol |y|) to 256 bits: its sign, or 0 where 256 bits leave it open.
int excess_sign(Code got, const RootOfRatio& value, double atol, double rtol) {
  const Wide y = value.wide();
  const Wide error = (Wide(BigDyadic(decode(got))) - y).magnitude();
  const Wide limit = Wide(atol) + Wide(rtol) * y.magnitude();
  const Wide excess = error - limit;
  const Wide doubt = (error + limit + y.magnitude()).times_power_of_two(-250);
  return compare(excess.magnitude(), doubt) > 0 ? excess.sign() : 0;
}

TEST(WithinTolerance, AgreesWith256Bits) {
  RowSource source(21, "tolerance");
  Dice& dice = source.dice();
  constexpr std::array<double, 8> kTolerances{0, 1e-300, 1e-8, 1e-3, 0.1, 1, 1.25, 1000};
  int decided = 0;
  int accepted = 0;
  for (int i = 0; i < 600; ++i) {
    const Case row = built_case(source.any(*all_formats()[dice.below(5)]));
    const ExactRow exact(row, 0);
    const RootOfRatio value = exact.element(dice.below(row.x.width));
    for (const FloatFormat* const output : all_formats()) {
      const Code nearest = value.rounded(*output, {.overflow = OverflowRule::kSaturate});
      // The limits themselves, rounded to the format, are where a mistake would show.
      const double atol = kTolerances[dice.below(8)];
      const double rtol = kTolerances[dice.below(8)];
      const Wide y = value.wide();
      const Wide reach = Wide(atol) + Wide(rtol) * y.magnitude();
      const double upper = fitted((y + reach).to_binary64(), *output);
      const double lower = fitted((y - reach).to_binary64(), *output);
      for (const Code got :
           {nearest, next_up(nearest), code_of(upper), next_down(code_of(upper)),
            next_up(code_of(upper)), code_of(lower), next_down(code_of(lower)),
            next_up(code_of(lower)), zero_of(*output, true), max_finite_of(*output, false)}) {
        if (!is_finite(got)) continue;
        const int sign = excess_sign(got, value, atol, rtol);
        if (sign == 0) continue;
        ++decided;
        const bool ok = within_tolerance(got, value, BigDyadic(atol), BigDyadic(rtol));
        EXPECT_EQ(ok, sign < 0) << hex_text(got) << " atol " << atol << " rtol " << rtol;
        accepted += ok ? 1 : 0;
      }
    }
  }
  EXPECT_GT(decided, 30000);
  EXPECT_GT(accepted, 8000);
  EXPECT_GT(decided - accepted, 8000);
}

bool printed(const RootOfRatio& value, const std::string& text) {
  const auto number = read_number(text);
  EXPECT_TRUE(number) << text;
  return number && value.matches_printed(*number);
}

TEST(MatchesPrinted, BothEndsBelong) {
  const auto quarter = [](double sign) {  // +-1/4, from x = (1), epsilon = 15
    const Case row = built_case({.x = {sign}, .epsilon = 15});
    return ExactRow(row, 0).element(0);
  };
  // 0.25 is the upper end of 0.2 and the lower end of 0.3.
  EXPECT_TRUE(printed(quarter(1), "0.2"));
  EXPECT_TRUE(printed(quarter(1), "0.3"));
  EXPECT_TRUE(printed(quarter(1), "2e-1"));
  EXPECT_FALSE(printed(quarter(1), "0.20"));
  EXPECT_FALSE(printed(quarter(1), "0.1"));
  EXPECT_FALSE(printed(quarter(1), "0.4"));
  EXPECT_FALSE(printed(quarter(1), "-0.2"));
  EXPECT_TRUE(printed(quarter(-1), "-0.2"));
  EXPECT_TRUE(printed(quarter(-1), "-0.3"));
  EXPECT_FALSE(printed(quarter(-1), "0.2"));
  EXPECT_TRUE(printed(quarter(1), "0"));  // 0 +- 0.5
  EXPECT_TRUE(printed(quarter(-1), "-0"));
  EXPECT_FALSE(printed(quarter(1), "0.0"));    // 0 +- 0.05
  EXPECT_FALSE(printed(quarter(1), "0.245"));  // 0.245 +- 0.0005
}

TEST(MatchesPrinted, JustBesideTheEnds) {
  // y = g with x = (1), epsilon = 0; the gains are chosen around the ends.
  const auto value = [](double gain) {
    const Case row =
        built_case({.x = {1}, .weight = {gain}, .weight_format = &kFp64, .epsilon = 0});
    return ExactRow(row, 0).element(0);
  };
  // 0.35 as binary64 lies below 0.35, its upper neighbour above.
  EXPECT_TRUE(printed(value(0.35), "0.3"));
  EXPECT_FALSE(printed(value(0.35), "0.4"));
  EXPECT_FALSE(printed(value(std::nextafter(0.35, 1)), "0.3"));
  EXPECT_TRUE(printed(value(std::nextafter(0.35, 1)), "0.4"));
  EXPECT_TRUE(printed(value(0.5), "0"));
  EXPECT_TRUE(printed(value(-0.5), "0"));
  EXPECT_FALSE(printed(value(std::nextafter(0.5, 1)), "0"));
  EXPECT_FALSE(printed(value(std::nextafter(-0.5, -1)), "-0"));
  // Hexadecimal text is exact.
  EXPECT_TRUE(printed(value(0.5), "0x1p-1"));
  EXPECT_FALSE(printed(value(std::nextafter(0.5, 1)), "0x1p-1"));
  // A multiple of ten stands for its last digit, zero or not.
  EXPECT_TRUE(printed(value(1204.5), "1204"));
  EXPECT_TRUE(printed(value(1204.5), "1205"));
  EXPECT_FALSE(printed(value(1204.5), "1206"));
  EXPECT_TRUE(printed(value(1204.5), "1.2e3"));
}

TEST(MatchesPrinted, AttenuationTable) {
  // Rows of ones: A^2 = 1 / (1 + epsilon) with q / epsilon = 0.01, 0.1, 1, 10, 100.
  struct Entry {
    double x, epsilon;
    const char* attenuation;
  };
  for (const Entry& entry :
       {Entry{1, 100, "0.099504"}, Entry{1, 10, "0.301511"}, Entry{1, 1, "0.707107"},
        Entry{10, 10, "0.953463"}, Entry{10, 1, "0.995037"}}) {
    const Case row =
        built_case({.format = &kFp16, .x = {entry.x, -entry.x}, .epsilon = entry.epsilon});
    const ExactRow exact(row, 0);
    EXPECT_TRUE(printed(exact.attenuation(), entry.attenuation));
    EXPECT_FALSE(printed(exact.attenuation(), std::string(entry.attenuation) + "0"));
    EXPECT_TRUE(printed(exact.element(1), std::string("-") + entry.attenuation));
  }
}

TEST(AbsoluteErrorExact, ByHand) {
  const auto error = [](double got, const RootOfRatio& value) {
    return absolute_error(code_of(got), value);
  };
  const Case half = built_case({.x = {-1}, .epsilon = 3});
  const RootOfRatio minus_half = ExactRow(half, 0).element(0);
  EXPECT_EQ(error(-0.5, minus_half).sign(), 0);
  EXPECT_EQ(error(0.5, minus_half).to_binary64(), 1);
  EXPECT_EQ(error(0, minus_half).to_binary64(), 0.5);
  EXPECT_EQ(error(-0.75, minus_half).to_binary64(), 0.25);
  EXPECT_EQ(error(0, zero(true)).sign(), 0);
  EXPECT_EQ(error(-3, zero(false)).to_binary64(), 3);
  // 1.4 as binary64 is 1.399999999999999911182158029987...: 8.88e-17 below 7/5.
  EXPECT_EQ(error(1.4, seven_fifths(false)).scientific(20), "8.8817841970012523234e-17");
  EXPECT_EQ(error(-1.4, seven_fifths(true)).scientific(20), "8.8817841970012523234e-17");
}

}  // namespace
}  // namespace normcert
