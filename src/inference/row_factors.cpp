#include "inference/row_factors.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/widen.hpp"

namespace normcert {

RowFactorReader::RowFactorReader(const Case& value, const TensorView& y)
    : value_(value),
      x_rows_(value.x),
      y_rows_(y),
      gain_(value.x.width, 1.0),
      x_(value.x.width),
      residual_(value.residual ? value.x.width : 0),
      outputs_(value.x.width),
      element_limit_(std::ldexp(4.0, -y.format->precision)),
      unit_(std::ldexp(1.0, -y.format->precision)),
      factor_limit_(6 * unit_ / std::sqrt(3 * static_cast<double>(value.x.width)) +
                    std::ldexp(1.0, -20)),
      least_(std::ldexp(1.0, y.format->emin)) {
  if (value.residual) residual_rows_.emplace(*value.residual);
  if (!value.weight) return;
  widen(*value.weight->format, value.weight->row_bytes(0).data(), gain_.size(), gain_.data());
  for (double& gain : gain_) gain += value.weight_offset.binary64;
}

bool RowFactorReader::read_inputs(std::size_t row, double& q) {
  x_rows_.widened(row, x_);
  if (residual_rows_) {
    residual_rows_->widened(row, residual_);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += residual_[i];
  }
  q = 0;
  for (const double x : x_) q += x * x / static_cast<double>(x_.size());
  return std::isfinite(q) && q > 0;
}

std::optional<RowFactorView> RowFactorReader::read(std::size_t row) {
  RowFactorView view;
  view.row = row;
  off_.clear();
  compared_ = 0;
  if (!read_inputs(row, view.q)) return std::nullopt;
  view.exact = 1 / std::sqrt(view.q + value_.epsilon.binary64);
  y_rows_.widened(row, outputs_);
  bool any = false;
  view.all_zero = true;
  ratios_.clear();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double product = gain_[i] * x_[i];
    view.non_finite = view.non_finite || !std::isfinite(outputs_[i]);
    if (product == 0) continue;
    any = true;
    view.all_zero = view.all_zero && outputs_[i] == 0;
    // Zeros of elements that are too small to be seen say nothing; others do.
    const bool small = std::fabs(product) * view.exact < least_;
    if (!small) ratios_.push_back({i, outputs_[i] / product});
  }
  view.all_zero = view.all_zero && any;
  if (!view.non_finite && !view.all_zero) form_factor(view);
  return view;
}

double RowFactorReader::factor_limit(const RowFactorView& row) const {
  int exponent = 0;
  const double significand = 2 * std::frexp(row.exact, &exponent);  // 1 <= . < 2
  double bias = unit_;
  // Beyond that many digits the bias is less than what the mean of a row varies by anyway.
  for (double step = 1; step > 0x1p-6; step /= 2, bias /= 2) {
    if (std::fabs(std::remainder(significand, step)) <= 4 * unit_) return factor_limit_ + bias;
  }
  return factor_limit_;
}

void RowFactorReader::form_factor(RowFactorView& view) {
  if (ratios_.empty()) return;
  sorted_.clear();
  for (const Ratio& ratio : ratios_) sorted_.push_back(ratio.value);
  const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 2);
  std::ranges::nth_element(sorted_, middle);
  const double median = *middle;
  if (median == 0) return;
  double sum = 0;
  std::size_t count = 0;
  for (const Ratio& ratio : ratios_) {
    if (std::fabs(ratio.value / median - 1) > element_limit_) continue;
    sum += ratio.value;
    ++count;
  }
  view.factor = sum / static_cast<double>(count);
  compared_ = ratios_.size();
  for (const Ratio& ratio : ratios_) {
    if (std::fabs(ratio.value / view.factor - 1) > element_limit_) off_.push_back(ratio.channel);
  }
}

}  // namespace normcert
