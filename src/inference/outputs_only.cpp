#include "inference/outputs_only.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/widen.hpp"

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
  std::vector<double> row(width);
  std::vector<double> attenuations;
  for (std::size_t r = 0; r < y.rows; ++r) {
    widen(*y.format, y.row_bytes(r).data(), width, row.data());
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (gain[i] == 0) continue;
      sum += row[i] / gain[i] * (row[i] / gain[i]);
      ++count;
    }
    if (!std::isfinite(sum)) {
      ++seen.non_finite_rows;
    } else if (sum == 0 || count == 0) {
      ++seen.zero_rows;
    } else {
      const double attenuation = std::sqrt(sum / static_cast<double>(count));
      attenuations.push_back(attenuation);
      if (std::fabs(attenuation - 1) <= seen.limit) ++seen.immaterial_rows;
      if (attenuation > 1 + seen.limit) ++seen.above_one_rows;
    }
  }
  seen.rows = attenuations.size();
  if (attenuations.empty()) return seen;
  std::ranges::sort(attenuations);
  seen.least_attenuation = attenuations.front();
  seen.median_attenuation = attenuations[(attenuations.size() - 1) / 2];
  seen.greatest_attenuation = attenuations.back();
  return seen;
}

}  // namespace normcert
