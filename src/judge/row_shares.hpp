// The greatest coherent and incoherent share (judge/comparison.hpp) from the screens' sums:
// binary32 sums tell which rows cannot lead, binary64 sums give the figures.
#pragma once

#include <cstddef>

#include "judge/comparison.hpp"
#include "judge/screen.hpp"

namespace normcert {

class RowShares {
 public:
  void start() {
    narrow_ = {};
    wide_ = {};
  }
  [[nodiscard]] ScreenSums<float>& narrow() { return narrow_; }
  [[nodiscard]] ScreenSums<double>& wide() { return wide_; }

  // Whether the row could have a greater share than these: by the binary32 sums, which are off by
  // no more than the bound m of the screen and the roundings of a row of that width.
  [[nodiscard]] bool could_lead(double bound, std::size_t width, double least_coherent,
                                double least_incoherent) const;

  // Offers the shares from the binary64 sums. False, and nothing offered, where their difference
  // cancels so far that it needs a second pass over the elements.
  [[nodiscard]] bool offer(std::size_t row, Comparison& into) const;

 private:
  ScreenSums<float> narrow_;
  ScreenSums<double> wide_;
};

}  // namespace normcert
