#include "inference/row_direction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostShifts = 32;  // that are tried
constexpr std::size_t kLeastStretch = 8;
constexpr std::size_t kLeastRowsForGain = 16;
constexpr std::array<std::size_t, 4> kStretches = {1, 2, 4, 8};
constexpr std::array<std::size_t, 4> kGroups = {256, 128, 64, 32};
constexpr std::array kGains = {GainReading::kDeclared, GainReading::kWeight,
                               GainReading::kOnePlusWeight, GainReading::kNone,
                               GainReading::kTwice};

std::vector<double> row_of(const TensorView& tensor, std::size_t row) {
  std::vector<double> values(tensor.width);
  RowReader(tensor).widened(row, values);
  return values;
}

double greatest_of(std::span<const double> values) {
  double greatest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
    greatest = std::max(greatest, std::fabs(value));
  }
  return greatest;
}

// 1 - cosine; elements that the gain makes 0 are NaN in `a` and left out. None for zero vectors.
Distance distance_of(std::span<const double> a, std::span<const double> b) {
  double aa = 0;
  double bb = 0;
  double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i])) continue;
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  if (!(aa > 0) || !(bb > 0)) return std::nullopt;
  // 1 - ab / sqrt(aa bb) cancels where it matters; what is left of a beside b does not.
  const double factor = ab / bb;
  double rest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isnan(a[i])) rest += (a[i] - factor * b[i]) * (a[i] - factor * b[i]);
  }
  const double square = std::min(1.0, rest / aa);  // of the sine
  const double near = square / (1 + std::sqrt(1 - square));
  return ab < 0 ? 2 - near : near;
}

Distance median_of(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void lower(Distance& least, const Distance& other) {
  if (other && (!least || *other < *least)) least = other;
}

std::vector<double> without_mean(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += value;
  std::vector<double> values(row.begin(), row.end());
  for (double& value : values) value -= sum / static_cast<double>(row.size());
  return values;
}

}  // namespace

DirectionRows::DirectionRows(const Case& value, const TensorView& y) : value_(value) {
  if (value.weight) weight_ = row_of(*value.weight, 0);
  // Below it the spacing of subnormal numbers is no longer small beside the outputs.
  const double least = std::ldexp(1.0, std::min(y.format->emin, value.x.format->emin) + 8);
  const std::size_t step = (value.x.rows + kMostRows - 1) / kMostRows;
  for (std::size_t row = 0; row < value.x.rows; row += std::max<std::size_t>(step, 1)) {
    std::vector<double> outputs = row_of(y, row);
    const double inputs_greatest = greatest_of(input(value, row, true));
    const double greatest = greatest_of(outputs);
    if (!std::isfinite(greatest) || !std::isfinite(inputs_greatest)) continue;
    if (greatest >= least && inputs_greatest > 0) rows_.push_back({row, std::move(outputs)});
  }
}

std::vector<double> DirectionRows::input(const Case& value, std::size_t row,
                                         bool with_residual) const {
  std::vector<double> values = row_of(value.x, row);
  if (!with_residual || !value.residual) return values;
  const std::vector<double> added = row_of(*value.residual, row);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += added[i];
  return values;
}

double DirectionRows::gain(GainReading reading, std::size_t index) const {
  if (weight_.empty() || reading == GainReading::kNone) return 1;
  const double weight = weight_[index];
  const double declared = value_.weight_offset.binary64 + weight;
  switch (reading) {
    case GainReading::kDeclared:
      return declared;
    case GainReading::kWeight:
      return weight;
    case GainReading::kOnePlusWeight:
      return 1 + weight;
    case GainReading::kTwice:
      return declared * declared;
    case GainReading::kNone:
      break;
  }
  return 1;
}

void DirectionRows::divide_gain(GainReading reading, std::span<const double> y,
                                std::span<double> into) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double divisor = gain(reading, i);
    into[i] = divisor == 0 ? std::numeric_limits<double>::quiet_NaN() : y[i] / divisor;
  }
}

// Zeros of subnormal inputs, which a kernel may flush, are left out of `divided`.
void DirectionRows::leave_out_flushed(std::span<const double> y, std::span<const double> x,
                                      std::span<double> divided) const {
  const double least_normal = std::ldexp(1.0, value_.x.format->emin);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool flushed = y[i] == 0 && x[i] != 0 && std::fabs(x[i]) < least_normal;
    if (flushed) divided[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

Distance DirectionRows::least(const Case& inputs, bool with_residual, std::ptrdiff_t shift) const {
  std::vector<std::size_t> lengths;
  for (const std::size_t parts : kStretches) {
    const std::size_t length = value_.x.width / parts;
    if (parts == 1 || length >= kLeastStretch) lengths.push_back(length);
  }
  return least(inputs, with_residual, shift, lengths);
}

Distance DirectionRows::least(const Case& inputs, bool with_residual, std::ptrdiff_t shift,
                              const std::vector<std::size_t>& lengths) const {
  const std::size_t width = value_.x.width;
  // One list for each reading of the gain, each way to treat the mean, each length of a stretch.
  std::array<std::array<std::vector<std::vector<double>>, 2>, kGains.size()> distances;
  for (auto& of_gain : distances) of_gain.fill(std::vector<std::vector<double>>(lengths.size()));
  std::vector<double> divided(width);
  for (const Row& row : rows_) {
    const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(row.number) + shift;
    if (from < 0 || from >= static_cast<std::ptrdiff_t>(inputs.x.rows)) continue;
    const std::vector<double> x = input(inputs, static_cast<std::size_t>(from), with_residual);
    const std::array<std::vector<double>, 2> both = {x, without_mean(x)};
    for (std::size_t g = 0; g < kGains.size(); ++g) {
      divide_gain(kGains[g], row.y, divided);
      leave_out_flushed(row.y, x, divided);
      for (std::size_t m = 0; m < both.size(); ++m) {
        for (std::size_t s = 0; s < lengths.size(); ++s) {
          const std::size_t length = lengths[s];
          for (std::size_t first = 0; first + length <= width; first += length) {
            const Distance distance =
                distance_of(std::span(divided).subspan(first, length),
                            std::span<const double>(both[m]).subspan(first, length));
            if (distance && std::isfinite(*distance)) distances[g][m][s].push_back(*distance);
          }
        }
      }
    }
  }
  Distance result;
  for (auto& of_gain : distances) {
    for (auto& of_mean : of_gain) {
      for (std::vector<double>& of_length : of_mean) lower(result, median_of(of_length));
    }
  }
  return result;
}

Distance DirectionRows::own_input() const { return least(value_, true, 0); }

Distance DirectionRows::in_groups() const {
  std::vector<std::size_t> lengths;
  for (const std::size_t length : kGroups) {
    if (length < value_.x.width && value_.x.width % length == 0) lengths.push_back(length);
  }
  return least(value_, true, 0, lengths);
}

Distance DirectionRows::without_residual() const {
  return value_.residual ? least(value_, false, 0) : std::nullopt;
}

Distance DirectionRows::other_input(const Case& other) const {
  if (other.x.rows != value_.x.rows || other.x.width != value_.x.width) return std::nullopt;
  return least(other, true, 0);
}

std::optional<DirectionRows::Shift> DirectionRows::shifted() const {
  if (rows_.size() < 2) return std::nullopt;
  // Where may the middle row's input stand? Rows may be there twice, so all that fit are asked.
  const Row& probe = rows_[rows_.size() / 2];
  std::vector<double> divided(value_.x.width);
  divide_gain(GainReading::kDeclared, probe.y, divided);
  std::vector<std::ptrdiff_t> shifts;
  for (std::size_t row = 0; row < value_.x.rows; ++row) {
    if (row == probe.number) continue;
    const Distance distance = distance_of(divided, input(value_, row, true));
    if (!distance || *distance > kPairLimit) continue;
    shifts.push_back(static_cast<std::ptrdiff_t>(row) - static_cast<std::ptrdiff_t>(probe.number));
  }
  // Small ones first: they are what happens.
  std::ranges::stable_sort(shifts, {}, [](std::ptrdiff_t rows) { return std::abs(rows); });
  for (std::size_t i = 0; i < std::min(shifts.size(), kMostShifts); ++i) {
    const Distance distance = least(value_, true, shifts[i]);
    if (distance && *distance <= kPairLimit) return Shift{shifts[i], *distance};
  }
  return std::nullopt;
}

Distance DirectionRows::some_gain() const {
  if (rows_.size() < kLeastRowsForGain) return std::nullopt;
  const std::size_t width = value_.x.width;
  std::vector<double> products(width);
  std::vector<double> squares(width);
  std::vector<std::vector<double>> inputs;
  for (const Row& row : rows_) {
    std::vector<double> x = input(value_, row.number, true);
    double sum = 0;
    for (const double element : x) sum += element * element;
    for (double& element : x) element /= std::sqrt(sum);
    for (std::size_t i = 0; i < width; ++i) {
      products[i] += row.y[i] * x[i];
      squares[i] += x[i] * x[i];
    }
    inputs.push_back(std::move(x));
  }
  std::vector<double> distances;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < width; ++i) {
      if (squares[i] > 0) inputs[r][i] *= products[i] / squares[i];
    }
    if (const Distance distance = distance_of(rows_[r].y, inputs[r])) {
      distances.push_back(*distance);
    }
  }
  return median_of(distances);
}

}  // namespace normcert
