// The operations of a tail on rows of binary32 numbers.
#include "emulation/float_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/float_tail_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
// For what a row leaves when it is cut into vectors: the same operations, one element each.
using OneFloat = hn::CappedTag<float, 1>;

// Each takes an element of the first row, one of the second, and the scalar.
struct Add {
  template <typename V>
  static HWY_INLINE V apply(V a, V b, V) {
    return hn::Add(a, b);
  }
};
struct Multiply {
  template <typename V>
  static HWY_INLINE V apply(V a, V b, V) {
    return hn::Mul(a, b);
  }
};
struct Scale {
  template <typename V>
  static HWY_INLINE V apply(V a, V, V s) {
    return hn::Mul(a, s);
  }
};
struct Divide {
  template <typename V>
  static HWY_INLINE V apply(V a, V, V s) {
    return hn::Div(a, s);
  }
};
template <typename First, typename Second>
struct Twice {
  template <typename V>
  static HWY_INLINE V apply(V a, V b, V s) {
    return Second::apply(First::apply(a, b, s), b, s);
  }
};

template <typename Operation>
void for_all(const float* a, const float* b, float scalar, std::size_t count, float* to) {
  const Floats tag;
  const OneFloat one;
  const std::size_t lanes = hn::Lanes(tag);
  const auto s = hn::Set(tag, scalar);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto result = Operation::apply(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i), s);
    hn::StoreU(result, tag, to + i);
  }
  for (; i < count; ++i) {
    const auto result =
        Operation::apply(hn::LoadU(one, a + i), hn::LoadU(one, b + i), hn::Set(one, scalar));
    hn::StoreU(result, one, to + i);
  }
}

void AddFloats(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Add>(a, b, s, count, to);
}
void MultiplyFloats(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Multiply>(a, b, s, count, to);
}
void ScaleFloats(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Scale>(a, b, s, count, to);
}
void DivideFloats(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Divide>(a, b, s, count, to);
}
void ScaleThenMultiply(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Twice<Scale, Multiply>>(a, b, s, count, to);
}
void DivideThenMultiply(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Twice<Divide, Multiply>>(a, b, s, count, to);
}
void MultiplyThenScale(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Twice<Multiply, Scale>>(a, b, s, count, to);
}
void MultiplyThenDivide(const float* a, const float* b, float s, std::size_t count, float* to) {
  for_all<Twice<Multiply, Divide>>(a, b, s, count, to);
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(AddFloats);
HWY_EXPORT(MultiplyFloats);
HWY_EXPORT(ScaleFloats);
HWY_EXPORT(DivideFloats);
HWY_EXPORT(ScaleThenMultiply);
HWY_EXPORT(DivideThenMultiply);
HWY_EXPORT(MultiplyThenScale);
HWY_EXPORT(MultiplyThenDivide);
}  // namespace

void add_floats(const float* a, const float* b, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(AddFloats)(a, b, 0, count, to);
}

void multiply_floats(const float* a, const float* b, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(MultiplyFloats)(a, b, 0, count, to);
}

void scale_floats(const float* a, float s, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(ScaleFloats)(a, a, s, count, to);
}

void divide_floats(const float* a, float s, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(DivideFloats)(a, a, s, count, to);
}

void scale_then_multiply(const float* a, float s, const float* b, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(ScaleThenMultiply)(a, b, s, count, to);
}

void divide_then_multiply(const float* a, float s, const float* b, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(DivideThenMultiply)(a, b, s, count, to);
}

void multiply_then_scale(const float* a, const float* b, float s, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(MultiplyThenScale)(a, b, s, count, to);
}

void multiply_then_divide(const float* a, const float* b, float s, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(MultiplyThenDivide)(a, b, s, count, to);
}

}  // namespace normcert
#endif
