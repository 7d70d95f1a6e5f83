#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/precise_square_sum_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <limits>

#include "numeric/precise_square_sum.hpp"

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "numeric/double_double_simd.inc"

using Binary64 = hn::ScalableTag<double>;
constexpr size_t kLanes = 32;
constexpr size_t kLeft = 8;  // at least as many as a vector has
// So many vectors at a time hide what an addition waits for; each lane is summed alone.
constexpr size_t kVectors =
    kLanes / hn::MaxLanes(Binary64()) < 4 ? kLanes / hn::MaxLanes(Binary64()) : 4;
constexpr size_t kGroup = kVectors * hn::MaxLanes(Binary64());

// `count`: a multiple of the lanes.
template <bool kShort>
HWY_INLINE void add_squares(const double* values, size_t count, double* high, double* low) {
  const Binary64 d;
  const size_t lanes = hn::Lanes(d);
  for (size_t lane = 0; lane < kLanes; lane += kGroup) {
    VectorPair<hn::Vec<Binary64>> sums[kVectors];
    for (auto& sum : sums) sum = {hn::Zero(d), hn::Zero(d)};
    for (size_t i = lane; i < count; i += kLanes) {
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) {
        const auto x = hn::LoadU(d, values + i + v * lanes);
        if constexpr (kShort) {
          sums[v] = add(sums[v], hn::Mul(x, x));
        } else {
          sums[v] = add(sums[v], two_product(x, x));
        }
      }
    }
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[v].high, d, high + lane + v * lanes);
      hn::StoreU(sums[v].low, d, low + lane + v * lanes);
    }
  }
}

void add_precise_squares(const double* values, size_t count, double* high, double* low) {
  add_squares<false>(values, count, high, low);
}
void add_short_squares(const double* values, size_t count, double* high, double* low) {
  add_squares<true>(values, count, high, low);
}

// Lanes in halves, as far as they fill vectors; then the first kLeft lanes hold what is left.
void fold(double* high, double* low) {
  const Binary64 d;
  const size_t lanes = hn::Lanes(d);
  for (size_t half = kLanes / 2; half >= kLeft; half /= 2) {
    for (size_t i = 0; i < half; i += lanes) {
      const VectorPair<hn::Vec<Binary64>> one{hn::LoadU(d, high + i), hn::LoadU(d, low + i)};
      const auto sum = add(one, {hn::LoadU(d, high + half + i), hn::LoadU(d, low + half + i)});
      hn::StoreU(sum.high, d, high + i);
      hn::StoreU(sum.low, d, low + i);
    }
  }
}

void range_of_magnitudes(const double* values, size_t count, MagnitudeRange& range) {
  const Binary64 d;
  const size_t lanes = hn::Lanes(d);
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  auto least = infinity;
  auto greatest = hn::Zero(d);
  const size_t whole = count - count % lanes;
  for (size_t i = 0; i < whole; i += lanes) {
    const auto magnitude = hn::Abs(hn::LoadU(d, values + i));
    greatest = hn::Max(greatest, magnitude);
    least = hn::Min(least, hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), infinity, magnitude));
  }
  range.greatest = hn::GetLane(hn::MaxOfLanes(d, greatest));
  range.least = hn::GetLane(hn::MinOfLanes(d, least));
}

}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(add_precise_squares);
HWY_EXPORT(add_short_squares);
HWY_EXPORT(fold);
HWY_EXPORT(range_of_magnitudes);
constexpr std::size_t kLanes = 32;
constexpr std::size_t kLeft = 8;
}  // namespace

DoubleDouble precise_square_sum(const double* values, std::size_t count, bool short_values) {
  std::array<double, kPreciseBlock> padded;
  if (count % kLanes != 0) {
    std::copy(values, values + count, padded.begin());
    const std::size_t whole = (count + kLanes - 1) / kLanes * kLanes;
    std::fill(padded.begin() + static_cast<std::ptrdiff_t>(count),
              padded.begin() + static_cast<std::ptrdiff_t>(whole), 0.0);
    values = padded.data();
    count = whole;
  }
  std::array<double, kLanes> high{};
  std::array<double, kLanes> low{};
  if (short_values) {
    HWY_DYNAMIC_DISPATCH(add_short_squares)(values, count, high.data(), low.data());
  } else {
    HWY_DYNAMIC_DISPATCH(add_precise_squares)(values, count, high.data(), low.data());
  }
  HWY_DYNAMIC_DISPATCH(fold)(high.data(), low.data());
  std::array<DoubleDouble, kLeft> sums;
  for (std::size_t i = 0; i < kLeft; ++i) sums[i] = {high[i], low[i]};
  for (std::size_t half = kLeft / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] = add(sums[i], sums[i + half]);
  }
  return sums[0];
}

MagnitudeRange magnitude_range(const double* values, std::size_t count) {
  MagnitudeRange range;
  HWY_DYNAMIC_DISPATCH(range_of_magnitudes)(values, count, range);
  // The last ones, fewer than a vector holds on some machine.
  constexpr std::size_t kMostLanes = 8;
  for (std::size_t i = count - std::min(count, kMostLanes - 1); i < count; ++i) {
    const double magnitude = std::fabs(values[i]);
    range.greatest = std::max(range.greatest, magnitude);
    if (magnitude != 0) range.least = std::min(range.least, magnitude);
  }
  if (range.greatest == 0) range.least = 0;
  return range;
}

}  // namespace normcert
#endif
