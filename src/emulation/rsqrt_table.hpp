// What devices make of rsqrt.approx.f32, measured: for every significand and parity of the
// exponent, how far the result lies from the correctly rounded one. Scaling an argument by a power
// of 4 scales the result by a power of 2, so 2^24 entries describe all arguments; subnormal ones
// are taken as a device without flushing takes them, scaled into the normal range.
//
// The tables are compiled in (cases/rsqrt/*.rsqrt), compressed, and unpacked on first use: about
// 100 ms and 4 MB. A run that needs none pays nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "problem/embedded_file.hpp"
#include "problem/recipe.hpp"

namespace normcert {

inline constexpr std::size_t kRsqrtTableSize = std::size_t{1} << 24;

// *Exact*, as measured: -2 to 1 codes, added to the code of the correctly rounded 1/sqrt of the
// positive finite binary32 number with these bits.
[[nodiscard]] int rsqrt_deviation(RsqrtTable table, std::uint32_t bits);

// Has the cache fetch the entry: the table is larger than most caches, and who needs many entries
// need not wait for them one by one. Of any number.
void fetch_rsqrt_deviation(RsqrtTable table, std::uint32_t bits);

// All entries of a table, -2 to 1 each: the first 2^23 for significands of numbers in [1, 2), the
// others for those in [2, 4).
[[nodiscard]] std::vector<std::int8_t> rsqrt_deviations(RsqrtTable table);

// One entry per cases/rsqrt/*.rsqrt, by file name.
[[nodiscard]] std::span<const EmbeddedFile> embedded_rsqrt_tables();

}  // namespace normcert
