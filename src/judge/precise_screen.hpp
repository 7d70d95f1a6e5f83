// The screens of judge/screen.hpp once more, in double-double arithmetic: for elements that lie so
// near to a boundary, or so near to the greatest error, that binary64 does not tell. No element by
// itself, so that rows full of ties cost little more than others.
//
// y^ = (z g) r^ for z and g numbers of binary64 and r^ = r_high + r_low of
// reference/precise_row.hpp: z g is an exact double-double, the product one multiply() of
// numeric/double_double.hpp, so |y^ - y| <= B |y| with B = PreciseRow::bound(), near 2^-98. y^ =
// high + low, |low| <= u |high|.
//
// A boundary c (a code of T or the midpoint of two) is a number of binary64, and high is the number
// of binary64 nearest to y^. Where high != c, y^ is therefore at least half as far from c as high,
// 2^-54 |c| and more, so y, high and y^ lie on one side of c. Where high == c the sign of low says
// the side, if |low| > B |y^|. With Y = 2 code(high) + sign(low) on the scale of judge/screen.hpp,
// taken twice, every side is that of Y: all boundaries are even there, Y is odd. Only elements with
// |low| <= B |y^| whose high is a boundary stay undecided: true ties, nearly.
//
// B = 0 says that y^ = y. Then low == 0 is a true tie or a number of T, and decided as such.
//
// Errors. s = RN(a - high) is exact where it is about |high| / 4 at most (Sterbenz: a and high are
// then within a factor of two), and off by u |s| elsewhere. h + l = s - low is exact (FastTwoSum: s
// is 0 or, a and high being different numbers of binary64, at least half a unit of high, and low is
// at most that). So e^ = h + l is off by B |y|, and 2^-51 |e^| where a is far. Against a floor F =
// F_high + F_low the difference d = RN(RN(h - F_high) + RN(l - F_low)) is computed; where h and
// F_high are within a factor of two its first part is exact and the others err by at most 2^-103 of
// e^, elsewhere d has the sign of h - F_high. An element is a contender unless d < -(B |y| + c
// |e^|) with c = 2^-100, or 2^-51 where a is far, which no error that reaches F can be. Errors in
// ulps are the same times a power of two. A relative error e / |y| is held against R as e against R
// |y|, whose product errs by B R |y| and 2^-104 R |y| more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "judge/screen.hpp"
#include "numeric/double_double.hpp"

namespace normcert {

// An element that was offered with its error. Equal operands have equal errors, and so have
// operands and outputs that are both 2^k times as great, relative to y: none of them exceeds it.
struct KnownError {
  bool is_known = false;
  DoubleDouble product;         // |z g|
  std::int64_t code = 0;        // of the output, on the scale
  std::int64_t difference = 0;  // code - code(high)
  bool scales = false;          // the output is a normal number and z g fits 53 bits
};

struct PreciseLimits {
  // The pass rule for bound B and the floors in binary64; r there forms the sums alone.
  ScreenLimits<double> screen;
  DoubleDouble r;
  double bound = 0;  // B
  // What some element reaches for certain; negative: nothing yet. In units of 2^exponent(y), not in
  // ulps.
  DoubleDouble absolute{-1, 0};
  DoubleDouble relative{-1, 0};
  DoubleDouble ulp{-1, 0};
  // Of rows with this r; what has no such element is not known.
  KnownError known_absolute;
  KnownError known_relative;
  KnownError known_ulp;
};

struct PreciseTask {
  ScreenOutput output = ScreenOutput::kBinary32;
  const double* z = nullptr;
  const double* gains = nullptr;
  const void* codes = nullptr;
  std::size_t count = 0;  // a multiple of kScreenLanes, at most kScreenChunk
};

// What a screen leaves, positions in rising order.
struct PreciseFound {
  std::size_t undecided = 0;   // not counted
  std::size_t contenders = 0;  // counted; errors that may be a maximum
  std::uint64_t ties = 0;      // decided because B = 0
};

// The sums are those of screen() in binary64, bit for bit.
[[nodiscard]] PreciseFound screen_precisely(const PreciseTask& task, const PreciseLimits& limits,
                                            ScreenCounts& counts, ScreenSums<double>& sums,
                                            std::uint16_t* undecided, std::uint16_t* contenders);

// The place of a number on the scale of the outputs, that of `high` above: equal to the vectors'.
[[nodiscard]] std::int64_t precise_code(double magnitude, ScreenOutput output);
// The same for an output of that format.
[[nodiscard]] std::int64_t precise_code_of_output(std::uint64_t magnitude, ScreenOutput output);
// The code of the least normal number.
inline constexpr std::int64_t kPreciseNormalCode = std::int64_t{1} << 52;

}  // namespace normcert
