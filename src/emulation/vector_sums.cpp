// The sums of VectorEvaluator.
#include <algorithm>

#include "emulation/vector_evaluator.hpp"

namespace normcert {
namespace {

std::size_t pairwise_base(const SummationOrder& order) {
  return order.kind == OrderKind::kAny ? 8 : static_cast<std::size_t>(order.base);
}

}  // namespace

FloatRowSums VectorEvaluator::sums_of(std::size_t first_unit, std::size_t units) {
  const std::size_t group = evaluator_.extent().group;
  const std::size_t count = evaluator_.extent().statistic;
  if (keeps_all() && terms_ == FloatTerms::kThemselves) {
    square_floats(formats_.square, rows_.data(), units * group, terms_rows_.data());
  }
  FloatRowSums sums{};
  if (layout_ == FloatSumLayout::kAcrossElements) {
    const float* row = (terms_rows_.empty() ? rows_ : terms_rows_).data();
    sum_in_lanes(recipe_.statistic.order, terms_, {row, group}, count, units, partial_sums_, sums);
    return sums;
  }
  const bool compensated = recipe_.statistic.accumulate == Accumulation::kKahan;
  if (!compensated && recipe_.statistic.order.kind != OrderKind::kSequential) {
    return pairwise(first_unit, units, 0, count);
  }
  FloatRowSums compensations{};
  for (std::size_t first = 0; first < count; first += kColumnsTogether) {
    const std::size_t columns = std::min(kColumnsTogether, count - first);
    const FloatRowsView view = columns_in(first_unit, units, first, columns);
    if (compensated) {
      add_compensated(terms_, view, columns, sums, compensations);
    } else {
      add_in_order(terms_, view, columns, sums);
    }
  }
  return sums;
}

FloatRowsView VectorEvaluator::columns_in(std::size_t first_unit, std::size_t units,
                                          std::size_t first, std::size_t count) {
  if (keeps_all()) {
    const float* row = (terms_rows_.empty() ? rows_ : terms_rows_).data();
    return {row + first, evaluator_.extent().group};
  }
  for (std::size_t i = 0; i < units; ++i) {
    float* row = columns_.data() + i * kColumnsTogether;
    load(unit(first_unit + i), first, count, row, nullptr, nullptr);
    if (terms_ == FloatTerms::kThemselves) square_floats(formats_.square, row, count, row);
  }
  return {columns_.data(), kColumnsTogether};
}

// The halves of OrderedSum::pairwise; from kColumnsTogether elements down sum_pairwise does them.
FloatRowSums VectorEvaluator::pairwise(std::size_t first_unit, std::size_t units, std::size_t first,
                                       std::size_t end) {
  const std::size_t base = pairwise_base(recipe_.statistic.order);
  const std::size_t count = end - first;
  if (count <= kColumnsTogether) {
    return sum_pairwise(terms_, columns_in(first_unit, units, first, count), count, base);
  }
  if (count <= base) {
    FloatRowSums sums{};
    for (std::size_t from = first; from < end; from += kColumnsTogether) {
      const std::size_t columns = std::min(kColumnsTogether, end - from);
      add_in_order(terms_, columns_in(first_unit, units, from, columns), columns, sums);
    }
    return sums;
  }
  const std::size_t middle = first + count / 2;
  FloatRowSums sums = pairwise(first_unit, units, first, middle);
  const FloatRowSums high = pairwise(first_unit, units, middle, end);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += high[i];
  return sums;
}

}  // namespace normcert
