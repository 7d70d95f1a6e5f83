#include "judge/element_comparer.hpp"

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

bool is_normal(const RootOfRatio& exact, const FloatFormat& format) {
  return !exact.is_zero() && exact.leading().exponent + 63 >= format.emin;
}

}  // namespace

std::optional<Wide> relative_error(const RootOfRatio& exact, Code got) {
  if (!is_normal(exact, *got.format)) return std::nullopt;
  return absolute_error(got, exact) / exact.wide().magnitude();
}

Wide ulp_error(const RootOfRatio& exact, Code got) {
  return absolute_error(got, exact).times_power_of_two(-ulp_exponent(exact.leading(), *got.format));
}

Witness witness_of(const Case& value, const RootOfRatio& exact, std::size_t row, std::size_t index,
                   Code got) {
  Witness result{.row = row,
                 .index = index,
                 .x = value.x.at(row, index),
                 .residual = {},
                 .gate = {},
                 .weight = {},
                 .got = got,
                 .exact = exact.wide()};
  if (value.residual) result.residual = value.residual->at(row, index);
  if (value.gate) result.gate = value.gate->values.at(row, index);
  if (value.weight) result.weight = value.weight->at(0, index);
  return result;
}

ElementComparer::ElementComparer(const Case& value, const TensorView& got, const Criteria& criteria)
    : case_(value), got_(got), max_ulp_(criteria.max_ulp) {
  if (!criteria.tolerance) return;
  atol_ = BigDyadic(criteria.tolerance->atol);
  rtol_ = BigDyadic(criteria.tolerance->rtol);
  has_tolerance_ = true;
}

void ElementComparer::compare(const RootOfRatio& exact, std::size_t row, std::size_t index,
                              Comparison& into) const {
  count(exact, row, index, into);
  if (is_finite(got_.at(row, index))) measure(exact, row, index, into);
}

void ElementComparer::count(const RootOfRatio& exact, std::size_t row, std::size_t index,
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
  if (!is_finite(got)) return;
  if (!is_normal(exact, *got.format)) ++into.below_normal;
  if (max_ulp_ && normcert::compare(ulp_error(exact, got), Wide(*max_ulp_)) > 0) {
    ++into.beyond_max_ulp;
  }
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
  offer(into.ulp, error.times_power_of_two(-ulp_exponent(exact.leading(), *got.format)));
  if (const auto relative = relative_error(exact, got)) offer(into.relative, *relative);
}

Witness ElementComparer::witness(const RootOfRatio& exact, std::size_t row,
                                 std::size_t index) const {
  return witness_of(case_, exact, row, index, got_.at(row, index));
}

}  // namespace normcert
