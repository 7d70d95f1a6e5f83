// Most elements of a row allow more than those before them left: an element allows all of low ..
// high where the tail gives its output at both ends, because a tail is monotone. That is tested
// here in a few operations, so that an element's own interval is formed for the others alone. Each
// test is strict and leaves what is doubtful to RowScanner::element(): the interval of the row is
// the same number for number.
#include <cmath>
#include <limits>

#include "inference/preimage.hpp"
#include "inference/row_scan.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// More than the roundings of binary64 between an end of an element's interval and its test here.
constexpr double kDoubt = 0x1p-45;

}  // namespace

const RowScanner::Preimages& RowScanner::preimages(bool truncates) {
  Preimages& wanted = preimages_[truncates ? 1 : 0];
  if (wanted.loaded) return wanted;
  wanted.loaded = true;
  wanted.low.resize(got_.size());
  wanted.high.resize(got_.size());
  for (std::size_t i = 0; i < got_.size(); ++i) {
    const bool ordinary = !silent_[i] && got_[i] != 0;
    const Preimage one = preimage(ordinary ? std::fabs(got_[i]) : 1, y_grid_, truncates);
    const bool bounded = ordinary && std::isfinite(one.high);
    wanted.low[i] = bounded ? one.low : kNaN;
    wanted.high[i] = bounded ? one.high : kNaN;
  }
  return wanted;
}

std::size_t RowScanner::next_that_may_narrow(const Tail& tail, std::size_t index,
                                             const ScalarInterval& all) {
  if (!(all.low > 0) || !std::isfinite(all.high)) return index;
  const Preimages& wanted = preimages(tail.truncates);
  return tail.shape == TailShape::kProduct ? next_product(tail, index, all, wanted)
                                           : next_middle(tail, index, all, wanted);
}

// product_element() divides what is wanted by the product's magnitude, and then moves outward.
std::size_t RowScanner::next_product(const Tail& tail, std::size_t index, const ScalarInterval& all,
                                     const Preimages& wanted) const {
  const std::vector<double>& z = numerator(tail.numerator);
  const std::vector<double>& gains = list_.gains[tail.gain].values;
  const double error = tail.numerator == Numerator::kCentered ? center_error_ : 0;
  const bool rounds = tail.first_product != nullptr;
  const double low = all.low * (1 - kDoubt);
  const double high = all.high * (1 + kDoubt);
  std::size_t i = index;
  for (; i < got_.size(); ++i) {
    const double gain = std::fabs(gains[i]);
    const double exact = z[i] * gains[i];
    double magnitude = std::fabs(exact);
    if (rounds && gain != 1) magnitude = x_grid_.nearest(magnitude);
    const double spread = error * gain;
    const bool same_sign = got_[i] * exact > 0;
    const bool allows_all = wanted.low[i] <= low * (magnitude + spread) &&
                            wanted.high[i] >= high * (magnitude - spread);
    const bool ordinary = same_sign && std::fabs(z[i]) > error && magnitude > spread &&
                          gain >= kLeastGain && std::fabs(exact) >= kLeastProduct;
    if (!(ordinary && allows_all)) break;
  }
  return i;
}

// middle_element() looks for the least and the greatest number of the middle format whose product
// gives the output. Where that of z low does, the least one is no greater: it is the number nearest
// to what is wanted by the gain, or the next one, and the product of the one before lies too low by
// half a unit of the middle format, which no finer rounding of the product makes up for.
std::size_t RowScanner::next_middle(const Tail& tail, std::size_t index, const ScalarInterval& all,
                                    const Preimages& wanted) const {
  const std::vector<double>& z = numerator(tail.numerator);
  const std::vector<double>& gains = list_.gains[tail.gain].values;
  const double error = tail.numerator == Numerator::kCentered ? center_error_ : 0;
  const bool swapped = tail.shape == TailShape::kGainFirst;
  const FloatGrid& middle = grid_of(*tail.middle);
  const bool rounds_product = !(*tail.product == *norm_.y.format);
  const FloatGrid& product_grid = grid_of(*tail.product);
  if (rounds_product && tail.product->precision < tail.middle->precision + 4) return index;
  const double open = list_.gains[tail.gain].roundings * kUnit;
  const double least = 2 * middle.least_normal();
  const double greatest = middle.greatest() / 2;
  std::size_t i = index;
  for (; i < got_.size(); ++i) {
    const double first = std::fabs(swapped ? gains[i] : z[i]);
    const double second = std::fabs(swapped ? z[i] : gains[i]);
    const double from = middle.nearest(all.low * first);
    const double to = middle.nearest(all.high * first);
    double lowest = from * (second * (1 + open));
    double highest = to * (second * (1 - open));
    if (rounds_product) {
      lowest = product_grid.nearest(lowest);
      highest = product_grid.nearest(highest);
    }
    const double exact = z[i] * gains[i];
    const bool allows_all = lowest > wanted.low[i] && highest < wanted.high[i];
    const bool ordinary = got_[i] * exact > 0 && first > error && std::fabs(z[i]) > error &&
                          from > least && to < greatest && std::fabs(gains[i]) >= kLeastGain &&
                          std::fabs(exact) >= kLeastProduct;
    if (!(ordinary && allows_all)) break;
  }
  return i;
}

}  // namespace normcert
