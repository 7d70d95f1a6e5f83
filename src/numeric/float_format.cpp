#include "numeric/float_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 7> kFormats{&kFp64, &kFp32,      &kTf32,   &kBf16,
                                                     &kFp16, &kFp8E4m3fn, &kFp8E5m2};

// The table is checked where it is written: an exponent field of w bits gives emax = 2^(w-1) - 1
// and emin = 1 - emax; "fn" formats use the greatest exponent field for numbers too.
constexpr bool consistent(const FloatFormat& f) {
  const int field_emax = (1 << (f.exponent_bits() - 1)) - 1;
  const int expected_emax = f.has_infinity() ? field_emax : field_emax + 1;
  return f.emax == expected_emax && f.emin == 1 - field_emax && f.bias() == field_emax &&
         f.code_bits <= 8 * f.storage_bytes && f.precision <= 53;
}
static_assert(consistent(kFp64) && consistent(kFp32) && consistent(kTf32) && consistent(kBf16) &&
              consistent(kFp16) && consistent(kFp8E4m3fn) && consistent(kFp8E5m2));
static_assert(kFp16.max_finite_magnitude() == 0x7bff && kFp16.nan_magnitude() == 0x7e00);
static_assert(kBf16.infinity_magnitude() == 0x7f80 && kBf16.quantum_exponent() == -133);
static_assert(kFp8E4m3fn.max_finite_magnitude() == 0x7e && kFp8E4m3fn.nan_magnitude() == 0x7f);
static_assert(kFp32.quantum_exponent() == -149 && kFp64.quantum_exponent() == -1074);

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const FloatFormat* const> all_formats() { return kFormats; }

const FloatFormat* find_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &FloatFormat::name);
  return found == kFormats.end() ? nullptr : *found;
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  // A hostile word must not cost quadratic time; nothing that long is a misspelt name.
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = kLongestWord;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (2 * distance <= std::max(word.size(), name.size()) && distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace normcert
