#include "judge/exact_compare.hpp"

#include <memory>
#include <utility>

#include "judge/element_comparer.hpp"
#include "judge/non_finite.hpp"
#include "judge/rounded_bits.hpp"
#include "judge/row_factor.hpp"

namespace normcert {

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
    if (value.gate && !is_finite(value.gate->values.at(row, i))) return false;
  }
  return true;
}

Comparison compare_exactly(const Case& value, OutputTensor tensor, const TensorView& got,
                           const Criteria& criteria, std::size_t first, std::size_t count) {
  const ElementComparer comparer(value, got, criteria);
  Comparison result;
  for (std::size_t row = first; row < first + count; ++row) {
    const RoundedBits rounded_bits(result);
    result.expected += got.width;
    if (!row_is_finite(value, row)) {
      ++result.rows_set_apart;
      rounded_bits.count(got, row, result);
      continue;
    }
    result.compared += got.width;
    result.decided_exactly += got.width;
    const ExactRow exact_row(value, row);
    RowFactor factor;
    for (std::size_t i = 0; i < got.width; ++i) {
      const RootOfRatio exact = exact_output(exact_row, tensor, i);
      comparer.compare(exact, row, i, result);
      factor.add(got.at(row, i), exact);
    }
    name_first_of_another_kind(value, tensor, got, row, result);
    factor.finish(row, result);
    rounded_bits.count(got, row, result);
  }
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
