#include "numeric/f16c.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#else
#include <stdexcept>
#endif

namespace normcert {

#if defined(__x86_64__)

bool has_f16c() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  // The builtin for AVX also asks whether the operating system saves the wide registers.
  return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
         (c & bit_F16C) != 0;
}

[[gnu::target("avx,f16c")]] void f16c_from_binary32(std::span<const float> values,
                                                    std::span<std::uint16_t> codes) {
  for (std::size_t i = 0; i < values.size(); i += 8) {
    const __m128i converted =
        _mm256_cvtps_ph(_mm256_loadu_ps(&values[i]), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&codes[i]), converted);
  }
}

[[gnu::target("avx,f16c")]] float f16c_to_binary32(std::uint16_t code) { return _cvtsh_ss(code); }

#else

bool has_f16c() { return false; }
void f16c_from_binary32(std::span<const float> /*values*/, std::span<std::uint16_t> /*codes*/) {
  throw std::logic_error("no F16C");
}
float f16c_to_binary32(std::uint16_t /*code*/) { throw std::logic_error("no F16C"); }

#endif

}  // namespace normcert
