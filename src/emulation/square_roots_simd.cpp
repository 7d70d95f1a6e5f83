#include "emulation/square_roots.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/square_roots_simd.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each target; what follows must come after the line above.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Tag>
HWY_INLINE std::size_t roots_by(Tag tag, const double* from, std::size_t i, std::size_t count,
                                double* to) {
  const std::size_t lanes = hn::Lanes(tag);
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Sqrt(hn::LoadU(tag, from + i)), tag, to + i);
  }
  return i;
}

void square_roots(const double* from, std::size_t count, double* to) {
  const std::size_t rest = roots_by(hn::ScalableTag<double>(), from, 0, count, to);
  (void)roots_by(hn::CappedTag<double, 1>(), from, rest, count, to);
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(square_roots);
}  // namespace

void square_roots(const double* from, std::size_t count, double* to) {
  HWY_DYNAMIC_DISPATCH(square_roots)(from, count, to);
}

}  // namespace normcert
#endif
