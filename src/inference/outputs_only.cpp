#include "inference/outputs_only.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "numeric/nth_number.hpp"
#include "numeric/widen.hpp"
#include "problem/row_reader.hpp"

namespace normcert {

double q_over_epsilon_at(double attenuation) {
  const double square = attenuation * attenuation;
  return square / (1 - square);
}

OutputsOnly outputs_only(const Case& value, const TensorView& y) {
  const std::size_t width = y.width;
  std::vector<double> gain(width, 1.0);
  if (value.weight) {
    widen(*value.weight->format, value.weight->row_bytes(0).data(), width, gain.data());
    for (double& element : gain) element += value.weight_offset.binary64;
  }
  OutputsOnly seen;
  // One element in error by up to 2 roundings; the mean of n such squares.
  seen.limit =
      6 * std::ldexp(2.0, -y.format->precision) / std::sqrt(3 * static_cast<double>(width));
  RowReader rows(y);
  std::vector<double> row(width);
  // RMS of y / gain of the rows that have one, and what the others are.
  const auto each = [&](OutputsOnly& others, const std::function<void(double)>& take) {
    for (std::size_t r = 0; r < y.rows; ++r) {
      rows.widened(r, row);
      double sum = 0;
      std::size_t count = 0;
      for (std::size_t i = 0; i < width; ++i) {
        if (gain[i] == 0) continue;
        sum += row[i] / gain[i] * (row[i] / gain[i]);
        ++count;
      }
      if (!std::isfinite(sum)) {
        ++others.non_finite_rows;
      } else if (sum == 0 || count == 0) {
        ++others.zero_rows;
      } else {
        take(std::sqrt(sum / static_cast<double>(count)));
      }
    }
  };
  seen.least_attenuation = std::numeric_limits<double>::infinity();
  each(seen, [&](double attenuation) {
    ++seen.rows;
    seen.least_attenuation = std::min(seen.least_attenuation, attenuation);
    seen.greatest_attenuation = std::max(seen.greatest_attenuation, attenuation);
    if (std::fabs(attenuation - 1) <= seen.limit) ++seen.immaterial_rows;
    if (attenuation > 1 + seen.limit) ++seen.above_one_rows;
  });
  if (seen.rows == 0) {
    seen.least_attenuation = 0;
    return seen;
  }
  seen.median_attenuation =
      nth_number((seen.rows - 1) / 2, [&](const std::function<void(double)>& take) {
        OutputsOnly again;
        each(again, take);
      });
  return seen;
}

}  // namespace normcert
