#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "judge/precise_screen_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "judge/precise_screen.hpp"
#include "numeric/float_format.hpp"

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "numeric/binary16_simd.inc"
#include "numeric/double_double_simd.inc"

template <typename Real>
using Lanes = hn::ScalableTag<Real>;
template <typename Real>
using Values = hn::Vec<Lanes<Real>>;

#include "judge/screen_numbers.inc"

#include "judge/precise_contenders.inc"

#include "judge/precise_elements.inc"

// As in screen_limits.cpp: covers the roundings of tolerance and error.
constexpr double kLimitDoubt = 0x1p-49;
// Far more than that, for limits within which no element needs to be judged.
constexpr double kPlainDoubt = 0x1p-40;

// One call's state: constants as vectors, counters.
template <class T>
class PreciseScreen : PreciseElements<T> {
  using Base = PreciseElements<T>;
  using Base::kHalf;
  using Base::kNormalNumber;
  using Base::kShift;
  using Base::kUnit;
  using Base::limits_;
  using typename Base::Element;
  using typename Base::Hits;
  using typename Base::Plain;
  static constexpr size_t kVectors = kScreenLanes / hn::MaxLanes(Lanes<double>());

 public:
  PreciseScreen(const PreciseLimits& limits, ScreenCounts& counts, std::uint16_t* undecided,
                std::uint16_t* contenders)
      : Base(limits), counts_(counts), undecided_(undecided), contenders_(contenders) {
    const ScreenLimits<double>& screen = limits.screen;
    if (screen.has_max_ulp) {
      plain_atol_ = -1;
    } else if (screen.has_tolerance) {
      plain_atol_ = screen.atol * (1 - kPlainDoubt);
      plain_rtol_ = screen.rtol * (1 - kPlainDoubt) - screen.tolerance_doubt * (1 + kPlainDoubt);
    }
  }

  HWY_INLINE PreciseFound run(const PreciseTask& task, ScreenSums<double>& sums) {
    const Lanes<double> d;
    const O::Tag di;
    const size_t lanes = hn::Lanes(d);
    const auto r = hn::Set(d, limits_.screen.r);
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
    // Of plain elements, distances in whole halves of a code and in whole codes.
    auto half_codes = hn::Zero(di);
    auto unfaithful = hn::Zero(di);
    size_t plain_vectors = 0;
    const Plain plain = this->plain(plain_atol_, plain_rtol_);
    const bool any_plain = limits_.bound != 0;
    const double* const zs = task.z;
    const double* const gains = task.gains;
    const void* const codes = task.codes;
    for (size_t first = 0; first < task.count; first += kScreenLanes) {
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t i = first + v * lanes;
        const auto z = hn::LoadU(d, zs + i);
        const auto gain = hn::LoadU(d, gains + i);
        const auto zg = hn::Mul(z, gain);
        const auto a = T::template load<double>(codes, i);
        // The binary64 screen's own terms.
        const auto y = hn::Mul(zg, r);
        const auto e = hn::Sub(a.number, y);
        product[v] = hn::Add(product[v], hn::Mul(e, y));
        square[v] = hn::Add(square[v], hn::Mul(y, y));
        rest[v] = hn::Add(rest[v], hn::Mul(e, e));
        const Element one = this->element({zg, product_error(z, gain, zg)}, a, plain.r);
        const auto distance = Base::distance_of(one);
        if (HWY_UNLIKELY(!(any_plain && Base::is_plain(plain, one, distance)))) {
          look_at(task, i);
          continue;
        }
        ++plain_vectors;
        half_codes = hn::Add(half_codes, hn::ShiftRight<kShift>(distance));
        unfaithful = hn::Add(unfaithful, hn::ShiftRight<kShift + 1>(distance));
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(product[v], d, sums.product.data() + v * lanes);
      hn::StoreU(square[v], d, sums.square.data() + v * lanes);
      hn::StoreU(rest[v], d, sums.rest.data() + v * lanes);
    }
    const auto total = [&](IntegerVector v) {
      return static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(di, v)));
    };
    const std::uint64_t in_plain = plain_vectors * lanes;
    const std::uint64_t far_off = total(unfaithful);
    const std::uint64_t one_off = total(half_codes) - far_off;
    const std::uint64_t correct = total(correct_) + in_plain - one_off;
    counts_.correctly_rounded += correct;
    counts_.faithful += total(faithful_) + in_plain - far_off;
    counts_.code_distance.add(0, correct);
    counts_.code_distance.add(1, total(next_) + in_plain - correct);
    return found_;
  }

 private:
  // Forms the elements anew, so that the others need not be kept in memory.
  HWY_NOINLINE void look_at(const PreciseTask& task, size_t i) {
    const Lanes<double> d;
    const auto z = hn::LoadU(d, task.z + i);
    const auto gain = hn::LoadU(d, task.gains + i);
    const auto zg = hn::Mul(z, gain);
    take(this->element({zg, product_error(z, gain, zg)}, T::template load<double>(task.codes, i),
                       Base::floor_of(limits_.r)),
         i);
  }

  HWY_INLINE void take(const Element& element, size_t first) {
    const Lanes<double> d;
    const O::Tag di;
    const Output<double>& a = element.a;
    const auto y_abs = hn::Abs(element.y.high);
    // A product of zero keeps its sign, what is formed from it may not.
    const auto y_sign = hn::BitCast(di, element.product.high);
    auto distance = hn::Sub(hn::Add(a.code, a.code),
                            hn::Add(hn::Add(element.y_code, element.y_code), element.side));
    distance = hn::Max(distance, hn::Neg(distance));

    // Undecided: high is a boundary and low says nothing; or not for these scales.
    const auto from_boundary = hn::And(element.y_code, hn::Set(di, kHalf - 1));
    const auto differs = hn::Not(hn::Eq(a.code, element.y_code));
    const auto on_boundary = hn::And(hn::Eq(from_boundary, hn::Zero(di)), differs);
    auto listed = hn::Lt(hn::Xor(a.sign, y_sign), hn::Zero(di));
    if (limits_.bound == 0) {
      const auto tie = hn::And(hn::Eq(element.side, hn::Zero(di)), on_boundary);
      ties_ = hn::MaskFromVec(hn::Zero(di));
      if (HWY_UNLIKELY(!hn::AllFalse(di, tie))) {
        const auto odd = hn::And(distance, hn::Set(di, 2 * kUnit - 1));
        const auto between = hn::And(tie, hn::Eq(odd, hn::Set(di, kUnit)));
        // Those of which a bound other than 0 says nothing: y between two codes, or next to a.
        ties_ = hn::Or(between, hn::And(tie, hn::Eq(distance, hn::Set(di, 2 * kUnit))));
        distance = broken(between, a.code, distance);
      }
    } else {
      const auto low = hn::Abs(element.y.low);
      const auto unknown = hn::Le(low, hn::Mul(hn::Set(d, limits_.bound), y_abs));
      listed = hn::Or(listed, hn::And(hn::RebindMask(di, unknown), on_boundary));
    }
    const auto too_great = hn::Set(di, (static_cast<Integer>(T::kMaxCode) << kShift) + kHalf - 1);
    listed = hn::Or(listed, hn::Gt(hn::Max(a.code, element.y_code), too_great));
    // Results below the normal numbers, or at the least of them: but zeros are what they are.
    const auto small = hn::Gt(hn::Set(di, kNormalNumber + 1), element.y_magnitude);
    const auto exact_zero = hn::Eq(element.y_magnitude, hn::Zero(di));
    const bool any_small = !hn::AllFalse(di, small);
    if (HWY_UNLIKELY(any_small)) {
      listed = hn::Or(listed, hn::AndNot(exact_zero, small));
      listed = hn::Or(listed, hn::And(exact_zero, differs));
    }

    IntegerMask outside = hn::MaskFromVec(hn::Zero(di));
    IntegerMask beyond = outside;
    const auto allowed = hn::Add(hn::Set(d, plain_atol_), hn::Mul(hn::Set(d, plain_rtol_), y_abs));
    const bool is_judged = !hn::AllTrue(d, hn::Le(element.error, allowed));
    if (HWY_UNLIKELY(is_judged)) judge(element, y_abs, outside, beyond, listed);
    const Hits hit = this->hits(element, y_abs);
    const auto any_hit = hn::Or(hn::Or(hit.absolute, hit.relative), hit.ulp);
    if (HWY_UNLIKELY(!hn::AllFalse(di, hn::AndNot(listed, any_hit)))) {
      const auto contender = hn::AndNot(listed, this->contenders_among(hit, element, y_abs));
      if (!hn::AllFalse(di, contender)) {
        found_.contenders = list(contender, first, contenders_, found_.contenders);
      }
    }
    if (HWY_UNLIKELY(!hn::AllFalse(di, listed))) {
      found_.undecided = list(listed, first, undecided_, found_.undecided);
    }
    if (HWY_UNLIKELY(any_small)) {
      counts_.below_normal += hn::CountTrue(di, hn::AndNot(listed, exact_zero));
    }
    if (limits_.bound == 0) found_.ties += hn::CountTrue(di, hn::AndNot(listed, ties_));

    const auto is_correct = hn::AndNot(listed, hn::Gt(hn::Set(di, kUnit), distance));
    const auto is_near = hn::AndNot(listed, hn::Gt(hn::Set(di, 3 * kUnit), distance));
    const auto is_faithful = hn::AndNot(listed, hn::Gt(hn::Set(di, 2 * kUnit), distance));
    correct_ = hn::Sub(correct_, hn::VecFromMask(di, is_correct));
    next_ = hn::Sub(next_, hn::VecFromMask(di, is_near));
    faithful_ = hn::Sub(faithful_, hn::VecFromMask(di, is_faithful));
    const auto far = hn::Not(hn::Or(is_near, listed));
    if (HWY_UNLIKELY(!hn::AllFalse(di, far))) count_far(far, distance);
    if (HWY_UNLIKELY(is_judged)) count_criteria(outside, beyond, is_correct, listed, first);
  }

  // True ties go to the even code: distances of j + 1/2 codes become more or less than that, by
  // which of a's neighbours at j and j + 1 codes is even.
  static HWY_INLINE IntegerVector broken(IntegerMask between, IntegerVector code,
                                         IntegerVector distance) {
    const O::Tag di;
    const auto upper = hn::ShiftRight<kShift + 1>(hn::Add(distance, hn::Set(di, kUnit)));
    const auto odd = hn::And(hn::Xor(hn::ShiftRight<kShift>(code), upper), hn::Set(di, 1));
    // 1 where a and the farther one are both even or both odd: then the farther one is even.
    const auto step = hn::Sub(hn::Set(di, 1), hn::Add(odd, odd));
    return hn::Add(distance, hn::IfThenElseZero(between, step));
  }

  static HWY_INLINE std::uint64_t bits_of(IntegerMask mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(O::Tag(), mask, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
  }

  static HWY_INLINE size_t list(IntegerMask mask, size_t first, std::uint16_t* into, size_t count) {
    for (std::uint64_t bits = bits_of(mask); bits != 0; bits &= bits - 1) {
      into[count++] =
          static_cast<std::uint16_t>(first + static_cast<size_t>(std::countr_zero(bits)));
    }
    return count;
  }

  HWY_INLINE void count_far(IntegerMask far, IntegerVector distance) {
    const O::Tag di;
    alignas(64) Integer values[hn::MaxLanes(Lanes<double>())];
    hn::Store(hn::ShiftRight<kShift + 1>(hn::Add(distance, hn::Set(di, kUnit))), di, values);
    for (std::uint64_t bits = bits_of(far); bits != 0; bits &= bits - 1) {
      counts_.code_distance.add(static_cast<std::uint64_t>(values[std::countr_zero(bits)]));
    }
  }

  // As the screen in binary64 does, whose doubts cover these roundings.
  HWY_INLINE void judge(const Element& element, Vector y_abs, IntegerMask& outside,
                        IntegerMask& beyond, IntegerMask& listed) const {
    const Lanes<double> d;
    const O::Tag di;
    const ScreenLimits<double>& limits = limits_.screen;
    const auto error = element.error;
    if (limits.has_tolerance) {
      const auto limit = hn::Add(hn::Set(d, limits.atol), hn::Mul(hn::Set(d, limits.rtol), y_abs));
      const auto doubt = hn::Add(hn::Mul(hn::Set(d, kLimitDoubt), hn::Add(error, limit)),
                                 hn::Mul(hn::Set(d, limits.tolerance_doubt), y_abs));
      const auto excess = hn::Sub(error, limit);
      const auto inside = hn::Le(excess, hn::Neg(doubt));
      outside = hn::RebindMask(di, hn::Gt(excess, doubt));
      listed = hn::Or(listed, hn::Not(hn::Or(outside, hn::RebindMask(di, inside))));
    }
    if (limits.has_max_ulp) {
      const auto field = hn::Set(di, O::kField);
      const auto least = hn::Set(di, kNormalNumber);
      const auto margin = hn::Set(di, limits.margin);
      const auto bits = hn::BitCast(di, error);
      const auto low = hn::And(hn::Max(hn::Sub(element.y_magnitude, margin), least), field);
      const auto high = hn::And(hn::Max(hn::Add(element.y_magnitude, margin), least), field);
      beyond = hn::Gt(hn::Sub(bits, high), hn::Set(di, limits.ulp_beyond));
      const auto within = hn::Gt(hn::Set(di, limits.ulp_within), hn::Sub(bits, low));
      const auto none = hn::Eq(bits, hn::Zero(di));
      beyond = hn::AndNot(none, beyond);
      const auto known = limits.zero_error_is_within ? hn::Or(within, none) : within;
      listed = hn::Or(listed, hn::Not(hn::Or(beyond, known)));
    }
  }

  HWY_INLINE void count_criteria(IntegerMask outside, IntegerMask beyond, IntegerMask is_correct,
                                 IntegerMask listed, size_t first) {
    const O::Tag di;
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
    if (limits_.screen.has_max_ulp) {
      counts_.beyond_max_ulp += hn::CountTrue(di, hn::AndNot(listed, beyond));
    }
  }

  ScreenCounts& counts_;
  std::uint16_t* undecided_;
  std::uint16_t* contenders_;
  PreciseFound found_;
  // Errors of at most plain_atol_ + plain_rtol_ |y^| are within all limits.
  double plain_atol_ = std::numeric_limits<double>::infinity();
  double plain_rtol_ = 0;
  IntegerVector correct_;
  IntegerVector next_;
  IntegerVector faithful_;
  IntegerMask ties_;
};

PreciseFound screen_precise(const PreciseTask& task, const PreciseLimits& limits,
                            ScreenCounts& counts, ScreenSums<double>& sums,
                            std::uint16_t* undecided, std::uint16_t* contenders) {
  switch (task.output) {
    case ScreenOutput::kBfloat16:
      return PreciseScreen<Bf16Output>(limits, counts, undecided, contenders).run(task, sums);
    case ScreenOutput::kBinary16:
      return PreciseScreen<Fp16Output>(limits, counts, undecided, contenders).run(task, sums);
    case ScreenOutput::kBinary32:
      break;
  }
  return PreciseScreen<Fp32Output>(limits, counts, undecided, contenders).run(task, sums);
}

}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(screen_precise);

constexpr int kFractionOfScale = 52;

const FloatFormat& format_of(ScreenOutput output) {
  switch (output) {
    case ScreenOutput::kBfloat16:
      return kBf16;
    case ScreenOutput::kBinary16:
      return kFp16;
    case ScreenOutput::kBinary32:
      break;
  }
  return kFp32;
}

}  // namespace

std::int64_t precise_code(double magnitude, ScreenOutput output) {
  // Both formats' least normal numbers fall together.
  const int exponent = -1022 - format_of(output).emin;
  return std::bit_cast<std::int64_t>(times_power_of_two(magnitude, exponent));
}

std::int64_t precise_code_of_output(std::uint64_t magnitude, ScreenOutput output) {
  return static_cast<std::int64_t>(magnitude)
         << (kFractionOfScale + 1 - format_of(output).precision);
}

PreciseFound screen_precisely(const PreciseTask& task, const PreciseLimits& limits,
                              ScreenCounts& counts, ScreenSums<double>& sums,
                              std::uint16_t* undecided, std::uint16_t* contenders) {
  return HWY_DYNAMIC_DISPATCH(screen_precise)(task, limits, counts, sums, undecided, contenders);
}

}  // namespace normcert
#endif
