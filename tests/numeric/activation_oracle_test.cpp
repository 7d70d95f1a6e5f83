// Activations against MPFR, which computes them from its own exponential.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "numeric/activation.hpp"
#include "numeric/mpfr_code.hpp"
#include "numeric/mpfr_number.hpp"
#include "numeric/random.hpp"
#include "numeric/wide.hpp"

namespace normcert {
namespace {

constexpr Activation kActivations[] = {Activation::kSilu, Activation::kSigmoid};

// The plain number that an activation lies next to, and its distance from it, with a relative error
// of less than 2^(8 - precision): 1/2 tanh(t/2) around 0, 1/(1 + e^t) elsewhere.
struct PlainAndDistance {
  MpfrNumber plain{2200};
  MpfrNumber distance;
  explicit PlainAndDistance(mpfr_prec_t precision) : distance(precision) {}
};

void set(PlainAndDistance& out, Activation activation, double g) {
  const double t = std::fabs(g);
  mpfr_ptr d = out.distance.get();
  mpfr_set_d(out.plain.get(), t < 1 ? 0.5 : g < 0 ? 0 : 1, MPFR_RNDN);
  mpfr_set_d(d, t, MPFR_RNDN);
  if (t < 1) {
    mpfr_div_2ui(d, d, 1, MPFR_RNDN);
    mpfr_tanh(d, d, MPFR_RNDN);
    mpfr_div_2ui(d, d, 1, MPFR_RNDN);
  } else {
    mpfr_exp(d, d, MPFR_RNDN);
    mpfr_add_ui(d, d, 1, MPFR_RNDN);
    mpfr_ui_div(d, 1, d, MPFR_RNDN);
    // e^t is beyond MPFR's range: the least number that it has stands for the distance.
    if (mpfr_zero_p(d) != 0) mpfr_nextabove(d);
  }
  const bool below = t < 1 ? g < 0 : g > 0;
  if (below) mpfr_neg(d, d, MPFR_RNDN);
  if (activation == Activation::kSigmoid) return;
  mpfr_mul_d(out.plain.get(), out.plain.get(), g, MPFR_RNDN);
  mpfr_mul_d(d, d, g, MPFR_RNDN);
}

Code rounded_by_mpfr(Activation activation, double g, const FloatFormat& format) {
  PlainAndDistance parts(200);
  set(parts, activation, g);
  return code_by_mpfr(format, RoundingMode::kNearestEven, [&](mpfr_ptr out, mpfr_rnd_t rounding) {
    return mpfr_add(out, parts.plain.get(), parts.distance.get(), rounding);
  });
}

std::vector<Code> every_code(const FloatFormat& format, std::uint64_t step) {
  std::vector<Code> codes;
  const std::uint64_t end = std::uint64_t{1} << format.code_bits;
  for (std::uint64_t bits = 0; bits < end; bits += step) codes.push_back({bits, &format});
  return codes;
}

// Uniform bits, and numbers of ordinary size.
std::vector<Code> random_codes(const FloatFormat& format, int count, const char* name) {
  const RandomStream random(1, name);
  std::vector<Code> codes;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const double ordinary = std::ldexp(static_cast<double>(random.bits(2 * index) >> 11), -53);
    const double sized = (ordinary - 0.5) * std::ldexp(1.0, i % 24 - 12);
    codes.push_back(i % 2 == 0
                        ? Code{random.bits(2 * index + 1) >> (64 - format.code_bits), &format}
                        : convert(code_of(sized), format));
  }
  return codes;
}

std::uint64_t check_rounded(const std::vector<Code>& codes, const FloatFormat& format) {
  std::uint64_t checked = 0;
  for (const Code g : codes) {
    if (!is_finite(g) || g.magnitude() == 0) continue;
    for (const Activation activation : kActivations) {
      const Code got = rounded_activation(activation, g, format);
      const Code expected = rounded_by_mpfr(activation, to_binary64(g), format);
      EXPECT_EQ(got, expected) << g.format->name << ' ' << to_binary64(g) << " to " << format.name;
      if (got != expected) return checked;
      ++checked;
    }
  }
  return checked;
}

TEST(ActivationOracle, RoundsEveryCodeOfTheNarrowFormats) {
  for (const FloatFormat* from : {&kBf16, &kFp16}) {
    std::uint64_t checked = 0;
    for (const FloatFormat* to : {from, &kFp32})
      checked += check_rounded(every_code(*from, 1), *to);
    // Two activations to two formats of every finite number but the zeros.
    EXPECT_EQ(checked, 4 * 2 * from->max_finite_magnitude());
  }
}

TEST(ActivationOracle, RoundsCodesToEveryFormat) {
  for (const FloatFormat* to : all_formats()) {
    for (const FloatFormat* from : {&kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2}) {
      EXPECT_GT(check_rounded(every_code(*from, from->code_bits == 16 ? 29 : 1), *to), 400U);
    }
    EXPECT_GT(check_rounded(random_codes(kFp32, 3000, "fp32"), *to), 5000U);
    EXPECT_GT(check_rounded(random_codes(kFp64, 3000, "fp64"), *to), 5000U);
  }
}

TEST(ActivationOracle, RoundsNumbersNextToTheEnds) {
  // The least and the greatest numbers, ties of narrower formats just above and below which the
  // activation of a great or small number lies, and where the arithmetic changes.
  std::vector<Code> codes;
  for (const double g : {0x1p-1074,
                         0x1p-149,
                         0x1p-148,
                         0x1.8p-148,
                         0x1p-24,
                         0x1p-23,
                         0x1.8p-23,
                         257.0,
                         0x1.01p100,
                         0x1.03p100,
                         999.0,
                         1000.0,
                         1001.0,
                         0x1p17,
                         0x1.8p17,
                         0x1.fffffep127,
                         0x1.fffffffffffffp1023,
                         1.0,
                         0x1.fffffffffffffp-1,
                         70.0,
                         69.999,
                         87.3,
                         87.4,
                         103.9,
                         104.0,
                         744.4,
                         745.2,
                         17.3,
                         16.6}) {
    codes.push_back(code_of(g));
    codes.push_back(code_of(-g));
  }
  for (const FloatFormat* to : all_formats()) {
    EXPECT_EQ(check_rounded(codes, *to), 2 * codes.size());
  }
}

TEST(ActivationOracle, RoundsSpecialNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const FloatFormat* format : all_formats()) {
    const auto rounded = [&](Activation activation, double g) {
      return rounded_activation(activation, code_of(g), *format);
    };
    EXPECT_EQ(rounded(Activation::kSilu, -0.0), zero_of(*format, true));
    EXPECT_EQ(rounded(Activation::kSilu, 0.0), zero_of(*format, false));
    EXPECT_EQ(to_binary64(rounded(Activation::kSigmoid, -0.0)), 0.5);
    EXPECT_EQ(rounded(Activation::kSilu, -infinity), zero_of(*format, true));
    EXPECT_EQ(rounded(Activation::kSilu, infinity), infinity_of(*format, false));
    EXPECT_EQ(rounded(Activation::kSigmoid, -infinity), zero_of(*format, false));
    EXPECT_EQ(to_binary64(rounded(Activation::kSigmoid, infinity)), 1.0);
    EXPECT_TRUE(is_nan(rounded(Activation::kSilu, std::nan(""))));
    EXPECT_TRUE(is_nan(rounded(Activation::kSigmoid, std::nan(""))));
  }
}

// |activation - value| < error <= 2^-320 distance.
void check_enclosed(Activation activation, double g) {
  const EnclosedActivation got = enclosed_activation(activation, code_of(g));
  PlainAndDistance parts(500);
  set(parts, activation, g);
  // Both numbers are multiples of 2^-1130 - 1.45 |g| - 500, and below 2^1024.
  MpfrNumber difference(3700 + static_cast<mpfr_prec_t>(1.45 * std::fabs(g)));
  difference.set_exactly(got.value);
  mpfr_sub(difference.get(), difference.get(), parts.plain.get(), MPFR_RNDN);
  mpfr_sub(difference.get(), difference.get(), parts.distance.get(), MPFR_RNDN);
  MpfrNumber error(64);
  error.set_exactly(got.error);
  EXPECT_LT(mpfr_cmpabs(difference.get(), error.get()), 0) << g;
  MpfrNumber limit(500);
  mpfr_div_2ui(limit.get(), parts.distance.get(), kActivationBits, MPFR_RNDN);
  EXPECT_LE(mpfr_cmpabs(error.get(), limit.get()), 0) << g;
}

TEST(ActivationOracle, EnclosesWithTheErrorThatItStates) {
  const RandomStream random(1, "enclosed");
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const double fraction = std::ldexp(static_cast<double>(random.bits(i) >> 11), -53) + 0x1p-53;
    const double g = std::ldexp(fraction, static_cast<int>(i % 24) - 14);
    for (const Activation activation : kActivations) {
      check_enclosed(activation, g);
      check_enclosed(activation, -g);
    }
  }
  for (const double g : {0x1p-1074, 0x1.7p-1022, 0x1.3p-500, 1.0, 0x1.fffffffffffffp-1, 65504.0,
                         0x1p17, 0x1.62e42fefa39efp-1, 0x1.62e42fefa39efp5, 0x1.62e42fefa39efp9}) {
    for (const Activation activation : kActivations) {
      check_enclosed(activation, g);
      check_enclosed(activation, -g);
    }
  }
}

TEST(ActivationOracle, EnclosesWhatVanishes) {
  for (const double g : {0x1.0000000000001p17, 1e9, 3e38, 1.7e308}) {
    const EnclosedActivation below = enclosed_activation(Activation::kSilu, code_of(-g));
    EXPECT_EQ(compare(below.value + below.error, BigDyadic()), 0);
    EXPECT_LT(compare(below.value - below.error, BigDyadic()), 0);
    EXPECT_GE(compare(below.value - below.error, BigDyadic() - BigDyadic::power_of_two(-189000)),
              0);
    const EnclosedActivation above = enclosed_activation(Activation::kSilu, code_of(g));
    EXPECT_EQ(compare(above.value + above.error, BigDyadic(g)), 0);
    EXPECT_LT(compare(above.value, BigDyadic(g)), 0);
    const EnclosedActivation one = enclosed_activation(Activation::kSigmoid, code_of(g));
    EXPECT_EQ(compare(one.value + one.error, BigDyadic::integer(1)), 0);
    EXPECT_LT(compare(one.value, BigDyadic::integer(1)), 0);
    const EnclosedActivation zero = enclosed_activation(Activation::kSigmoid, code_of(-g));
    EXPECT_EQ(compare(zero.value - zero.error, BigDyadic()), 0);
    EXPECT_GT(zero.value.sign(), 0);
  }
  // The greatest that vanishes is smaller than the stand-in, as MPFR has it.
  PlainAndDistance parts(100);
  set(parts, Activation::kSilu, -kGreatestGate);
  EXPECT_LT(mpfr_get_exp(parts.distance.get()), -189000);
}

TEST(ActivationOracle, DoubleDoubleKeepsItsBound) {
  std::vector<Code> codes = random_codes(kFp64, 6000, "double-double");
  for (int i = -4000; i < 4000; ++i) codes.push_back(code_of(0x1.62e42fefa39efp-2 * i));
  Wide greatest;
  std::uint64_t checked = 0;
  for (const Code code : codes) {
    const double g = to_binary64(code);
    if (!std::isfinite(g) || g == 0 || std::fabs(g) > 3e4) continue;
    for (const Activation activation : kActivations) {
      const BigDyadic precise = precise_activation(activation, code);
      const ScaledDoubleDouble scaled = scaled_activation(activation, g);
      const BigDyadic got =
          (BigDyadic(scaled.high) + BigDyadic(scaled.low)).times_power_of_two(scaled.exponent);
      const Wide error = Wide((got - precise).magnitude()) / Wide(precise.magnitude());
      if (compare(error, greatest) > 0) greatest = error;
      const DoubleDouble pair = double_double_activation(activation, g);
      const std::int64_t top = leading_bits(precise).exponent + 63;
      if (std::isnan(pair.high)) {
        EXPECT_GE(std::abs(top), 898) << g;
      } else {
        // A low part may underflow.
        const BigDyadic lost = BigDyadic(pair.high) + BigDyadic(pair.low) - got;
        EXPECT_LE(compare(lost.magnitude(), BigDyadic::power_of_two(-1074)), 0) << g;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 20000U);
  EXPECT_LT(compare(greatest, Wide(kDoubleDoubleActivationError)), 0) << greatest.scientific(5);
  // No more than what is proven, and the test sees real errors.
  EXPECT_LT(compare(greatest, Wide(114 * 0x1p-106)), 0) << greatest.scientific(5);
  EXPECT_GT(compare(greatest, Wide(0x1p-106)), 0) << greatest.scientific(5);
  EXPECT_TRUE(std::isnan(scaled_activation(Activation::kSilu, -0x1.1p17).high));
}

}  // namespace
}  // namespace normcert
