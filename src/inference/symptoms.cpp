#include "inference/symptoms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "emulation/tail_fit.hpp"
#include "inference/conforming_set.hpp"
#include "inference/row_factors.hpp"
#include "numeric/widen.hpp"

namespace normcert {
namespace {

constexpr std::size_t kLeastRows = 4;  // to speak of a pattern among them

std::string figure(double value, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string count_of(std::size_t part, std::size_t all, const char* what) {
  return std::to_string(part) + " of " + std::to_string(all) + " " + what;
}

class SymptomFinder {
 public:
  SymptomFinder(const Case& value, const TensorView& y)
      : value_(value), y_(y), factors_(row_factors(value, y)) {}

  std::vector<Symptom> find() {
    special_values();
    collect();
    if (good_.size() + bad_.size() > 0 && !statistic_elsewhere() && !elements()) rows();
    if (found_.empty()) {
      add("scattered",
          "the deviations show no pattern: not in certain channels, not in rows of a certain size, "
          "not one factor for each row");
    }
    return std::move(found_);
  }

 private:
  void add(const char* code, std::string text) { found_.push_back({code, std::move(text)}); }

  void special_values() {
    std::size_t zeros = 0;
    std::size_t non_finite = 0;
    for (const RowFactorView& row : factors_.rows) {
      zeros += row.all_zero ? 1 : 0;
      non_finite += row.non_finite ? 1 : 0;
    }
    if (zeros > 0) {
      add("all_zeros", "all outputs are zero in " +
                           count_of(zeros, factors_.rows.size(), "rows whose inputs are not") +
                           ": never written, or an inverse RMS of 0 after an overflow");
    }
    if (non_finite > 0) {
      add("non_finite", "infinite or NaN outputs in " +
                            count_of(non_finite, factors_.rows.size(), "rows of finite inputs"));
    }
  }

  // Rows with a factor, by whether it is the exact one.
  void collect() {
    for (const RowFactorView& row : factors_.rows) {
      if (row.factor == 0) continue;
      (fits(row) ? good_ : bad_).push_back(&row);
    }
  }

  [[nodiscard]] bool fits(const RowFactorView& row) const {
    return std::fabs(row.factor / row.exact - 1) <= factors_.factor_limit;
  }

  // Whether the elements that do not follow their row's factor say enough.
  bool elements() {
    const std::size_t rows = good_.size() + bad_.size();
    std::size_t off = 0;
    std::vector<std::size_t> channels;
    for (std::size_t i = 0; i < factors_.off_by_channel.size(); ++i) {
      off += factors_.off_by_channel[i];
      if (2 * factors_.off_by_channel[i] > rows) channels.push_back(i);
    }
    if (off == 0) return false;
    if (!channels.empty() && 2 * channels.size() <= value_.x.width) {
      name_channels(channels);
      return true;
    }
    if (off * 4 > factors_.compared) {
      add("scattered", "y / (gain x) is no common factor of the row: " +
                           count_of(off, factors_.compared, "elements") +
                           " lie further from their row's factor than two roundings can bring "
                           "them");
      return true;
    }
    return false;
  }

  void name_channels(const std::vector<std::size_t>& channels) {
    const std::size_t width = value_.x.width;
    const bool is_tail = channels.back() == width - 1 &&
                         channels.size() == width - channels.front() && channels.size() < width;
    if (is_tail) {
      add("tail", "only elements " + std::to_string(channels.front()) + " .. " +
                      std::to_string(width - 1) +
                      " of the rows deviate: the end of the row, as padding or a vector width that "
                      "does not divide " +
                      std::to_string(width) + " leave it");
      return;
    }
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(channels.size(), 8); ++i) {
      list += (list.empty() ? "" : ", ") + std::to_string(channels[i]);
    }
    if (channels.size() > 8) list += ", ...";
    add("channels", "only " + count_of(channels.size(), width, "channels") + " deviate (" + list +
                        "), in most rows: another gain or offset there, or one that was "
                        "broadcast wrongly");
  }

  void rows() {
    if (bad_.empty()) {
      add("scattered",
          "every row has the factor 1/sqrt(q + epsilon) to within what rounding does, but single "
          "elements are rounded as no known order of operations rounds them");
      return;
    }
    if (bad_.size() >= kLeastRows && constant_factor()) return;
    if (bad_.size() >= kLeastRows && repeated_factor()) return;
    const auto by_q = [](const RowFactorView* a, const RowFactorView* b) { return a->q < b->q; };
    std::ranges::sort(bad_, by_q);
    std::ranges::sort(good_, by_q);
    if (!good_.empty() && bad_.back()->q < good_.front()->q) {
      add("small_rows", "only rows with q up to " + figure(bad_.back()->q) +
                            " deviate, by one factor each (" + range() + "); those from " +
                            figure(good_.front()->q) + " on do not: epsilon or its place");
    } else if (!good_.empty() && bad_.front()->q > good_.back()->q) {
      add("large_rows", "only rows with q from " + figure(bad_.front()->q) +
                            " on deviate, by one factor each (" + range() + "); those up to " +
                            figure(good_.back()->q) +
                            " do not: an overflow, or epsilon added behind the root");
    } else if (!good_.empty()) {
      add("some_rows", count_of(bad_.size(), bad_.size() + good_.size(), "rows") +
                           " have another factor than 1/sqrt(q + epsilon) (" + range() +
                           "), first row " + std::to_string(first_row()) +
                           "; their q is like that of the others");
    } else {
      add("factor_of_q", "every row has one factor, but not 1/sqrt(q + epsilon): from " +
                             figure(bad_.front()->factor / bad_.front()->exact, 6) +
                             " times it at q = " + figure(bad_.front()->q) + " to " +
                             figure(bad_.back()->factor / bad_.back()->exact, 6) +
                             " times it at q = " + figure(bad_.back()->q) +
                             ": another statistic or epsilon");
    }
  }

  [[nodiscard]] std::size_t first_row() const {
    std::size_t first = bad_.front()->row;
    for (const RowFactorView* row : bad_) first = std::min(first, row->row);
    return first;
  }

  // "0.98 .. 1.01 times the exact one"
  [[nodiscard]] std::string range() const {
    double low = bad_.front()->factor / bad_.front()->exact;
    double high = low;
    for (const RowFactorView* row : bad_) {
      low = std::min(low, row->factor / row->exact);
      high = std::max(high, row->factor / row->exact);
    }
    return figure(low, 6) + " .. " + figure(high, 6) + " times the exact one";
  }

  bool constant_factor() {
    if (!good_.empty()) return false;
    double low = bad_.front()->factor / bad_.front()->exact;
    double high = low;
    for (const RowFactorView* row : bad_) {
      const double ratio = row->factor / row->exact;
      low = std::min(low, ratio);
      high = std::max(high, ratio);
    }
    if (low <= 0 || high / low - 1 > 2 * factors_.factor_limit) return false;
    const double ratio = (low + high) / 2;
    const auto width = static_cast<double>(value_.x.width);
    add("constant_factor", "every row is " + figure(ratio, 6) +
                               " times what it should be: as if the sum of squares were divided "
                               "by about " +
                               std::to_string(std::llround(width * ratio * ratio)) +
                               " instead of " + std::to_string(value_.x.width) +
                               ", or another constant in the gain");
    return true;
  }

  // Rows of different q that have one factor, or another row's.
  bool repeated_factor() {
    const double limit = 2 * factors_.factor_limit;
    std::size_t alike = 0;
    std::size_t of_others = 0;
    std::size_t shown_row = 0;
    std::size_t shown_other = 0;
    const auto near = [&](double a, double b) { return std::fabs(a / b - 1) <= limit; };
    for (const RowFactorView* row : bad_) {
      for (const RowFactorView& other : factors_.rows) {
        if (other.row == row->row || near(row->exact, other.exact)) continue;
        if (other.factor != 0 && near(row->factor, other.factor)) {
          ++alike;
          break;
        }
      }
      for (const RowFactorView& other : factors_.rows) {
        if (other.row == row->row || !near(row->factor, other.exact)) continue;
        if (of_others++ == 0) {
          shown_row = row->row;
          shown_other = other.row;
        }
        break;
      }
    }
    // Among many rows some have nearly equal factors by chance.
    const double spread = spread_of_factors();
    const double chance =
        spread > 0 ? limit * static_cast<double>(factors_.rows.size()) / spread : 1;
    if (chance > 0.25 && spread > limit) return false;
    if (10 * alike >= 9 * bad_.size()) {
      add("repeated_factor", count_of(alike, bad_.size(), "deviating rows") +
                                 " share one factor with a row of another size: a statistic over "
                                 "more than the row, or over the wrong axis");
      return true;
    }
    if (10 * of_others >= 9 * bad_.size()) {
      add("repeated_factor", count_of(of_others, bad_.size(), "deviating rows") +
                                 " have the inverse RMS of another row (row " +
                                 std::to_string(shown_row) + " that of row " +
                                 std::to_string(shown_other) + "): the wrong row's statistic");
      return true;
    }
    return false;
  }

  // Of the logarithms of the exact factors.
  [[nodiscard]] double spread_of_factors() const {
    double low = factors_.rows.front().exact;
    double high = low;
    for (const RowFactorView& row : factors_.rows) {
      low = std::min(low, row.exact);
      high = std::max(high, row.exact);
    }
    return std::log(high / low);
  }

  // Where every row is right to two roundings of T: does one way of rounding give each row from
  // some scalar that near?
  bool statistic_elsewhere() {
    const double unit = std::ldexp(1.0, -value_.x.format->precision);
    const auto is_near = [unit](const RowFactorView* row) {
      return std::fabs(row->factor / row->exact - 1) <= 2 * unit;
    };
    if (!std::ranges::all_of(good_, is_near) || !std::ranges::all_of(bad_, is_near)) return false;
    if (value_.residual && !(*value_.residual->format == *value_.x.format)) return false;
    for (const RoundingClass& one : conforming_set(rounding_setting(value_, *y_.format))) {
      if (!reproduces_near(one.recipe, unit)) continue;
      add("statistic_not_from_these_values",
          "for every row some inverse RMS within two roundings to " +
              std::string(value_.x.format->name) +
              " of the exact one gives every output, but the exact one does not: the statistic was "
              "formed from other values than this x (an unrounded residual, an operation fused "
              "upstream, another width)");
      return true;
    }
    return false;
  }

  // Whether every row that has a factor comes from some scalar near it through the recipe's tail.
  [[nodiscard]] bool reproduces_near(const Recipe& recipe, double unit) const {
    const auto row_view = [](const TensorView& tensor, std::size_t row) {
      return RowView{tensor.format, tensor.row_bytes(row)};
    };
    for (const RowFactorView& row : factors_.rows) {
      if (row.factor == 0) continue;
      RowInput input{.x = row_view(value_.x, row.row),
                     .residual = {},
                     .weight = {},
                     .weight_offset = value_.weight_offset.binary64,
                     .epsilon = value_.epsilon.binary64};
      if (value_.residual) input.residual = row_view(*value_.residual, row.row);
      if (value_.weight) input.weight = row_view(*value_.weight, 0);
      const double scalar = divides_by_rms(recipe.association) ? 1 / row.exact : row.exact;
      const auto low = static_cast<float>(scalar * (1 - 2 * unit));
      const auto high = static_cast<float>(scalar * (1 + 2 * unit));
      if (!(low > 0) || !std::isfinite(high)) return false;
      if (fit_tail(recipe, input, row_view(y_, row.row), low, high) != TailFit::kReproduced) {
        return false;
      }
    }
    return true;
  }

  const Case& value_;
  const TensorView& y_;
  RowFactors factors_;
  std::vector<const RowFactorView*> good_;
  std::vector<const RowFactorView*> bad_;
  std::vector<Symptom> found_;
};

}  // namespace

std::vector<Symptom> symptoms_of(const Case& value, const TensorView& y) {
  return SymptomFinder(value, y).find();
}

}  // namespace normcert
