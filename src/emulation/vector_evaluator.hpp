// The fastest evaluator: rows as binary32 numbers in vectors (emulation/float_rows.hpp,
// emulation/float_sums.hpp), for recipes that compute in binary32 or, rounding every operation, in
// a narrower format. The gain and what happens between the sum and the scalar are
// HardwareMachine's.
//
// Why binary32 may stand in for bfloat16 (p = 8) and binary16 (p = 11): + - * / done in binary32
// and rounded to p digits are as rounded once, for 24 >= 2p + 2 (Figueroa, see
// emulation/hardware_rounding.hpp). Where bfloat16 has subnormals binary32 has them too: there sums
// are exact, and a product or quotient of numbers of 8 digits comes no nearer than 2^-149 to a
// midpoint 2^-134 m that it does not hit: 2^-134 - 2^-150 = 65535 * 2^-150 would be the only such
// product, and 65535 is no product of two numbers below 256.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "emulation/aligned_floats.hpp"
#include "emulation/emulate.hpp"
#include "emulation/float_rows.hpp"
#include "emulation/float_sums.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/row_evaluator.hpp"
#include "emulation/scalar_batch.hpp"
#include "emulation/scalar_step.hpp"
#include "emulation/vector_formats.hpp"

namespace normcert {

// Requires vectors_emulate(), arithmetic_is_default(), and an input that outlives it.
class VectorEvaluator {
 public:
  VectorEvaluator(const Recipe& recipe, const BlockInput& input);
  // For tails alone (take_row(), front_of_taken()): has memory for one row.
  [[nodiscard]] static VectorEvaluator for_tails(const Recipe& recipe, const BlockInput& input);

  // *Bit exact*: y of all rows, one element of emulated_format() each, and where there is a
  // residual its sum with x; `residual_out` may be nullptr.
  void emulate(std::byte* y, std::byte* residual_out);
  // Adds to same[row] how many codes of `got` are those of y; exact.
  void count_same(const std::byte* got, std::vector<std::size_t>& same);

  // Without groups, one row's y for scalars of choice: first the row is taken, then
  // *bit exact* the first `count` elements of y, were `scalar` what its tail multiplies or divides
  // by.
  void take_row(std::size_t row) { load_units(row, 1, nullptr); }
  void front_of_taken(float scalar, std::size_t count, std::byte* y) const;

 private:
  // A group of a row (as a rule the whole one), from element `first` of it on.
  struct Unit {
    std::size_t row = 0;
    std::size_t first = 0;
  };
  // Where the codes of y go, or what they are compared with.
  struct Target {
    std::byte* y = nullptr;
    std::byte* residual_out = nullptr;
    const std::byte* got = nullptr;
    std::vector<std::size_t>* same = nullptr;  // nullptr: y is written
  };

  // `weight` is where the view of the weight's row lies; no more than `most_units` are kept.
  VectorEvaluator(const Recipe& recipe, const BlockInput& input, std::size_t most_units,
                  RowView weight = {});

  void run(const Target& target);
  [[nodiscard]] Unit unit(std::size_t index) const;
  // Of element `first` of the unit, the place in its tensor.
  [[nodiscard]] std::size_t element_of(const Unit& unit, std::size_t first) const;
  // Elements first .. first + count - 1 of the unit, as the statistic and (nullptr: not wanted) as
  // the numerator see them; the stored sum with the residual to `residual_out`, if any.
  void load(const Unit& unit, std::size_t first, std::size_t count, float* statistic,
            float* numerator, std::byte* residual_out);
  void load_tensor(const TensorView& tensor, FloatStorage storage, std::size_t element,
                   std::size_t count, float* to) const;
  // Of units that are kept, else they are read for it.
  [[nodiscard]] FloatRowSums sums_of(std::size_t first_unit, std::size_t units);
  // Of kRowsTogether units; what is no unit is not looked at.
  [[nodiscard]] FloatRowsView columns_in(std::size_t first_unit, std::size_t units,
                                         std::size_t first, std::size_t count);
  [[nodiscard]] FloatRowSums pairwise(std::size_t first_unit, std::size_t units, std::size_t first,
                                      std::size_t end);
  // What the tails of `units` multiply or divide by: 1/rms, rounded, where the gain that rms would
  // divide is 1.
  [[nodiscard]] FloatRowSums tail_scalars(const FloatRowSums& sums, std::size_t units) const;
  void load_units(std::size_t first_unit, std::size_t units, std::byte* residual_out);
  // From the kept units to their y.
  void finish(std::size_t first_unit, std::size_t units, const FloatRowSums& scalars,
              const Target& target) const;
  // Of all at once: their y is no more than kKeptElements.
  void finish_together(std::size_t first_unit, std::size_t units, const FloatRowSums& scalars,
                       const Target& target) const;
  // From kept unit `place` to its y.
  void finish_one(const Unit& unit, std::size_t place, float scalar, const Target& target) const;
  // 1/rms, rounded.
  [[nodiscard]] float inverted(float scalar) const;
  [[nodiscard]] bool keeps_all() const { return kept_ == together_; }
  // Whether the tail's last operation rounds to the output's format, or to a wider one.
  [[nodiscard]] bool stores_by_itself() const {
    return formats_.result == formats_.output || formats_.result == FloatStorage::kBinary32;
  }
  void tail(const float* x, const float* w, float scalar, std::size_t count, std::byte* y) const;

  const Recipe& recipe_;
  const BlockInput& input_;
  RowEvaluator<HardwareMachine> evaluator_;
  HardwareMachine machine_;
  ScalarBatch batch_;
  ScalarStep<ScalarBatch> batch_step_;
  AlignedFloats gain_;  // empty where there is none
  VectorFormats formats_;
  FloatTerms terms_;
  FloatSumLayout layout_;
  FloatTail tail_;
  bool gain_first_;               // the scalar meets the gain, then x joins
  std::size_t together_;          // units at a time
  std::size_t kept_;              // of them, until their scalars are known: all, or one alone
  AlignedFloats rows_;            // of units, one after the other, as the statistic sees them
  AlignedFloats numerator_rows_;  // empty where they are the same
  AlignedFloats terms_rows_;      // empty where squares are added as they are made
  AlignedFloats other_;           // the residual
  AlignedFloats partial_sums_;
  AlignedFloats columns_;  // of units that are not kept
};

}  // namespace normcert
