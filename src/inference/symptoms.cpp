#include "inference/symptoms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <span>

#include "emulation/tail_fit.hpp"
#include "inference/conforming_set.hpp"
#include "inference/row_factors.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kLeastRows = 4;  // to speak of a pattern among them
// Rows that are compared with one another, half of them before the first that deviates.
constexpr std::size_t kNeighbours = 4096;

std::string figure(double value, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string count_of(std::size_t part, std::size_t all, const char* what) {
  return std::to_string(part) + " of " + std::to_string(all) + " " + what;
}

// Rows whose factor is the exact one, or those whose factor is not.
struct RowGroup {
  std::size_t count = 0;
  RowFactorView least;  // of the least q, the first
  RowFactorView greatest;
  std::size_t first_row = 0;
  double low = 0;  // the factor, in units of the exact one
  double high = 0;

  void add(const RowFactorView& row) {
    const double ratio = row.factor / row.exact;
    if (count++ == 0) {
      least = greatest = row;
      first_row = row.row;
      low = high = ratio;
      return;
    }
    if (row.q < least.q) least = row;
    if (row.q >= greatest.q) greatest = row;
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
};

class SymptomFinder {
 public:
  SymptomFinder(const Case& value, const TensorView& y, std::span<const std::size_t> numbers)
      : value_(value),
        y_(y),
        numbers_(numbers),
        reader_(value, y),
        unit_(std::ldexp(1.0, -value.x.format->precision)),
        off_by_channel_(value.x.width, 0) {}

  std::vector<Symptom> find() {
    read();
    special_values();
    if (good_.count + bad_.count > 0 && !statistic_elsewhere() && !elements()) rows();
    if (found_.empty()) {
      add("scattered",
          "the deviations show no pattern: not in certain channels, not in rows of a certain size, "
          "not one factor for each row");
    }
    return std::move(found_);
  }

 private:
  void add(const char* code, std::string text) { found_.push_back({code, std::move(text)}); }

  void read() {
    for (std::size_t row = 0; row < value_.x.rows; ++row) {
      const std::optional<RowFactorView> view = reader_.read(row);
      if (!view) continue;
      least_exact_ = rows_ == 0 ? view->exact : std::min(least_exact_, view->exact);
      greatest_exact_ = std::max(greatest_exact_, view->exact);
      ++rows_;
      zeros_ += view->all_zero ? 1 : 0;
      non_finite_ += view->non_finite ? 1 : 0;
      compared_ += reader_.compared();
      for (const std::size_t channel : reader_.off()) ++off_by_channel_[channel];
      if (view->factor != 0) {
        const double off = std::fabs(view->factor / view->exact - 1);
        all_near_ = all_near_ && off <= 2 * unit_;
        (off <= reader_.factor_limit(*view) ? good_ : bad_).add(*view);
      }
      keep(*view);
    }
  }

  // Around the first row that deviates: what other rows' factors are looked for among.
  void keep(const RowFactorView& view) {
    if (bad_.count == 0 && neighbours_.size() >= kNeighbours / 2) neighbours_.pop_front();
    if (neighbours_.size() < kNeighbours) neighbours_.push_back(view);
  }

  void special_values() {
    if (zeros_ > 0) {
      add("all_zeros", "all outputs are zero in " +
                           count_of(zeros_, rows_, "rows whose inputs are not") +
                           ": never written, or an inverse RMS of 0 after an overflow");
    }
    if (non_finite_ > 0) {
      add("non_finite",
          "infinite or NaN outputs in " + count_of(non_finite_, rows_, "rows of finite inputs"));
    }
  }

  [[nodiscard]] bool deviates(const RowFactorView& row) const {
    return row.factor != 0 && std::fabs(row.factor / row.exact - 1) > reader_.factor_limit(row);
  }

  [[nodiscard]] std::size_t number_of(std::size_t row) const {
    return numbers_.empty() ? row : numbers_[row];
  }

  // Whether the elements that do not follow their row's factor say enough.
  bool elements() {
    const std::size_t rows = good_.count + bad_.count;
    std::size_t off = 0;
    std::vector<std::size_t> channels;
    for (std::size_t i = 0; i < off_by_channel_.size(); ++i) {
      off += off_by_channel_[i];
      if (2 * off_by_channel_[i] > rows) channels.push_back(i);
    }
    if (off == 0) return false;
    if (!channels.empty() && 2 * channels.size() <= value_.x.width) {
      name_channels(channels);
      return true;
    }
    if (off * 4 > compared_) {
      add("scattered",
          "y / (gain x) is no common factor of the row: " + count_of(off, compared_, "elements") +
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
    if (bad_.count == 0) {
      add("scattered",
          "every row has the factor 1/sqrt(q + epsilon) to within what rounding does, but single "
          "elements are rounded as no known order of operations rounds them");
      return;
    }
    if (bad_.count >= kLeastRows && constant_factor()) return;
    if (bad_.count >= kLeastRows && repeated_factor()) return;
    if (good_.count > 0 && bad_.greatest.q < good_.least.q) {
      add("small_rows", "only rows with q up to " + figure(bad_.greatest.q) +
                            " deviate, by one factor each (" + range() + "); those from " +
                            figure(good_.least.q) + " on do not: epsilon or its place");
    } else if (good_.count > 0 && bad_.least.q > good_.greatest.q) {
      add("large_rows", "only rows with q from " + figure(bad_.least.q) +
                            " on deviate, by one factor each (" + range() + "); those up to " +
                            figure(good_.greatest.q) +
                            " do not: an overflow, or epsilon added behind the root");
    } else if (good_.count > 0) {
      add("some_rows", count_of(bad_.count, bad_.count + good_.count, "rows") +
                           " have another factor than 1/sqrt(q + epsilon) (" + range() +
                           "), first row " + std::to_string(number_of(bad_.first_row)) +
                           "; their q is like that of the others");
    } else {
      add("factor_of_q", "every row has one factor, but not 1/sqrt(q + epsilon): from " +
                             figure(bad_.least.factor / bad_.least.exact, 6) +
                             " times it at q = " + figure(bad_.least.q) + " to " +
                             figure(bad_.greatest.factor / bad_.greatest.exact, 6) +
                             " times it at q = " + figure(bad_.greatest.q) +
                             ": another statistic or epsilon");
    }
  }

  // "0.98 .. 1.01 times the exact one"
  [[nodiscard]] std::string range() const {
    return figure(bad_.low, 6) + " .. " + figure(bad_.high, 6) + " times the exact one";
  }

  bool constant_factor() {
    if (good_.count > 0) return false;
    const double low = bad_.low;
    const double high = bad_.high;
    if (low <= 0 || high / low - 1 > 2 * reader_.factor_limit()) return false;
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
    const double limit = 2 * reader_.factor_limit();
    std::size_t alike = 0;
    std::size_t of_others = 0;
    std::size_t deviating = 0;
    std::size_t shown_row = 0;
    std::size_t shown_other = 0;
    const auto near = [&](double a, double b) { return std::fabs(a / b - 1) <= limit; };
    for (const RowFactorView& row : neighbours_) {
      if (!deviates(row)) continue;
      ++deviating;
      for (const RowFactorView& other : neighbours_) {
        if (other.row == row.row || near(row.exact, other.exact)) continue;
        if (other.factor != 0 && near(row.factor, other.factor)) {
          ++alike;
          break;
        }
      }
      for (const RowFactorView& other : neighbours_) {
        if (other.row == row.row || !near(row.factor, other.exact)) continue;
        if (of_others++ == 0) {
          shown_row = row.row;
          shown_other = other.row;
        }
        break;
      }
    }
    if (deviating < kLeastRows) return false;
    const char* const which = deviating == bad_.count
                                  ? "deviating rows"
                                  : "deviating rows that were compared with one another";
    // Among many rows some have nearly equal factors by chance.
    const double spread = spread_of_factors();
    const double chance = spread > 0 ? limit * static_cast<double>(neighbours_.size()) / spread : 1;
    if (chance > 0.25 && spread > limit) return false;
    if (10 * alike >= 9 * deviating) {
      add("repeated_factor", count_of(alike, deviating, which) +
                                 " share one factor with a row of another size: a statistic over "
                                 "more than the row, or over the wrong axis");
      return true;
    }
    if (10 * of_others >= 9 * deviating) {
      add("repeated_factor", count_of(of_others, deviating, which) +
                                 " have the inverse RMS of another row (row " +
                                 std::to_string(shown_row) + " that of row " +
                                 std::to_string(shown_other) + "): the wrong row's statistic");
      return true;
    }
    return false;
  }

  // Of the logarithms of the exact factors.
  [[nodiscard]] double spread_of_factors() const {
    return std::log(greatest_exact_ / least_exact_);
  }

  // Where every row is right to two roundings of T: does one way of rounding give each row from
  // some scalar that near?
  bool statistic_elsewhere() {
    if (!all_near_) return false;
    if (value_.residual && !(*value_.residual->format == *value_.x.format)) return false;
    for (const RoundingClass& one : conforming_set(rounding_setting(value_, *y_.format))) {
      if (!reproduces_near(one.recipe)) continue;
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
  [[nodiscard]] bool reproduces_near(const Recipe& recipe) {
    RowReader x(value_.x);
    RowReader y(y_);
    std::optional<RowReader> residual;
    if (value_.residual) residual.emplace(*value_.residual);
    for (std::size_t k = 0; k < value_.x.rows; ++k) {
      const std::optional<RowFactorView> view = reader_.read(k);
      if (!view || view->factor == 0) continue;
      const RowFactorView& row = *view;
      RowInput input{.x = {value_.x.format, x.row(k)},
                     .residual = {},
                     .weight = {},
                     .weight_offset = value_.weight_offset.binary64,
                     .epsilon = value_.epsilon.binary64};
      if (residual) input.residual = RowView{value_.residual->format, residual->row(k)};
      if (value_.weight) {
        input.weight = RowView{value_.weight->format, value_.weight->row_bytes(0)};
      }
      const double scalar = divides_by_rms(recipe.association) ? 1 / row.exact : row.exact;
      const auto low = static_cast<float>(scalar * (1 - 2 * unit_));
      const auto high = static_cast<float>(scalar * (1 + 2 * unit_));
      if (!(low > 0) || !std::isfinite(high)) return false;
      if (fit_tail(recipe, input, {y_.format, y.row(k)}, low, high) != TailFit::kReproduced) {
        return false;
      }
    }
    return true;
  }

  const Case& value_;
  const TensorView& y_;
  std::span<const std::size_t> numbers_;
  RowFactorReader reader_;
  double unit_;           // roundoff of x's format
  std::size_t rows_ = 0;  // with finite, not all zero inputs
  std::size_t zeros_ = 0;
  std::size_t non_finite_ = 0;
  std::size_t compared_ = 0;  // elements
  std::vector<std::uint64_t> off_by_channel_;
  bool all_near_ = true;  // every row's factor is the exact one to two roundings of x's format
  double least_exact_ = 0;
  double greatest_exact_ = 0;
  RowGroup good_;
  RowGroup bad_;
  std::deque<RowFactorView> neighbours_;
  std::vector<Symptom> found_;
};

}  // namespace

std::vector<Symptom> symptoms_of(const Case& value, const TensorView& y,
                                 std::span<const std::size_t> numbers) {
  return SymptomFinder(value, y, numbers).find();
}

}  // namespace normcert
