#include "reference/row_source.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "numeric/rounding.hpp"
#include "reference/exact_row.hpp"
#include "reference/four_squares.hpp"

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 4> kTensorFormats{&kFp64, &kFp32, &kBf16, &kFp16};

// A power of two that leaves x of ordinary size a normal number of the format, squares included
// where the format allows.
int greatest_scale(const FloatFormat& format) { return std::min(format.emax / 3, 40); }

// An odd number of exactly `digits` binary digits that `factor` divides, or 0 where none was met.
std::uint64_t odd_multiple(Dice& dice, int digits, std::uint64_t factor) {
  const std::uint64_t least = std::uint64_t{1} << (digits - 1);
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::uint64_t number = (least + dice.below(least)) / factor * factor;
    if (number >= least && number % 2 == 1) return number;
  }
  return 0;
}

}  // namespace

std::size_t RowSource::width() {
  constexpr std::array<std::size_t, 12> kWidths{1, 2, 3, 4, 5, 7, 16, 31, 64, 100, 128, 257};
  return dice_.one_in(100) ? 1024 : kWidths[dice_.below(kWidths.size())];
}

const FloatFormat& RowSource::tensor_format() {
  return *kTensorFormats[dice_.below(kTensorFormats.size())];
}

double RowSource::any_number(const FloatFormat& format) {
  const auto magnitude = static_cast<std::int64_t>(dice_.below(format.max_finite_magnitude() + 1));
  return to_binary64(code_of_rank(dice_.one_in(2) ? -magnitude : magnitude, format));
}

double RowSource::epsilon() {
  constexpr std::array<double, 6> kEpsilons{1e-5, 1e-6, 1e-8, 1e-12, 0x1p-1074, 0x1.8p-1030};
  if (dice_.one_in(3)) return std::exp2(-40 + 44 * dice_.uniform());
  return kEpsilons[dice_.below(kEpsilons.size())];
}

void RowSource::add_weights(RowNumbers& numbers) {
  if (dice_.one_in(8)) return;
  numbers.weight_format = &tensor_format();
  constexpr std::array<double, 4> kOffsets{0, 0, 1, 0.2};
  numbers.offset = kOffsets[dice_.below(kOffsets.size())];
  const double center = numbers.offset == 0 ? 1 : 0;
  for (std::size_t i = 0; i < numbers.x.size(); ++i) {
    numbers.weight.push_back(center + 0.25 * dice_.normal());
    if (dice_.one_in(64)) numbers.weight.back() = -numbers.offset;  // gain 0 (or nearly)
  }
}

RowNumbers RowSource::ordinary(const FloatFormat& format) {
  RowNumbers numbers{.format = &format, .x = std::vector<double>(width())};
  const int limit = greatest_scale(format);
  const double scale = dice_.one_in(2) ? 1 : std::exp2(dice_.between(-limit, limit));
  for (double& x : numbers.x) x = scale * dice_.normal();
  if (std::ranges::all_of(numbers.x, [](double x) { return x == 0; })) numbers.x[0] = 1;
  numbers.epsilon = epsilon();
  add_weights(numbers);
  return numbers;
}

RowNumbers RowSource::any_magnitude(const FloatFormat& format) {
  RowNumbers numbers{.format = &format, .x = std::vector<double>(width())};
  for (double& x : numbers.x) x = any_number(format);
  numbers.epsilon = epsilon();
  numbers.weight_format = &tensor_format();
  for (std::size_t i = 0; i < numbers.x.size(); ++i) {
    numbers.weight.push_back(any_number(*numbers.weight_format));
  }
  return numbers;
}

RowNumbers RowSource::at_the_ends(const FloatFormat& format) {
  RowNumbers numbers = ordinary(format);
  const FloatFormat& output = *all_formats()[dice_.below(all_formats().size())];
  numbers.offset = 0;
  numbers.weight_format = output == kFp64 || output.emin < -126 ? &kFp64 : &tensor_format();
  if (numbers.weight_format->emax < output.emax) numbers.weight_format = &kFp64;
  numbers.weight.clear();
  for (std::size_t i = 0; i < numbers.x.size(); ++i) {
    int exponent = dice_.between(output.quantum_exponent() - 2, output.emin + 1);
    if (dice_.one_in(3)) exponent = dice_.between(output.emax - 1, output.emax);
    if (dice_.one_in(8)) exponent = output.quantum_exponent() - 2;
    numbers.weight.push_back(std::ldexp(1 + dice_.uniform(), exponent) *
                             (dice_.one_in(2) ? -1 : 1));
  }
  return numbers;
}

RowNumbers RowSource::exact_root(const FloatFormat& format) {
  // With n = divisor^2 m and integers z of sum z^2 = m root^2 - n e, the root mean square with
  // epsilon e is root / divisor. Where the divisor is not 1 the mean of squares is no dyadic
  // number.
  const std::uint64_t odd = dice_.one_in(3) ? (dice_.one_in(2) ? 3 : 5) : 1;
  const std::uint64_t root = odd << dice_.between(odd == 1 ? 1 : 0, format.precision > 8 ? 5 : 3);
  const std::uint64_t divisor = dice_.one_in(2) ? (dice_.one_in(2) ? 3 : 7) : 1;
  const std::uint64_t m = divisor == 1 ? 5 + dice_.below(40) : 1 + dice_.below(4);
  const std::size_t n = divisor * divisor * m;
  const std::uint64_t epsilon_part = dice_.below(m * root * root / n / 2 + 1);
  std::uint64_t rest = m * root * root - n * epsilon_part;
  RowNumbers numbers{.format = &format, .x = {}};
  while (numbers.x.size() + 4 < n) {
    const std::uint64_t z = dice_.below(root + root / 2);
    if (z * z > rest) break;
    rest -= z * z;
    numbers.x.push_back(static_cast<double>(z));
  }
  numbers.x.resize(n - 4, 0);
  for (const std::uint64_t z : four_squares(rest)) numbers.x.push_back(static_cast<double>(z));

  // The gain makes the result an odd number of p + 1 digits (a tie) or of p digits of some format,
  // sometimes in its subnormal range.
  numbers.weight_format = dice_.one_in(2) ? &kFp64 : &kFp32;
  const int scale = dice_.between(-4, 2);
  for (double& x : numbers.x) {
    const FloatFormat& output = *all_formats()[dice_.below(all_formats().size())];
    const auto z = static_cast<std::uint64_t>(x);
    const int two_in_z = z == 0 ? 0 : std::countr_zero(z);
    const std::uint64_t odd_part = z == 0 ? 1 : z >> two_in_z;
    int digits = output.precision + dice_.between(0, 1);
    int exponent = dice_.between(-12, 0) - output.precision;
    if (dice_.one_in(4)) {
      digits = dice_.between(1, output.precision);
      exponent = output.quantum_exponent() - dice_.between(0, 1);
      numbers.weight_format = &kFp64;
    }
    // Divided as an integer: of 54 digits odd_part may leave 53.
    const std::uint64_t quotient = odd_multiple(dice_, digits, odd_part) / odd_part;
    const double gain = static_cast<double>(quotient) * static_cast<double>(root);
    numbers.weight.push_back(std::ldexp(gain, exponent - two_in_z));
    x = std::ldexp(dice_.one_in(2) ? -x : x, scale);
  }
  numbers.epsilon = std::ldexp(static_cast<double>(epsilon_part), 2 * scale);
  return numbers;
}

RowNumbers RowSource::with_residual(const FloatFormat& format) {
  RowNumbers numbers = ordinary(format);
  numbers.residual_format = &tensor_format();
  for (const double x : numbers.x) {
    const double near =
        -fitted(x, format) * (1 + std::ldexp(dice_.normal(), -dice_.between(1, 60)));
    constexpr int kKinds = 4;
    switch (dice_.below(kKinds)) {
      case 0:
        numbers.residual.push_back(-fitted(x, format));
        break;
      case 1:
        numbers.residual.push_back(near);
        break;
      case 2:
        numbers.residual.push_back(std::ldexp(dice_.normal(), -dice_.between(0, 100)));
        break;
      default:
        numbers.residual.push_back(dice_.normal());
    }
  }
  return numbers;
}

RowNumbers RowSource::any(const FloatFormat& format) {
  switch (dice_.below(8)) {
    case 0:
      return any_magnitude(format);
    case 1:
    case 2:
      return at_the_ends(format);
    case 3:
      return exact_root(format);
    case 4:
      return with_residual(format);
    default:
      return ordinary(format);
  }
}

AimedRow RowSource::next_to_midpoint(const FloatFormat& format, const FloatFormat& output) {
  for (;;) {
    // (2 m + 1) 2^(e-1) lies half way between m 2^e and the next number; beyond the greatest finite
    // number it is where overflow begins.
    Code below{dice_.below(output.max_finite_magnitude() + 1), &output};
    if (dice_.one_in(8)) below.bits &= output.fraction_mask();  // subnormal, or zero
    if (dice_.one_in(16)) below.bits = output.max_finite_magnitude();
    Dyadic aim = decode(below);
    if (below.bits == 0 || !dice_.one_in(4)) {
      aim.magnitude = 2 * aim.magnitude + 1;
      aim.exponent -= 1;
    }
    AimedRow result{.numbers = ordinary(format), .index = 0, .target = BigDyadic(aim)};
    RowNumbers& numbers = result.numbers;
    numbers.x.resize(2 + dice_.below(10), 1.0);
    result.index = dice_.below(numbers.x.size());
    double& z = numbers.x[result.index];
    const int leading_exponent = bit_length(aim.magnitude) + aim.exponent;
    // A small z reaches subnormal targets with gains that still have all their digits.
    if (leading_exponent < -1000 && format.emin <= -126) z = std::ldexp(z, -70);
    if (leading_exponent > 1000) z = std::ldexp(1.0, greatest_scale(format));
    numbers.offset = 0;
    numbers.epsilon = 0;
    numbers.weight_format = &tensor_format();
    if (numbers.weight_format->emin > leading_exponent - 4 ||
        numbers.weight_format->emax < leading_exponent + 4) {
      numbers.weight_format = &kFp64;
    }
    numbers.weight.assign(numbers.x.size(), 1.0);
    const Case plain = built_case(numbers);
    const ExactRow plain_row(plain, 0);
    const RootOfRatio unit = plain_row.element(result.index);
    if (unit.is_zero()) continue;
    const double gap = std::ldexp(1 + dice_.uniform(), -dice_.between(10, 40));
    const Wide gain = Wide(result.target) * (Wide(1.0) + Wide(gap)) / unit.wide().magnitude();
    const double rounded_gain = gain.to_binary64();
    if (!std::isfinite(rounded_gain) || rounded_gain == 0) continue;
    Code code = round(dyadic_of(rounded_gain), *numbers.weight_format,
                      {.mode = RoundingMode::kAwayFromZero});
    if (!is_finite(code)) continue;
    numbers.weight[result.index] = to_binary64(code);
    // epsilon = (g z / target)^2 - q
    const Wide product = Wide(plain_row.input(result.index)) * Wide(numbers.weight[result.index]) /
                         Wide(result.target);
    const double aimed_epsilon = (product * product - plain_row.mean_square()).to_binary64();
    if (!(aimed_epsilon > 0) || !std::isfinite(aimed_epsilon)) continue;
    numbers.epsilon = aimed_epsilon;
    return result;
  }
}

}  // namespace normcert
