#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "judge/screen_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

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

// One call's state: constants as vectors, counters, sums.
template <typename Real, class T, bool kCriteria>
class Screen {
  using O = Own<Real>;
  using Integer = typename O::Integer;
  using IntegerVector = typename O::Vector;
  using IntegerMask = typename O::Mask;
  using Vector = Values<Real>;
  static constexpr int kShift = O::kFraction - T::kFraction;
  static constexpr Integer kUnit = O::kOne << kShift;
  static constexpr Integer kHalf = kUnit / 2;
  static constexpr bool kScaled = 1 - O::kBias != T::kMinExponent;
  // T's least normal number, on the scale of codes and as a number.
  static constexpr Integer kNormalCode = O::kOne << O::kFraction;
  static constexpr Integer kNormalNumber = O::power(T::kMinExponent);
  static constexpr size_t kVectors = kScreenLanes / hn::MaxLanes(Lanes<Real>());

 public:
  Screen(const ScreenLimits<Real>& limits, ScreenCounts& counts, std::uint16_t* listed)
      : limits_(limits), counts_(counts), listed_(listed) {}

  template <class Input>
  HWY_INLINE size_t run(const ScreenTask<Real>& task, ScreenSums<Real>& sums) {
    const Lanes<Real> d;
    const typename O::Tag di;
    const size_t lanes = hn::Lanes(d);
    const Integer m = limits_.margin;
    const auto r = hn::Set(d, limits_.r);
    const auto bound = hn::Set(d, limits_.bound);
    const auto margin = hn::Set(di, m);
    const auto magnitude = hn::Set(di, O::kMagnitude);
    // Integer comparisons are "greater than" alone: constants are moved by one.
    const auto correct_below = hn::Set(di, kHalf - m);
    const auto band = hn::Set(di, kHalf - 1);
    const auto band_width = hn::Set(di, 2 * m + 1);
    const auto next_below = hn::Set(di, 3 * kHalf - m);
    const auto faithful_below = hn::Set(di, kUnit - m + 1);
    const auto too_great =
        hn::Set(di, (static_cast<Integer>(T::kMaxCode) << kShift) + kHalf - m - 1);
    const auto rare_below = hn::Set(di, rare_limit(m));
    const auto least_number = hn::Set(di, kNormalNumber);
    const auto field = hn::Set(di, O::kField);
    const auto absolute_floor = hn::Set(d, limits_.absolute_floor);
    const auto relative_factor = hn::Set(d, limits_.relative_factor);
    const auto ulp_floor = hn::Set(di, limits_.ulp_floor);
    Vector product[kVectors];
    Vector square[kVectors];
    Vector rest[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      product[v] = hn::LoadU(d, sums.product.data() + v * lanes);
      square[v] = hn::LoadU(d, sums.square.data() + v * lanes);
      rest[v] = hn::LoadU(d, sums.rest.data() + v * lanes);
    }
    correct_ = hn::Zero(di);
    next_ = hn::Zero(di);
    faithful_ = hn::Zero(di);

    for (size_t first = 0; first < task.count; first += kScreenLanes) {
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t i = first + v * lanes;
        const auto z = Input::template load<Real>(task.z, i);
        const auto gain = hn::LoadU(d, task.gains + i);
        const auto y = hn::Mul(hn::Mul(z, gain), r);
        const auto y_bits = hn::BitCast(di, y);
        const auto y_magnitude = hn::And(y_bits, magnitude);
        const auto y_code = scale_code(y, y_magnitude);
        const auto a = T::template load<Real>(task.codes, i);
        auto distance = magnitude_of(hn::Sub(a.code, y_code));

        const auto e = hn::Sub(a.number, y);
        const auto error = hn::Abs(e);
        const auto y_abs = hn::BitCast(d, y_magnitude);
        accumulate(product[v], e, y);
        accumulate(square[v], y, y);
        accumulate(rest[v], e, e);

        // What the next tier has to look at.
        const auto from_half = hn::And(hn::Add(distance, margin), band);
        auto listed = hn::AndNot(hn::Gt(correct_below, distance), hn::Gt(band_width, from_half));
        listed = hn::Or(listed, hn::Lt(hn::Xor(a.sign, y_bits), hn::Zero(di)));
        listed = hn::Or(listed, hn::Gt(hn::Max(a.code, y_code), too_great));
        const auto hit = hits(error, y_abs, y_magnitude, bound, margin, least_number, field,
                              absolute_floor, relative_factor, ulp_floor);
        const auto rare = hn::Gt(rare_below, y_magnitude);
        IntegerMask outside{};
        IntegerMask beyond{};
        if constexpr (kCriteria) judge(error, y_abs, y_magnitude, outside, beyond, listed);
        IntegerMask below_normal{};
        const bool any_rare = !hn::AllFalse(di, rare);
        if (HWY_UNLIKELY(any_rare)) {
          below_normal = look_at_small(z, gain, y_code, y_magnitude, a.code, listed);
        }
        if (HWY_UNLIKELY(!hn::AllFalse(di, hn::Or(listed, hit)))) {
          listed = hn::Or(listed, unknown(hit, z, gain, task.codes, i));
          list(listed, i);
        } else {
          listed = hn::MaskFromVec(hn::Zero(di));
        }
        if (HWY_UNLIKELY(any_rare)) {
          counts_.below_normal += hn::CountTrue(di, hn::AndNot(listed, below_normal));
        }

        // All ones is -1: subtracting a mask counts.
        const auto is_correct = hn::AndNot(listed, hn::Gt(correct_below, distance));
        const auto is_near = hn::AndNot(listed, hn::Gt(next_below, distance));
        const auto is_faithful = hn::AndNot(listed, hn::Gt(faithful_below, distance));
        correct_ = hn::Sub(correct_, hn::VecFromMask(di, is_correct));
        next_ = hn::Sub(next_, hn::VecFromMask(di, is_near));
        faithful_ = hn::Sub(faithful_, hn::VecFromMask(di, is_faithful));
        const auto far = hn::Not(hn::Or(is_near, listed));
        if (HWY_UNLIKELY(!hn::AllFalse(di, far))) count_far(far, distance);
        if constexpr (kCriteria) count_criteria(outside, beyond, is_correct, listed, i);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(product[v], d, sums.product.data() + v * lanes);
      hn::StoreU(square[v], d, sums.square.data() + v * lanes);
      hn::StoreU(rest[v], d, sums.rest.data() + v * lanes);
    }
    const auto correct = static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(di, correct_)));
    const auto near = static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(di, next_)));
    counts_.correctly_rounded += correct;
    counts_.faithful += static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(di, faithful_)));
    counts_.code_distance.add(0, correct);
    counts_.code_distance.add(1, near - correct);
    return listed_count_;
  }

 private:
  // Magnitudes from here on are ordinary; smaller ones are looked at.
  static constexpr Integer rare_limit(Integer m) {
    const Integer least = O::power(O::kLeastExponent);
    return (least > kNormalNumber ? least : kNormalNumber) + m + 1;
  }

  static HWY_INLINE IntegerVector magnitude_of(IntegerVector v) {
    return hn::Max(v, hn::Sub(hn::Zero(typename O::Tag()), v));
  }

  // y on the scale of codes: both formats' least normal numbers fall together.
  static HWY_INLINE IntegerVector scale_code(Vector y, IntegerVector y_magnitude) {
    if constexpr (!kScaled) {
      return y_magnitude;
    } else {
      const Lanes<Real> d;
      const typename O::Tag di;
      constexpr int kExponent = 1 - O::kBias - T::kMinExponent;
      const auto scale = hn::Set(d, std::bit_cast<Real>(O::power(kExponent)));
      return hn::And(hn::BitCast(di, hn::Mul(y, scale)), hn::Set(di, O::kMagnitude));
    }
  }

  // In binary64 multiplication and addition stay apart, so that every target sums the same bits.
  static HWY_INLINE void accumulate(Vector& sum, Vector a, Vector b) {
    if constexpr (std::is_same_v<Real, float>) {
      sum = hn::MulAdd(a, b, sum);
    } else {
      sum = hn::Add(sum, hn::Mul(a, b));
    }
  }

  // Elements whose error, with the doubt of y^ added, may reach a floor.
  static HWY_INLINE IntegerMask hits(Vector error, Vector y_abs, IntegerVector y_magnitude,
                                     Vector bound, IntegerVector margin, IntegerVector least_number,
                                     IntegerVector field, Vector absolute_floor,
                                     Vector relative_factor, IntegerVector ulp_floor) {
    const typename O::Tag di;
    const auto absolute = hn::Gt(hn::Add(error, hn::Mul(bound, y_abs)), absolute_floor);
    const auto relative = hn::Gt(error, hn::Mul(relative_factor, y_abs));
    // The exponent of y may be that of a slightly smaller number.
    const auto exponent = hn::And(hn::Max(hn::Sub(y_magnitude, margin), least_number), field);
    const auto bits = hn::BitCast(di, error);
    const auto ulp = hn::And(hn::Gt(hn::Sub(bits, exponent), ulp_floor),
                             hn::Gt(hn::Or(bits, y_magnitude), hn::Zero(di)));
    return hn::Or(hn::RebindMask(di, hn::Or(absolute, relative)), ulp);
  }

  // Hits that are not the element that has been measured already.
  HWY_INLINE IntegerMask unknown(IntegerMask hit, Vector z, Vector gain, const void* codes,
                                 size_t i) const {
    const Lanes<Real> d;
    const typename O::Tag di;
    if (!limits_.has_known) return hit;
    IntegerVector code;
    if constexpr (std::is_same_v<T, Fp32Output>) {
      const hn::Rebind<std::uint32_t, Lanes<Real>> d32;
      code = integers<Real>(hn::LoadU(d32, static_cast<const std::uint32_t*>(codes) + i));
    } else {
      code = integers<Real>(halves<Real>(codes, i));
    }
    const auto same_z = hn::Eq(z, hn::Set(d, limits_.known_z));
    const auto same_gain = hn::Eq(gain, hn::Set(d, limits_.known_gain));
    const auto same_code = hn::Eq(code, hn::Set(di, static_cast<Integer>(limits_.known_code)));
    const auto known = hn::And(hn::RebindMask(di, hn::And(same_z, same_gain)), same_code);
    return hn::AndNot(known, hit);
  }

  // Results below T's least normal number, or too small for the screen; exact zeros among them.
  HWY_INLINE IntegerMask look_at_small(Vector z, Vector gain, IntegerVector y_code,
                                       IntegerVector y_magnitude, IntegerVector a_code,
                                       IntegerMask& listed) const {
    const Lanes<Real> d;
    const typename O::Tag di;
    const auto nothing = hn::Zero(d);
    const auto zero = hn::RebindMask(di, hn::Or(hn::Eq(z, nothing), hn::Eq(gain, nothing)));
    const auto tiny = hn::Gt(hn::Set(di, O::power(O::kLeastExponent)), y_magnitude);
    listed = hn::Or(listed, hn::AndNot(zero, tiny));
    // An output that is not zero where the exact result is.
    listed = hn::Or(listed, hn::And(zero, hn::Gt(a_code, hn::Zero(di))));
    const auto m = limits_.margin;
    const auto near_normal = hn::And(hn::Gt(y_code, hn::Set(di, kNormalCode - m - 1)),
                                     hn::Gt(hn::Set(di, kNormalCode + m + 1), y_code));
    listed = hn::Or(listed, near_normal);
    return hn::Gt(hn::Set(di, kNormalCode), y_code);
  }

  HWY_INLINE void list(IntegerMask listed, size_t first) {
    const typename O::Tag di;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(di, listed, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    for (; bits != 0; bits &= bits - 1) {
      listed_[listed_count_++] =
          static_cast<std::uint16_t>(first + static_cast<size_t>(std::countr_zero(bits)));
    }
  }

  // Distances of two codes and more, one by one.
  HWY_INLINE void count_far(IntegerMask far, IntegerVector distance) {
    const typename O::Tag di;
    alignas(64) Integer values[hn::MaxLanes(Lanes<Real>())];
    hn::Store(hn::ShiftRight<kShift>(hn::Add(distance, hn::Set(di, kHalf))), di, values);
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(di, far, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    for (; bits != 0; bits &= bits - 1) {
      counts_.code_distance.add(static_cast<std::uint64_t>(values[std::countr_zero(bits)]));
    }
  }

  // Against tolerance and greatest ulp error; what lies within the doubt is listed.
  HWY_INLINE void judge(Vector error, Vector y_abs, IntegerVector y_magnitude, IntegerMask& outside,
                        IntegerMask& beyond, IntegerMask& listed) const {
    const Lanes<Real> d;
    const typename O::Tag di;
    outside = hn::MaskFromVec(hn::Zero(di));
    beyond = outside;
    if (limits_.has_tolerance) {
      const auto limit =
          hn::Add(hn::Set(d, limits_.atol), hn::Mul(hn::Set(d, limits_.rtol), y_abs));
      // Covers the roundings of limit, error and their difference.
      const auto rounding = hn::Set(d, std::bit_cast<Real>(O::power(3 - O::kFraction)));
      const auto doubt = hn::Add(hn::Mul(rounding, hn::Add(error, limit)),
                                 hn::Mul(hn::Set(d, limits_.tolerance_doubt), y_abs));
      const auto excess = hn::Sub(error, limit);
      const auto inside = hn::Le(excess, hn::Neg(doubt));
      outside = hn::RebindMask(di, hn::Gt(excess, doubt));
      listed = hn::Or(listed, hn::Not(hn::Or(outside, hn::RebindMask(di, inside))));
    }
    if (limits_.has_max_ulp) {
      const auto field = hn::Set(di, O::kField);
      const auto least = hn::Set(di, kNormalNumber);
      const auto margin = hn::Set(di, limits_.margin);
      const auto bits = hn::BitCast(di, error);
      const auto low = hn::And(hn::Max(hn::Sub(y_magnitude, margin), least), field);
      const auto high = hn::And(hn::Max(hn::Add(y_magnitude, margin), least), field);
      beyond = hn::Gt(hn::Sub(bits, high), hn::Set(di, limits_.ulp_beyond));
      const auto within = hn::Gt(hn::Set(di, limits_.ulp_within), hn::Sub(bits, low));
      // The integer of an error of zero says nothing about ulps.
      const auto none = hn::Eq(bits, hn::Zero(di));
      beyond = hn::AndNot(none, beyond);
      const auto known = limits_.zero_error_is_within ? hn::Or(within, none) : within;
      listed = hn::Or(listed, hn::Not(hn::Or(beyond, known)));
    }
  }

  HWY_INLINE void count_criteria(IntegerMask outside, IntegerMask beyond, IntegerMask is_correct,
                                 IntegerMask listed, size_t first) {
    const typename O::Tag di;
    const auto counted = hn::AndNot(listed, outside);
    if (HWY_UNLIKELY(!hn::AllFalse(di, counted))) {
      const auto wrong = hn::AndNot(is_correct, counted);
      counts_.outside += hn::CountTrue(di, wrong);
      counts_.unattainable += hn::CountTrue(di, hn::And(is_correct, counted));
      const std::intptr_t found = hn::FindFirstTrue(di, wrong);
      if (found >= 0 && counts_.first_outside == kNoElement) {
        counts_.first_outside = first + static_cast<size_t>(found);
      }
    }
    counts_.beyond_max_ulp += hn::CountTrue(di, hn::AndNot(listed, beyond));
  }

  const ScreenLimits<Real>& limits_;
  ScreenCounts& counts_;
  std::uint16_t* listed_;
  size_t listed_count_ = 0;
  IntegerVector correct_;
  IntegerVector next_;
  IntegerVector faithful_;
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
