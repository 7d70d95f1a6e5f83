#include "judge/comparison.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace normcert {

void ErrorMaximum::merge(const ErrorMaximum& other) {
  if (!other.any) return;
  const int order = any ? compare(other.value, value) : 1;
  const auto place = [](const Witness& w) { return std::pair(w.row, w.index); };
  if (order > 0 || (order == 0 && place(other.witness) < place(witness))) *this = other;
}

void MaximumSearch::offer(const Contender& contender) {
  if (contender.high < floor_) return;
  floor_ = std::max(floor_, contender.low);
  contenders_.push_back(contender);
  if (contenders_.size() >= 2 * kept_ + 16) prune();
}

void MaximumSearch::merge(const MaximumSearch& later) {
  floor_ = std::max(floor_, later.floor_);
  contenders_.insert(contenders_.end(), later.contenders_.begin(), later.contenders_.end());
  prune();
}

void MaximumSearch::prune() {
  std::erase_if(contenders_, [&](const Contender& c) { return c.high < floor_; });
  kept_ = contenders_.size();
}

void CodeDistanceHistogram::merge(const CodeDistanceHistogram& other) {
  for (std::size_t i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
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
  if (any && magnitude <= value) return;
  *this = {true, magnitude, at};
}

void RowShare::merge(const RowShare& later) {
  if (later.any) offer(later.value, later.row);
}

void Comparison::merge(const Comparison& later) {
  expected += later.expected;
  compared += later.compared;
  rows_set_apart += later.rows_set_apart;
  non_finite.reference += later.non_finite.reference;
  non_finite.got += later.non_finite.got;
  non_finite.disagree += later.non_finite.disagree;
  absolute.merge(later.absolute);
  relative.merge(later.relative);
  ulp.merge(later.ulp);
  absolute_search.merge(later.absolute_search);
  relative_search.merge(later.relative_search);
  ulp_search.merge(later.ulp_search);
  below_normal += later.below_normal;
  correctly_rounded += later.correctly_rounded;
  faithful += later.faithful;
  zero_sign_differs += later.zero_sign_differs;
  code_distance.merge(later.code_distance);
  outside_tolerance += later.outside_tolerance;
  unattainable += later.unattainable;
  if (!first_outside) first_outside = later.first_outside;
  beyond_max_ulp += later.beyond_max_ulp;
  coherent.merge(later.coherent);
  incoherent.merge(later.incoherent);
  decided_by_bound += later.decided_by_bound;
  decided_exactly += later.decided_exactly;
  largest_bound = std::max(largest_bound, later.largest_bound);
}

}  // namespace normcert
