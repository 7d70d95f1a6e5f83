// Which vector instructions the *_simd.cpp files use. They are compiled once for each target and
// dispatched at run time; every target gives the same bytes. The best one that the processor has is
// taken unless another is forced: the environment variable NORMCERT_SIMD, for tests and for audits.
#pragma once

#include <string_view>
#include <vector>

namespace normcert {

// Names of the targets that were compiled in and that this processor has, best first:
// "avx3" (AVX-512), "avx2", "sse4", "emu128" (plain C++, on every processor).
[[nodiscard]] std::vector<std::string_view> simd_targets();

// The target in use.
[[nodiscard]] std::string_view simd_target();

// Uses this target from now on; false (and no change) where simd_targets() does not have it. Not to
// be called while other threads compute.
[[nodiscard]] bool force_simd_target(std::string_view name);

// Back to the best one.
void release_simd_target();

}  // namespace normcert
