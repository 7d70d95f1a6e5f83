// read_code against mpfr_strtofr.
#include <gtest/gtest.h>

#include <gmp.h>

#include <array>
#include <string>

#include "numeric/decimal.hpp"
#include "numeric/mpfr_code.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

constexpr std::array<RoundingMode, 3> kModes{RoundingMode::kNearestEven, RoundingMode::kTowardZero,
                                             RoundingMode::kAwayFromZero};

void expect_like_mpfr(const std::string& text, const FloatFormat& format) {
  for (const RoundingMode mode : kModes) {
    const Code expected = code_by_mpfr(format, mode, [&](mpfr_ptr result, mpfr_rnd_t rounding) {
      return mpfr_strtofr(result, text.c_str(), nullptr, 0, rounding);
    });
    const auto got = read_code(text, format, {mode});
    ASSERT_TRUE(got) << text;
    ASSERT_EQ(got->bits, expected.bits)
        << text << " as " << format.name << " mode " << static_cast<int>(mode);
  }
}

TEST(ReadCodeOracle, RandomTexts) {
  const RandomStream random(1, "oracle texts");
  std::uint64_t cases = 0;
  for (const FloatFormat* format : all_formats()) {
    for (std::uint64_t i = 0; i < 6000; ++i, ++cases) {
      const std::uint64_t choice = random.bits(4 * i);
      std::string digits =
          std::to_string(random.bits(4 * i + 1)) + std::to_string(random.bits(4 * i + 2));
      digits.resize(1 + choice % digits.size());
      digits.insert((choice >> 8) % (digits.size() + 1), ".");
      const int width = 2 * (format->emax - format->quantum_exponent());
      const int binary = static_cast<int>(choice >> 20) % (width / 2);
      const int decimal = binary * 3 / 10;
      const std::string sign = (choice >> 16 & 1) != 0 ? "-" : "";
      const bool hexadecimal = (choice >> 17 & 1) != 0;
      const int exponent = (choice >> 18 & 1) != 0 ? 1 : -1;
      expect_like_mpfr(hexadecimal ? sign + "0x" + digits + "p" + std::to_string(exponent * binary)
                                   : sign + digits + "e" + std::to_string(exponent * decimal),
                       *format);
    }
  }
  EXPECT_EQ(cases, 42000U);
}

// significand x 2^exponent written out in full.
std::string decimal_expansion(std::uint64_t significand, int exponent) {
  mpz_t integer;
  mpz_init_set_ui(integer, significand);
  mpz_t factor;
  mpz_init(factor);
  // m 2^-k = m 5^k / 10^k
  mpz_ui_pow_ui(factor, exponent < 0 ? 5 : 2, static_cast<unsigned long>(std::abs(exponent)));
  mpz_mul(integer, integer, factor);
  std::string digits(mpz_sizeinbase(integer, 10) + 2, '\0');
  mpz_get_str(digits.data(), 10, integer);
  digits.resize(digits.find('\0'));
  mpz_clear(integer);
  mpz_clear(factor);
  return digits + "e" + std::to_string(exponent < 0 ? exponent : 0);
}

// Midpoints of numbers in all their digits, and with one digit more that decides.
TEST(ReadCodeOracle, MidpointsInFull) {
  const RandomStream random(1, "midpoints");
  std::uint64_t cases = 0;
  for (const FloatFormat* format : all_formats()) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t i = 0; i < 400; ++i, ++cases) {
      // Every second one from the least two binades.
      const std::uint64_t range =
          i % 2 == 0 ? layout.greatest_finite + 1 : std::uint64_t{2} << layout.fraction_bits;
      const HandValue lower = hand_decode(layout, random.bits(i) % range);
      const std::string middle = decimal_expansion(2 * lower.significand + 1, lower.exponent - 1);
      const std::size_t e = middle.find('e');
      const std::string digits = middle.substr(0, e);
      const std::string exponent = middle.substr(e);
      expect_like_mpfr(middle, *format);
      expect_like_mpfr("-" + digits + ".0000000000000000000000000000000001" + exponent, *format);
      std::string below = digits;
      --below.back();  // an odd multiple of a power of 5 or an even number: never 0 at the end
      if (digits.back() != '0') {
        expect_like_mpfr(below + ".9999999999999999999999999999999999" + exponent, *format);
      }
    }
  }
  EXPECT_EQ(cases, 2800U);
}

}  // namespace
}  // namespace normcert
