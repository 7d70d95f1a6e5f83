#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/widen_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "numeric/packed_codes.hpp"
#include "numeric/widen.hpp"

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "numeric/binary16_simd.inc"

// All three convert as many whole vectors as there are and return how many elements that is.
size_t widen_bf16(const std::uint16_t* from, size_t count, float* into) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::Rebind<std::uint16_t, decltype(df)> d16;
  size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    const auto word = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(d16, from + i)));
    hn::StoreU(hn::BitCast(df, word), df, into + i);
  }
  return i;
}

size_t widen_fp16(const std::uint16_t* from, size_t count, float* into) {
  const hn::ScalableTag<float> df;
  size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    hn::StoreU(widened_binary16(df, from + i), df, into + i);
  }
  return i;
}

size_t widen_fp32(const float* from, size_t count, double* into) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  size_t i = 0;
  for (; i + hn::Lanes(dd) <= count; i += hn::Lanes(dd)) {
    hn::StoreU(hn::PromoteTo(dd, hn::LoadU(df, from + i)), dd, into + i);
  }
  return i;
}

}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {

HWY_EXPORT(widen_bf16);
HWY_EXPORT(widen_fp16);
HWY_EXPORT(widen_fp32);

// Formats of 8 bits: one table each, filled on first use.
const std::array<float, 256>& table_of(const FloatFormat& format) {
  const auto fill = [](const FloatFormat& of) {
    std::array<float, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<float>(to_binary64(Code{i, &of}));
    }
    return table;
  };
  static const std::array<float, 256> kE4m3fn = fill(kFp8E4m3fn);
  static const std::array<float, 256> kE5m2 = fill(kFp8E5m2);
  return format == kFp8E4m3fn ? kE4m3fn : kE5m2;
}

template <typename Real>
void widen_one_by_one(const FloatFormat& format, const std::byte* bytes, std::size_t first,
                      std::size_t count, Real* into) {
  for (std::size_t i = first; i < count; ++i) {
    into[i] = static_cast<Real>(to_binary64(load_code(format, bytes, i)));
  }
}

}  // namespace

void widen(const FloatFormat& format, const std::byte* bytes, std::size_t count, float* into) {
  if (format == kFp32) {
    std::memcpy(into, bytes, count * sizeof(float));
    return;
  }
  if (format.storage_bytes == 1) {
    const std::array<float, 256>& table = table_of(format);
    for (std::size_t i = 0; i < count; ++i) into[i] = table[std::to_integer<std::size_t>(bytes[i])];
    return;
  }
  std::size_t done = 0;
  const auto* halves = reinterpret_cast<const std::uint16_t*>(bytes);
  if (format == kBf16) done = HWY_DYNAMIC_DISPATCH(widen_bf16)(halves, count, into);
  if (format == kFp16) done = HWY_DYNAMIC_DISPATCH(widen_fp16)(halves, count, into);
  widen_one_by_one(format, bytes, done, count, into);
}

void widen(const FloatFormat& format, const std::byte* bytes, std::size_t count, double* into) {
  if (format == kFp64) {
    std::memcpy(into, bytes, count * sizeof(double));
    return;
  }
  constexpr std::size_t kPart = 256;
  std::array<float, kPart> part;
  for (std::size_t first = 0; first < count; first += kPart) {
    const std::size_t size = std::min(kPart, count - first);
    widen(format, bytes + first * static_cast<std::size_t>(format.storage_bytes), size,
          part.data());
    std::size_t done = HWY_DYNAMIC_DISPATCH(widen_fp32)(part.data(), size, into + first);
    for (; done < size; ++done) into[first + done] = part[done];
  }
}

}  // namespace normcert
#endif
