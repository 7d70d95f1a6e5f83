// What a comparison of observed codes with the exact result finds. Comparisons over disjoint rows
// merge (a commutative monoid): any division of the work, in any order, gives the same value.
//
// Definitions (numerics): y exact, a observed, T the format of a, p and emin its constants.
//   absolute error |a - y|; relative error |a - y| / |y| where |y| >= 2^emin only;
//   ulp error |a - y| / ulp_T(y) with ulp_T(y) = 2^(max(e, emin) - p + 1), e the exponent of y;
//   code distance: steps in T's order of values from RN_T(y) to a, both zeros the same place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numeric/code.hpp"
#include "numeric/double_double.hpp"
#include "numeric/wide.hpp"

namespace normcert {

// The element at which a maximum is attained, with what a reader needs to redo it.
struct Witness {
  std::size_t row = 0;
  std::size_t index = 0;
  Code x;
  std::optional<Code> residual;
  std::optional<Code> gate;
  std::optional<Code> weight;
  Code got;
  Wide exact;  // y to 256 bits
};

// The greatest error and where it stands; lowest (row, index) among equals, in whatever order they
// are merged.
struct ErrorMaximum {
  bool any = false;  // false: nothing was measured, all else is meaningless
  Wide value;
  Witness witness;

  void merge(const ErrorMaximum& other);
};

// An element that may hold a maximum: its error lies within [low, high]. (Double-doubles: errors
// next to ties differ by less than binary64 shows.)
struct Contender {
  std::size_t row = 0;
  std::size_t index = 0;
  Code got;
  DoubleDouble low;
  DoubleDouble high;
};

// The elements among which a maximum stands, before they are measured to 256 bits: all whose upper
// bound reaches the greatest lower bound. In rising order of row and index.
class MaximumSearch {
 public:
  void offer(const Contender& contender);
  void merge(const MaximumSearch& other);  // over other rows, in any order
  void rename_rows(const std::function<std::size_t(std::size_t)>& name) {
    for (Contender& contender : contenders_) contender.row = name(contender.row);
    leader_.reset();
  }
  // What some element reaches for certain; below 0: there is none yet. As one number of binary64
  // it is a Lower bound of that.
  [[nodiscard]] const DoubleDouble& precise_floor() const { return floor_; }
  [[nodiscard]] double floor() const;
  // The element offered last that raised the floor.
  [[nodiscard]] const std::optional<Contender>& leader() const { return leader_; }
  [[nodiscard]] const std::vector<Contender>& contenders() const { return contenders_; }
  void clear() {
    contenders_.clear();
    kept_ = 0;
  }

 private:
  void prune();

  DoubleDouble floor_{-1, 0};
  std::optional<Contender> leader_;
  std::size_t kept_ = 0;  // after the last pruning
  std::vector<Contender> contenders_;
};

// Code distances in classes: exactly 0 .. 8, then 9-16, 17-32, ... by powers of two.
class CodeDistanceHistogram {
 public:
  static constexpr std::size_t kExact = 9;
  static constexpr std::size_t kClasses = kExact + 61;

  void add(std::uint64_t distance, std::uint64_t count = 1) {
    add_to_class(class_of(distance), count);
  }
  // Takes back what was added.
  void remove(std::uint64_t distance, std::uint64_t count) { counts_[class_of(distance)] -= count; }
  void add_to_class(std::size_t index, std::uint64_t count) {
    counts_[index] += count;
    used_ = index < used_ ? used_ : index + 1;
  }
  void merge(const CodeDistanceHistogram& other);
  [[nodiscard]] std::uint64_t count(std::size_t index) const { return counts_[index]; }
  [[nodiscard]] static std::size_t class_of(std::uint64_t distance);
  [[nodiscard]] static std::string label(std::size_t index);  // "0", ..., "8", "9-16", ...

 private:
  std::array<std::uint64_t, kClasses> counts_{};
  std::size_t used_ = 0;  // classes from here on are empty: most have two, and many are merged
};

// An output that is not of the exact result's kind.
struct KindWitness {
  std::size_t row = 0;
  std::size_t index = 0;
  Code got;
  Code rounded;  // RN_T(y)
};

struct NonFiniteCounts {
  std::uint64_t reference = 0;  // RN_T(y) overflows
  std::uint64_t got = 0;
  std::uint64_t disagree = 0;        // not the same kind: NaN, +infinity, -infinity, finite
  std::optional<KindWitness> first;  // of those that disagree

  void merge(const NonFiniteCounts& other);
};

// How much of a row's error is one common factor. With e_i = a_i - y_i,
//   coherent    k - 1 = sum e_i y_i / sum y_i^2   (a = k y in the least-squares sense)
//   incoherent  sqrt(sum (e_i - (k - 1) y_i)^2 / sum y_i^2)
// A wrong epsilon or divisor shows as a coherent error far above the floor u_T / sqrt(3 n) that
// rounding alone leaves; undefined where all y of the row are 0 or an output is not finite.
struct RowShare {
  bool any = false;
  double value = 0;  // the greatest magnitude over the rows; first row among equals
  std::size_t row = 0;

  void offer(double magnitude, std::size_t at);
  void merge(const RowShare& other);
};

struct Comparison {
  std::uint64_t expected = 0;
  std::uint64_t compared = 0;        // elements for which output and exact result exist
  std::uint64_t rows_set_apart = 0;  // rows with a non-finite input: no exact result exists
  NonFiniteCounts non_finite;
  ErrorMaximum absolute;
  ErrorMaximum relative;
  ErrorMaximum ulp;
  // What judge/maxima.hpp has still to measure; empty once it has.
  MaximumSearch absolute_search;
  MaximumSearch relative_search;
  MaximumSearch ulp_search;
  std::uint64_t below_normal = 0;  // |y| < 2^emin: no relative error is taken
  std::uint64_t correctly_rounded = 0;
  std::uint64_t faithful = 0;
  std::uint64_t zero_sign_differs = 0;  // a and RN_T(y) are zeros of different sign
  CodeDistanceHistogram code_distance;
  // Elements with the bits of reference.rounded: of the correctly rounded result, of NaN in rows
  // that are set apart. The first row of which some element has others.
  std::uint64_t rounded_bits = 0;
  std::optional<std::size_t> first_row_not_rounded;
  // Against the tolerance, where one is asked for.
  std::uint64_t outside_tolerance = 0;
  std::uint64_t unattainable = 0;  // RN_T(y) itself breaks the tolerance and a = RN_T(y): forgiven
  std::optional<Witness> first_outside;
  std::uint64_t beyond_max_ulp = 0;
  RowShare coherent;
  RowShare incoherent;
  // The certificate: how the elements were decided, and the largest bound that was relied on.
  std::uint64_t decided_by_bound = 0;
  std::uint64_t decided_exactly = 0;
  double largest_bound = 0;

  void merge(const Comparison& other);
  // Witnesses of a block count its own rows; this gives them the numbers that the rows have in
  // their file. `name` must keep their order.
  void rename_rows(const std::function<std::size_t(std::size_t)>& name);
};

// Limits asked for.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

struct Criteria {
  std::optional<Tolerance> tolerance;
  std::optional<double> max_ulp;

  [[nodiscard]] bool any() const { return tolerance || max_ulp; }
};

}  // namespace normcert
