// The operations of a tail on rows of binary32 numbers, from numbers to codes in one pass.
#include <cstring>
#include <type_traits>

#include "emulation/float_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/float_tail_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

#include "emulation/float_formats_simd.inc"

// Each takes an element of the first row, one of the second, and the scalar.
struct Add {
  static HWY_INLINE FloatVector apply(FloatVector a, FloatVector b, FloatVector) {
    return hn::Add(a, b);
  }
};
struct Multiply {
  static HWY_INLINE FloatVector apply(FloatVector a, FloatVector b, FloatVector) {
    return hn::Mul(a, b);
  }
};
struct Scale {
  static HWY_INLINE FloatVector apply(FloatVector a, FloatVector, FloatVector s) {
    return hn::Mul(a, s);
  }
};
struct Divide {
  static HWY_INLINE FloatVector apply(FloatVector a, FloatVector, FloatVector s) {
    return hn::Div(a, s);
  }
};
template <typename First, typename Between, typename Second>
struct Twice {
  static HWY_INLINE FloatVector apply(FloatVector a, FloatVector b, FloatVector s) {
    return Second::apply(rounded<Between>(First::apply(a, b, s)), b, s);
  }
};

template <typename Operation, typename Output>
void for_all(const float* a, const float* b, float scalar, std::size_t count, std::byte* bytes) {
  using Bits = typename Output::Bits;
  const Floats tag;
  const std::size_t lanes = hn::Lanes(tag);
  const FloatVector s = hn::Set(tag, scalar);
  auto* codes = reinterpret_cast<Bits*>(bytes);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    store<Output>(Operation::apply(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i), s), codes + i);
  }
  if (i == count) return;
  float rest_a[kMostLanes] = {};
  float rest_b[kMostLanes] = {};
  Bits rest[kMostLanes];
  std::memcpy(rest_a, a + i, (count - i) * sizeof(float));
  std::memcpy(rest_b, b + i, (count - i) * sizeof(float));
  store<Output>(Operation::apply(hn::LoadU(tag, rest_a), hn::LoadU(tag, rest_b), s), rest);
  std::memcpy(codes + i, rest, (count - i) * sizeof(Bits));
}

using Row = void (*)(const float*, const float*, float, std::size_t, std::byte*);

template <typename Operation>
Row with_output(FloatStorage output) {
  switch (output) {
    case FloatStorage::kBinary32:
      return for_all<Operation, Binary32>;
    case FloatStorage::kBfloat16:
      return for_all<Operation, Bfloat16>;
    case FloatStorage::kBinary16:
      return for_all<Operation, Binary16>;
  }
  return nullptr;
}

template <typename First, typename Second>
Row twice(const FloatTail& tail) {
  switch (tail.between) {
    case FloatStorage::kBinary32:
      return with_output<Twice<First, Binary32, Second>>(tail.output);
    case FloatStorage::kBfloat16:
      return with_output<Twice<First, Bfloat16, Second>>(tail.output);
    case FloatStorage::kBinary16:
      return with_output<Twice<First, Binary16, Second>>(tail.output);
  }
  return nullptr;
}

Row row_of(const FloatTail& tail) {
  switch (tail.operation) {
    case TailOperation::kScale:
      return with_output<Scale>(tail.output);
    case TailOperation::kDivide:
      return with_output<Divide>(tail.output);
    case TailOperation::kScaleThenMultiply:
      return twice<Scale, Multiply>(tail);
    case TailOperation::kDivideThenMultiply:
      return twice<Divide, Multiply>(tail);
    case TailOperation::kMultiplyThenScale:
      return twice<Multiply, Scale>(tail);
    case TailOperation::kMultiplyThenDivide:
      return twice<Multiply, Divide>(tail);
  }
  return nullptr;
}

void store_tail(const FloatTail& tail, const float* a, const float* b, float s, std::size_t count,
                std::byte* bytes) {
  row_of(tail)(a, b, s, count, bytes);
}

void store_tails(const FloatTail& tail, const float* a, const float* b, TailSteps steps,
                 const float* scalars, std::size_t count, std::size_t rows, std::byte* bytes) {
  const Row store_row = row_of(tail);
  const std::size_t row_bytes = count * (tail.output == FloatStorage::kBinary32 ? 4 : 2);
  for (std::size_t row = 0; row < rows; ++row) {
    store_row(a + row * steps.a, b + row * steps.b, scalars[row], count, bytes + row * row_bytes);
  }
}

void add_floats(const float* a, const float* b, std::size_t count, float* to) {
  for_all<Add, Binary32>(a, b, 0, count, reinterpret_cast<std::byte*>(to));
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(add_floats);
HWY_EXPORT(store_tail);
HWY_EXPORT(store_tails);
}  // namespace

void add_floats(const float* a, const float* b, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(add_floats)(a, b, count, to);
}

void store_tail(const FloatTail& tail, const float* a, const float* b, float s, std::size_t count,
                std::byte* bytes) {
  HWY_DYNAMIC_DISPATCH(store_tail)(tail, a, b, s, count, bytes);
}

void store_tails(const FloatTail& tail, const float* a, const float* b, TailSteps steps,
                 const float* scalars, std::size_t count, std::size_t rows, std::byte* bytes) {
  HWY_DYNAMIC_DISPATCH(store_tails)(tail, a, b, steps, scalars, count, rows, bytes);
}

}  // namespace normcert
#endif
