#include "judge/comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace normcert {

namespace {

template <typename Place>
bool stands_before(const Place& a, const Place& b) {
  return a.row != b.row ? a.row < b.row : a.index < b.index;
}

}  // namespace

void ErrorMaximum::merge(const ErrorMaximum& other) {
  if (!other.any) return;
  const int order = any ? compare(other.value, value) : 1;
  if (order > 0 || (order == 0 && stands_before(other.witness, witness))) *this = other;
}

void MaximumSearch::offer(const Contender& contender) {
  if (is_less(contender.high, floor_)) return;
  if (is_less(floor_, contender.low)) {
    floor_ = contender.low;
    leader_ = contender;
  }
  contenders_.push_back(contender);
  if (contenders_.size() >= 2 * kept_ + 16) prune();
}

void MaximumSearch::merge(const MaximumSearch& other) {
  if (is_less(floor_, other.floor_)) floor_ = other.floor_;
  leader_.reset();
  const auto own = static_cast<std::ptrdiff_t>(contenders_.size());
  contenders_.insert(contenders_.end(), other.contenders_.begin(), other.contenders_.end());
  std::inplace_merge(contenders_.begin(), contenders_.begin() + own, contenders_.end(),
                     [](const Contender& a, const Contender& b) {
                       return a.row != b.row ? a.row < b.row : a.index < b.index;
                     });
  prune();
}

void MaximumSearch::prune() {
  std::erase_if(contenders_, [&](const Contender& c) { return is_less(c.high, floor_); });
  kept_ = contenders_.size();
}

double MaximumSearch::floor() const {
  if (floor_.low >= 0) return floor_.high;
  return std::nextafter(floor_.high, -std::numeric_limits<double>::infinity());
}

void CodeDistanceHistogram::merge(const CodeDistanceHistogram& other) {
  for (std::size_t i = 0; i < other.used_; ++i) add_to_class(i, other.counts_[i]);
}

std::size_t CodeDistanceHistogram::class_of(std::uint64_t distance) {
  if (distance < kExact) return static_cast<std::size_t>(distance);
  // 9-16 is the class of bit_width(distance - 1) == 4, 17-32 that of 5, ...
  return kExact + static_cast<std::size_t>(std::bit_width(distance - 1)) - 4;
}

std::string CodeDistanceHistogram::label(std::size_t index) {
  if (index < kExact) return std::to_string(index);
  const std::uint64_t power = std::uint64_t{1} << (index - kExact + 3);
  // The last class ends at 2^64 - 1, one short of the power that would overflow.
  const std::uint64_t last = index + 1 == kClasses ? ~std::uint64_t{0} : 2 * power;
  return std::to_string(power + 1) + "-" + std::to_string(last);
}

void RowShare::offer(double magnitude, std::size_t at) {
  if (any && (magnitude < value || (magnitude == value && at >= row))) return;
  *this = {true, magnitude, at};
}

void RowShare::merge(const RowShare& other) {
  if (other.any) offer(other.value, other.row);
}

void NonFiniteCounts::merge(const NonFiniteCounts& other) {
  reference += other.reference;
  got += other.got;
  disagree += other.disagree;
  if (other.first && (!first || stands_before(*other.first, *first))) first = other.first;
}

void Comparison::merge(const Comparison& other) {
  expected += other.expected;
  compared += other.compared;
  rows_set_apart += other.rows_set_apart;
  non_finite.merge(other.non_finite);
  absolute.merge(other.absolute);
  relative.merge(other.relative);
  ulp.merge(other.ulp);
  absolute_search.merge(other.absolute_search);
  relative_search.merge(other.relative_search);
  ulp_search.merge(other.ulp_search);
  below_normal += other.below_normal;
  correctly_rounded += other.correctly_rounded;
  faithful += other.faithful;
  zero_sign_differs += other.zero_sign_differs;
  code_distance.merge(other.code_distance);
  rounded_bits += other.rounded_bits;
  if (other.first_row_not_rounded) {
    first_row_not_rounded = std::min(first_row_not_rounded.value_or(*other.first_row_not_rounded),
                                     *other.first_row_not_rounded);
  }
  outside_tolerance += other.outside_tolerance;
  unattainable += other.unattainable;
  const bool is_first = other.first_outside &&
                        (!first_outside || stands_before(*other.first_outside, *first_outside));
  if (is_first) first_outside = other.first_outside;
  beyond_max_ulp += other.beyond_max_ulp;
  coherent.merge(other.coherent);
  incoherent.merge(other.incoherent);
  decided_by_bound += other.decided_by_bound;
  decided_exactly += other.decided_exactly;
  largest_bound = std::max(largest_bound, other.largest_bound);
}

void Comparison::rename_rows(const std::function<std::size_t(std::size_t)>& name) {
  for (ErrorMaximum* maximum : {&absolute, &relative, &ulp}) {
    if (maximum->any) maximum->witness.row = name(maximum->witness.row);
  }
  for (MaximumSearch* search : {&absolute_search, &relative_search, &ulp_search}) {
    search->rename_rows(name);
  }
  if (first_outside) first_outside->row = name(first_outside->row);
  if (non_finite.first) non_finite.first->row = name(non_finite.first->row);
  if (first_row_not_rounded) first_row_not_rounded = name(*first_row_not_rounded);
  for (RowShare* share : {&coherent, &incoherent}) {
    if (share->any) share->row = name(share->row);
  }
}

}  // namespace normcert
