#include "judge/repetition.hpp"

namespace normcert {
namespace {

constexpr std::uint64_t Comparison::*kCounts[] = {
    &Comparison::below_normal,      &Comparison::correctly_rounded, &Comparison::faithful,
    &Comparison::zero_sign_differs, &Comparison::outside_tolerance, &Comparison::unattainable,
    &Comparison::beyond_max_ulp,    &Comparison::decided_by_bound,  &Comparison::decided_exactly};
constexpr std::uint64_t NonFiniteCounts::*kNonFinite[] = {
    &NonFiniteCounts::reference, &NonFiniteCounts::got, &NonFiniteCounts::disagree};

// into += factor counts, modulo 2^64.
void add(Comparison& into, const Comparison& counts, std::uint64_t factor) {
  for (const auto count : kCounts) into.*count += factor * counts.*count;
  for (const auto count : kNonFinite) into.non_finite.*count += factor * counts.non_finite.*count;
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    into.code_distance.add_to_class(i, factor * counts.code_distance.count(i));
  }
}

constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};

}  // namespace

void Repetition::start(bool repeats, const Comparison& before) {
  state_ = repeats ? State::kCounting : State::kNothing;
  if (!repeats) return;
  counts_ = {};
  add(counts_, before, kMinusOne);
}

void Repetition::finish(const Comparison& after) {
  if (state_ != State::kCounting) return;
  add(counts_, after, 1);
  state_ = State::kKnown;
}

void Repetition::count_again(Comparison& into) const { add(into, counts_, 1); }

}  // namespace normcert
