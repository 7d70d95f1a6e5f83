#include "inference/row_factors.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "numeric/widen.hpp"

namespace normcert {
namespace {

struct Ratio {
  std::size_t channel;
  double value;
};

class FactorReader {
 public:
  FactorReader(const Case& value, const TensorView& y)
      : value_(value), y_(y), x_(value.x.width), outputs_(value.x.width) {
    const std::size_t width = value.x.width;
    gain_.assign(width, 1.0);
    if (value.weight) {
      widen(*value.weight->format, value.weight->row_bytes(0).data(), width, gain_.data());
      for (double& gain : gain_) gain += value.weight_offset.binary64;
    }
    const double unit = std::ldexp(1.0, -y.format->precision);
    factors_.element_limit = 4 * unit;
    factors_.factor_limit =
        6 * unit / std::sqrt(3 * static_cast<double>(width)) + std::ldexp(1.0, -20);
    factors_.off_by_channel.assign(width, 0);
    // Below it the spacing of subnormal numbers exceeds the limit of one element.
    least_ = std::ldexp(1.0, y.format->emin);
  }

  RowFactors read() {
    for (std::size_t row = 0; row < value_.x.rows; ++row) read_row(row);
    return std::move(factors_);
  }

 private:
  bool read_inputs(std::size_t row, double& q) {
    widen(*value_.x.format, value_.x.row_bytes(row).data(), x_.size(), x_.data());
    if (value_.residual) {
      std::vector<double> added(x_.size());
      widen(*value_.residual->format, value_.residual->row_bytes(row).data(), added.size(),
            added.data());
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += added[i];
    }
    q = 0;
    for (const double x : x_) q += x * x / static_cast<double>(x_.size());
    return std::isfinite(q) && q > 0;
  }

  void read_row(std::size_t row) {
    RowFactorView view;
    view.row = row;
    if (!read_inputs(row, view.q)) return;
    view.exact = 1 / std::sqrt(view.q + value_.epsilon.binary64);
    widen(*y_.format, y_.row_bytes(row).data(), outputs_.size(), outputs_.data());
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
    factors_.rows.push_back(view);
  }

  void form_factor(RowFactorView& view) {
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
      if (std::fabs(ratio.value / median - 1) > factors_.element_limit) continue;
      sum += ratio.value;
      ++count;
    }
    view.factor = sum / static_cast<double>(count);
    factors_.compared += ratios_.size();
    for (const Ratio& ratio : ratios_) {
      if (std::fabs(ratio.value / view.factor - 1) <= factors_.element_limit) continue;
      ++view.off;
      ++factors_.off_by_channel[ratio.channel];
    }
  }

  const Case& value_;
  const TensorView& y_;
  std::vector<double> gain_;
  std::vector<double> x_;
  std::vector<double> outputs_;
  std::vector<Ratio> ratios_;
  std::vector<double> sorted_;
  RowFactors factors_;
  double least_ = 0;
};

}  // namespace

RowFactors row_factors(const Case& value, const TensorView& y) {
  return FactorReader(value, y).read();
}

}  // namespace normcert
