// Floating-point formats as values: one struct of constants describes a format, and every
// operation in `numeric` takes the format as an argument.
//
// Terms follow IEEE 754-2019, 3.3: precision p (significand digits, the leading one included),
// emin and emax (least and greatest exponent of a normal number 1.f x 2^e). fp8_e4m3fn and
// fp8_e5m2 are those of the OCP 8-bit Floating Point Specification (OFP8) 1.0.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace normcert {

// What the codes above the greatest finite magnitude mean.
enum class SpecialCodes : std::uint8_t {
  kInfinityAndNan,  // IEEE 754: greatest exponent field, fraction 0 is infinity, others NaN
  kNanOnly,         // OFP8 "fn": only the all-ones magnitude is NaN; there is no infinity
};

struct FloatFormat {
  std::string_view name;
  int precision;
  int emin;
  int emax;
  int code_bits;      // sign + exponent field + fraction field
  int storage_bytes;  // of one element in a tensor; tf32 (19 bits) lives in a binary32 word
  SpecialCodes specials;

  [[nodiscard]] constexpr int fraction_bits() const { return precision - 1; }
  [[nodiscard]] constexpr int exponent_bits() const { return code_bits - precision; }
  [[nodiscard]] constexpr int bias() const { return 1 - emin; }
  // Exponent of the spacing of subnormal numbers: the least positive value is 2^quantum_exponent.
  [[nodiscard]] constexpr int quantum_exponent() const { return emin - precision + 1; }

  [[nodiscard]] constexpr std::uint64_t sign_mask() const {
    return std::uint64_t{1} << (code_bits - 1);
  }
  [[nodiscard]] constexpr std::uint64_t magnitude_mask() const { return sign_mask() - 1; }
  [[nodiscard]] constexpr std::uint64_t fraction_mask() const {
    return (std::uint64_t{1} << fraction_bits()) - 1;
  }
  [[nodiscard]] constexpr bool has_infinity() const {
    return specials == SpecialCodes::kInfinityAndNan;
  }
  // Magnitude field (sign cleared) of the greatest finite number.
  [[nodiscard]] constexpr std::uint64_t max_finite_magnitude() const {
    return has_infinity() ? infinity_magnitude() - 1 : magnitude_mask() - 1;
  }
  // Magnitude field of infinity; meaningful only where has_infinity().
  [[nodiscard]] constexpr std::uint64_t infinity_magnitude() const {
    return magnitude_mask() & ~fraction_mask();
  }
  // Magnitude field of the NaN that operations of this program produce (quiet, no payload).
  [[nodiscard]] constexpr std::uint64_t nan_magnitude() const {
    return has_infinity() ? infinity_magnitude() | (std::uint64_t{1} << (fraction_bits() - 1))
                          : magnitude_mask();
  }

  friend constexpr bool operator==(const FloatFormat& a, const FloatFormat& b) {
    // No two formats share these.
    return a.code_bits == b.code_bits && a.precision == b.precision && a.emax == b.emax;
  }
};

inline constexpr FloatFormat kFp64{"fp64", 53, -1022, 1023, 64, 8, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kFp32{"fp32", 24, -126, 127, 32, 4, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kTf32{"tf32", 11, -126, 127, 19, 4, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kBf16{"bf16", 8, -126, 127, 16, 2, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kFp16{"fp16", 11, -14, 15, 16, 2, SpecialCodes::kInfinityAndNan};
inline constexpr FloatFormat kFp8E4m3fn{"fp8_e4m3fn", 4, -6, 8, 8, 1, SpecialCodes::kNanOnly};
inline constexpr FloatFormat kFp8E5m2{"fp8_e5m2", 3, -14, 15, 8, 1, SpecialCodes::kInfinityAndNan};

// All formats, widest first. The pointers are to the constants above and live for ever.
std::span<const FloatFormat* const> all_formats();

// The format of that exact name, or nullptr.
const FloatFormat* find_format(std::string_view name);

// The name among `names` nearest to `word` (least edit distance, first among equals); empty where
// nothing is near enough (more than half of the longer word would change) to be worth suggesting,
// and for words of more than 64 characters.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace normcert
