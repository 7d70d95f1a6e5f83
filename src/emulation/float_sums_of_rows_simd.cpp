// Sums of many rows, one lane each, for orders in which one row has too few additions that do not
// wait for one another.
#include <algorithm>
#include <bit>
#include <cmath>

#include "emulation/float_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/float_sums_of_rows_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

#include "emulation/float_terms_simd.inc"

using Floats = hn::ScalableTag<float>;

// Four rows stand side by side in one vector, whatever the target.
constexpr std::size_t kSide = 4;
constexpr std::size_t kQuartets = kRowsTogether / kSide;
using Four = hn::FixedTag<float, kSide>;
using FourFloats = hn::Vec<Four>;
static_assert(kColumnsTogether % (HWY_MAX_BYTES / sizeof(float)) == 0);
static_assert(kReadBehind >= HWY_MAX_BYTES / sizeof(float));

// The terms (of fused squares: the numbers), column after column, of four rows each.
struct TurnedTerms {
  HWY_ALIGN float terms[kQuartets][kColumnsTogether * kSide];
};

struct RowSums {
  FourFloats of[kQuartets];
};

// Of four rows; kColumnsTogether is a multiple of every vector's lanes.
template <FloatTerms kTerms>
void turn(const FloatRowsView& rows, std::size_t count, TurnedTerms& turned) {
  const Floats tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t q = 0; q < kQuartets; ++q) {
    const float* row = rows.first + q * kSide * rows.step;
    for (std::size_t i = 0; i < count; i += lanes) {
      hn::Vec<Floats> x[kSide];
      for (std::size_t r = 0; r < kSide; ++r) {
        x[r] = hn::LoadU(tag, row + r * rows.step + i);
        if (kTerms == FloatTerms::kSquares) x[r] = hn::Mul(x[r], x[r]);
      }
      hn::StoreInterleaved4(x[0], x[1], x[2], x[3], tag, turned.terms[q] + i * kSide);
    }
  }
}

void turn_terms(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                TurnedTerms& turned) {
  if (terms == FloatTerms::kSquares) return turn<FloatTerms::kSquares>(rows, count, turned);
  turn<FloatTerms::kThemselves>(rows, count, turned);
}

HWY_INLINE RowSums loaded(const FloatRowSums& sums) {
  RowSums loaded;
  for (std::size_t q = 0; q < kQuartets; ++q) {
    loaded.of[q] = hn::LoadU(Four(), sums.data() + q * kSide);
  }
  return loaded;
}

HWY_INLINE void store(const RowSums& from, FloatRowSums& sums) {
  for (std::size_t q = 0; q < kQuartets; ++q) {
    hn::StoreU(from.of[q], Four(), sums.data() + q * kSide);
  }
}

HWY_INLINE RowSums zeros() {
  RowSums sums;
  for (auto& quartet : sums.of) quartet = hn::Zero(Four());
  return sums;
}

template <FloatTerms kTerms = FloatTerms::kThemselves>
HWY_INLINE RowSums in_order(const TurnedTerms& turned, std::size_t first, std::size_t end,
                            RowSums sums) {
  for (std::size_t i = first; i < end; ++i) {
    for (std::size_t q = 0; q < kQuartets; ++q) {
      const FourFloats term = hn::Load(Four(), turned.terms[q] + i * kSide);
      sums.of[q] = included<kTerms>(Four(), sums.of[q], term);
    }
  }
  return sums;
}

HWY_INLINE RowSums added(RowSums a, const RowSums& b) {
  for (std::size_t q = 0; q < kQuartets; ++q) a.of[q] = hn::Add(a.of[q], b.of[q]);
  return a;
}

// Two sums in order, first .. middle and middle .. end, which do not wait for one another, added.
// The second may have one term more.
RowSums two_in_order(const TurnedTerms& turned, std::size_t first, std::size_t middle,
                     std::size_t end) {
  RowSums low = zeros();
  RowSums high = zeros();
  for (std::size_t i = 0; i < middle - first; ++i) {
    low = in_order(turned, first + i, first + i + 1, low);
    high = in_order(turned, middle + i, middle + i + 1, high);
  }
  return added(low, in_order(turned, 2 * middle - first, end, high));
}

RowSums pairwise(const TurnedTerms& turned, std::size_t first, std::size_t end, std::size_t base) {
  const std::size_t count = end - first;
  if (count <= base) return in_order(turned, first, end, zeros());
  const std::size_t middle = first + count / 2;
  if (end - middle <= base) return two_in_order(turned, first, middle, end);
  const RowSums low = pairwise(turned, first, middle, base);
  return added(low, pairwise(turned, middle, end, base));
}

void add_in_order(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                  FloatRowSums& sums) {
  TurnedTerms turned;
  turn_terms(terms, rows, count, turned);
  if (terms == FloatTerms::kFusedSquares) {
    return store(in_order<FloatTerms::kFusedSquares>(turned, 0, count, loaded(sums)), sums);
  }
  store(in_order(turned, 0, count, loaded(sums)), sums);
}

void add_compensated(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                     FloatRowSums& sums, FloatRowSums& compensations) {
  TurnedTerms turned;
  turn_terms(terms, rows, count, turned);
  RowSums sum = loaded(sums);
  RowSums compensation = loaded(compensations);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t q = 0; q < kQuartets; ++q) {
      const FourFloats term = hn::Load(Four(), turned.terms[q] + i * kSide);
      const FourFloats y = hn::Sub(term, compensation.of[q]);
      const FourFloats t = hn::Add(sum.of[q], y);
      compensation.of[q] = hn::Sub(hn::Sub(t, sum.of[q]), y);
      sum.of[q] = t;
    }
  }
  store(sum, sums);
  store(compensation, compensations);
}

void sum_pairwise(FloatTerms terms, const FloatRowsView& rows, std::size_t count, std::size_t base,
                  FloatRowSums& sums) {
  TurnedTerms turned;
  turn_terms(terms, rows, count, turned);
  store(pairwise(turned, 0, count, std::max<std::size_t>(base, 1)), sums);
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(add_in_order);
HWY_EXPORT(add_compensated);
HWY_EXPORT(sum_pairwise);
}  // namespace

FloatSumLayout float_sum_layout(const StatisticStep& statistic, std::size_t count) {
  switch (statistic.order.kind) {
    case OrderKind::kSequential:
      return FloatSumLayout::kAcrossRows;
    case OrderKind::kPairwise:
    case OrderKind::kAny: {
      // Halves of such a row end in leaves of eight.
      const bool eights = statistic.order.kind == OrderKind::kAny || statistic.order.base == 8;
      const bool plain = statistic.accumulate != Accumulation::kKahan;
      return eights && plain && count >= 64 && std::has_single_bit(count)
                 ? FloatSumLayout::kAcrossElements
                 : FloatSumLayout::kAcrossRows;
    }
    default:
      return FloatSumLayout::kAcrossElements;
  }
}

void add_in_order(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                  FloatRowSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_in_order)(terms, rows, count, sums);
}

void add_compensated(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                     FloatRowSums& sums, FloatRowSums& compensations) {
  HWY_DYNAMIC_DISPATCH(add_compensated)(terms, rows, count, sums, compensations);
}

FloatRowSums sum_pairwise(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                          std::size_t base) {
  FloatRowSums sums{};
  HWY_DYNAMIC_DISPATCH(sum_pairwise)(terms, rows, count, base, sums);
  return sums;
}

}  // namespace normcert
#endif
