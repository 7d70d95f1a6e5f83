#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/square_sum_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "numeric/code.hpp"
#include "numeric/square_sum.hpp"
#include "numeric/widen.hpp"

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "numeric/binary16_simd.inc"

using Binary64 = hn::ScalableTag<double>;
constexpr size_t kLanes = 32;
constexpr size_t kVectors = kLanes / hn::MaxLanes(Binary64());

struct LoadBf16 {
  const std::uint16_t* from;
  auto operator()(size_t i) const {
    const hn::Rebind<std::uint16_t, Binary64> d16;
    const hn::Rebind<std::uint32_t, Binary64> du;
    const hn::Rebind<float, Binary64> df;
    const auto word = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(d16, from + i)));
    return hn::PromoteTo(Binary64(), hn::BitCast(df, word));
  }
};

struct LoadFp16 {
  const std::uint16_t* from;
  auto operator()(size_t i) const {
    const hn::Rebind<float, Binary64> df;
    return hn::PromoteTo(Binary64(), widened_binary16(df, from + i));
  }
};

struct LoadFp32 {
  const float* from;
  auto operator()(size_t i) const {
    const hn::Rebind<float, Binary64> df;
    return hn::PromoteTo(Binary64(), hn::LoadU(df, from + i));
  }
};

struct LoadFp64 {
  const double* from;
  auto operator()(size_t i) const { return hn::LoadU(Binary64(), from + i); }
};

// Adds the squares of `count` elements, a multiple of 32, to the lanes. Squares of numbers of at
// most 26 digits are exact in binary64, so that a fused operation gives the same bits; for others
// multiplication and addition stay apart.
template <bool kExactSquares, typename Load>
HWY_INLINE void add_squares(const Load load, size_t count, double* lanes) {
  const Binary64 d;
  hn::Vec<Binary64> sums[kVectors];
#pragma GCC unroll 16
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(d, lanes + v * hn::Lanes(d));
  for (size_t i = 0; i < count; i += kLanes) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      const auto x = load(i + v * hn::Lanes(d));
      if constexpr (kExactSquares) {
        sums[v] = hn::MulAdd(x, x, sums[v]);
      } else {
        sums[v] = hn::Add(sums[v], hn::Mul(x, x));
      }
    }
  }
#pragma GCC unroll 16
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, lanes + v * hn::Lanes(d));
}

void add_bf16(const void* from, size_t count, double* lanes) {
  add_squares<true>(LoadBf16{static_cast<const std::uint16_t*>(from)}, count, lanes);
}
void add_fp16(const void* from, size_t count, double* lanes) {
  add_squares<true>(LoadFp16{static_cast<const std::uint16_t*>(from)}, count, lanes);
}
void add_fp32(const void* from, size_t count, double* lanes) {
  add_squares<true>(LoadFp32{static_cast<const float*>(from)}, count, lanes);
}
void add_fp64(const void* from, size_t count, double* lanes) {
  add_squares<false>(LoadFp64{static_cast<const double*>(from)}, count, lanes);
}

// The least code other than 0 (less 1: then 0 is the greatest) and the greatest one.
void range_of_codes(const void* codes, size_t count, std::uint16_t& least_less_1,
                    std::uint16_t& greatest) {
  const auto* const from = static_cast<const std::uint16_t*>(codes);
  const hn::ScalableTag<std::uint16_t> d;
  const auto one = hn::Set(d, 1);
  auto low = hn::Set(d, 0xffff);
  auto high = hn::Zero(d);
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i + lanes <= count; i += lanes) {
    const auto code = hn::And(hn::LoadU(d, from + i), hn::Set(d, 0x7fff));
    low = hn::Min(low, hn::Sub(code, one));
    high = hn::Max(high, code);
  }
  least_less_1 = hn::GetLane(hn::MinOfLanes(d, low));
  greatest = hn::GetLane(hn::MaxOfLanes(d, high));
}

}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {

HWY_EXPORT(add_bf16);
HWY_EXPORT(add_fp16);
HWY_EXPORT(add_fp32);
HWY_EXPORT(add_fp64);
HWY_EXPORT(range_of_codes);

constexpr std::size_t kLanes = 32;

void add(const FloatFormat& format, const std::byte* bytes, std::size_t count, double* lanes) {
  if (format == kBf16) return HWY_DYNAMIC_DISPATCH(add_bf16)(bytes, count, lanes);
  if (format == kFp16) return HWY_DYNAMIC_DISPATCH(add_fp16)(bytes, count, lanes);
  if (format == kFp32) return HWY_DYNAMIC_DISPATCH(add_fp32)(bytes, count, lanes);
  constexpr std::size_t kPart = 256;
  std::array<float, kPart> part;
  for (std::size_t first = 0; first < count; first += kPart) {
    const std::size_t size = std::min(kPart, count - first);
    widen(format, bytes + first * static_cast<std::size_t>(format.storage_bytes), size,
          part.data());
    HWY_DYNAMIC_DISPATCH(add_fp32)(part.data(), size, lanes);
  }
}

double in_halves(std::array<double, kLanes>& lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

}  // namespace

double square_sum(const FloatFormat& format, const std::byte* bytes, std::size_t count) {
  std::array<double, kLanes> lanes{};
  const std::size_t whole = count - count % kLanes;
  add(format, bytes, whole, lanes.data());
  if (whole < count) {
    // The rest, filled up with zeros, which change no sum.
    const auto size = static_cast<std::size_t>(format.storage_bytes);
    std::array<std::byte, kLanes * sizeof(double)> rest{};
    std::memcpy(rest.data(), bytes + whole * size, (count - whole) * size);
    add(format, rest.data(), kLanes, lanes.data());
  }
  return in_halves(lanes);
}

double square_sum(const double* values, std::size_t count) {
  std::array<double, kLanes> lanes{};
  const std::size_t whole = count - count % kLanes;
  HWY_DYNAMIC_DISPATCH(add_fp64)(values, whole, lanes.data());
  std::array<double, kLanes> rest{};
  std::copy(values + whole, values + count, rest.begin());
  HWY_DYNAMIC_DISPATCH(add_fp64)(rest.data(), kLanes, lanes.data());
  return in_halves(lanes);
}

bool square_sum_is_exact(const FloatFormat& format, const std::byte* bytes, std::size_t count) {
  if (!(format == kBf16 || format == kFp16)) return false;
  constexpr std::size_t kMostLanes = 32;  // of 16 bits in a vector
  const std::size_t whole = count - count % kMostLanes;
  std::uint16_t least_less_1 = 0xffff;
  std::uint16_t greatest = 0;
  HWY_DYNAMIC_DISPATCH(range_of_codes)(bytes, whole, least_less_1, greatest);
  for (std::size_t i = whole; i < count; ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, bytes + i * sizeof code, sizeof code);
    code &= 0x7fff;
    least_less_1 = std::min(least_less_1, static_cast<std::uint16_t>(code - 1));
    greatest = std::max(greatest, code);
  }
  if (greatest == 0) return true;
  const auto exponent_of = [&](unsigned code) {
    return std::ilogb(to_binary64(Code{code, &format}));
  };
  // All terms and sums are multiples of 2^grid (the last digit of an element as great as the least
  // one or greater, and of a subnormal all the more, is at least that of a normal number as small),
  // and all are below 2^top.
  const int grid = 2 * (exponent_of(least_less_1 + 1U) - format.precision + 1);
  const int top = 2 * (exponent_of(greatest) + 1) + static_cast<int>(std::bit_width(count));
  return top - grid <= 53;
}

}  // namespace normcert
#endif
