// `round` against MPFR, which is an implementation of its own by other people.
#include <gtest/gtest.h>

#include <array>

#include "numeric/mpfr_code.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding_suite.hpp"

namespace normcert {
namespace {

constexpr std::array<RoundingMode, 3> kModes{RoundingMode::kNearestEven, RoundingMode::kTowardZero,
                                             RoundingMode::kAwayFromZero};

// Exact values on their way into MPFR; one object for all, because allocations would dominate.
class Source {
 public:
  Source() : wide_(128) {}

  void set(const Dyadic& value) {
    const auto high = static_cast<std::uint64_t>(value.magnitude >> 64);
    const auto low = static_cast<std::uint64_t>(value.magnitude);
    mpfr_set_uj_2exp(wide_.get(), high, 64, MPFR_RNDN);
    inexact_ = mpfr_add_ui(wide_.get(), wide_.get(), low, MPFR_RNDN) != 0;
    mpfr_mul_2si(wide_.get(), wide_.get(), value.exponent, MPFR_RNDN);
    mpfr_setsign(wide_.get(), wide_.get(), value.negative ? 1 : 0, MPFR_RNDN);
  }
  [[nodiscard]] bool is_inexact() const { return inexact_; }
  [[nodiscard]] Code rounded(const FloatFormat& format, RoundingMode mode) const {
    return code_by_mpfr(format, mode, [this](mpfr_ptr result, mpfr_rnd_t rounding) {
      return mpfr_set(result, wide_.get(), rounding);
    });
  }

 private:
  MpfrNumber wide_;
  bool inexact_ = false;
};

// Random numbers of the format with a random tail; every second tail lies within 2^-40 of a number
// or a midpoint, exactly on it, or a single bit away.
Dyadic near_number(const FloatFormat& format, const RandomStream& random, std::uint64_t index) {
  const HandLayout& layout = hand_layout(format);
  const std::uint64_t choice = random.bits(3 * index);
  const std::uint64_t lower = random.bits(3 * index + 1) % (layout.greatest_finite + 1);
  const HandValue start = hand_decode(layout, lower);
  constexpr int kPlaces = 64;
  std::uint64_t tail = random.bits(3 * index + 2);
  if (choice % 2 == 0) {
    const std::array<std::uint64_t, 4> offsets{0, 1, ~std::uint64_t{0}, tail >> 40};
    tail = (choice >> 1 & 1) << 63;
    tail += offsets[choice >> 2 & 3];
  }
  const Uint128 magnitude = (Uint128{start.significand} << kPlaces) | tail;
  return {(choice >> 4 & 1) != 0, magnitude, start.exponent - kPlaces};
}

// Random magnitudes of any length with exponents from far below to far above the format's.
Dyadic anywhere(const FloatFormat& format, const RandomStream& random, std::uint64_t index) {
  const std::uint64_t choice = random.bits(3 * index);
  const Uint128 words = Uint128{random.bits(3 * index + 1)} << 64 | random.bits(3 * index + 2);
  const Uint128 magnitude = words >> choice % 128;
  const int span = format.emax - format.quantum_exponent() + 300;
  const int exponent = static_cast<int>(choice / 128 % static_cast<unsigned>(span));
  return {choice >> 63 != 0, magnitude, format.quantum_exponent() - 278 + exponent};
}

TEST(RoundingOracle, RandomDyadicsInEveryFormat) {
  constexpr std::uint64_t kCount = 80000;  // of each kind and format
  std::uint64_t cases = 0;
  Source source;
  for (const FloatFormat* format : all_formats()) {
    const RandomStream random(1, format->name);
    for (std::uint64_t i = 0; i < 2 * kCount; ++i) {
      const Dyadic value =
          i % 2 == 0 ? near_number(*format, random, i) : anywhere(*format, random, i);
      source.set(value);
      ASSERT_FALSE(source.is_inexact());
      for (const RoundingMode mode : kModes) {
        ASSERT_EQ(round(value, *format, {mode}).bits, source.rounded(*format, mode).bits)
            << format->name << " seed 1 index " << i << " mode " << static_cast<int>(mode);
      }
      ++cases;
    }
  }
  EXPECT_EQ(cases, 1120000U);
}

// The suite's own expectations: the judge is judged, too.
TEST(RoundingOracle, ExpectationsOfTheSuite) {
  std::uint64_t cases = 0;
  Source source;
  for (const FloatFormat* format : all_formats()) {
    std::uint64_t index = 0;
    for_each_rounding_case(*format, [&](const RoundingCase& at) {
      // All cases of 8 bits, every 41st of the others (41 is prime to the pattern of 192 cases).
      if (format->code_bits > 8 && index++ % 41 != 0) return true;
      if (at.rule.overflow == OverflowRule::kSaturate) return true;
      ++cases;
      source.set(at.value);
      EXPECT_EQ(source.rounded(*format, at.rule.mode).bits, at.expected.bits) << format->name;
      return !testing::Test::HasFailure();
    });
  }
  EXPECT_GT(cases, 200000U);
}

}  // namespace
}  // namespace normcert
