#include "reference/bounded_row.hpp"

#include <array>
#include <cfenv>
#include <cmath>

#include "numeric/code.hpp"

namespace normcert {
namespace {

constexpr std::size_t kSums = 8;
constexpr double kUnit = 0x1p-53;
// Far inside binary64's range, so that products of two such numbers stay inside it too.
constexpr double kLeast = 0x1p-480;
constexpr double kGreatest = 0x1p480;

bool in_range(double magnitude) { return magnitude >= kLeast && magnitude <= kGreatest; }

bool is_narrow(const FloatFormat& format) { return format.precision <= kFp32.precision; }

bool assumptions_hold(const Case& value) {
  const double offset = std::fabs(value.weight_offset.binary64);
  return is_narrow(*value.x.format) && !value.residual &&
         (!value.weight || is_narrow(*value.weight->format)) && in_range(value.epsilon.binary64) &&
         (offset == 0 || in_range(offset)) && std::fegetround() == FE_TONEAREST;
}

double relative_bound(std::size_t width) {
  // In each running sum, in adding these up, and two more roundings (steps 2 and 3).
  const std::size_t in_a_sum = (width + kSums - 1) / kSums;
  const auto additions = static_cast<double>(in_a_sum + 3 + 2);
  const double gamma = additions * kUnit / (1 - additions * kUnit);
  return (gamma / 2 + 10 * kUnit) * (1 + 0x1p-20);
}

}  // namespace

std::optional<BoundedRow> BoundedRow::of(const Case& value, std::size_t row) {
  if (!assumptions_hold(value)) return std::nullopt;
  std::array<double, kSums> sums{};
  for (std::size_t i = 0; i < value.x.width; ++i) {
    const double x = to_binary64(value.x.at(row, i));
    sums[i % kSums] += x * x;
  }
  const double sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  const double mean = sum / static_cast<double>(value.x.width);
  const double inverse_rms = 1 / std::sqrt(mean + value.epsilon.binary64);
  if (!std::isfinite(sum) || !in_range(inverse_rms)) return std::nullopt;
  return BoundedRow(value, row, inverse_rms, relative_bound(value.x.width));
}

std::optional<double> BoundedRow::value(std::size_t index) const {
  double gain = 1;
  if (case_->weight) {
    gain = case_->weight_offset.binary64 + to_binary64(case_->weight->at(0, index));
  }
  const double product = gain * to_binary64(case_->x.at(row_, index));
  if (!in_range(std::fabs(product))) return std::nullopt;
  return product * inverse_rms_;
}

}  // namespace normcert
