// The sums of VectorEvaluator.
#include <algorithm>

#include "emulation/vector_evaluator.hpp"

namespace normcert {
namespace {

std::size_t pairwise_base(const SummationOrder& order) {
  return order.kind == OrderKind::kAny ? 8 : static_cast<std::size_t>(order.base);
}

}  // namespace

FloatRowSums VectorEvaluator::sums_of_kept(std::size_t units) {
  const std::size_t group = evaluator_.extent().group;
  const std::size_t count = evaluator_.extent().statistic;
  FloatRowsView view{rows_.data(), group};
  if (terms_ == FloatTerms::kThemselves) {
    square_floats(formats_.square, rows_.data(), units * group, terms_row_.data());
    view.first = terms_row_.data();
  }
  const SummationOrder& order = recipe_.statistic.order;
  FloatRowSums sums{};
  FloatRowSums compensations{};
  if (layout_ == FloatSumLayout::kAcrossElements) {
    sum_in_lanes(order, terms_, view, count, units, partial_sums_, sums);
  } else if (recipe_.statistic.accumulate == Accumulation::kKahan) {
    add_compensated(terms_, view, count, sums, compensations);
  } else if (order.kind == OrderKind::kSequential) {
    add_in_order(terms_, view, count, sums);
  } else {
    sums = sum_pairwise(terms_, view, count, pairwise_base(order));
  }
  return sums;
}

void VectorEvaluator::load_columns(std::size_t first_unit, std::size_t units, std::size_t first,
                                   std::size_t count) {
  for (std::size_t i = 0; i < units; ++i) {
    float* row = columns_.data() + i * kColumnsTogether;
    load(unit(first_unit + i), first, count, row, nullptr, nullptr);
    if (terms_ == FloatTerms::kThemselves) square_floats(formats_.square, row, count, row);
  }
}

FloatRowSums VectorEvaluator::sums_across_rows(std::size_t first_unit, std::size_t units) {
  const std::size_t count = evaluator_.extent().statistic;
  const bool compensated = recipe_.statistic.accumulate == Accumulation::kKahan;
  if (!compensated && recipe_.statistic.order.kind != OrderKind::kSequential) {
    return pairwise(first_unit, units, 0, count);
  }
  const FloatRowsView view{columns_.data(), kColumnsTogether};
  FloatRowSums sums{};
  FloatRowSums compensations{};
  for (std::size_t first = 0; first < count; first += kColumnsTogether) {
    const std::size_t columns = std::min(kColumnsTogether, count - first);
    load_columns(first_unit, units, first, columns);
    if (compensated) {
      add_compensated(terms_, view, columns, sums, compensations);
    } else {
      add_in_order(terms_, view, columns, sums);
    }
  }
  return sums;
}

// The halves of OrderedSum::pairwise; from kColumnsTogether elements down sum_pairwise does them.
FloatRowSums VectorEvaluator::pairwise(std::size_t first_unit, std::size_t units, std::size_t first,
                                       std::size_t end) {
  const FloatRowsView view{columns_.data(), kColumnsTogether};
  const std::size_t base = pairwise_base(recipe_.statistic.order);
  const std::size_t count = end - first;
  if (count <= kColumnsTogether) {
    load_columns(first_unit, units, first, count);
    return sum_pairwise(terms_, view, count, base);
  }
  if (count <= base) {
    FloatRowSums sums{};
    for (std::size_t from = first; from < end; from += kColumnsTogether) {
      const std::size_t columns = std::min(kColumnsTogether, end - from);
      load_columns(first_unit, units, from, columns);
      add_in_order(terms_, view, columns, sums);
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
