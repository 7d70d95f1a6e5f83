#include "reference/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "numeric/activation.hpp"
#include "numeric/double_double.hpp"
#include "numeric/square_sum.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-53;
// Of sums of squares of wide formats: far inside binary64's range.
constexpr double kLeast = 0x1p-900;
constexpr double kGreatest = 0x1p1000;
constexpr RowSum kAnything = {0, std::numeric_limits<double>::infinity(), true, 0};

bool is_narrow(const TensorView& tensor) { return tensor.format->precision <= kFp32.precision; }

bool is_gated_before(const Case& value) {
  return value.gate && value.gate->mode == GateMode::kBefore;
}

double relative_bound(std::size_t width, bool is_gated) {
  // Of a gated z there are three, and what an activation is off by is less than one more.
  const std::size_t of_square = is_gated ? 2 * 4 + 1 : 3;
  const auto roundings = static_cast<double>(square_sum_depth(width) + of_square);
  const double gamma = roundings * kUnit / (1 - roundings * kUnit);
  return (gamma + 4 * kUnit) * (1 + 0x1p-20);
}

struct Sum {
  double value = 0;
  bool finite = true;
};

// One row at a time, in binary64.
class RowSummer {
 public:
  explicit RowSummer(const Case& value) : case_(value), x_rows_(value.x) {
    if (value.residual) residual_rows_.emplace(*value.residual);
    if (value.gate) gate_rows_.emplace(value.gate->values);
  }

  Sum operator()(std::size_t row) {
    const std::size_t width = case_.x.width;
    if (!case_.residual && !case_.gate && !(*case_.x.format == kFp64)) {
      // Squares of narrow numbers stay finite, so the sum tells whether all of them are.
      const double sum = square_sum(*case_.x.format, x_rows_.row(row).data(), width);
      return {sum, std::isfinite(sum)};
    }
    z_.resize(width);
    x_rows_.widened(row, z_);
    bool finite = std::ranges::all_of(z_, [](double z) { return std::isfinite(z); });
    if (residual_rows_) {
      residual_.resize(width);
      residual_rows_->widened(row, residual_);
      for (std::size_t i = 0; i < width; ++i) {
        finite = finite && std::isfinite(residual_[i]);
        z_[i] += residual_[i];
      }
    }
    if (gate_rows_) {
      gate_.resize(width);
      gate_rows_->widened(row, gate_);
      finite = finite && std::ranges::all_of(gate_, [](double g) { return std::isfinite(g); });
      if (finite && is_gated_before(case_)) apply_gate();
    }
    return {square_sum(z_.data(), width), finite};
  }

 private:
  // An activation that vanishes counts as zero: it is below 2^-180000 of anything that is known.
  void apply_gate() {
    for (std::size_t i = 0; i < z_.size(); ++i) {
      const ScaledDoubleDouble a = scaled_activation(case_.gate->activation, gate_[i]);
      const ScaledDoubleDouble z = normalized({z_[i], 0, 0});
      z_[i] = std::isnan(a.high) ? 0 : times_power_of_two(z.high * a.high, z.exponent + a.exponent);
    }
  }

  const Case& case_;
  RowReader x_rows_;
  std::optional<RowReader> residual_rows_;
  std::optional<RowReader> gate_rows_;
  std::vector<double> z_;
  std::vector<double> residual_;
  std::vector<double> gate_;
};

}  // namespace

std::vector<RowSum> row_sums(const Case& value, std::size_t first, std::size_t count) {
  const bool as_proven = arithmetic_is_default();
  const bool gated = is_gated_before(value);
  const bool narrow =
      !gated && is_narrow(value.x) && (!value.residual || is_narrow(*value.residual));
  const double bound = relative_bound(value.x.width, gated);
  RowSummer sum_of(value);
  std::vector<RowSum> result;
  result.reserve(count);
  for (std::size_t row = first; row < first + count; ++row) {
    const Sum sum = sum_of(row);
    const bool known = as_proven && (narrow || (sum.value >= kLeast && sum.value <= kGreatest));
    if (!sum.finite) {
      result.push_back({0, 0, false, sum.value});
    } else if (!known) {
      result.push_back(kAnything);
    } else {
      result.push_back({sum.value * (1 - bound), sum.value * (1 + bound), true, sum.value});
    }
  }
  return result;
}

}  // namespace normcert
