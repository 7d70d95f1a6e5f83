#include "reference/precise_row.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "numeric/activation.hpp"
#include "numeric/big_dyadic.hpp"
#include "numeric/code.hpp"
#include "numeric/precise_square_sum.hpp"
#include "numeric/square_sum.hpp"
#include "numeric/widen.hpp"

namespace normcert {
namespace {

constexpr double kSquaredUnit = 0x1p-106;
constexpr double kSafety = 1 + 0x1p-20;
constexpr double kAddends = 0x1p1022;  // below it a sum of two cannot overflow
constexpr double kLeastTerm = 0x1p-400;
constexpr int kLeastDistance = 400;
// An activation and a product with it.
constexpr double kGated = kDoubleDoubleActivationError + 7 * kSquaredUnit;
// Beside numbers that reach this exponent, those whose activation vanishes are below 2^-1000.
constexpr int kLeastGated = -180'000;
constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 256;
constexpr std::size_t kGreatestWidth = std::size_t{1} << 33;

std::size_t blocks_of(std::size_t count) { return (count + kBlock - 1) / kBlock; }

// Additions that a term passes through at most.
double depth_of(std::size_t width) {
  const auto levels = static_cast<std::size_t>(std::bit_width(blocks_of(width) - 1));
  const std::size_t additions = kBlock / kLanes + 3 + levels;
  return static_cast<double>(additions);
}

DoubleDouble block_sum(std::span<const DoubleDouble> numbers) {
  std::array<DoubleDouble, kLanes> sums{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sums[i % kLanes] = add(sums[i % kLanes], multiply(numbers[i], numbers[i]));
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] = add(sums[i], sums[i + half]);
  }
  return sums[0];
}

// Blocks in pairs: a tree of depth ceil(log2(blocks)).
DoubleDouble sum_of_squares(std::span<const DoubleDouble> numbers) {
  const std::size_t blocks = blocks_of(numbers.size());
  if (blocks == 1) return block_sum(numbers);
  const std::size_t half = (blocks + 1) / 2 * kBlock;
  return add(sum_of_squares(numbers.first(half)), sum_of_squares(numbers.subspan(half)));
}

// S = (high + low) 2^exponent. `numbers` are scaled in place.
ScaledDoubleDouble scaled_sum_of_squares(std::span<DoubleDouble> numbers) {
  double greatest = 0;
  for (const DoubleDouble& z : numbers) greatest = std::max(greatest, std::fabs(z.high));
  if (greatest == 0) return {};
  const int exponent = normalized({greatest, 0, 0}).exponent;
  for (DoubleDouble& z : numbers) {
    z = {times_power_of_two(z.high, -exponent), times_power_of_two(z.low, -exponent)};
    if (std::fabs(z.high) < kLeastTerm) z = {};
  }
  const DoubleDouble sum = sum_of_squares(numbers);
  return normalized({sum.high, sum.low, 2 * exponent});
}

// The same of normalised numbers of any exponent; a zero has high 0.
ScaledDoubleDouble scaled_sum_of_squares(std::span<const ScaledDoubleDouble> numbers) {
  constexpr int kNone = std::numeric_limits<int>::min();
  int exponent = kNone;
  for (const ScaledDoubleDouble& z : numbers) {
    if (z.high != 0) exponent = std::max(exponent, z.exponent);
  }
  if (exponent == kNone) return {};
  std::vector<DoubleDouble> scaled;
  scaled.reserve(numbers.size());
  for (const ScaledDoubleDouble& z : numbers) {
    const int distance = z.high != 0 ? exponent - z.exponent : 0;
    scaled.push_back(distance > kLeastDistance
                         ? DoubleDouble{}
                         : DoubleDouble{times_power_of_two(z.high, -distance),
                                        times_power_of_two(z.low, -distance)});
  }
  const DoubleDouble sum = sum_of_squares(scaled);
  return normalized({sum.high, sum.low, 2 * exponent});
}

bool is_narrow(const FloatFormat& format) { return format.precision <= kFp32.precision; }

// z of `count` elements from `first` on; false where one is not a number of binary64, which NaN
// and infinities pass for.
bool widen_sums(const Case& value, std::size_t row, std::size_t first, std::size_t count,
                double* z) {
  const auto from = [&](const TensorView& tensor) {
    const auto size = static_cast<std::size_t>(tensor.format->storage_bytes);
    return tensor.row_bytes(row).data() + first * size;
  };
  widen(*value.x.format, from(value.x), count, z);
  if (!value.residual) return true;
  std::array<double, kPreciseBlock> added;
  widen(*value.residual->format, from(*value.residual), count, added.data());
  double lost = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const DoubleDouble sum = two_sum(z[i], added[i]);
    z[i] = sum.high;
    lost = std::max(lost, std::fabs(sum.low));
  }
  return lost == 0;
}

// The sum of squares of a row of narrow formats, by blocks of kPreciseBlock in pairs.
struct NarrowSum {
  bool usable = true;  // every z is a number of binary64
  MagnitudeRange range{std::numeric_limits<double>::infinity(), 0};

  DoubleDouble of(const Case& value, std::size_t row, std::size_t first, std::size_t count) {
    if (count > kPreciseBlock) {
      const std::size_t blocks = (count + kPreciseBlock - 1) / kPreciseBlock;
      const std::size_t half = (blocks + 1) / 2 * kPreciseBlock;
      const DoubleDouble lower = of(value, row, first, half);
      return add(lower, of(value, row, first + half, count - half));
    }
    std::array<double, kPreciseBlock> z;
    usable = usable && widen_sums(value, row, first, count, z.data());
    const DoubleDouble sum = precise_square_sum(z.data(), count, !value.residual);
    usable = usable && std::isfinite(sum.high) && std::isfinite(sum.low);
    if (!usable) return {};
    const MagnitudeRange own = magnitude_range(z.data(), count);
    if (own.greatest == 0) return sum;
    range.least = std::min(range.least, own.least);
    range.greatest = std::max(range.greatest, own.greatest);
    return sum;
  }
};

// Whether no addition of such a sum can have rounded. All terms are multiples of g = 2^(2(k - p +
// 1)), where 2^k <= least magnitude and z has p bits; all sums, below n 2^(2 K) with 2^K > the
// greatest magnitude, are then held without error if they are below 2^100 g: each low part that
// an addition of double-doubles rounds is a multiple of g below 2^50 g.
bool is_exact(const Case& value, const MagnitudeRange& range) {
  if (value.residual || range.greatest == 0) return range.greatest == 0;
  const auto width = static_cast<int>(std::bit_width(value.x.width));
  const int grid = 2 * (std::ilogb(range.least) - value.x.format->precision + 1);
  return width + 2 * (std::ilogb(range.greatest) + 1) - grid < 100;
}

// The sum of squares where binary64 holds it and all that it is formed of.
std::optional<double> exact_binary64_sum(const Case& value, std::size_t row) {
  const TensorView& x = value.x;
  if (value.residual) return std::nullopt;
  const double sum = square_sum(*x.format, x.row_bytes(row).data(), x.width);
  if (!std::isfinite(sum) || !square_sum_is_exact(*x.format, x.row_bytes(row).data(), x.width)) {
    return std::nullopt;
  }
  return sum;
}

ScaledDoubleDouble inverse_root(ScaledDoubleDouble square) {
  const int odd = square.exponent & 1;
  const double factor = odd != 0 ? 2 : 1;
  const DoubleDouble root = square_root({square.high * factor, square.low * factor});
  const DoubleDouble inverse = divide({1, 0}, root);
  return {inverse.high, inverse.low, -(square.exponent - odd) / 2};
}

// Exact, or nothing where it might overflow or is not a number.
std::optional<DoubleDouble> exact_sum(double a, double b) {
  if (!(std::fabs(a) < kAddends && std::fabs(b) < kAddends)) return std::nullopt;
  return two_sum(a, b);
}

std::optional<DoubleDouble> input(const Case& value, std::size_t row, std::size_t index) {
  const double x = to_binary64(value.x.at(row, index));
  if (value.residual) {
    const auto z = exact_sum(x, to_binary64(value.residual->at(row, index)));
    // ExactRow: a sum that vanishes counts as +0, also -0 + -0.
    return z && z->high == 0 ? DoubleDouble{} : z;
  }
  if (!std::isfinite(x)) return std::nullopt;
  return DoubleDouble{x, 0};
}

std::optional<DoubleDouble> gain(const Case& value, std::size_t index) {
  if (!value.weight) return DoubleDouble{1, 0};
  const double weight = to_binary64(value.weight->at(0, index));
  const double offset = value.weight_offset.binary64;
  if (offset != 0) {
    const auto sum = exact_sum(offset, weight);
    return sum && sum->high == 0 ? DoubleDouble{} : sum;
  }
  if (!std::isfinite(weight)) return std::nullopt;
  return DoubleDouble{weight, 0};
}

// Normalised; an activation that vanishes is NaN. Nothing where a gate is not finite.
std::optional<std::vector<ScaledDoubleDouble>> activations(const Case& value, std::size_t row) {
  std::vector<ScaledDoubleDouble> result(value.x.width);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double g = to_binary64(value.gate->values.at(row, i));
    if (!std::isfinite(g)) return std::nullopt;
    result[i] = normalized(scaled_activation(value.gate->activation, g));
  }
  return result;
}

// Both normalised or zero.
ScaledDoubleDouble multiply(const ScaledDoubleDouble& a, const ScaledDoubleDouble& b) {
  const DoubleDouble product = multiply(DoubleDouble{a.high, a.low}, DoubleDouble{b.high, b.low});
  return {product.high, product.low, a.exponent + b.exponent};
}

// Of z times the activations. Nothing where one is not known, or all that is known may be smaller
// than what has vanished.
std::optional<ScaledDoubleDouble> gated_sum(const Case& value, std::size_t row,
                                            std::span<const ScaledDoubleDouble> activation) {
  std::vector<ScaledDoubleDouble> numbers(activation.size());
  bool some_vanish = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto z = input(value, row, i);
    if (!z) return std::nullopt;
    if (z->high == 0 || activation[i].high == 0) continue;
    if (std::isnan(activation[i].high)) {
      some_vanish = true;
      continue;
    }
    numbers[i] = normalized(multiply(normalized({z->high, z->low, 0}), activation[i]));
  }
  const ScaledDoubleDouble sum = scaled_sum_of_squares(numbers);
  if (some_vanish && (sum.high == 0 || sum.exponent / 2 < kLeastGated)) return std::nullopt;
  return sum;
}

}  // namespace

std::optional<PreciseRow> PreciseRow::of(const Case& value, std::size_t row) {
  const std::size_t width = value.x.width;
  const double epsilon = value.epsilon.binary64;
  if (width == 0 || width >= kGreatestWidth || !std::isfinite(epsilon) || epsilon < 0 ||
      !arithmetic_is_default()) {
    return std::nullopt;
  }
  PreciseRow result(value, row);
  if (value.gate) {
    auto known = activations(value, row);
    if (!known) return std::nullopt;
    result.activations_ = std::move(*known);
  }
  const bool gated_before = value.gate && value.gate->mode == GateMode::kBefore;
  ScaledDoubleDouble sum;
  NarrowSum narrow;
  narrow.usable = !gated_before && is_narrow(*value.x.format) &&
                  (!value.residual || is_narrow(*value.residual->format));
  if (narrow.usable) {
    const std::optional<double> plain = exact_binary64_sum(value, row);
    const DoubleDouble squares = plain ? DoubleDouble{*plain, 0} : narrow.of(value, row, 0, width);
    sum = normalized({squares.high, squares.low, 0});
    if (plain || (narrow.usable && is_exact(value, narrow.range))) result.exact_sum_ = squares;
  }
  if (gated_before) {
    const auto gated = gated_sum(value, row, result.activations_);
    if (!gated) return std::nullopt;
    sum = *gated;
  } else if (!narrow.usable) {
    std::vector<DoubleDouble> numbers(width);
    for (std::size_t i = 0; i < width; ++i) {
      const auto z = input(value, row, i);
      if (!z) return std::nullopt;
      numbers[i] = *z;
    }
    sum = scaled_sum_of_squares(numbers);
  }
  const DoubleDouble quotient = divide(DoubleDouble{sum.high, sum.low}, static_cast<double>(width));
  const ScaledDoubleDouble mean = normalized({quotient.high, quotient.low, sum.exponent});
  const ScaledDoubleDouble square = add_nonnegative(mean, normalized({epsilon, 0, 0}));
  if (square.high == 0) return std::nullopt;

  const double depth = depth_of(width);
  const double of_input = gated_before ? kGated : 0;
  const double of_element = value.gate ? kGated : 0;
  result.mean_square_ = {mean, ((3 * depth + 11) * kSquaredUnit + 2 * of_input) * kSafety};
  result.inverse_rms_ = {inverse_root(square),
                         ((1.5 * depth + 28) * kSquaredUnit + of_input) * kSafety};
  result.bound_ = ((1.5 * depth + 44) * kSquaredUnit + of_input + of_element) * kSafety;
  return result;
}

bool PreciseRow::inverse_rms_is_exact() const {
  const ScaledDoubleDouble& r = inverse_rms_.value;
  int exponent = 0;
  if (!exact_sum_ || r.low != 0 || std::frexp(r.high, &exponent) != 0.5) return false;
  // S + n epsilon == n / r^2
  const BigDyadic width = BigDyadic::integer(case_->x.width);
  const BigDyadic square = BigDyadic(exact_sum_->high) + BigDyadic(exact_sum_->low) +
                           width * BigDyadic(case_->epsilon.binary64);
  return compare(square,
                 width.times_power_of_two(-2 * (std::int64_t{exponent} - 1 + r.exponent))) == 0;
}

std::optional<ScaledDoubleDouble> PreciseRow::value(std::size_t index) const {
  const auto z = input(*case_, row_, index);
  const auto g = gain(*case_, index);
  if (!z || !g) return std::nullopt;
  const ScaledDoubleDouble activation =
      case_->gate ? activations_[index] : ScaledDoubleDouble{1, 0, 0};
  if (z->high == 0 || g->high == 0 || activation.high == 0) {
    // An activation vanishes for negative gates alone.
    const bool vanishes = std::isnan(activation.high);
    const bool activation_negative =
        vanishes ? case_->gate->activation == Activation::kSilu : std::signbit(activation.high);
    const bool negative = (std::signbit(z->high) != std::signbit(g->high)) != activation_negative;
    return ScaledDoubleDouble{negative ? -0.0 : 0.0, 0, 0};
  }
  if (std::isnan(activation.high)) return std::nullopt;
  const ScaledDoubleDouble& r = inverse_rms_.value;
  const ScaledDoubleDouble scaled_z = normalized({z->high, z->low, 0});
  ScaledDoubleDouble y{scaled_z.high, scaled_z.low, scaled_z.exponent + r.exponent};
  if (case_->weight) {
    const ScaledDoubleDouble scaled_g = normalized({g->high, g->low, 0});
    const DoubleDouble product =
        multiply({y.high, y.low}, DoubleDouble{scaled_g.high, scaled_g.low});
    y = {product.high, product.low, y.exponent + scaled_g.exponent};
  }
  if (case_->gate) y = multiply(y, activation);
  const DoubleDouble result = multiply({y.high, y.low}, DoubleDouble{r.high, r.low});
  return ScaledDoubleDouble{result.high, result.low, y.exponent};
}

std::optional<Enclosure> PreciseRow::enclosure(std::size_t index) const {
  const auto y = value(index);
  if (!y) return std::nullopt;
  return Enclosure{*y, bound_};
}

std::optional<ScaledDoubleDouble> precise_sum(const Case& value, std::size_t row,
                                              std::size_t index) {
  const auto z = input(value, row, index);
  if (!z) return std::nullopt;
  return ScaledDoubleDouble{z->high, z->low, 0};
}

}  // namespace normcert
