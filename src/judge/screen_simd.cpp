#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "judge/screen_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "judge/screen.hpp"

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "numeric/binary16_simd.inc"

template <typename Real>
using Lanes = hn::ScalableTag<Real>;
template <typename Real>
using Values = hn::Vec<Lanes<Real>>;

#include "judge/screen_numbers.inc"

#include "judge/screen_elements.inc"

// What is quick: most vectors hold only elements of which it is enough to know whether they are the
// rounded result or the other neighbour. The rest is ElementScreen's.
template <typename Real, class T, bool kCriteria>
class Screen : public ElementScreen<Real, T, kCriteria> {
  using Base = ElementScreen<Real, T, kCriteria>;
  using O = Own<Real>;
  using Integer = typename O::Integer;
  using IntegerVector = typename O::Vector;
  using Vector = Values<Real>;
  using Base::counts_;
  using Base::kHalf;
  using Base::kShift;
  using Base::kVectors;
  using Base::limits_;
  using Base::listed_count_;

 public:
  using Base::Base;

  template <class Input>
  HWY_INLINE size_t run(const ScreenTask<Real>& task, ScreenSums<Real>& sums) {
    if constexpr (kCriteria) {
      if (!is_within_if_relative()) return run_plain<Input, true>(task, sums);
    }
    return run_plain<Input, false>(task, sums);
  }

 private:
  // Where errors below the floor of relative ones are inside the limits: no element need be held to
  // both.
  [[nodiscard]] HWY_INLINE bool is_within_if_relative() const {
    return !limits_.has_tolerance || limits_.relative_factor <= plain_rtol();
  }

  template <class Input, bool kTolerance>
  HWY_INLINE size_t run_plain(const ScreenTask<Real>& task, ScreenSums<Real>& sums) {
    const Lanes<Real> d;
    const typename O::Tag di;
    const size_t lanes = hn::Lanes(d);
    const Integer m = limits_.margin;
    const auto r = hn::Set(d, limits_.r);
    const auto bound = hn::Set(d, limits_.bound);
    const auto margin = hn::Set(di, m);
    const auto magnitude = hn::Set(di, O::kMagnitude);
    const auto band = hn::Set(di, kHalf - 1);
    const auto band_width = hn::Set(di, 2 * m + 1);
    const auto last_near = hn::Set(di, 3 * kHalf - m - 1);
    // The output is less than two codes above where nothing else flags it.
    const auto too_great = hn::Set(di, Base::too_great_code(m) - 3 * kHalf);
    const auto rare_below = hn::Set(di, Base::rare_limit(m));
    const auto field = hn::Set(di, O::kField);
    const auto absolute_floor = hn::Set(d, plain_absolute_floor());
    const auto relative_factor = hn::Set(d, limits_.relative_factor);
    const auto ulp_floor = hn::Set(d, plain_ulp_floor());
    const auto atol = hn::Set(d, plain_atol());
    const auto rtol = hn::Set(d, plain_rtol());
    Vector product[kVectors];
    Vector square[kVectors];
    Vector rest[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      product[v] = hn::LoadU(d, sums.product.data() + v * lanes);
      square[v] = hn::LoadU(d, sums.square.data() + v * lanes);
      rest[v] = hn::LoadU(d, sums.rest.data() + v * lanes);
    }
    // Of each distance, less than 3/2 codes: whole halves of a code, and whole codes.
    auto half_codes = hn::Zero(di);
    auto unfaithful = hn::Zero(di);
    size_t plain = 0;
    for (size_t first = 0; first < task.count; first += kScreenLanes) {
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t i = first + v * lanes;
        const auto z = Input::template load<Real>(task.z, i);
        const auto y = hn::Mul(hn::Mul(z, hn::LoadU(d, task.gains + i)), r);
        const auto y_bits = hn::BitCast(di, y);
        const auto y_magnitude = hn::And(y_bits, magnitude);
        const auto y_code = Base::scale_code(y, y_magnitude);
        const auto a = T::template load<Real>(task.codes, i);
        const auto distance = distance_of(a, y_bits, y_code);
        const auto e = hn::Sub(a.number, y);
        const auto error = hn::Abs(e);
        const auto y_abs = hn::BitCast(d, y_magnitude);
        Base::accumulate(product[v], e, y);
        Base::accumulate(square[v], y, y);
        Base::accumulate(rest[v], e, e);

        // Negative where the element needs more than a place in three sums.
        const auto band_place = hn::Sub(hn::And(hn::Add(distance, margin), band), band_width);
        auto flags = hn::Or(band_place, hn::Xor(a.sign, y_bits));
        flags = hn::Or(flags, hn::Sub(y_magnitude, rare_below));
        if constexpr (kMayOverflow) flags = hn::Or(flags, hn::Sub(too_great, y_code));
        const auto exponent = hn::And(hn::Sub(y_magnitude, margin), field);
        const auto below_ulp = hn::MulSub(ulp_floor, hn::BitCast(d, exponent), error);
        flags = hn::Or3(flags, hn::Sub(last_near, distance), hn::BitCast(di, below_ulp));
        const auto reached = kBounded ? error : hn::MulAdd(bound, y_abs, error);
        const auto absolute = hn::Sub(absolute_floor, reached);
        const auto relative = hn::MulSub(relative_factor, y_abs, error);
        flags = hn::Or3(flags, hn::BitCast(di, absolute), hn::BitCast(di, relative));
        if constexpr (kTolerance) {
          const auto allowed = hn::Sub(hn::MulAdd(rtol, y_abs, atol), error);
          flags = hn::Or(flags, hn::BitCast(di, allowed));
        }
        if (HWY_UNLIKELY(!hn::AllFalse(di, hn::Lt(flags, hn::Zero(di))))) {
          this->template look_at<Input>(task, i);
          continue;
        }
        ++plain;
        half_codes = hn::Add(half_codes, hn::ShiftRight<kShift - 1>(distance));
        unfaithful = hn::Add(unfaithful, hn::ShiftRight<kShift>(distance));
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(product[v], d, sums.product.data() + v * lanes);
      hn::StoreU(square[v], d, sums.square.data() + v * lanes);
      hn::StoreU(rest[v], d, sums.rest.data() + v * lanes);
    }
    const std::uint64_t all = plain * lanes;
    const auto total = [&](IntegerVector v) {
      return static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(di, v)));
    };
    const std::uint64_t far_off = total(unfaithful);
    const std::uint64_t one_off = total(half_codes) - far_off;
    counts_.correctly_rounded += all - one_off;
    counts_.faithful += all - far_off;
    counts_.code_distance.add(0, all - one_off);
    counts_.code_distance.add(1, one_off);
    return listed_count_;
  }

  // Whether the doubt of y^ is taken at the greatest |y^|, in one step for all elements.
  static constexpr bool kBounded = std::is_same_v<Real, float>;
  // No |y^| of the binary32 screen is near to the greatest number of bf16.
  static constexpr bool kMayOverflow = !(kBounded && std::is_same_v<T, Bf16Output>);
  [[nodiscard]] HWY_INLINE Real plain_absolute_floor() const {
    if constexpr (!kBounded) return limits_.absolute_floor;
    return limits_.absolute_floor - limits_.bound * limits_.greatest;
  }

  // The limit of hits() and that of judge() in one, as a number: an error above it times the power
  // of two of y is flagged. Products with it are exact, or below every error but 0. Negative: every
  // error is.
  [[nodiscard]] HWY_INLINE Real plain_ulp_floor() const {
    constexpr Integer kOne = O::power(0);
    // Far above what an element that is not flagged otherwise can reach.
    Integer floor = std::min(limits_.ulp_floor, (O::kOne << (O::kFraction + 1)) - 1);
    if (limits_.has_max_ulp) {
      constexpr Integer kLeast = std::numeric_limits<Integer>::min();
      floor = std::min(floor, limits_.ulp_within == kLeast ? kLeast : limits_.ulp_within - 1);
    }
    return floor < -kOne ? Real{-1} : std::bit_cast<Real>(floor + kOne);
  }

  // Of signs that differ any number.
  static HWY_INLINE IntegerVector distance_of(const Output<Real>& a, IntegerVector y_bits,
                                              IntegerVector y_code) {
    // Where the output's own bits stand on the scale, its sign falls out with that of y.
    if constexpr (kScaledSign) return hn::Abs(hn::Sub(a.sign, y_bits));
    return hn::Abs(hn::Sub(a.code, y_code));
  }
  static constexpr bool kScaledSign = std::is_same_v<Real, float> && std::is_same_v<T, Bf16Output>;

  // An error within atol' + rtol' |y^|, as computed, is one that judge() finds inside: with u the
  // unit roundoff, L = atol + rtol |y^| and T = tolerance_doubt |y^| the former is at most
  // L (1 - 128 u + 6 u) - 2 T (1 - 6 u), and judge() asks for less than (L (1 - 34 u) - T) (1 - 4
  // u).
  static constexpr Real kTightened = std::bit_cast<Real>(O::power(6 - O::kFraction));
  [[nodiscard]] HWY_INLINE Real plain_atol() const {
    if (!limits_.has_tolerance) return std::numeric_limits<Real>::infinity();
    return limits_.atol * (1 - kTightened);
  }
  [[nodiscard]] HWY_INLINE Real plain_rtol() const {
    return limits_.has_tolerance ? limits_.rtol * (1 - kTightened) - 2 * limits_.tolerance_doubt
                                 : 0;
  }
};

template <typename Real, class Input, class T>
HWY_INLINE size_t run_as(const ScreenTask<Real>& task, const ScreenLimits<Real>& limits,
                         ScreenCounts& counts, ScreenSums<Real>& sums, std::uint16_t* listed) {
  if (limits.has_tolerance || limits.has_max_ulp) {
    return Screen<Real, T, true>(limits, counts, listed).template run<Input>(task, sums);
  }
  return Screen<Real, T, false>(limits, counts, listed).template run<Input>(task, sums);
}

size_t screen_binary32(const ScreenTask<float>& task, const ScreenLimits<float>& limits,
                       ScreenCounts& counts, ScreenSums<float>& sums, std::uint16_t* listed) {
  const bool as_binary32 = task.input == ScreenInput::kBinary32;
  if (task.output == ScreenOutput::kBfloat16) {
    return as_binary32 ? run_as<float, Fp32Input, Bf16Output>(task, limits, counts, sums, listed)
                       : run_as<float, Bf16Input, Bf16Output>(task, limits, counts, sums, listed);
  }
  return as_binary32 ? run_as<float, Fp32Input, Fp16Output>(task, limits, counts, sums, listed)
                     : run_as<float, Fp16Input, Fp16Output>(task, limits, counts, sums, listed);
}

size_t screen_binary64(const ScreenTask<double>& task, const ScreenLimits<double>& limits,
                       ScreenCounts& counts, ScreenSums<double>& sums, std::uint16_t* listed) {
  const bool wide = task.input == ScreenInput::kBinary64;
  switch (task.output) {
    case ScreenOutput::kBfloat16:
      return run_as<double, Fp64Input, Bf16Output>(task, limits, counts, sums, listed);
    case ScreenOutput::kBinary16:
      return run_as<double, Fp64Input, Fp16Output>(task, limits, counts, sums, listed);
    case ScreenOutput::kBinary32:
      break;
  }
  return wide ? run_as<double, Fp64Input, Fp32Output>(task, limits, counts, sums, listed)
              : run_as<double, Fp32Input, Fp32Output>(task, limits, counts, sums, listed);
}

}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(screen_binary32);
HWY_EXPORT(screen_binary64);
}  // namespace

std::size_t screen(const ScreenTask<float>& task, const ScreenLimits<float>& limits,
                   ScreenCounts& counts, ScreenSums<float>& sums, std::uint16_t* listed) {
  return HWY_DYNAMIC_DISPATCH(screen_binary32)(task, limits, counts, sums, listed);
}

std::size_t screen(const ScreenTask<double>& task, const ScreenLimits<double>& limits,
                   ScreenCounts& counts, ScreenSums<double>& sums, std::uint16_t* listed) {
  return HWY_DYNAMIC_DISPATCH(screen_binary64)(task, limits, counts, sums, listed);
}

}  // namespace normcert
#endif
