#include <hwy/highway.h>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

#include <algorithm>
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

#if HWY_ARCH_X86
bool has_binary16_conversions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

// What Highway compiles each target for, and the system saves the registers of.
std::int64_t of_this_processor() {
  std::int64_t targets = 0;
  const bool sse4 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    has_binary16_conversions();
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw");
  if (sse4) targets |= HWY_SSE4;
  if (avx2) targets |= HWY_AVX2;
  if (avx3) targets |= HWY_AVX3;
  return targets;
}
#else
std::int64_t of_this_processor() { return 0; }
#endif

// Those that need no instructions beyond what the compiler may use anyway are always there.
std::int64_t supported() {
  static const std::int64_t kSupported =
      (of_this_processor() | HWY_ENABLED_BASELINE | HWY_STATIC_TARGET) & HWY_TARGETS;
  return kSupported;
}

std::int64_t forced = 0;

}  // namespace

std::vector<std::string_view> simd_targets() {
  std::vector<std::string_view> names;
  for (const Target& target : kTargets) {
    if ((target.bit & supported()) != 0) names.push_back(target.name);
  }
  return names;
}

std::string_view simd_target() {
  const std::int64_t targets = hwy::SupportedTargets();
  const auto* best =
      std::ranges::find_if(kTargets, [&](const Target& t) { return (t.bit & targets) != 0; });
  return best->name;
}

bool force_simd_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name != name || (target.bit & supported()) == 0) continue;
    hwy::SetSupportedTargetsForTest(target.bit);
    return true;
  }
  return false;
}

void release_simd_target() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace normcert

// Highway's headers ask these for the target to dispatch to. They stand here because the library
// that otherwise defines them (libhwy) measures the processor's clock whenever it is loaded, which
// takes longer than all the rest of a start.
namespace hwy {

int64_t SupportedTargets() {
  return normcert::forced != 0 ? normcert::forced : normcert::supported();
}

void SetSupportedTargetsForTest(int64_t targets) {
  normcert::forced = targets;
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
