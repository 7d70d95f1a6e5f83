// Codes of binary32, bfloat16 and binary16 to binary32 numbers and back.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "emulation/float_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/float_codes_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

#include "emulation/float_formats_simd.inc"

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
void store_all(const float* values, std::size_t count, std::byte* bytes) {
  using Bits = typename Format::Bits;
  const std::size_t lanes = hn::Lanes(Floats());
  auto* codes = reinterpret_cast<Bits*>(bytes);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store<Format>(hn::LoadU(Floats(), values + i), codes + i);
  if (i == count) return;
  Bits rest[kMostLanes];
  float numbers[kMostLanes] = {};
  std::memcpy(numbers, values + i, (count - i) * sizeof(float));
  store<Format>(hn::LoadU(Floats(), numbers), rest);
  std::memcpy(codes + i, rest, (count - i) * sizeof(Bits));
}

struct Rounded {
  template <typename Format>
  static HWY_INLINE FloatVector apply(FloatVector x) {
    return rounded<Format>(x);
  }
};

struct RoundedSquare {
  template <typename Format>
  static HWY_INLINE FloatVector apply(FloatVector x) {
    const FloatVector value = rounded<Format>(x);
    return rounded<Format>(hn::Mul(value, value));
  }
};

template <typename Operation, typename Format>
void map_all(const float* from, std::size_t count, float* to) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const FloatVector x = hn::LoadU(Floats(), from + i);
    hn::StoreU(Operation::template apply<Format>(x), Floats(), to + i);
  }
  if (i == count) return;
  float numbers[kMostLanes] = {};
  std::memcpy(numbers, from + i, (count - i) * sizeof(float));
  const FloatVector x = hn::LoadU(Floats(), numbers);
  hn::StoreU(Operation::template apply<Format>(x), Floats(), numbers);
  std::memcpy(to + i, numbers, (count - i) * sizeof(float));
}

template <typename Operation>
void map_to(FloatStorage storage, const float* from, std::size_t count, float* to) {
  switch (storage) {
    case FloatStorage::kBinary32:
      return map_all<Operation, Binary32>(from, count, to);
    case FloatStorage::kBfloat16:
      return map_all<Operation, Bfloat16>(from, count, to);
    case FloatStorage::kBinary16:
      return map_all<Operation, Binary16>(from, count, to);
  }
}

// Of numbers of the format already.
template <typename Format>
HWY_INLINE void store_as_they_are(FloatVector values, typename Format::Bits* codes) {
  if constexpr (std::is_same_v<Format, Bfloat16>) {
    const WordVector bits = hn::BitCast(Words(), values);
    hn::StoreU(hn::TruncateTo(Halves(), hn::ShiftRight<16>(bits)), Halves(), codes);
  } else {
    store<Format>(values, codes);
  }
}

// One vector of sums, wherever they go.
template <typename Format, typename Sum>
HWY_INLINE void add_vector(const typename Format::Bits* a, const typename Format::Bits* b,
                           float* sums, float* rounded_sums, typename Format::Bits* stored) {
  const FloatVector sum = rounded<Sum>(hn::Add(load<Format>(a), load<Format>(b)));
  hn::StoreU(sum, Floats(), sums);
  if (rounded_sums != nullptr) hn::StoreU(rounded<Format>(sum), Floats(), rounded_sums);
  if (stored == nullptr) return;
  if constexpr (std::is_same_v<Sum, Format>) return store_as_they_are<Format>(sum, stored);
  store<Format>(sum, stored);
}

template <typename Format, typename Sum>
void add_all(const std::byte* a, const std::byte* b, std::size_t count, const AddedFloats& to) {
  using Bits = typename Format::Bits;
  const std::size_t lanes = hn::Lanes(Floats());
  const auto* codes_a = reinterpret_cast<const Bits*>(a);
  const auto* codes_b = reinterpret_cast<const Bits*>(b);
  auto* stored = reinterpret_cast<Bits*>(to.stored);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    add_vector<Format, Sum>(codes_a + i, codes_b + i, to.sums + i,
                            to.rounded == nullptr ? nullptr : to.rounded + i,
                            stored == nullptr ? nullptr : stored + i);
  }
  if (i == count) return;
  const std::size_t rest = count - i;
  Bits rest_a[kMostLanes] = {};
  Bits rest_b[kMostLanes] = {};
  Bits rest_stored[kMostLanes];
  float sums[kMostLanes];
  float rounded_sums[kMostLanes];
  std::memcpy(rest_a, codes_a + i, rest * sizeof(Bits));
  std::memcpy(rest_b, codes_b + i, rest * sizeof(Bits));
  add_vector<Format, Sum>(rest_a, rest_b, sums, rounded_sums, rest_stored);
  std::memcpy(to.sums + i, sums, rest * sizeof(float));
  if (to.rounded != nullptr) std::memcpy(to.rounded + i, rounded_sums, rest * sizeof(float));
  if (stored != nullptr) std::memcpy(stored + i, rest_stored, rest * sizeof(Bits));
}

template <typename Format>
void add_with(bool rounds, const std::byte* a, const std::byte* b, std::size_t count,
              const AddedFloats& to) {
  if (rounds) return add_all<Format, Format>(a, b, count, to);
  add_all<Format, Binary32>(a, b, count, to);
}

void add_codes(FloatStorage storage, bool rounds, const std::byte* a, const std::byte* b,
               std::size_t count, const AddedFloats& to) {
  switch (storage) {
    case FloatStorage::kBinary32:
      return add_with<Binary32>(rounds, a, b, count, to);
    case FloatStorage::kBfloat16:
      return add_with<Bfloat16>(rounds, a, b, count, to);
    case FloatStorage::kBinary16:
      return add_with<Binary16>(rounds, a, b, count, to);
  }
}

template <typename Format>
std::size_t count_same(const std::byte* a, const std::byte* b, std::size_t count) {
  using Bits = typename Format::Bits;
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

void load_floats(FloatStorage storage, const std::byte* bytes, std::size_t count, float* values) {
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

void store_floats(FloatStorage storage, const float* values, std::size_t count, std::byte* bytes) {
  switch (storage) {
    case FloatStorage::kBinary32:
      return store_all<Binary32>(values, count, bytes);
    case FloatStorage::kBfloat16:
      return store_all<Bfloat16>(values, count, bytes);
    case FloatStorage::kBinary16:
      return store_all<Binary16>(values, count, bytes);
  }
}

void round_floats(FloatStorage storage, float* values, std::size_t count) {
  map_to<Rounded>(storage, values, count, values);
}

void square_floats(FloatStorage storage, const float* from, std::size_t count, float* to) {
  map_to<RoundedSquare>(storage, from, count, to);
}

std::size_t count_same_codes(FloatStorage storage, const std::byte* a, const std::byte* b,
                             std::size_t count) {
  switch (storage) {
    case FloatStorage::kBinary32:
      return count_same<Binary32>(a, b, count);
    case FloatStorage::kBfloat16:
      return count_same<Bfloat16>(a, b, count);
    case FloatStorage::kBinary16:
      return count_same<Binary16>(a, b, count);
  }
  return 0;
}

void count_same_in_rows(FloatStorage storage, const std::byte* a, const std::byte* b,
                        std::size_t count, std::size_t rows, std::size_t* same) {
  const std::size_t bytes = count * (storage == FloatStorage::kBinary32 ? 4 : 2);
  for (std::size_t row = 0; row < rows; ++row) {
    same[row] = HWY_NAMESPACE::count_same_codes(storage, a + row * bytes, b + row * bytes, count);
  }
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(load_floats);
HWY_EXPORT(store_floats);
HWY_EXPORT(round_floats);
HWY_EXPORT(square_floats);
HWY_EXPORT(add_codes);
HWY_EXPORT(count_same_codes);
HWY_EXPORT(count_same_in_rows);
}  // namespace

std::optional<FloatStorage> float_storage(const FloatFormat& format) {
  if (format == kFp32) return FloatStorage::kBinary32;
  if (format == kBf16) return FloatStorage::kBfloat16;
  if (format == kFp16) return FloatStorage::kBinary16;
  return {};
}

void load_floats(FloatStorage storage, const std::byte* bytes, std::size_t count, float* values) {
  HWY_DYNAMIC_DISPATCH(load_floats)(storage, bytes, count, values);
}

void store_floats(FloatStorage storage, const float* values, std::size_t count, std::byte* bytes) {
  HWY_DYNAMIC_DISPATCH(store_floats)(storage, values, count, bytes);
}

void round_floats(FloatStorage storage, float* values, std::size_t count) {
  if (storage == FloatStorage::kBinary32) return;
  HWY_DYNAMIC_DISPATCH(round_floats)(storage, values, count);
}

void square_floats(FloatStorage storage, const float* from, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(square_floats)(storage, from, count, to);
}

void add_codes(FloatStorage storage, bool rounds, const std::byte* a, const std::byte* b,
               std::size_t count, const AddedFloats& to) {
  HWY_DYNAMIC_DISPATCH(add_codes)(storage, rounds, a, b, count, to);
}

std::size_t count_same_codes(FloatStorage storage, const std::byte* a, const std::byte* b,
                             std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(count_same_codes)(storage, a, b, count);
}

void count_same_codes(FloatStorage storage, const std::byte* a, const std::byte* b,
                      std::size_t count, std::size_t rows, std::size_t* same) {
  HWY_DYNAMIC_DISPATCH(count_same_in_rows)(storage, a, b, count, rows, same);
}

}  // namespace normcert
#endif
