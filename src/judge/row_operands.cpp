#include "judge/row_operands.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/double_double.hpp"
#include "numeric/square_sum.hpp"
#include "numeric/widen.hpp"
#include "reference/error_bounds.hpp"

namespace normcert {
namespace {

constexpr double kLeast = 0x1p-200;
constexpr double kGreatest = 0x1p200;

bool in_range(double magnitude) { return magnitude >= kLeast && magnitude <= kGreatest; }

bool is_narrow(const FloatFormat& format) { return format.precision <= kFp32.precision; }

// Whether different weights of p bits, `offset` added, stay different when rounded to P bits: true
// only where that is certain. The greater magnitude M of two weights is at least t |offset|, t =
// 2^(p + 3 - P); they differ by at least 2^(-p - 1) M, what rounding can take is at most
// 2^(1 - P) (|offset| + M), and a little more where it is done twice.
bool stay_different(const TensorView& weight, double offset, int precision) {
  const int own = weight.format->precision;
  if (offset == 0) return own <= precision;
  if (precision - own <= 3) return false;
  const double least = std::ldexp(std::fabs(offset), own + 3 - precision);
  for (std::size_t i = 0; i < weight.width; ++i) {
    const Code code = weight.at(0, i);
    if (code.magnitude() != 0 && std::fabs(to_binary64(code)) < least) return false;
  }
  return true;
}

// Elements of a row filled up to whole groups of lanes.
std::size_t whole_lanes(std::size_t width) {
  return (width + kScreenLanes - 1) / kScreenLanes * kScreenLanes;
}

}  // namespace

RowGains::RowGains(const Case& value, OutputTensor tensor) {
  const std::size_t width = value.x.width;
  const std::size_t padded = whole_lanes(width);
  in_binary64.assign(padded, 0);
  std::fill_n(in_binary64.begin(), width, 1.0);
  if (value.weight && tensor != OutputTensor::kResidualOut) {
    const double offset = value.weight_offset.binary64;
    widen(*value.weight->format, value.weight->bytes.data(), width, in_binary64.data());
    // Adding an offset of 0 would lose the sign of a zero.
    for (std::size_t i = 0; i < width && offset != 0; ++i) in_binary64[i] += offset;
    differ_in_binary32 = stay_different(*value.weight, offset, kFp32.precision);
    differ_in_binary64 = stay_different(*value.weight, offset, kFp64.precision);
  }
  in_binary32.resize(padded);
  fit_binary32 = true;
  for (std::size_t i = 0; i < padded; ++i) {
    const double magnitude = std::fabs(in_binary64[i]);
    const bool fits = magnitude == 0 || (magnitude >= 0x1p-50 && magnitude <= 0x1p50);
    fit_binary32 = fit_binary32 && fits;
    in_binary32[i] = static_cast<float>(in_binary64[i]);
    greatest_output = std::max(greatest_output, magnitude);
  }
  greatest_output *= std::sqrt(static_cast<double>(width)) * (1 + 0x1p-10);
}

bool RowOperands::can_take(const Case& value) {
  const double offset = std::fabs(value.weight_offset.binary64);
  return !value.gate && is_narrow(*value.x.format) &&
         (!value.residual || is_narrow(*value.residual->format)) &&
         (!value.weight || is_narrow(*value.weight->format)) && in_range(value.epsilon.binary64) &&
         (offset == 0 || in_range(offset)) && arithmetic_is_default();
}

RowOperands::RowOperands(const Case& value, OutputTensor tensor,
                         std::shared_ptr<const RowGains> gains)
    : case_(value), tensor_(tensor), gains_(std::move(gains)) {
  usable_ = can_take(value);
  if (!usable_) return;
  if (!gains_) gains_ = std::make_shared<const RowGains>(value, tensor);
  if (value.residual) sum_.assign(whole_lanes(value.x.width), 0);
}

RowOperands::Load RowOperands::load(std::size_t row, std::optional<double> known_sum) {
  row_ = row;
  const std::size_t width = case_.x.width;
  if (case_.residual && !load_sum(row)) return Load::kNotScreened;
  // A residual's z has up to 53 bits: its square is rounded.
  const double sum = case_.residual ? square_sum(sum_.data(), width)
                     : known_sum    ? *known_sum
                                    : square_sum(*case_.x.format, element(case_.x, row, 0), width);
  if (!std::isfinite(sum)) return Load::kNotFinite;
  if (exact()) {
    r_fits_binary32_ = true;
    return Load::kReady;
  }
  const double mean = sum / static_cast<double>(width);
  r_ = 1 / std::sqrt(mean + case_.epsilon.binary64);
  if (!in_range(r_)) return Load::kNotScreened;
  // One more rounding of each term where squares are rounded.
  const std::size_t roundings = square_sum_depth(width) + (case_.residual ? 1 : 0);
  if (roundings > kGreatestDepth) return Load::kNotScreened;
  row_bound_ = row_scalar_bound(sum_bound(roundings));
  r_fits_binary32_ = r_ >= 0x1p-40 && r_ <= 0x1p40 && row_bound_ <= kGreatestRowError;
  return Load::kReady;
}

// z = x + residual in binary64; false where a sum is rounded.
bool RowOperands::load_sum(std::size_t row) {
  const std::size_t width = case_.x.width;
  widened64_.resize(std::max(widened64_.size(), width));
  widen(*case_.x.format, element(case_.x, row, 0), width, sum_.data());
  widen(*case_.residual->format, element(*case_.residual, row, 0), width, widened64_.data());
  bool exact = true;
  for (std::size_t i = 0; i < width; ++i) {
    // NaN where an input is not finite, which the sum of squares shows.
    const DoubleDouble z = two_sum(sum_[i], widened64_[i]);
    exact = exact && !(std::fabs(z.low) > 0);
    // Adding +0 turns a sum of two -0 into +0, which an exact sum that vanishes counts as.
    sum_[i] = z.high + 0.0;
  }
  return exact;
}

const std::byte* RowOperands::element(const TensorView& tensor, std::size_t row,
                                      std::size_t index) const {
  return tensor.bytes.data() +
         (row * tensor.width + index) * static_cast<std::size_t>(tensor.format->storage_bytes);
}

std::optional<RowOperands::Source> RowOperands::binary32_source(std::size_t first,
                                                                std::size_t count,
                                                                const FloatFormat& output) {
  if (case_.residual) return std::nullopt;
  const FloatFormat& format = *case_.x.format;
  const std::byte* from = element(case_.x, row_, first);
  if (format == kFp32) return Source{ScreenInput::kBinary32, from};
  if (format == output && format == kBf16) return Source{ScreenInput::kBfloat16, from};
  if (format == output && format == kFp16) return Source{ScreenInput::kBinary16, from};
  widened32_.resize(kScreenChunk);
  widen(format, from, count, widened32_.data());
  return Source{ScreenInput::kBinary32, widened32_.data()};
}

RowOperands::Source RowOperands::binary64_source(std::size_t first, std::size_t count,
                                                 const FloatFormat& output) {
  if (case_.residual) return {ScreenInput::kBinary64, sum_.data() + first};
  const FloatFormat& format = *case_.x.format;
  const std::byte* from = element(case_.x, row_, first);
  if (format == kFp32 && output == kFp32) return {ScreenInput::kBinary32, from};
  widened64_.resize(std::max(widened64_.size(), kScreenChunk));
  widen(format, from, count, widened64_.data());
  return {ScreenInput::kBinary64, widened64_.data()};
}

double RowOperands::z(std::size_t index) const {
  return case_.residual ? sum_[index] : to_binary64(case_.x.at(row_, index));
}

}  // namespace normcert
