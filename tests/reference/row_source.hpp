// Random rows for the tests of `reference`: not only everyday ones, but rows whose results are
// exact, ties, at the ends of some output format, or next to a rounding midpoint.
#pragma once

#include <cstdint>
#include <string_view>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"
#include "reference/built_case.hpp"

namespace normcert {

// Random choices in order; the same on every machine.
class Dice {
 public:
  Dice(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}

  std::uint64_t bits() { return stream_.bits(next_++); }
  // 0 .. count - 1 (the bias is below count 2^-64).
  std::uint64_t below(std::uint64_t count) { return bits() % count; }
  int between(int low, int high) {  // both included
    return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  double uniform() { return stream_.uniform(next_++); }
  double normal() { return stream_.normal(next_++); }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

// A row one of whose results lies next to `target`, a midpoint between two neighbours of the output
// format or such a neighbour itself: epsilon was chosen so.
struct AimedRow {
  RowNumbers numbers;
  std::size_t index = 0;  // the element aimed at
  BigDyadic target;       // positive; compare with the magnitude of the result
};

class RowSource {
 public:
  RowSource(std::uint64_t seed, std::string_view name) : dice_(seed, name) {}

  // One of the kinds below for x in `format`, most often an ordinary one.
  RowNumbers any(const FloatFormat& format);

  // Normal deviates times a power of two, weights around 1 in any format.
  RowNumbers ordinary(const FloatFormat& format);
  // x and weights from the whole range of their formats.
  RowNumbers any_magnitude(const FloatFormat& format);
  // Gains that put the results at the ends of the range of some output format.
  RowNumbers at_the_ends(const FloatFormat& format);
  // The root mean square with epsilon is exactly rational (mostly a power of two): results are
  // numbers of some format, or ties between two of its numbers.
  RowNumbers exact_root(const FloatFormat& format);
  // x + residual with cancellation, or with more digits than a binary64 number has.
  RowNumbers with_residual(const FloatFormat& format);
  // Epsilon chosen so that a result lies next to a midpoint (or number) of `output`.
  AimedRow next_to_midpoint(const FloatFormat& format, const FloatFormat& output);

  Dice& dice() { return dice_; }

 private:
  std::size_t width();
  const FloatFormat& tensor_format();
  double any_number(const FloatFormat& format);
  void add_weights(RowNumbers& numbers);
  double epsilon();

  Dice dice_;
};

}  // namespace normcert
