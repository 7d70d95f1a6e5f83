#include "inference/row_scan.hpp"

#include <algorithm>
#include <cmath>

#include "inference/preimage.hpp"
#include "inference/slack_bounds.hpp"
#include "numeric/square_sum.hpp"
#include "numeric/widen.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Covers the few binary64 roundings on the way to an end of an interval.
constexpr double kOut = 0x1p-48;
constexpr ScalarInterval kNoScalar = {kInfinity, -kInfinity, 0};

bool is_subnormal(double value, const FloatGrid& grid) {
  return value != 0 && std::fabs(value) < grid.least_normal();
}

// Half a unit of binary32 in the binade of a positive number.
double half_unit(double value) {
  if (!(value < kInfinity)) return 0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & (std::uint64_t{0x7ff} << 52)) *
         kUnit;
}

void intersect(ScalarInterval& all, const ScalarInterval& one) {
  all.low = std::max(all.low, one.low);
  all.high = std::min(all.high, one.high);
}

}  // namespace

RowScanner::RowScanner(const ObservedNorm& norm, const TailList& list)
    : norm_(norm),
      list_(list),
      x_rows_(norm.value->x),
      y_rows_(norm.y),
      x_grid_(*norm.value->x.format),
      y_grid_(*norm.y.format),
      weight_grid_(norm.value->weight ? *norm.value->weight->format : kFp32),
      narrow_input_(norm.value->x.format->precision < kFp32.precision),
      x_(norm.value->x.width),
      residual_(norm.value->residual ? norm.value->x.width : 0),
      weight_(norm.value->x.width, 1.0),
      got_(norm.value->x.width),
      silent_(norm.value->x.width) {
  const auto n = norm.value->x.width;
  if (norm.value->residual) residual_rows_.emplace(*norm.value->residual);
  // Squares of sums are rounded twice before they are added.
  sum_error_ = (static_cast<double>(square_sum_depth(n)) + 8) * 0x1p-53 * (1 + 0x1p-20);
  if (norm.value->weight) {
    widen(*norm.value->weight->format, norm.value->weight->row_bytes(0).data(), n, weight_.data());
  }
}

const FloatGrid& RowScanner::grid_of(const FloatFormat& format) const {
  if (format == *norm_.value->x.format) return x_grid_;
  if (format == kFp32) return binary32_;
  if (format == *norm_.y.format) return y_grid_;
  return weight_grid_;  // a middle or product format is one of the four
}

void RowScanner::load_numerators(std::size_t row) {
  const Case& value = *norm_.value;
  const std::size_t n = x_.size();
  x_rows_.widened(row, x_);
  auto& rounded = numerators_[static_cast<std::size_t>(Numerator::kInput)];
  rounded = x_;
  if (!value.residual) return;
  residual_rows_->widened(row, residual_);
  auto& unrounded = numerators_[static_cast<std::size_t>(Numerator::kUnrounded)];
  unrounded.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    // Binary64 rounds the exact sum of two binary32 numbers innocuously for binary32.
    unrounded[i] = static_cast<float>(x_[i] + residual_[i]);
    rounded[i] = std::copysign(x_grid_.nearest(std::fabs(unrounded[i])), unrounded[i]);
  }
  numerators_[static_cast<std::size_t>(Numerator::kWithout)] = x_;
}

void RowScanner::center() {
  const auto& z = numerator(Numerator::kInput);
  const auto n = static_cast<double>(z.size());
  double sum = 0;
  double magnitudes = 0;
  for (const double one : z) {
    sum += one;
    magnitudes += std::fabs(one);
  }
  const double mean = sum / n;
  auto& centered = numerators_[static_cast<std::size_t>(Numerator::kCentered)];
  centered.resize(z.size());
  double greatest = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    centered[i] = z[i] - mean;
    greatest = std::max(greatest, std::fabs(z[i]));
  }
  // A binary32 mean in any order is within gamma_(n+2) of the mean magnitude (Higham 4.2, signed
  // terms); x - mean, or x r - mean r, rounds a few times more.
  center_error_ = (2 * slack_bounds(z.size()).any_order * magnitudes / n + 6 * greatest) * kUnit;
}

double RowScanner::narrow_squares() const {
  double sum = 0;
  for (const double z : numerator(Numerator::kInput)) sum += x_grid_.nearest(z * z);
  return sum;
}

double RowScanner::sequential_squares() const {
  float sum = 0;
  for (const double z : numerator(Numerator::kInput)) {
    sum += static_cast<float>(z) * static_cast<float>(z);
  }
  return sum;
}

void RowScanner::load_outputs(std::size_t row, RowCounts& counts) {
  y_rows_.widened(row, got_);
  for (Preimages& one : preimages_) one.loaded = false;
  for (std::size_t i = 0; i < got_.size(); ++i) {
    counts.nan_outputs += std::isnan(got_[i]) ? 1 : 0;
    counts.infinite_outputs += std::isinf(got_[i]) ? 1 : 0;
    counts.zero_outputs += got_[i] == 0 && numerator(Numerator::kInput)[i] != 0 ? 1 : 0;
    // An infinity may come of an intermediate product that overflows.
    silent_[i] = !std::isfinite(got_[i]) || is_subnormal(got_[i], y_grid_) ||
                 is_subnormal(x_[i], x_grid_) || is_subnormal(weight_[i], weight_grid_) ||
                 is_subnormal(numerator(Numerator::kInput)[i], x_grid_);
  }
}

const RowFacts& RowScanner::load(std::size_t row, RowCounts& counts) {
  facts_ = {};
  facts_.row = row;
  ++counts.rows;
  load_numerators(row);
  load_outputs(row, counts);
  const auto& z = numerator(Numerator::kInput);
  const double sum = square_sum(z.data(), z.size());
  if (!std::isfinite(sum)) {
    ++counts.non_finite_input;
    return facts_;
  }
  if (sum == 0) {
    ++counts.zero;
    const bool some_nan = std::ranges::any_of(got_, [](double y) { return std::isnan(y); });
    counts.zero_rows_nan += some_nan ? 1 : 0;
    if (!some_nan && !counts.first_zero_row) counts.first_zero_row = row;
    return facts_;
  }
  // Squares below 2^-126 are rounded with an absolute error; sums above 2^127 overflow.
  if (sum > 0x1p127 || sum < static_cast<double>(z.size()) * 0x1p-100) {
    ++counts.out_of_range;
    return facts_;
  }
  const bool some_number =
      std::ranges::any_of(got_, [](double y) { return y != 0 && std::isfinite(y); });
  if (!some_number) {
    ++counts.no_number;
    return facts_;
  }
  ++counts.judged;
  facts_.usable = true;
  center();
  facts_.center_error = center_error_;
  for (std::size_t i = 0; i < kNumerators; ++i) {
    if (!numerators_[i].empty()) {
      facts_.square_sum[i] = square_sum(numerators_[i].data(), numerators_[i].size());
    }
  }
  for (const double one : z) facts_.max_magnitude = std::max(facts_.max_magnitude, std::fabs(one));
  facts_.narrow_square_sum = narrow_input_ ? narrow_squares() : sum;
  facts_.sequential_sum = sequential_squares();
  return facts_;
}

// What of z and gain the scalar meets first, and what it meets later.
ScalarInterval RowScanner::product_element(const Tail& tail, std::size_t index) const {
  const double z = numerator(tail.numerator)[index];
  const double gain = list_.gains[tail.gain].values[index];
  const double got = got_[index];
  const double error = tail.numerator == Numerator::kCentered ? center_error_ : 0;
  double product = z * gain;
  if (tail.first_product != nullptr && gain != 1) {
    product = std::copysign(x_grid_.nearest(std::fabs(product)), product);
  }
  const bool sign_known = std::fabs(z) > error;
  if (!sign_known && error > 0) {
    // The centred number may be anything down to zero: only too great an output says something.
    return {};
  }
  if (got != 0 && (product == 0 || std::signbit(got) != std::signbit(product))) return kNoScalar;
  Preimage wanted = preimage(std::fabs(got), y_grid_, tail.truncates);
  if (tail.through_binary32) {
    wanted.low -= half_unit(wanted.low);
    wanted.high += half_unit(wanted.high);
  } else if (tail.every_op && tail.first_product != nullptr &&
             !(*norm_.y.format == *tail.first_product)) {
    // The last product is a number of the input's format before it is converted.
    wanted.low -= x_grid_.ulp(wanted.low) / 2;
    wanted.high += x_grid_.ulp(wanted.high) / 2;
  }
  const double magnitude = std::fabs(product);
  if (magnitude == 0) return {};
  const double spread = error * std::fabs(gain);
  const double open = tail.roundings * kUnit * (1 + 0x1p-12) + kOut;
  return {wanted.low / (magnitude + spread) * (1 - open),
          wanted.high / (magnitude - spread) * (1 + open), 0};
}

RowScanner::MiddleNumbers RowScanner::middle_numbers(const Tail& tail, double magnitude,
                                                     double factor) const {
  const FloatGrid& middle = grid_of(*tail.middle);
  const FloatGrid& product_grid = grid_of(*tail.product);
  // A product of fewer digits than the output has is written as it is.
  const bool written_as_it_is =
      magnitude != 0 && tail.product->precision < norm_.y.format->precision;
  if (written_as_it_is && product_grid.nearest(magnitude) != magnitude) return {kInfinity, 0};
  const FloatGrid& last = written_as_it_is ? product_grid : y_grid_;
  const bool truncates = tail.truncates && !written_as_it_is;
  const Preimage wanted = preimage(magnitude, last, truncates);
  const bool even = last.is_even(magnitude);
  const double open = list_.gains[tail.gain].roundings * kUnit;
  const bool rounds_product = !written_as_it_is && !(*tail.product == *norm_.y.format);
  // What the gain may be off by comes before the product's rounding, which may double it.
  const auto product = [&](double t, double gain) {
    const double exact = t * gain;
    return rounds_product ? product_grid.nearest(exact) : exact;
  };
  // Numbers of the middle format whose product rounds to the output: from `least` to `greatest`.
  const auto reaches = [&](double t) {
    const double p = product(t, factor * (1 + open));
    return p > wanted.low || (p == wanted.low && (even || truncates || magnitude == 0));
  };
  const auto stays = [&](double t) {
    const double p = product(t, factor * (1 - open));
    return p < wanted.high || (p == wanted.high && even && !truncates);
  };
  // A narrow product takes numbers from half a unit beyond to an end: some steps of the middle one.
  const bool coarse = rounds_product && tail.product->precision < kFp32.precision;
  const double below = coarse && wanted.low > 0 ? product_grid.ulp(wanted.low) / 2 : 0;
  double least = middle.nearest((wanted.low - below) / factor * (1 - open));
  if (coarse && least > 0) least = middle.previous(least);
  while (!reaches(least)) {
    least = middle.next(least);
    if (!coarse) break;
  }
  if (std::isinf(wanted.high)) return {least, kInfinity};
  const double above = coarse ? product_grid.ulp(wanted.high) / 2 : 0;
  double greatest = middle.nearest((wanted.high + above) / factor * (1 + open));
  if (coarse) greatest = middle.next(greatest);
  while (!stays(greatest)) {
    greatest = middle.previous(greatest);
    if (!coarse) break;
  }
  return {least, greatest};
}

ScalarInterval RowScanner::middle_element(const Tail& tail, std::size_t index) const {
  const double z = numerator(tail.numerator)[index];
  const double gain = list_.gains[tail.gain].values[index];
  const double got = got_[index];
  const double error = tail.numerator == Numerator::kCentered ? center_error_ : 0;
  if (error > 0 && !(std::fabs(z) > error)) return {};
  const bool swapped = tail.shape == TailShape::kGainFirst;
  const double first = std::fabs(swapped ? gain : z);
  const double second = std::fabs(swapped ? z : gain);
  if (got != 0 &&
      (first == 0 || second == 0 || std::signbit(got) != (std::signbit(z) != std::signbit(gain)))) {
    return kNoScalar;
  }
  if (first == 0 || second == 0) return {};
  const FloatGrid& middle = grid_of(*tail.middle);
  const auto [least, greatest] = middle_numbers(tail, std::fabs(got), second);
  if (least > greatest) return kNoScalar;
  double low = least < middle.least_normal() ? 0 : middle.midpoint_below(least);
  double high =
      greatest < middle.least_normal() ? middle.least_normal() : middle.midpoint_above(greatest);
  if (tail.through_binary32) {
    low -= half_unit(low);
    high += half_unit(high);
  }
  return {low / (first + error) * (1 - kOut), high / (first - error) * (1 + kOut), 0};
}

ScalarInterval RowScanner::element(const Tail& tail, std::size_t index) {
  if (silent_[index]) return {};
  const double gain = std::fabs(list_.gains[tail.gain].values[index]);
  const double product = gain * std::fabs(numerator(tail.numerator)[index]);
  if ((gain != 0 && gain < kLeastGain) || (product != 0 && product < kLeastProduct)) return {};
  return tail.shape == TailShape::kProduct ? product_element(tail, index)
                                           : middle_element(tail, index);
}

ScalarInterval RowScanner::scan(const Tail& tail) {
  ScalarInterval all;
  for (std::size_t i = 0; (i = next_that_may_narrow(tail, i, all)) < got_.size(); ++i) {
    intersect(all, element(tail, i));
    if (all.empty()) return all;
  }
  return all;
}

ScalarInterval RowScanner::scan_without(const Tail& tail,
                                        const std::vector<std::size_t>& set_apart) {
  ScalarInterval all;
  for (std::size_t i = 0; i < got_.size() && !all.empty(); ++i) {
    if (std::ranges::find(set_apart, i) == set_apart.end()) intersect(all, element(tail, i));
  }
  all.strays = static_cast<std::uint32_t>(set_apart.size());
  return all;
}

ScalarInterval RowScanner::scan_with_strays(const Tail& tail, std::size_t most,
                                            std::vector<std::size_t>* strays) {
  std::vector<ScalarInterval> elements(got_.size());
  ScalarInterval all;
  for (std::size_t i = 0; i < got_.size(); ++i) {
    elements[i] = element(tail, i);
    intersect(all, elements[i]);
  }
  if (!all.empty()) return all;
  // Sweep over the ends: how many intervals cover a point.
  struct End {
    double at;
    bool closes;
  };
  std::vector<End> ends;
  ends.reserve(2 * elements.size());
  for (const ScalarInterval& one : elements) {
    if (one.empty()) continue;
    ends.push_back({one.low, false});
    ends.push_back({one.high, true});
  }
  std::ranges::sort(ends, [](const End& a, const End& b) {
    return a.at != b.at ? a.at < b.at : a.closes < b.closes;
  });
  std::size_t cover = 0;
  std::size_t best = 0;
  double best_at = 0;
  for (const End& end : ends) {
    cover = end.closes ? cover - 1 : cover + 1;
    if (cover > best) {
      best = cover;
      best_at = end.at;
    }
  }
  const std::size_t missed = elements.size() - best;
  if (missed > most) return kNoScalar;
  // Every point that at most one element more misses: where two places are nearly as good, the
  // right one is among them.
  ScalarInterval hull = kNoScalar;
  cover = 0;
  for (const End& end : ends) {
    if (!end.closes) ++cover;
    if (cover + 1 >= best) {
      hull.low = std::min(hull.low, end.at);
      hull.high = std::max(hull.high, end.at);
    }
    if (end.closes) --cover;
  }
  hull.strays = static_cast<std::uint32_t>(missed);
  if (strays != nullptr) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!(elements[i].low <= best_at && best_at <= elements[i].high)) strays->push_back(i);
    }
  }
  return hull;
}

std::size_t RowScanner::binding_index(const Tail& tail, bool asks_greatest,
                                      const std::vector<std::size_t>& set_apart) {
  std::size_t best = 0;
  double at = asks_greatest ? -1 : kInfinity;
  for (std::size_t i = 0; i < got_.size(); ++i) {
    if (std::ranges::find(set_apart, i) != set_apart.end()) continue;
    const ScalarInterval one = element(tail, i);
    if (one.empty()) return i;
    const bool better = asks_greatest ? one.low > at : one.high < at;
    if (!better) continue;
    at = asks_greatest ? one.low : one.high;
    best = i;
  }
  return best;
}

}  // namespace normcert
