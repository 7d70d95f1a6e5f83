#include "reference/row_sums.hpp"

#include <array>
#include <cfenv>
#include <cmath>
#include <limits>

#include "numeric/code.hpp"

namespace normcert {
namespace {

constexpr std::size_t kSums = 8;
constexpr double kUnit = 0x1p-53;
// Of sums of squares of wide formats: far inside binary64's range.
constexpr double kLeast = 0x1p-900;
constexpr double kGreatest = 0x1p1000;
constexpr RowSum kAnything = {0, std::numeric_limits<double>::infinity(), true};

bool is_narrow(const TensorView& tensor) { return tensor.format->precision <= kFp32.precision; }

double relative_bound(std::size_t width) {
  const std::size_t additions = (width + kSums - 1) / kSums + 3;
  const auto roundings = static_cast<double>(additions + 3);
  const double gamma = roundings * kUnit / (1 - roundings * kUnit);
  return (gamma + 4 * kUnit) * (1 + 0x1p-20);
}

struct Sum {
  double value = 0;
  bool finite = true;
};

Sum sum_of(const Case& value, std::size_t row) {
  std::array<double, kSums> sums{};
  for (std::size_t i = 0; i < value.x.width; ++i) {
    const Code x = value.x.at(row, i);
    if (!is_finite(x)) return {0, false};
    double z = to_binary64(x);
    if (value.residual) {
      const Code residual = value.residual->at(row, i);
      if (!is_finite(residual)) return {0, false};
      z += to_binary64(residual);
    }
    sums[i % kSums] += z * z;
  }
  return {((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])),
          true};
}

}  // namespace

std::vector<RowSum> row_sums(const Case& value, std::size_t first, std::size_t count) {
  const bool nearest = std::fegetround() == FE_TONEAREST;
  const bool narrow = is_narrow(value.x) && (!value.residual || is_narrow(*value.residual));
  const double bound = relative_bound(value.x.width);
  std::vector<RowSum> result;
  result.reserve(count);
  for (std::size_t row = first; row < first + count; ++row) {
    const Sum sum = sum_of(value, row);
    const bool known = nearest && (narrow || (sum.value >= kLeast && sum.value <= kGreatest));
    if (!sum.finite) {
      result.push_back({0, 0, false});
    } else if (!known) {
      result.push_back(kAnything);
    } else {
      result.push_back({sum.value * (1 - bound), sum.value * (1 + bound), true});
    }
  }
  return result;
}

}  // namespace normcert
