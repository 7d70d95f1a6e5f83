// The part of a row's error that is one common factor, and the rest (judge/comparison.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "judge/comparison.hpp"
#include "numeric/code.hpp"
#include "numeric/double_double.hpp"
#include "reference/exact_row.hpp"

namespace normcert {

// Sums in binary64 over values scaled by a power of two, so that nothing over- or underflows.
// Each e_i carries a relative error of at most 2^-27 (outputs of up to 24 digits: y to 2^-53, and
// |e| is seldom below 2^-26 |y|; binary64 outputs: e from 256 bits), the sums one of n 2^-53, so
// that four significant digits hold; no verdict rests on them.
class RowFactor {
 public:
  void add(Code got, const RootOfRatio& exact);
  // The same for y and e as binary64 numbers of magnitude 0 or within 2^-500 .. 2^500.
  void add(double exact, double error) { elements_.push_back({exact, error, 0}); }
  // The same for an exact y known to within 2^-90 in double-double arithmetic.
  void add(Code got, const ScaledDoubleDouble& exact);
  // Offers the row's shares to `into`.
  void finish(std::size_t row, Comparison& into) const;

 private:
  struct Element {
    double exact;  // y = exact x 2^exponent
    double error;  // e = error x 2^exponent
    std::int64_t exponent;
  };

  std::vector<Element> elements_;
  bool defined_ = true;
};

// Beside a common factor 2^18 times as great, binary64 leaves no four digits of the rest.
inline constexpr double kLeastRest = 0x1p-36;  // of the factor's square
// Where the terms of the factor cancel so far beside the rest, roundings are all that is left.
inline constexpr double kLeastFactor = 0x1p-72;  // of the rest's square

// Offers |factor| and the root of the rest's square; a rest too small to be known counts as 0.
void offer_shares(double factor, double rest_square, std::size_t row, Comparison& into);

}  // namespace normcert
