// The first tier of the comparison: many outputs at a time against a rounded evaluation of the
// exact results, in binary32 or binary64, with a proven relative bound m on that evaluation.
//
// For an element with z, gain g and the row's r the screen forms y^ = fl(fl(z g) r), |y^ - y| <=
// m|y|. The trick: read as integers, the codes of a binary format are a continuous, piecewise
// linear scale of its values. Put on the scale of the screen's own format (shifted left by the
// difference of the fraction lengths, y^ scaled so that both formats have the same least normal
// number), T's codes are the multiples of U = 2^shift and every midpoint of two neighbours is an
// odd multiple of U/2, over binades and subnormals alike. So with D = |code(a) - code(y^)|, and M =
// the distance that m can move y^ on that scale,
//     D <  U/2 - M                 a is the correctly rounded result,
//     U/2 + M <= D <= U - M        a is the other of the two values that enclose y,
//     D / U, rounded               is the code distance,
// and all is decided, exactly, unless D lies within M of a multiple of U/2 other than 0. Those
// elements are *listed* for the next tier: some 10^-4 of bf16 outputs. Listed too, and then not
// counted here, are elements that could hold a maximum (their error plus doubt reaches the floor),
// signs that differ, values that are not finite or would round to infinity, and magnitudes that the
// screen cannot hold.
//
// tests/proofs proves m; tests/judge holds every count against the exact comparison.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "judge/comparison.hpp"

namespace normcert {

// Counts given to a screen are multiples of this; sums are kept in as many virtual lanes.
inline constexpr std::size_t kScreenLanes = 16;
// At most so many elements at a time.
inline constexpr std::size_t kScreenChunk = 2048;

// How z is stored: as it is, or widened to the screen's format.
enum class ScreenInput : std::uint8_t { kBfloat16, kBinary16, kBinary32, kBinary64 };
enum class ScreenOutput : std::uint8_t { kBfloat16, kBinary16, kBinary32 };

// The integers of the screen's format.
template <typename Real>
struct ScreenIntegers;
template <>
struct ScreenIntegers<float> {
  using Type = std::int32_t;
};
template <>
struct ScreenIntegers<double> {
  using Type = std::int64_t;
};

template <typename Real>
struct ScreenLimits {
  using Integer = typename ScreenIntegers<Real>::Type;
  Real r = 0;
  Real bound = 0;  // m
  // Of |y^| in the row; the binary32 screen relies on it, and on gains and widths of its rows that
  // keep it below 2^100.
  Real greatest = std::numeric_limits<Real>::infinity();
  Integer margin = 0;  // M
  // An element is listed where its error, m added, exceeds one of these; negative: every element.
  Real absolute_floor = -1;
  Real relative_factor = -1;  // of |y^|
  Integer ulp_floor = 0;      // see screen_limits.hpp; the least integer: every element
  // But not where z, gain and output are these, which have been measured in an equal row.
  bool has_known = false;
  Real known_z = 0;
  Real known_gain = 0;
  std::uint32_t known_code = 0;
  // The pass rule.
  bool has_tolerance = false;
  Real atol = 0;
  Real rtol = 0;
  Real tolerance_doubt = 0;  // of |y^|
  bool has_max_ulp = false;
  Integer ulp_within = 0;
  Integer ulp_beyond = 0;
  bool zero_error_is_within = false;  // a computed error of 0 is within max_ulp
};

inline constexpr std::size_t kNoElement = ~std::size_t{0};

// Of the elements that are not listed.
struct ScreenCounts {
  std::uint64_t correctly_rounded = 0;
  std::uint64_t faithful = 0;
  std::uint64_t below_normal = 0;
  std::uint64_t outside = 0;       // of the tolerance, and not correctly rounded
  std::uint64_t unattainable = 0;  // outside although correctly rounded
  std::uint64_t beyond_max_ulp = 0;
  std::size_t first_outside = kNoElement;
  CodeDistanceHistogram code_distance;

  // Everything but first_outside, whose positions may differ in meaning.
  void add(const ScreenCounts& other);
};

// Sums over all elements, listed or not, in virtual lanes: (a - y^) y^, y^2, (a - y^)^2. In
// binary64 they are the same on every machine.
template <typename Real>
struct ScreenSums {
  std::array<Real, kScreenLanes> product{};
  std::array<Real, kScreenLanes> square{};
  std::array<Real, kScreenLanes> rest{};
};

template <typename Real>
struct ScreenTask {
  ScreenInput input = ScreenInput::kBinary32;
  ScreenOutput output = ScreenOutput::kBinary32;
  const void* z = nullptr;  // at any address
  const Real* gains = nullptr;
  const void* codes = nullptr;  // of the outputs, at any address
  std::size_t count = 0;        // a multiple of kScreenLanes, at most kScreenChunk
};

// Returns how many elements were listed; their positions stand in `listed` in rising order.
// Binary32: outputs bf16 and fp16 alone, z stored as the output is or as binary32.
[[nodiscard]] std::size_t screen(const ScreenTask<float>& task, const ScreenLimits<float>& limits,
                                 ScreenCounts& counts, ScreenSums<float>& sums,
                                 std::uint16_t* listed);
// Binary64: z stored as binary32 or binary64.
[[nodiscard]] std::size_t screen(const ScreenTask<double>& task, const ScreenLimits<double>& limits,
                                 ScreenCounts& counts, ScreenSums<double>& sums,
                                 std::uint16_t* listed);

}  // namespace normcert
