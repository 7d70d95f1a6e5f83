// One norm on which mutants are tried: its rows, what the base recipe gives on them, and whether
// outputs in their place would have been accepted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/elimination.hpp"
#include "judge/diagnose.hpp"
#include "judge/mutants.hpp"
#include "judge/verify_types.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// How a run judges, for outputs that take the port's place.
struct TrialGate {
  const VerifyRequest* request = nullptr;
  // Level function is decided by elimination, which this case's formats allow.
  bool eliminates = false;
};

// Rows of a case, by their numbers in the file, as a case of their own in the formats in which it
// is judged (`formats` of a float32 dump), with what was observed.
[[nodiscard]] JudgedCase rows_to_judge(const JudgedCase& judged, std::vector<std::size_t> rows,
                                       const FormatsOfDump& formats);

class MutantTrial {
 public:
  // All rows of `rows`, whose observed outputs are of no account; the base recipe writes the format
  // of the outputs that are judged.
  MutantTrial(const TrialGate& gate, JudgedCase rows, const Recipe& base);

  struct Outcome {
    bool differs = false;  // from the base's outputs, in some bit
    std::string by;        // what would have rejected it; empty: it would have been accepted
    bool is_open = false;  // not rejected for certain: nothing would have been decided
  };
  [[nodiscard]] Outcome run(const Mutant& mutant) const;

  // For elimination of several norms together: outputs as if observed, and what it says of them.
  [[nodiscard]] TensorView outputs_of(const Mutant& mutant) const;
  [[nodiscard]] ObservedNorm observed(TensorView y) const;
  [[nodiscard]] static Outcome eliminated(std::span<const ObservedNorm> norms, unsigned threads);

  // Whether the run's limits, or its level rounding or bits, reject the base with that epsilon.
  // Elimination is not asked.
  [[nodiscard]] bool rejects(double epsilon) const;

  // Where all outputs are the same for epsilon 0 and for the declared one: a greatest epsilon, to
  // three digits, up to which they are. Zero rows are left out; without any other, infinity. Each
  // output is a monotone function
  // of epsilon, so that those in between are the same too.
  [[nodiscard]] std::optional<double> immaterial_below() const;

  // Some row is not zero, and epsilon is not either.
  [[nodiscard]] bool shows_epsilon() const;
  [[nodiscard]] std::size_t rows() const { return judged_.value.x.rows; }
  [[nodiscard]] std::size_t elements() const { return judged_.value.x.size(); }

 private:
  [[nodiscard]] TensorView outputs(const Recipe& recipe, double epsilon,
                                   std::optional<double> offset) const;
  void judge(const TensorView& y, Level level, Outcome& outcome) const;
  [[nodiscard]] bool base_is_open(Level level) const;
  // That elimination can judge.
  [[nodiscard]] bool base_has_rows() const;
  [[nodiscard]] bool same_but_for_zero_rows(const TensorView& y) const;

  TrialGate gate_;
  JudgedCase judged_;  // the rows alone, with nothing observed
  Recipe base_;
  TensorView base_y_;
  mutable std::optional<bool> base_is_open_;
};

}  // namespace normcert
