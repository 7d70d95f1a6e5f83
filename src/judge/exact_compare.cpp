#include "judge/exact_compare.hpp"

#include <memory>
#include <utility>

#include "judge/row_factor.hpp"

namespace normcert {
namespace {

// |number| / 2^exponent as an error in units of 2^exponent.
Wide in_units(const Wide& error, std::int64_t exponent) {
  return error.times_power_of_two(-exponent);
}

class RowComparer {
 public:
  RowComparer(const Case& value, OutputTensor tensor, const TensorView& got,
              const Criteria& criteria)
      : case_(value), tensor_(tensor), got_(got), max_ulp_(criteria.max_ulp) {
    if (criteria.tolerance) {
      atol_ = BigDyadic(criteria.tolerance->atol);
      rtol_ = BigDyadic(criteria.tolerance->rtol);
      has_tolerance_ = true;
    }
  }

  void compare_row(std::size_t row, Comparison& into) {
    into.expected += got_.width;
    if (!row_is_finite(case_, row)) {
      ++into.rows_set_apart;
      return;
    }
    into.compared += got_.width;
    const ExactRow exact_row(case_, row);
    RowFactor factor;
    for (std::size_t i = 0; i < got_.width; ++i) {
      const RootOfRatio exact = exact_output(exact_row, tensor_, i);
      compare_element(exact, row, i, into);
      factor.add(got_.at(row, i), exact);
    }
    factor.finish(row, into);
  }

 private:
  void compare_element(const RootOfRatio& exact, std::size_t row, std::size_t index,
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
    judge_tolerance(exact, got, is_correctly_rounded, row, index, into);
    if (is_finite(got)) measure(exact, got, row, index, into);
  }

  void judge_tolerance(const RootOfRatio& exact, Code got, bool is_correctly_rounded,
                       std::size_t row, std::size_t index, Comparison& into) const {
    if (!has_tolerance_) return;
    // Written so that NaN and infinity fail: only a finite output can be within the limits.
    if (is_finite(got) && within_tolerance(got, exact, atol_, rtol_)) return;
    if (is_correctly_rounded) {
      // The format itself cannot do better here.
      ++into.unattainable;
      return;
    }
    ++into.outside_tolerance;
    if (!into.first_outside) into.first_outside = witness(exact, got, row, index);
  }

  void measure(const RootOfRatio& exact, Code got, std::size_t row, std::size_t index,
               Comparison& into) const {
    const Wide error = absolute_error(got, exact);
    const auto offer = [&](ErrorMaximum& maximum, const Wide& candidate) {
      if (maximum.any && compare(candidate, maximum.value) <= 0) return;
      maximum = {true, candidate, witness(exact, got, row, index)};
    };
    offer(into.absolute, error);
    const Wide in_ulps = in_units(error, ulp_exponent(exact.leading(), *got_.format));
    offer(into.ulp, in_ulps);
    if (max_ulp_ && compare(in_ulps, Wide(*max_ulp_)) > 0) ++into.beyond_max_ulp;
    const bool is_normal = !exact.is_zero() && exact.leading().exponent + 63 >= got_.format->emin;
    if (is_normal) {
      offer(into.relative, error / exact.wide().magnitude());
    } else {
      ++into.below_normal;
    }
  }

  [[nodiscard]] Witness witness(const RootOfRatio& exact, Code got, std::size_t row,
                                std::size_t index) const {
    Witness result{.row = row,
                   .index = index,
                   .x = case_.x.at(row, index),
                   .residual = {},
                   .weight = {},
                   .got = got,
                   .exact = exact.wide()};
    if (case_.residual) result.residual = case_.residual->at(row, index);
    if (case_.weight) result.weight = case_.weight->at(0, index);
    return result;
  }

  const Case& case_;
  OutputTensor tensor_;
  const TensorView& got_;
  std::optional<double> max_ulp_;
  bool has_tolerance_ = false;
  BigDyadic atol_;
  BigDyadic rtol_;
};

}  // namespace

RootOfRatio exact_output(const ExactRow& row, OutputTensor tensor, std::size_t index) {
  if (tensor == OutputTensor::kY) return row.element(index);
  const BigDyadic sum = row.input(index);
  static const auto kOne = std::make_shared<const BigDyadic>(BigDyadic::integer(1));
  return {sum.sign() < 0, sum * sum, kOne};
}

bool row_is_finite(const Case& value, std::size_t row) {
  for (std::size_t i = 0; i < value.x.width; ++i) {
    if (!is_finite(value.x.at(row, i))) return false;
    if (value.residual && !is_finite(value.residual->at(row, i))) return false;
  }
  return true;
}

Comparison compare_exactly(const Case& value, OutputTensor tensor, const TensorView& got,
                           const Criteria& criteria, std::size_t first, std::size_t count) {
  RowComparer comparer(value, tensor, got, criteria);
  Comparison result;
  for (std::size_t row = first; row < first + count; ++row) comparer.compare_row(row, result);
  return result;
}

Tensor rounded_reference(const Case& value, OutputTensor tensor) {
  Tensor result(*value.output, value.x.rows, value.x.width);
  for (std::size_t row = 0; row < value.x.rows; ++row) {
    if (!row_is_finite(value, row)) {
      for (std::size_t i = 0; i < result.width; ++i) result.set(row, i, nan_of(*value.output));
      continue;
    }
    const ExactRow exact_row(value, row);
    for (std::size_t i = 0; i < result.width; ++i) {
      result.set(row, i, exact_output(exact_row, tensor, i).rounded(*value.output));
    }
  }
  return result;
}

}  // namespace normcert
