// One row against tails: the interval of scalars with which a tail gives every element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/float_grid.hpp"
#include "inference/tail_list.hpp"
#include "problem/row_reader.hpp"

namespace normcert {

// What of a row does not depend on a tail. Sums are binary64 sums of at most `sum_error` relative
// error (RowScanner::sum_error()).
struct RowFacts {
  std::size_t row = 0;
  std::array<double, kNumerators> square_sum{};  // of each numerator
  double narrow_square_sum = 0;                  // squares of kInput rounded to x's format
  double max_magnitude = 0;                      // of kInput
  double sequential_sum = 0;  // of kInput's squares, in binary32 from first to last
  double center_error = 0;    // absolute, of kCentered's elements
  bool usable = false;        // finite, not zero, in range, some output is a number
};

struct ScalarInterval {
  double low = 0;  // *outward*: every scalar that gives the row lies within
  double high = std::numeric_limits<double>::infinity();
  std::uint32_t strays = 0;  // elements outside it, set apart

  [[nodiscard]] bool empty() const { return !(low <= high); }
};

// Where a gain is so small, or its product with z, what a kernel multiplies first may underflow.
inline constexpr double kLeastGain = 0x1p-60;
inline constexpr double kLeastProduct = 0x1p-126;

class RowScanner {
 public:
  // Both must outlive it.
  RowScanner(const ObservedNorm& norm, const TailList& list);

  // Loads a row; everything below is about the row that was loaded last. Counts what it meets.
  const RowFacts& load(std::size_t row, RowCounts& counts);

  // Strict: empty at the first contradiction.
  [[nodiscard]] ScalarInterval scan(const Tail& tail);
  // With up to `most` elements set apart, those that the fewest others agree with; empty where that
  // is not enough. Their indices are appended to `strays` unless it is nullptr.
  [[nodiscard]] ScalarInterval scan_with_strays(const Tail& tail, std::size_t most,
                                                std::vector<std::size_t>* strays);
  // Of all elements but those, whose indices need no order.
  [[nodiscard]] ScalarInterval scan_without(const Tail& tail,
                                            const std::vector<std::size_t>& set_apart);
  // Of one element; unbounded where it says nothing.
  [[nodiscard]] ScalarInterval element(const Tail& tail, std::size_t index);
  // The index of the element, but those set apart, that asks for the greatest (least) scalar; the
  // first that no scalar gives, where there is one.
  [[nodiscard]] std::size_t binding_index(const Tail& tail, bool asks_greatest,
                                          const std::vector<std::size_t>& set_apart);
  // `low_end`: tie and other are those at the lower end of what the element asks.
  [[nodiscard]] ElementWitness witness(const Tail& tail, std::size_t index, bool low_end);

  [[nodiscard]] double sum_error() const { return sum_error_; }
  [[nodiscard]] const std::vector<double>& numerator(Numerator which) const {
    return numerators_[static_cast<std::size_t>(which)];
  }

 private:
  // Of the outputs' magnitudes. NaN, both: the element must be looked at.
  struct Preimages {
    bool loaded = false;
    std::vector<double> low;
    std::vector<double> high;
  };

  // The next element from `index` on that may narrow `all`, or their number; those before it do not
  // (row_screen.cpp).
  [[nodiscard]] std::size_t next_that_may_narrow(const Tail& tail, std::size_t index,
                                                 const ScalarInterval& all);
  [[nodiscard]] std::size_t next_product(const Tail& tail, std::size_t index,
                                         const ScalarInterval& all, const Preimages& wanted) const;
  [[nodiscard]] std::size_t next_middle(const Tail& tail, std::size_t index,
                                        const ScalarInterval& all, const Preimages& wanted) const;
  const Preimages& preimages(bool truncates);
  [[nodiscard]] const FloatGrid& grid_of(const FloatFormat& format) const;
  void load_numerators(std::size_t row);
  void load_outputs(std::size_t row, RowCounts& counts);
  void center();
  [[nodiscard]] double narrow_squares() const;
  [[nodiscard]] double sequential_squares() const;
  ScalarInterval product_element(const Tail& tail, std::size_t index) const;
  ScalarInterval middle_element(const Tail& tail, std::size_t index) const;
  // The numbers of the middle format whose product rounds to the output; first > last: none.
  struct MiddleNumbers {
    double first = 0;
    double last = 0;
  };
  [[nodiscard]] MiddleNumbers middle_numbers(const Tail& tail, double magnitude,
                                             double factor) const;

  const ObservedNorm& norm_;
  const TailList& list_;
  RowReader x_rows_;
  std::optional<RowReader> residual_rows_;
  RowReader y_rows_;
  const FloatGrid x_grid_;
  const FloatGrid y_grid_;
  const FloatGrid weight_grid_;
  const FloatGrid binary32_{kFp32};
  bool narrow_input_;
  double sum_error_;
  RowFacts facts_;
  std::array<std::vector<double>, kNumerators> numerators_;
  double center_error_ = 0;  // of kCentered's elements, absolute
  std::vector<double> x_;
  std::vector<double> residual_;
  std::vector<double> weight_;
  std::vector<double> got_;
  std::vector<bool> silent_;            // says nothing: NaN, or a subnormal number on the way
  std::array<Preimages, 2> preimages_;  // rounded to nearest, truncated
};

}  // namespace normcert
