#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "numeric/simd_target.hpp"

namespace normcert {
namespace {

struct Target {
  std::string_view name;
  std::int64_t bit;
};

constexpr Target kTargets[] = {
#if HWY_ARCH_X86
    {"avx3", HWY_AVX3},
    {"avx2", HWY_AVX2},
    {"sse4", HWY_SSE4},
#elif HWY_ARCH_ARM
    {"neon", HWY_NEON},
#endif
    {"emu128", HWY_EMU128},
};

}  // namespace

std::vector<std::string_view> simd_targets() {
  const std::int64_t forced = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(0);
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  std::vector<std::string_view> names;
  for (const Target& target : kTargets) {
    if ((target.bit & supported & HWY_TARGETS) != 0) names.push_back(target.name);
  }
  if (forced != hwy::SupportedTargets()) hwy::SetSupportedTargetsForTest(forced);
  return names;
}

std::string_view simd_target() {
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  for (const Target& target : kTargets) {
    if ((target.bit & supported & HWY_TARGETS) != 0) return target.name;
  }
  return kTargets[std::size(kTargets) - 1].name;
}

bool force_simd_target(std::string_view name) {
  const std::vector<std::string_view> names = simd_targets();
  if (std::ranges::find(names, name) == names.end()) return false;
  for (const Target& target : kTargets) {
    if (target.name == name) hwy::SetSupportedTargetsForTest(target.bit);
  }
  return true;
}

void release_simd_target() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace normcert
