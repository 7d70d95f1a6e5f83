#include "generate/random_rows.hpp"

#include <algorithm>
#include <cmath>

namespace normcert {
namespace {

std::vector<double> normal_numbers(const RandomStream& stream, std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = stream.normal(i);
  return numbers;
}

// Normal numbers times one factor, so that their RMS before the last rounding is `rms` with a
// relative error of at most (count + 6) 2^-53.
std::vector<double> normal_numbers_of_rms(const RandomStream& stream, std::size_t count,
                                          double rms) {
  std::vector<double> numbers = normal_numbers(stream, count);
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  const double factor = rms / std::sqrt(sum / static_cast<double>(count));
  for (double& number : numbers) number *= factor;
  return numbers;
}

void add_row_of_rms(const RowRequest& request, std::size_t row, const std::string& label,
                    double rms, RowList& rows) {
  rows.add(label, normal_numbers_of_rms(request.stream(row), rows.width(), rms));
}

// The mean square for which r = 1/sqrt(q + epsilon) is 2^k times `significand`: the k that puts r
// into [0.75, 1.5), or, where epsilon is large, the greatest k that leaves q >= epsilon.
double mean_square_for(double significand, double epsilon) {
  double r = significand;
  while (r >= 1.5) r /= 2;
  while (r < 0.75) r *= 2;
  while (1 / (r * r) < 2 * epsilon && r > 0) r /= 2;
  return 1 / (r * r) - epsilon;
}

// lowest ... highest in whole steps along the row, both ends included.
int exponent_at(std::size_t index, std::size_t width, int lowest, int highest) {
  if (width == 1) return highest;
  const double place = static_cast<double>(index) / static_cast<double>(width - 1);
  return lowest + static_cast<int>(std::floor(place * (highest - lowest) + 0.5));
}

}  // namespace

void add_tiny_or_small(const RowRequest& request, RowList& rows) {
  const auto ratios = request.texts("q_over_epsilon");
  for (std::size_t row = 0; row < request.rows(ratios.size()); ++row) {
    const std::string& ratio = ratios[row % ratios.size()];
    add_row_of_rms(request, row, "q/epsilon = " + ratio,
                   std::sqrt(number_of(ratio) * request.epsilon), rows);
  }
}

void add_ordinary(const RowRequest& request, RowList& rows) {
  const auto significands = request.texts("significand_of_r");
  for (std::size_t row = 0; row < request.rows(significands.size()); ++row) {
    const std::string& significand = significands[row % significands.size()];
    const double q = mean_square_for(number_of(significand), request.epsilon);
    add_row_of_rms(request, row, "r = 2^k x " + significand, std::sqrt(q), rows);
  }
}

void add_large(const RowRequest& request, RowList& rows) {
  const double rms = std::min(256.0, greatest_number_of(rows.format()) / 64);
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    add_row_of_rms(request, row, "row " + std::to_string(row), rms, rows);
  }
}

void add_mixed_scale(const RowRequest& request, RowList& rows) {
  const auto lowest = static_cast<int>(number_of(request.texts("lowest_exponent").front()));
  const auto highest = static_cast<int>(number_of(request.texts("highest_exponent").front()));
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    std::vector<double> numbers = normal_numbers(request.stream(row), rows.width());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] *= power_of_ten(exponent_at(i, rows.width(), lowest, highest));
    }
    rows.add("row " + std::to_string(row), numbers);
  }
}

void add_outlier_channel(const RowRequest& request, RowList& rows) {
  const std::size_t width = rows.width();
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    std::vector<double> numbers = normal_numbers(request.stream(row), width);
    const bool one_outlier = row % 2 == 0;
    for (double& number : numbers) number *= one_outlier ? 0.5 : 0.05;
    if (one_outlier) {
      numbers[width / 2] = 900;
    } else {
      numbers[3 * width / 4] = 33;
      numbers[width / 4] = -60;  // last: the larger one stays where a row has one element only
    }
    rows.add("row " + std::to_string(row), numbers);
  }
}

void add_amplitude(const RowRequest& request, RowList& rows) {
  const auto exponents = request.texts("exponent");
  for (std::size_t row = 0; row < request.rows(exponents.size()); ++row) {
    const std::string& exponent = exponents[row % exponents.size()];
    add_row_of_rms(request, row, "RMS 10^" + exponent,
                   power_of_ten(static_cast<int>(number_of(exponent))), rows);
  }
}

void add_normal(const RowRequest& request, RowList& rows) {
  const auto targets = request.texts("rms");
  for (std::size_t row = 0; row < request.rows(targets.size()); ++row) {
    const std::string& rms = targets[row % targets.size()];
    add_row_of_rms(request, row, "RMS " + rms, number_of(rms), rows);
  }
}

}  // namespace normcert
