// Which way a row of outputs points. RMSNorm scales a row by one factor and its elements by the
// gain, so y / gain and x point the same way up to rounding, whatever epsilon was: 1 - cosine is at
// most 5e-6 for right pairs in bf16, 4e-2 where x was captured before the residual was added, 0.7
// where rows are shifted. This says whether x and y belong together before anything is judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problem/case.hpp"

namespace normcert {

// The geometric mean of what right pairs and the nearest wrong ones show.
inline constexpr double kPairLimit = 4.5e-4;

// The gain that is divided out of y.
enum class GainReading : std::uint8_t { kDeclared, kWeight, kOnePlusWeight, kNone, kTwice };

// Median over (row, stretch) of 1 - cosine; none where no row can be compared (zeros, non-finite
// values). Binary64 sums: good to three digits, no verdict on a function rests on them.
using Distance = std::optional<double>;

// Rows that are compared: at most 64, evenly spread, those of `value` whose x and y are finite and
// not zero.
class DirectionRows {
 public:
  // `value` and `y` must outlive it.
  DirectionRows(const Case& value, const TensorView& y);

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // The least distance of y / gain from the inputs over all known gains, with x's mean subtracted
  // or not, over whole rows and over stretches of n/2, n/4, n/8 elements: what a kernel that has x
  // as its input can show, a defective one too.
  [[nodiscard]] Distance own_input() const;
  // The same over groups of 256, 128, 64 and 32 elements, for a kernel with a statistic for each.
  [[nodiscard]] Distance in_groups() const;
  // From the inputs of another site, of the same shape.
  [[nodiscard]] Distance other_input(const Case& other) const;
  // From x alone where the case has a residual.
  [[nodiscard]] Distance without_residual() const;

  struct Shift {
    std::ptrdiff_t rows = 0;  // y's row i belongs to x's row i + rows
    double distance = 0;
  };
  // The constant shift by which rows of y belong to other rows of x, if that is what it is.
  [[nodiscard]] std::optional<Shift> shifted() const;

  // Whether one gain for each channel, whatever it is, explains all rows: another weight, or a norm
  // over the wrong axis. None with fewer than 16 rows.
  [[nodiscard]] Distance some_gain() const;

 private:
  struct Row {
    std::size_t number = 0;
    std::vector<double> y;
  };

  [[nodiscard]] std::vector<double> input(const Case& value, std::size_t row,
                                          bool with_residual) const;
  [[nodiscard]] Distance least(const Case& inputs, bool with_residual, std::ptrdiff_t shift) const;
  // Over stretches of each length.
  [[nodiscard]] Distance least(const Case& inputs, bool with_residual, std::ptrdiff_t shift,
                               const std::vector<std::size_t>& lengths) const;
  [[nodiscard]] double gain(GainReading reading, std::size_t index) const;
  void leave_out_flushed(std::span<const double> y, std::span<const double> x,
                         std::span<double> divided) const;
  void divide_gain(GainReading reading, std::span<const double> y, std::span<double> into) const;

  const Case& value_;
  std::vector<double> weight_;  // empty: none
  std::vector<Row> rows_;
};

}  // namespace normcert
