// The fast comparison of one file in every way, against the exact one.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "judge/wild_file.hpp"

namespace normcert {

struct WildCounts {
  std::uint64_t files = 0;
  std::uint64_t elements = 0;
  std::uint64_t by_bound = 0;
};

// What differs first; empty where all ways give what the exact comparison gives, the certificate's
// counts are complete, and they are the same on every target and for every way of cutting. The
// ways: each vector target (numeric/simd_target.hpp), as a whole and cut into blocks at places that
// `cut` chooses.
[[nodiscard]] std::string wild_difference(const WildFile& file, std::uint64_t cut,
                                          WildCounts& counts);

// All files 0 .. count - 1 of a format. Returns the first difference, with the number of its file.
[[nodiscard]] std::string first_wild_difference(std::uint64_t seed, const FloatFormat& output,
                                                std::uint64_t count, WildCounts& counts);

// The formats of outputs that are tried.
inline constexpr std::array<const FloatFormat*, 6> kWildOutputs = {&kFp64, &kFp32,      &kBf16,
                                                                   &kFp16, &kFp8E4m3fn, &kFp8E5m2};

// That there is no difference, and that the fast path has answered for most elements.
void expect_wild_agreement(std::uint64_t seed, const FloatFormat& output, std::uint64_t files);

}  // namespace normcert
