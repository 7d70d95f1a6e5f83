// What a row that repeats the one before it adds to a comparison: the same counts, no maximum, no
// share and no witness that the other one has not brought.
#pragma once

#include "judge/comparison.hpp"

namespace normcert {

class Repetition {
 public:
  // Before a row is compared, and after it. Only what a repeated row counts is remembered: a row
  // before it may stand in another block.
  void start(bool repeats, const Comparison& before);
  void finish(const Comparison& after);

  [[nodiscard]] bool is_known() const { return state_ == State::kKnown; }
  // Counts such a row; requires is_known(). Elements expected and compared, and bits of the rounded
  // reference, are left to others.
  void count_again(Comparison& into) const;

 private:
  enum class State : std::uint8_t { kNothing, kCounting, kKnown };

  State state_ = State::kNothing;
  Comparison counts_;  // while counting: those before, negated
};

}  // namespace normcert
