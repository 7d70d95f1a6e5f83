#include "judge/element_comparer.hpp"

#include "numeric/rounding.hpp"

namespace normcert {

ElementComparer::ElementComparer(const Case& value, const TensorView& got, const Criteria& criteria)
    : case_(value), got_(got), max_ulp_(criteria.max_ulp) {
  if (!criteria.tolerance) return;
  atol_ = BigDyadic(criteria.tolerance->atol);
  rtol_ = BigDyadic(criteria.tolerance->rtol);
  has_tolerance_ = true;
}

void ElementComparer::compare(const RootOfRatio& exact, std::size_t row, std::size_t index,
                              Comparison& into) const {
  const Code got = got_.at(row, index);
  const Code rounded = exact.rounded(*got_.format);
  const bool is_correctly_rounded =
      rounded.magnitude() == 0 ? got.magnitude() == 0 : same_bits(rounded, got);
  if (is_correctly_rounded) ++into.correctly_rounded;
  if (rounded.magnitude() == 0 && got.magnitude() == 0 && got != rounded) {
    ++into.zero_sign_differs;
  }
  if (is_correctly_rounded || is_faithful(got, exact.negative(), exact.leading())) {
    ++into.faithful;
  }
  if (!is_finite(rounded)) ++into.non_finite.reference;
  if (!is_finite(got)) ++into.non_finite.got;
  const bool same_kind = is_finite(got) ? is_finite(rounded) : same_bits(got, rounded);
  if (!same_kind) ++into.non_finite.disagree;
  if (!is_nan(got) && !is_nan(rounded)) {
    into.code_distance.add(code_distance(got, rounded));
  }
  judge_tolerance(exact, is_correctly_rounded, row, index, into);
  if (is_finite(got)) measure(exact, row, index, into);
}

void ElementComparer::judge_tolerance(const RootOfRatio& exact, bool is_correctly_rounded,
                                      std::size_t row, std::size_t index, Comparison& into) const {
  if (!has_tolerance_) return;
  const Code got = got_.at(row, index);
  // Written so that NaN and infinity fail: only a finite output can be within the limits.
  if (is_finite(got) && within_tolerance(got, exact, atol_, rtol_)) return;
  if (is_correctly_rounded) {
    // The format itself cannot do better here.
    ++into.unattainable;
    return;
  }
  ++into.outside_tolerance;
  if (!into.first_outside) into.first_outside = witness(exact, row, index);
}

void ElementComparer::measure(const RootOfRatio& exact, std::size_t row, std::size_t index,
                              Comparison& into) const {
  const Code got = got_.at(row, index);
  const Wide error = absolute_error(got, exact);
  const auto offer = [&](ErrorMaximum& maximum, const Wide& candidate) {
    if (maximum.any && normcert::compare(candidate, maximum.value) <= 0) return;
    maximum = {true, candidate, witness(exact, row, index)};
  };
  offer(into.absolute, error);
  const Wide in_ulps = error.times_power_of_two(-ulp_exponent(exact.leading(), *got_.format));
  offer(into.ulp, in_ulps);
  if (max_ulp_ && normcert::compare(in_ulps, Wide(*max_ulp_)) > 0) ++into.beyond_max_ulp;
  const bool is_normal = !exact.is_zero() && exact.leading().exponent + 63 >= got_.format->emin;
  if (is_normal) {
    offer(into.relative, error / exact.wide().magnitude());
  } else {
    ++into.below_normal;
  }
}

Witness ElementComparer::witness(const RootOfRatio& exact, std::size_t row,
                                 std::size_t index) const {
  Witness result{.row = row,
                 .index = index,
                 .x = case_.x.at(row, index),
                 .residual = {},
                 .weight = {},
                 .got = got_.at(row, index),
                 .exact = exact.wide()};
  if (case_.residual) result.residual = case_.residual->at(row, index);
  if (case_.weight) result.weight = case_.weight->at(0, index);
  return result;
}

}  // namespace normcert
