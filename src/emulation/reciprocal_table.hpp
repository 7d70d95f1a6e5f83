// What devices make of rcp.approx.f32 of a width, measured: how far it lies from the correctly
// rounded 1/n for every n up to 2^20. Compilers for such devices divide a sum by n with it where
// they may contract (contract: mean+epsilon). Doubling n halves the result, so odd n suffice.
//
// The tables are compiled in (cases/rsqrt/*.rcp, beside the device's rsqrt), compressed, and
// unpacked on first use.
#pragma once

#include <cstdint>
#include <span>

#include "problem/embedded_file.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// Widths up to here were measured.
inline constexpr std::uint64_t kReciprocalsMeasured = std::uint64_t{1} << 20;

// *Exact*, as measured, up to kReciprocalsMeasured; beyond it *correctly rounded*: rcp.approx(n) of
// the device that the table is of, n >= 1, a number of binary32.
[[nodiscard]] float device_reciprocal(RsqrtTable device, std::uint64_t n);

// One entry per cases/rsqrt/*.rcp, by file name.
[[nodiscard]] std::span<const EmbeddedFile> embedded_reciprocal_tables();

}  // namespace normcert
