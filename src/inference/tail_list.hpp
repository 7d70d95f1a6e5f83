// The last steps of a kernel as hypotheses: from the row's scalar to its outputs.
//
// A tail is a monotone function of the scalar with one or two products. Where in a chain of
// binary32 operations it associates is left open: every rounding but the last of them may go either
// way by one unit roundoff, so that one tail stands for all associations ((x*r)*w, x*(r*w),
// (x*w)/rms ...) that round at the same place to a narrow format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inference/elimination.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

// What a row's numbers are before the scalar multiplies them.
enum class Numerator : std::uint8_t {
  kInput,      // x, or x + residual rounded to x's format
  kUnrounded,  // x + residual in binary32
  kWithout,    // x although there is a residual
  kCentered,   // x less its mean
};
inline constexpr std::size_t kNumerators = 4;

enum class TailShape : std::uint8_t {
  kProduct,        // (z gain) scalar, rounded to a narrow format only at the end
  kThroughMiddle,  // z scalar, rounded to the middle format, then times the gain
  kGainFirst,      // gain scalar, rounded to the middle format, then times z
};

// What multiplies, and how it came about from weight and offset.
struct GainForm {
  std::string offset;  // as in Hypothesis
  std::string use;     // as in Hypothesis
  std::string format;  // "" or in which format offset + weight is formed: "fp32", "bf16", "exact"
  std::vector<double> values;
  double roundings = 0;  // of binary32, by which the values may be off
};

struct Tail {
  std::string rounding;  // as in Hypothesis
  std::size_t gain = 0;  // in TailList::gains
  Numerator numerator = Numerator::kInput;
  TailShape shape = TailShape::kProduct;
  const FloatFormat* middle = nullptr;         // what the first product is rounded to
  const FloatFormat* product = nullptr;        // what the second one is, before the output's format
  const FloatFormat* first_product = nullptr;  // kProduct: z gain is rounded to this; none: open
  double roundings = 0;          // binary32 roundings that are left open, in unit roundoffs
  bool through_binary32 = true;  // the narrow rounding takes a number that binary32 rounded
  bool truncates = false;        // the last conversion drops digits
  bool every_op = false;         // scalar and products are numbers of the input's format
};

struct TailList {
  std::vector<GainForm> gains;
  std::vector<Tail> tails;
};

// All tails for one norm. Which of them can differ depends on the formats alone, so that sites of
// one group have the same list.
[[nodiscard]] TailList tail_list(const ObservedNorm& norm);

[[nodiscard]] Hypothesis hypothesis_of(const TailList& list, const Tail& tail, bool has_residual);

}  // namespace normcert
