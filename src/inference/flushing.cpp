#include "inference/flushing.hpp"

#include <algorithm>
#include <cmath>

#include "inference/hypothesis_gain.hpp"
#include "numeric/float_format.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

// What a scalar that is read off one output may be off by, and a factor away from the least number
// at which a rounding to zero is out of the question.
constexpr double kMargin = 0.03;
constexpr double kAboveLeast = 4;

// Outputs that are rounded once come of products in binary32, in which less vanishes than in the
// narrow format of x or y.
bool is_rounded_once(const Hypothesis* hypothesis) {
  return hypothesis != nullptr && (hypothesis->rounding.starts_with("after_weight") ||
                                   hypothesis->rounding.starts_with("none"));
}

class Reader {
 public:
  Reader(const ObservedNorm& norm, std::vector<double> gain, bool rounded_once)
      : value_(*norm.value),
        y_(norm.y),
        x_rows_(value_.x),
        y_rows_(y_),
        gain_(std::move(gain)),
        x_(value_.x.width),
        residual_(value_.x.width, 0.0),
        got_(value_.x.width),
        normal_x_(std::ldexp(1.0, value_.x.format->emin)),
        normal_y_(std::ldexp(1.0, y_.format->emin)),
        least_y_(least_of(*y_.format)),
        least_first_(rounded_once ? least_of(kFp32) : least_y_),
        least_product_(rounded_once ? least_of(kFp32) : least_of(*value_.x.format)) {
    if (value_.residual) residual_rows_.emplace(*value_.residual);
  }

  Flushing read() {
    for (std::size_t row = 0; row < value_.x.rows; ++row) read_row(row);
    return seen_;
  }

 private:
  static double least_of(const FloatFormat& format) {
    return std::ldexp(kAboveLeast, format.emin - format.precision + 1);
  }

  void read_row(std::size_t row) {
    x_rows_.widened(row, x_);
    y_rows_.widened(row, got_);
    if (residual_rows_) residual_rows_->widened(row, residual_);
    const std::optional<double> scalar = scalar_of_row();
    if (!scalar) return;
    for (std::size_t i = 0; i < x_.size(); ++i) count(i, *scalar);
  }

  [[nodiscard]] double product(std::size_t i) const {
    return std::fabs((x_[i] + residual_[i]) * gain_[i]);
  }

  [[nodiscard]] std::optional<double> scalar_of_row() const {
    double greatest = 0;
    std::size_t at = 0;
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double z = x_[i] + residual_[i];
      sum += z * z;
      if (!std::isfinite(got_[i]) || std::fabs(got_[i]) <= greatest) continue;
      greatest = std::fabs(got_[i]);
      at = i;
    }
    if (!std::isfinite(sum)) return std::nullopt;
    // A subnormal output has too few digits to tell its scalar.
    if (greatest >= normal_y_ && product(at) > 0) return greatest / product(at);
    if (greatest > 0 || value_.epsilon.text.empty()) return std::nullopt;
    return 1 / std::sqrt(sum / static_cast<double>(x_.size()) + value_.epsilon.binary64);
  }

  void count(std::size_t i, double scalar) {
    const double z = std::fabs(x_[i] + residual_[i]);
    const double exact = product(i) * scalar;
    // Whatever is multiplied first must not vanish on the way.
    const bool seen = std::isfinite(got_[i]) && exact >= least_y_ && z * scalar >= least_first_ &&
                      product(i) >= least_product_;
    if (!seen) return;
    const bool is_zero = got_[i] == 0;
    const bool small_input = is_small(x_[i]) || is_small(residual_[i]);
    if (exact <= normal_y_ * (1 - kMargin)) {
      if (small_input) {
        ++(is_zero ? seen_.either : seen_.either_kept);
      } else {
        ++(is_zero ? seen_.results : seen_.results_kept);
      }
    } else if (exact >= normal_y_ * (1 + kMargin) && small_input && z < normal_x_) {
      ++(is_zero ? seen_.inputs : seen_.inputs_kept);
    }
  }

  [[nodiscard]] bool is_small(double number) const {
    return number != 0 && std::fabs(number) < normal_x_;
  }

  const Case& value_;
  const TensorView& y_;
  RowReader x_rows_;
  std::optional<RowReader> residual_rows_;
  RowReader y_rows_;
  std::vector<double> gain_;
  std::vector<double> x_;
  std::vector<double> residual_;
  std::vector<double> got_;
  double normal_x_;
  double normal_y_;
  double least_y_;
  double least_first_;    // of x times the scalar
  double least_product_;  // of x times the gain
  Flushing seen_;
};

std::string elements(std::size_t count, const std::string& what) {
  return std::to_string(count) + (count == 1 ? " element " : " elements ") + what;
}

}  // namespace

Flushing& Flushing::operator+=(const Flushing& other) {
  results += other.results;
  results_kept += other.results_kept;
  inputs += other.inputs;
  inputs_kept += other.inputs_kept;
  either += other.either;
  either_kept += other.either_kept;
  return *this;
}

Flushing flushing_of(const ObservedNorm& norm, const Hypothesis* hypothesis) {
  std::optional<std::vector<double>> gain = gain_under(*norm.value, hypothesis);
  return gain ? Reader(norm, std::move(*gain), is_rounded_once(hypothesis)).read() : Flushing{};
}

std::vector<std::string> flushing_words(const Flushing& seen, const ObservedNorm& norm) {
  std::vector<std::string> words;
  const std::string x(norm.value->x.format->name);
  const std::string y(norm.y.format->name);
  const bool any_kept = seen.inputs_kept + seen.results_kept > 0;
  // Where inputs are kept it is the result that was flushed, and the other way round.
  const std::size_t of_inputs = seen.inputs + (seen.results_kept > 0 ? seen.either : 0);
  const std::size_t of_results = seen.results + (seen.inputs_kept > 0 ? seen.either : 0);
  const bool inputs = of_inputs > 0 && seen.inputs_kept + seen.either_kept == 0;
  const bool results = of_results > 0 && seen.results_kept + seen.either_kept == 0;
  if (inputs) {
    words.push_back("subnormal inputs are taken as zero: the outputs of all " +
                    elements(of_inputs, "whose x is subnormal in ") + x + " are 0" +
                    (seen.inputs == of_inputs ? ", although they would not be subnormal"
                                              : ", although other subnormal results are kept"));
  }
  if (results) {
    words.push_back("subnormal results are flushed to zero: all " +
                    elements(of_results, "that would be subnormal in ") + y + " are 0");
  }
  if (!inputs && !results && seen.either > 0 && !any_kept && seen.either_kept == 0) {
    words.push_back("subnormal numbers are flushed to zero, inputs or results: all " +
                    elements(seen.either, "whose x is subnormal in ") + x +
                    " and whose output would be in " + y + " are 0");
  }
  return words;
}

}  // namespace normcert
