#include "judge/last_tier.hpp"

#include <algorithm>

#include "judge/row_factor.hpp"

namespace normcert {

LastTier::LastTier(const Case& value, OutputTensor tensor, const TensorView& got,
                   const Criteria& criteria)
    : case_(value),
      tensor_(tensor),
      got_(got),
      exact_comparer_(value, got, criteria),
      comparer_(got, criteria) {}

void LastTier::take_row(std::size_t row) {
  row_ = row;
  precise_tried_ = false;
  precise_row_.reset();
  exact_row_.reset();
  outside_.reset();
  saw_non_finite_ = false;
}

void LastTier::note_outside(std::size_t index) {
  if (!outside_ || index < *outside_) outside_ = index;
}

std::optional<Enclosure> LastTier::precise(std::size_t index, Comparison& into) {
  if (tensor_ == OutputTensor::kResidualOut) {
    const auto sum = precise_sum(case_, row_, index);
    return sum ? std::optional(Enclosure{*sum, 0}) : std::nullopt;
  }
  if (precise_row() == nullptr) return std::nullopt;
  into.largest_bound = std::max(into.largest_bound, precise_row_->bound());
  return precise_row_->enclosure(index);
}

const PreciseRow* LastTier::precise_row() {
  if (!precise_tried_) precise_row_ = PreciseRow::of(case_, row_);
  precise_tried_ = true;
  return precise_row_ ? &*precise_row_ : nullptr;
}

const ExactRow& LastTier::exact_row() {
  if (!exact_row_) exact_row_.emplace(case_, row_);
  return *exact_row_;
}

void LastTier::settle(std::size_t index, const std::optional<Enclosure>& screened, bool offers,
                      Comparison& into) {
  const bool has_finite_output = normcert::is_finite(got_.at(row_, index));
  saw_non_finite_ = saw_non_finite_ || !has_finite_output;
  const std::uint64_t outside_before = into.outside_tolerance;
  std::optional<Enclosure> y = screened;
  bool decided = y && comparer_.decide(*y, row_, index, into);
  if (!decided) {
    if (auto closer = precise(index, into)) y = closer;
    decided = y && comparer_.decide(*y, row_, index, into);
  }
  if (decided) {
    ++into.decided_by_bound;
  } else {
    const std::optional<Witness> named = into.first_outside;
    exact_comparer_.count(exact_output(exact_row(), tensor_, index), row_, index, into);
    into.first_outside = named;  // name_first_outside() sees to that
    ++into.decided_exactly;
  }
  if (into.outside_tolerance > outside_before) note_outside(index);
  if (!has_finite_output || !offers) return;
  if (y) {
    offer(*y, index, into);
  } else {
    // Nothing bounds the errors: measured at once.
    exact_comparer_.measure(exact_output(exact_row(), tensor_, index), row_, index, into);
  }
}

void LastTier::offer_counted(std::size_t index, Comparison& into) {
  if (const auto y = precise(index, into)) {
    offer(*y, index, into);
  } else {
    exact_comparer_.measure(exact_output(exact_row(), tensor_, index), row_, index, into);
  }
}

void LastTier::offer(const Enclosure& y, std::size_t index, Comparison& into) const {
  const ErrorBounds bounds = comparer_.bounds(y, row_, index);
  const Code got = got_.at(row_, index);
  const auto offer = [&](MaximumSearch& search, const MeasureBounds& measure) {
    if (measure.high < 0) return;
    search.offer({row_, index, got, measure.closer_low, measure.closer_high});
  };
  offer(into.absolute_search, bounds.absolute);
  offer(into.relative_search, bounds.relative);
  offer(into.ulp_search, bounds.ulp);
}

void LastTier::name_first_outside(Comparison& into) {
  if (into.first_outside || !outside_) return;
  into.first_outside =
      exact_comparer_.witness(exact_output(exact_row(), tensor_, *outside_), row_, *outside_);
}

void LastTier::offer_shares(Comparison& into) {
  RowFactor factor;
  for (std::size_t i = 0; i < got_.width; ++i) {
    const Code got = got_.at(row_, i);
    if (const auto y = precise(i, into)) {
      factor.add(got, y->value);
    } else {
      factor.add(got, exact_output(exact_row(), tensor_, i));
    }
  }
  factor.finish(row_, into);
}

}  // namespace normcert
