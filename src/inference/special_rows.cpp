#include "inference/special_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "inference/float_grid.hpp"
#include "inference/hypothesis_gain.hpp"
#include "inference/input_view.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

// Covers what an estimate may be off by: roundings to 8 digits, one after the other.
constexpr double kMargin = 1.25;

// By what the sum of squares is divided to give q, where r = 1 / sqrt(q + epsilon), within the
// margin, is what the hypothesis multiplies by; else nothing.
std::optional<double> divisor_of(const Hypothesis& hypothesis, std::size_t width) {
  const std::string& statistic = hypothesis.statistic;
  if (hypothesis.placement == "identity" || hypothesis.placement == "times_rms" ||
      statistic == "any" || statistic.find("_per_group_") != std::string::npos ||
      converted_format(hypothesis) != nullptr) {
    return std::nullopt;
  }
  if (statistic == "sum_square") return 1;
  if (statistic == "mean_square_n_minus_1") return static_cast<double>(width) - 1;
  for (const std::string_view prefix : {"padded_", "grouped_"}) {
    if (!statistic.starts_with(prefix)) continue;
    double divisor = 0;
    std::from_chars(statistic.data() + prefix.size(), statistic.data() + statistic.size(), divisor);
    return divisor > 0 ? std::optional(divisor) : std::nullopt;
  }
  return static_cast<double>(width);
}

// Whether a zero row's root is of epsilon alone, and no division by 0.
bool adds_in_root(const std::string& placement) {
  return placement == "inside" || placement == "outside" || placement == "clamp_q" ||
         placement == "clamp_rms" || placement == "on_sum";
}

class Reader {
 public:
  Reader(const ObservedNorm& norm, const EliminatedHypothesis& best, std::vector<double> gain,
         double divisor)
      : value_(*norm.value),
        x_rows_(value_.x),
        y_rows_(norm.y),
        gain_(std::move(gain)),
        divisor_(divisor),
        epsilon_(best.has_epsilon ? best.epsilon : EpsilonRange{0, 0}),
        centers_(best.hypothesis.statistic == "variance"),
        adds_in_root_(best.has_epsilon && adds_in_root(best.hypothesis.placement)),
        z_(value_.x.width),
        residual_(value_.residual ? value_.x.width : 0),
        got_(value_.x.width) {
    if (value_.residual && best.hypothesis.residual != "ignored") {
      residual_rows_.emplace(*value_.residual);
    }
    for (const FloatFormat* const format :
         {value_.x.format, norm.y.format, value_.weight ? value_.weight->format : norm.y.format}) {
      greatest_ = std::min(greatest_, FloatGrid(*format).greatest());
      least_ = std::max(least_, FloatGrid(*format).least_normal());
    }
    greatest_output_ = FloatGrid(*norm.y.format).greatest();
    const bool is_narrow = best.hypothesis.statistic.ends_with("_in_input_dtype");
    greatest_square_ = FloatGrid(is_narrow ? *value_.x.format : kFp32).greatest();
  }

  SpecialRows read() {
    for (std::size_t row = 0; row < value_.x.rows; ++row) look_at(row);
    return found_;
  }

 private:
  void look_at(std::size_t row) {
    y_rows_.widened(row, got_);
    load(row);
    if (has_special_input_) {
      of_special_input(row);
    } else if (is_noise_ || overflows_by_itself_) {
      return;
    } else if (sum_ == 0) {
      of_zeros(row);
    } else {
      const auto width = static_cast<double>(z_.size());
      if (sum_ < width * 0x1p-100 || sum_ > 0x1p127) {
        of_extreme_input(row);
      } else {
        of_ordinary_input(row);
      }
    }
  }

  void load(std::size_t row) {
    x_rows_.widened(row, z_);
    overflows_by_itself_ = false;
    has_special_input_ = std::ranges::any_of(z_, [](double x) { return !std::isfinite(x); });
    if (residual_rows_) {
      residual_rows_->widened(row, residual_);
      for (std::size_t i = 0; i < z_.size(); ++i) {
        has_special_input_ = has_special_input_ || !std::isfinite(residual_[i]);
        z_[i] += residual_[i];
        overflows_by_itself_ = overflows_by_itself_ || std::fabs(z_[i]) > greatest_ / kMargin;
      }
    }
    sum_ = square_sum();
    if (!centers_) return;
    const double uncentred = sum_;
    double sum = 0;
    for (const double z : z_) sum += z;
    for (double& z : z_) z -= sum / static_cast<double>(z_.size());
    sum_ = square_sum();
    is_noise_ = sum_ < uncentred * 0x1p-20;
  }

  [[nodiscard]] double square_sum() const {
    double sum = 0;
    for (const double z : z_) sum += z * z;
    return sum;
  }

  // The statistic is NaN or infinite, whatever it is, and so r is NaN or 0.
  void of_special_input(std::size_t row) {
    const bool any_nan = std::ranges::any_of(z_, [](double z) { return std::isnan(z); });
    const auto is_number = [&](double y) {
      return any_nan ? !std::isnan(y) : y != 0 && !std::isnan(y);
    };
    if (std::ranges::any_of(got_, is_number)) {
      fault(any_nan ? RowFault::kNanInput : RowFault::kInfiniteInput, row);
    }
  }

  void of_zeros(std::size_t row) {
    // What is added under the root is no zero in any format, and an infinite gain makes NaN of 0.
    const bool due = adds_in_root_ && epsilon_.low >= 0x1p-23;
    for (std::size_t i = 0; i < got_.size(); ++i) {
      const bool is_fault = std::isnan(got_[i]) ? due && std::isfinite(gain_[i]) : got_[i] != 0;
      if (is_fault) return fault(RowFault::kZeroRow, row);
    }
  }

  void of_ordinary_input(std::size_t row) {
    const bool all_zero = std::ranges::all_of(got_, [](double y) { return y == 0; });
    if (!all_zero && std::ranges::all_of(got_, [](double y) { return std::isfinite(y); })) return;
    const double q = sum_ / divisor_;
    const std::optional<Overflow> overflow = overflow_in(1 / std::sqrt(q + epsilon_.low));
    if (overflow && (!all_zero || *overflow == Overflow::kSquares)) {
      found_.overflows.at(static_cast<std::size_t>(*overflow)).add(row);
    } else if (!all_zero) {
      not_finite(row);
    } else if (would_be_seen(1 / std::sqrt(q + epsilon_.high))) {
      fault(RowFault::kZeros, row);
    }
  }

  // Squares that vanish in binary32 leave r between the one of epsilon alone and the exact one; a
  // sum that overflows leaves any from 0 to that. Elimination does not ask such rows.
  void of_extreme_input(std::size_t row) {
    const bool tiny = sum_ < 1;
    if (tiny && !(adds_in_root_ && epsilon_.low >= 0x1p-23)) return;
    const double q = sum_ / divisor_;
    const double least = tiny ? 1 / std::sqrt(q + epsilon_.high) : 0;
    const double greatest = 1 / std::sqrt(tiny ? epsilon_.low : q);
    if (overflow_in(greatest)) return;
    if (tiny && std::ranges::any_of(got_, [](double y) { return !std::isfinite(y); })) {
      return not_finite(row);
    }
    for (std::size_t i = 0; i < z_.size(); ++i) {
      const double product = std::fabs(z_[i] * gain_[i]);
      const double y = std::fabs(got_[i]);
      // Subnormal numbers may be anything down to zero.
      const bool too_great = y > kMargin * product * greatest + 4 * least_;
      const bool too_small = y < product * least / kMargin - 4 * least_;
      if (too_great || too_small) return fault(RowFault::kFar, row);
    }
  }

  void not_finite(std::size_t row) {
    const bool any_nan = std::ranges::any_of(got_, [](double y) { return std::isnan(y); });
    fault(any_nan ? RowFault::kNan : RowFault::kInfinite, row);
  }

  // The likeliest: of all that may happen in the row the one that every port forms.
  [[nodiscard]] std::optional<Overflow> overflow_in(double scalar) const {
    std::array<double, static_cast<std::size_t>(Overflow::kNumber)> greatest{};
    for (std::size_t i = 0; i < z_.size(); ++i) {
      const double z = std::fabs(z_[i]);
      const double gain = std::fabs(gain_[i]);
      const std::array<double, greatest.size()> numbers = {z * scalar * gain, z * scalar, z * gain,
                                                           scalar * gain, z * z};
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        // NaN of a weight that is none counts as beyond everything.
        if (!(numbers[k] <= greatest[k])) greatest[k] = numbers[k];
      }
    }
    greatest.back() = std::max(greatest.back(), sum_);
    for (std::size_t k = 0; k < greatest.size(); ++k) {
      const auto kind = static_cast<Overflow>(k);
      const double limit = kind == Overflow::kOutput    ? greatest_output_
                           : kind == Overflow::kSquares ? greatest_square_
                                                        : greatest_;
      const double margin = kind == Overflow::kOutput ? 1.125 : kMargin;
      if (!(greatest[k] * margin <= limit)) return kind;
    }
    return std::nullopt;
  }

  // Whether the greatest output would be a normal number, and so would all on the way to it.
  [[nodiscard]] bool would_be_seen(double scalar) const {
    for (std::size_t i = 0; i < z_.size(); ++i) {
      const double z = std::fabs(z_[i]);
      const double gain = std::fabs(gain_[i]);
      const double least =
          std::min({z, gain, z * scalar, z * gain, scalar * gain, scalar, z * scalar * gain});
      if (least > kMargin * least_) return true;
    }
    return false;
  }

  void fault(RowFault kind, std::size_t row) {
    found_.faults.at(static_cast<std::size_t>(kind)).add(row);
  }

  const Case& value_;
  RowReader x_rows_;
  std::optional<RowReader> residual_rows_;
  RowReader y_rows_;
  std::vector<double> gain_;
  double divisor_;
  EpsilonRange epsilon_;
  bool centers_;
  bool adds_in_root_;
  std::vector<double> z_;
  std::vector<double> residual_;
  std::vector<double> got_;
  double sum_ = 0;
  bool has_special_input_ = false;
  bool overflows_by_itself_ = false;  // x + residual of finite numbers
  bool is_noise_ = false;  // a centred row that is constant but for what its mean is off by
  double greatest_ = FloatGrid(kFp32).greatest();
  double least_ = 0;
  double greatest_output_ = 0;
  double greatest_square_ = 0;
  SpecialRows found_;
};

std::string rows_words(const RowsSeen& seen) {
  return std::to_string(seen.rows) + (seen.rows == 1 ? " row" : " rows") + " (the first is " +
         std::to_string(seen.first) + ")";
}

}  // namespace

bool SpecialRows::any_fault() const {
  return std::ranges::any_of(faults, [](const RowsSeen& seen) { return seen.rows > 0; });
}

void SpecialRows::name_rows(std::span<const std::size_t> numbers) {
  if (numbers.empty()) return;
  for (RowsSeen& seen : faults) seen.first = numbers[seen.first];
  for (RowsSeen& seen : overflows) seen.first = numbers[seen.first];
}

std::vector<std::string> SpecialRows::fault_words() const {
  constexpr std::array<const char*, static_cast<std::size_t>(RowFault::kNumber)> kWords = {
      "all outputs are 0 where normal numbers are due, in ",
      "an output is NaN although the inputs are finite and nothing overflows on the way, in ",
      "an output is infinite although nothing overflows on the way, in ",
      "outputs are other than 0 although all inputs are 0, in ",
      "outputs are numbers although an input is NaN, in ",
      "outputs are other than 0 and NaN although an input is infinite, in ",
      "outputs are far from what epsilon and the inputs allow, whose squares leave binary32, in "};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults.at(i).rows > 0) words.push_back(kWords.at(i) + rows_words(faults.at(i)));
  }
  return words;
}

std::vector<std::string> SpecialRows::overflow_words(const ObservedNorm& norm) const {
  constexpr std::array<const char*, static_cast<std::size_t>(Overflow::kNumber)> kWords = {
      "the result itself", "x times the inverse RMS", "x times the gain",
      "the gain times the inverse RMS", "the sum of squares"};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < overflows.size(); ++i) {
    if (overflows.at(i).rows == 0) continue;
    words.push_back("outputs are not finite, or all 0, where " + std::string(kWords.at(i)) +
                    " may overflow (x " + std::string(norm.value->x.format->name) + ", y " +
                    std::string(norm.y.format->name) + "), in " + rows_words(overflows.at(i)));
  }
  return words;
}

SpecialRows special_rows(const ObservedNorm& norm, const EliminatedHypothesis& best,
                         const RowCounts& counts) {
  const bool any = counts.zero + counts.non_finite_input + counts.no_number + counts.out_of_range +
                       counts.nan_outputs + counts.infinite_outputs >
                   0;
  if (!any) return {};
  const std::optional<double> divisor = divisor_of(best.hypothesis, norm.value->x.width);
  std::optional<std::vector<double>> gain = gain_under(*norm.value, &best.hypothesis);
  if (!divisor || !gain) return {};
  return Reader(norm, best, std::move(*gain), *divisor).read();
}

}  // namespace normcert
