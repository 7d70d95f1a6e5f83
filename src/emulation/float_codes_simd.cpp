// Codes of binary32, bfloat16 and binary16 to binary32 numbers and back.
#include <algorithm>
#include <cstring>
#include <limits>

#include "emulation/float_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/float_codes_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Halves = hn::Rebind<std::uint16_t, Floats>;
using FloatVector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::uint32_t kQuietNan = 0x7fc00000U;

HWY_INLINE FloatVector without_payload(FloatVector value) {
  const FloatVector nan = hn::BitCast(Floats(), hn::Set(Words(), kQuietNan));
  return hn::IfThenElse(hn::IsNaN(value), nan, value);
}

// A format's `promoted` takes the codes of one vector to numbers, `demoted` rounds them back. The
// codes of a narrow format stand in the lower halves of words.
struct Binary32 {
  static constexpr std::uint32_t kInfinity = 0x7f800000U;
};

struct Bfloat16 {
  static constexpr std::uint32_t kInfinity = 0x7f80U;
  static HWY_INLINE FloatVector promoted(WordVector codes) {
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(codes));
  }
  static HWY_INLINE WordVector demoted(FloatVector values) {
    const Words words;
    const WordVector bits = hn::BitCast(words, without_payload(values));
    const WordVector odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    return hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7fffU)), odd));
  }
  static HWY_INLINE FloatVector rounded(FloatVector values) { return promoted(demoted(values)); }
};

// Codes of binary16 in the lower halves of words, without the processor's conversions.
struct Binary16 {
  static constexpr std::uint32_t kInfinity = 0x7c00U;

  // The fields at binary32's places make the number but for its exponent's bias, also where it is
  // subnormal.
  static HWY_INLINE FloatVector promoted(WordVector codes) {
    const Words words;
    const WordVector magnitude = hn::And(codes, hn::Set(words, 0x7fffU));
    const WordVector sign = hn::ShiftLeft<16>(hn::And(codes, hn::Set(words, 0x8000U)));
    const WordVector fields = hn::ShiftLeft<13>(magnitude);
    const FloatVector scale = hn::Set(Floats(), 0x1p112F);
    const WordVector finite = hn::BitCast(words, hn::Mul(hn::BitCast(Floats(), fields), scale));
    const WordVector special = hn::Or(fields, hn::Set(words, 0x7f800000U));
    const auto is_special = hn::Gt(magnitude, hn::Set(words, kInfinity - 1));
    return hn::BitCast(Floats(), hn::Or(sign, hn::IfThenElse(is_special, special, finite)));
  }

  static HWY_INLINE WordVector demoted(FloatVector values) {
    const Words words;
    const WordVector bits = hn::BitCast(words, without_payload(values));
    const WordVector sign = hn::And(bits, hn::Set(words, kSign));
    const WordVector magnitude = hn::Xor(bits, sign);
    const WordVector odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1));
    const WordVector up = hn::Add(hn::Add(magnitude, hn::Set(words, 0xfffU)), odd);
    // Past the greatest number the code is infinity's, whatever the exponent.
    const WordVector normal = hn::Min(hn::Sub(hn::ShiftRight<13>(up), hn::Set(words, 112U << 10)),
                                      hn::Set(words, kInfinity));
    // Numbers from 1/2 on have the quantum of binary16.
    const FloatVector half = hn::Set(Floats(), 0.5F);
    const WordVector subnormal =
        hn::Sub(hn::BitCast(words, hn::Add(hn::BitCast(Floats(), magnitude), half)),
                hn::BitCast(words, half));
    const auto is_small = hn::Lt(magnitude, hn::Set(words, 0x38800000U));
    const auto is_nan = hn::Gt(magnitude, hn::Set(words, 0x7f800000U));
    const WordVector code = hn::IfThenElse(is_nan, hn::Set(words, 0x7e00U),
                                           hn::IfThenElse(is_small, subnormal, normal));
    return hn::Or(code, hn::ShiftRight<16>(sign));
  }
  static HWY_INLINE FloatVector rounded(FloatVector values) { return promoted(demoted(values)); }
};

// Whether the target converts binary16 in one instruction, rounding to nearest even and keeping
// subnormals, whatever the thread's mode.
#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) && \
    !defined(HWY_DISABLE_F16C)
constexpr bool kConvertsBinary16 = true;
#else
constexpr bool kConvertsBinary16 = false;
#endif

template <typename Format>
HWY_INLINE FloatVector load(const std::uint16_t* codes) {
  if constexpr (kConvertsBinary16 && std::is_same_v<Format, Binary16>) {
    const hn::Rebind<hwy::float16_t, Floats> narrow;
    return hn::PromoteTo(Floats(), hn::BitCast(narrow, hn::LoadU(Halves(), codes)));
  } else {
    return Format::promoted(hn::PromoteTo(Words(), hn::LoadU(Halves(), codes)));
  }
}

template <typename Format>
HWY_INLINE void store(FloatVector values, std::uint16_t* codes) {
  if constexpr (kConvertsBinary16 && std::is_same_v<Format, Binary16>) {
    const hn::Rebind<hwy::float16_t, Floats> narrow;
    const auto demoted = hn::DemoteTo(narrow, without_payload(values));
    hn::StoreU(hn::BitCast(Halves(), demoted), Halves(), codes);
  } else {
    hn::StoreU(hn::TruncateTo(Halves(), Format::demoted(values)), Halves(), codes);
  }
}

template <typename Format>
HWY_INLINE FloatVector rounded(FloatVector values) {
  if constexpr (kConvertsBinary16 && std::is_same_v<Format, Binary16>) {
    const hn::Rebind<hwy::float16_t, Floats> narrow;
    return hn::PromoteTo(Floats(), hn::DemoteTo(narrow, values));
  } else {
    return Format::rounded(values);
  }
}

constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

template <typename Format>
void load_narrow(const std::byte* bytes, std::size_t count, float* values) {
  const std::size_t lanes = hn::Lanes(Floats());
  const auto* codes = reinterpret_cast<const std::uint16_t*>(bytes);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load<Format>(codes + i), Floats(), values + i);
  if (i == count) return;
  std::uint16_t rest[kMostLanes] = {};
  float numbers[kMostLanes];
  std::memcpy(rest, codes + i, (count - i) * sizeof(std::uint16_t));
  hn::StoreU(load<Format>(rest), Floats(), numbers);
  std::memcpy(values + i, numbers, (count - i) * sizeof(float));
}

template <typename Format>
void store_narrow(const float* values, std::size_t count, std::byte* bytes) {
  const std::size_t lanes = hn::Lanes(Floats());
  auto* codes = reinterpret_cast<std::uint16_t*>(bytes);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store<Format>(hn::LoadU(Floats(), values + i), codes + i);
  if (i == count) return;
  std::uint16_t rest[kMostLanes];
  float numbers[kMostLanes] = {};
  std::memcpy(numbers, values + i, (count - i) * sizeof(float));
  store<Format>(hn::LoadU(Floats(), numbers), rest);
  std::memcpy(codes + i, rest, (count - i) * sizeof(std::uint16_t));
}

void store_wide(const float* values, std::size_t count, std::byte* bytes) {
  const std::size_t lanes = hn::Lanes(Floats());
  auto* to = reinterpret_cast<float*>(bytes);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(without_payload(hn::LoadU(Floats(), values + i)), Floats(), to + i);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (; i < count; ++i) {
    const float value = values[i] == values[i] ? values[i] : nan;
    std::memcpy(to + i, &value, sizeof(value));
  }
}

template <typename Format>
void round_all(float* values, std::size_t count) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(rounded<Format>(hn::LoadU(Floats(), values + i)), Floats(), values + i);
  }
  if (i == count) return;
  float numbers[kMostLanes] = {};
  std::memcpy(numbers, values + i, (count - i) * sizeof(float));
  hn::StoreU(rounded<Format>(hn::LoadU(Floats(), numbers)), Floats(), numbers);
  std::memcpy(values + i, numbers, (count - i) * sizeof(float));
}

// Of codes held in unsigned integers, whose upper bit is the sign.
template <typename Format, typename Bits>
std::size_t count_same(const std::byte* a, const std::byte* b, std::size_t count) {
  using Signed = std::make_signed_t<Bits>;
  const hn::ScalableTag<Signed> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto* codes_a = reinterpret_cast<const Signed*>(a);
  const auto* codes_b = reinterpret_cast<const Signed*>(b);
  const auto magnitude = hn::Set(tag, std::numeric_limits<Signed>::max());
  const auto infinity = hn::Set(tag, static_cast<Signed>(Format::kInfinity));
  std::size_t same = 0;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto left = hn::LoadU(tag, codes_a + i);
    const auto right = hn::LoadU(tag, codes_b + i);
    const auto least = hn::Min(hn::And(left, magnitude), hn::And(right, magnitude));
    same += hn::CountTrue(tag, hn::Or(hn::Eq(left, right), hn::Gt(least, infinity)));
  }
  for (; i < count; ++i) {
    Bits left = 0;
    Bits right = 0;
    std::memcpy(&left, codes_a + i, sizeof(left));
    std::memcpy(&right, codes_b + i, sizeof(right));
    const auto mask = static_cast<Bits>(std::numeric_limits<Signed>::max());
    const auto least = std::min(static_cast<Bits>(left & mask), static_cast<Bits>(right & mask));
    same += left == right || least > Format::kInfinity ? 1 : 0;
  }
  return same;
}

void LoadFloats(FloatStorage storage, const std::byte* bytes, std::size_t count, float* values) {
  switch (storage) {
    case FloatStorage::kBinary32:
      std::memcpy(values, bytes, count * sizeof(float));
      return;
    case FloatStorage::kBfloat16:
      return load_narrow<Bfloat16>(bytes, count, values);
    case FloatStorage::kBinary16:
      return load_narrow<Binary16>(bytes, count, values);
  }
}

void StoreFloats(FloatStorage storage, const float* values, std::size_t count, std::byte* bytes) {
  switch (storage) {
    case FloatStorage::kBinary32:
      return store_wide(values, count, bytes);
    case FloatStorage::kBfloat16:
      return store_narrow<Bfloat16>(values, count, bytes);
    case FloatStorage::kBinary16:
      return store_narrow<Binary16>(values, count, bytes);
  }
}

void RoundFloats(FloatStorage storage, float* values, std::size_t count) {
  if (storage == FloatStorage::kBfloat16) round_all<Bfloat16>(values, count);
  if (storage == FloatStorage::kBinary16) round_all<Binary16>(values, count);
}

std::size_t CountSameCodes(FloatStorage storage, const std::byte* a, const std::byte* b,
                           std::size_t count) {
  switch (storage) {
    case FloatStorage::kBinary32:
      return count_same<Binary32, std::uint32_t>(a, b, count);
    case FloatStorage::kBfloat16:
      return count_same<Bfloat16, std::uint16_t>(a, b, count);
    case FloatStorage::kBinary16:
      return count_same<Binary16, std::uint16_t>(a, b, count);
  }
  return 0;
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(LoadFloats);
HWY_EXPORT(StoreFloats);
HWY_EXPORT(RoundFloats);
HWY_EXPORT(CountSameCodes);
}  // namespace

std::optional<FloatStorage> float_storage(const FloatFormat& format) {
  if (format == kFp32) return FloatStorage::kBinary32;
  if (format == kBf16) return FloatStorage::kBfloat16;
  if (format == kFp16) return FloatStorage::kBinary16;
  return {};
}

void load_floats(FloatStorage storage, const std::byte* bytes, std::size_t count, float* values) {
  HWY_DYNAMIC_DISPATCH(LoadFloats)(storage, bytes, count, values);
}

void store_floats(FloatStorage storage, const float* values, std::size_t count, std::byte* bytes) {
  HWY_DYNAMIC_DISPATCH(StoreFloats)(storage, values, count, bytes);
}

void round_floats(FloatStorage storage, float* values, std::size_t count) {
  if (storage == FloatStorage::kBinary32) return;
  HWY_DYNAMIC_DISPATCH(RoundFloats)(storage, values, count);
}

std::size_t count_same_codes(FloatStorage storage, const std::byte* a, const std::byte* b,
                             std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(CountSameCodes)(storage, a, b, count);
}

}  // namespace normcert
#endif
