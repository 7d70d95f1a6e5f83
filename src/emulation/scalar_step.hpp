// From a row to its scalar: squares, sum, mean, epsilon, root, each in the format and with the
// rounding that the recipe says (problem/recipe.hpp defines every choice). For any machine, see
// emulation/exact_machine.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "emulation/reciprocal_table.hpp"
#include "emulation/step_formats.hpp"
#include "numeric/float_format.hpp"
#include "problem/recipe.hpp"

namespace normcert {

template <typename Machine>
class ScalarStep {
 public:
  using Scalar = typename Machine::Scalar;
  using Row = typename Machine::Row;

  // `epsilon` is the declared binary64 value. `elements`: over how many the statistic is taken.
  ScalarStep(const Machine& machine, const Recipe& recipe, const StepFormats& formats,
             double epsilon, std::size_t elements)
      : machine_(machine),
        recipe_(recipe),
        formats_(formats),
        compute_(*formats.compute),
        epsilon_(machine.constant(epsilon, *formats.epsilon)),
        count_(static_cast<double>(elements)) {}

  // What the tail multiplies by (r) or divides by (rms), a number of the compute format.
  [[nodiscard]] Scalar scalar(const Row& row) const {
    const EpsilonPosition position = recipe_.epsilon.position;
    if (position == EpsilonPosition::kScaledByMax) {
      const Scalar max = machine_.greatest_magnitude(row);
      const Row scaled = machine_.divide(row, max, compute_);
      const Scalar root = root_of(plus_epsilon(mean_of(sum_of_squares(scaled)), compute_));
      return scalar_of_rms(machine_.multiply(root, max, compute_));
    }
    return scalar_of_sum(sum_of_squares(row));
  }

  // The same from the sum of squares, of the accumulate format, where the position of epsilon is
  // not kScaledByMax, whose squares are others.
  [[nodiscard]] Scalar scalar_of_sum(Scalar sum) const {
    const EpsilonPosition position = recipe_.epsilon.position;
    if (position == EpsilonPosition::kClampRmsSqrtN) return clamped_by_root_of_count(sum);
    if (contracts(recipe_, Contraction::kMeanWithEpsilon)) {
      return scalar_of_square(mean_with_epsilon(sum), position);
    }
    if (position == EpsilonPosition::kOnSum) sum = plus_epsilon(sum, *formats_.accumulate);
    const Scalar q = mean_of(sum);
    switch (position) {
      case EpsilonPosition::kInside:
        return scalar_of_square(with_epsilon_rounded(plus_epsilon(q, compute_)), position);
      case EpsilonPosition::kClampQ:
        return scalar_of_square(with_epsilon_rounded(at_least_epsilon(q)), position);
      case EpsilonPosition::kOutside:
        return scalar_of_rms(plus_epsilon(root_of(q), compute_));
      case EpsilonPosition::kClampRms:
        return scalar_of_rms(at_least_epsilon(root_of(q)));
      default:
        return scalar_of_square(q, position);
    }
  }

  // The mean of the row itself, which a variance subtracts.
  [[nodiscard]] Scalar mean(const Row& row) const {
    return divided_by_count(sum_of(machine_.convert(row, *formats_.accumulate)), count_);
  }

 private:
  [[nodiscard]] bool rounds(StatisticRounding what) const {
    return recipe_.statistic_rounding == what ||
           recipe_.statistic_rounding == StatisticRounding::kAll;
  }

  [[nodiscard]] Scalar to_input_and_back(Scalar a) const {
    return machine_.convert(machine_.convert(a, *formats_.input), compute_);
  }

  [[nodiscard]] Scalar constant(double value, const FloatFormat& format) const {
    return machine_.constant(value, format);
  }

  [[nodiscard]] Scalar sum_of(const Row& terms) const {
    const FloatFormat& format = *formats_.accumulate;
    switch (recipe_.statistic.accumulate) {
      case Accumulation::kExact:
        return machine_.exact_sum(terms, format);
      case Accumulation::kKahan:
        return machine_.kahan_sum(terms, format);
      default:
        return machine_.sum(terms, recipe_.statistic.order, format);
    }
  }

  [[nodiscard]] double divisor() const {
    return recipe_.statistic.kind == StatisticKind::kMeanSquareNMinus1 ? count_ - 1 : count_;
  }

  [[nodiscard]] Scalar reciprocal_of_count(double count, const FloatFormat& format) const {
    return machine_.divide(constant(1, format), constant(count, format), format);
  }

  [[nodiscard]] Scalar sum_of_squares(const Row& row) const {
    const FloatFormat& format = *formats_.square;
    const SummationOrder& order = recipe_.statistic.order;
    if (order.fma && has_fma(order.kind)) {
      return machine_.fused_sum_of_squares(machine_.convert(row, *formats_.accumulate), order,
                                           *formats_.accumulate);
    }
    Row squares = machine_.square(machine_.convert(row, format), format);
    if (recipe_.statistic.mean == MeanStep::kPrescaled) {
      squares =
          machine_.multiply(std::move(squares), reciprocal_of_count(divisor(), format), format);
    }
    return sum_of(machine_.convert(std::move(squares), *formats_.accumulate));
  }

  [[nodiscard]] Scalar divided_by_count(Scalar sum, double count) const {
    const FloatFormat& format = *formats_.mean;
    const Scalar mean = recipe_.statistic.mean == MeanStep::kMultiplyReciprocal
                            ? machine_.multiply(sum, reciprocal_of_count(count, format), format)
                            : machine_.divide(sum, constant(count, format), format);
    return machine_.convert(mean, compute_);
  }

  [[nodiscard]] Scalar mean_of(Scalar sum) const {
    const bool done = recipe_.statistic.kind == StatisticKind::kSumSquare ||
                      recipe_.statistic.mean == MeanStep::kPrescaled;
    const Scalar mean = done ? machine_.convert(sum, compute_) : divided_by_count(sum, divisor());
    return rounds(StatisticRounding::kMean) ? to_input_and_back(mean) : mean;
  }

  // 1/n where a compiler fuses it: as the recipe's device has it.
  [[nodiscard]] Scalar fused_reciprocal() const {
    const FloatFormat& format = *formats_.mean;
    if (!recipe_.rsqrt_table || !(format == kFp32)) return reciprocal_of_count(divisor(), format);
    const auto n = static_cast<std::uint64_t>(divisor());
    return constant(double{device_reciprocal(*recipe_.rsqrt_table, n)}, format);
  }

  // S (1/n) + e in one rounding.
  [[nodiscard]] Scalar mean_with_epsilon(Scalar sum) const {
    const FloatFormat& wide = promoted(*formats_.mean, *formats_.epsilon);
    const Scalar reciprocal = fused_reciprocal();
    return machine_.convert(machine_.fused(sum, reciprocal, epsilon_, wide), compute_);
  }

  [[nodiscard]] Scalar plus_epsilon(Scalar a, const FloatFormat& format) const {
    const FloatFormat& wide = promoted(format, *formats_.epsilon);
    return machine_.convert(machine_.add(a, epsilon_, wide), format);
  }

  [[nodiscard]] Scalar at_least_epsilon(Scalar a) const {
    const FloatFormat& wide = promoted(compute_, *formats_.epsilon);
    return machine_.convert(machine_.greatest(a, epsilon_, wide), compute_);
  }

  [[nodiscard]] Scalar with_epsilon_rounded(Scalar a) const {
    return recipe_.statistic_rounding == StatisticRounding::kAll ? to_input_and_back(a) : a;
  }

  // A square root on its own, in the compute format.
  [[nodiscard]] Scalar root_of(Scalar square) const {
    return machine_.convert(machine_.root(square, *formats_.root), compute_);
  }

  // From q with epsilon.
  [[nodiscard]] Scalar scalar_of_square(Scalar square, EpsilonPosition position) const {
    const FloatFormat& format = *formats_.root;
    const RootKind kind = recipe_.root.kind;
    if (kind == RootKind::kDivideBySqrt) {
      const Scalar rms = root_of(square);
      return rounds(StatisticRounding::kRms) ? to_input_and_back(rms) : rms;
    }
    Scalar reciprocal = square;
    if (kind == RootKind::kReciprocalOfSqrt) {
      Scalar root = machine_.root(square, format);
      if (recipe_.statistic_rounding == StatisticRounding::kRms) root = to_input_and_back(root);
      reciprocal = machine_.divide(constant(1, format), root, format);
    } else {
      const bool measured = recipe_.rsqrt_table.has_value() && format == kFp32;
      reciprocal = measured ? machine_.measured_reciprocal_root(square, *recipe_.rsqrt_table)
                            : machine_.reciprocal_root(square, format);
    }
    reciprocal = refined(square, machine_.convert(reciprocal, compute_));
    if (position == EpsilonPosition::kAfterRsqrt) reciprocal = plus_epsilon(reciprocal, compute_);
    return rounds(StatisticRounding::kRstd) ? to_input_and_back(reciprocal) : reciprocal;
  }

  // Newton's steps for 1/sqrt(square).
  [[nodiscard]] Scalar refined(Scalar square, Scalar estimate) const {
    for (int i = 0; i < recipe_.root.newton_steps; ++i) {
      const Scalar half = machine_.multiply(square, constant(0.5, compute_), compute_);
      const Scalar once = machine_.multiply(half, estimate, compute_);
      const Scalar twice = machine_.multiply(once, estimate, compute_);
      const Scalar factor = machine_.subtract(constant(1.5, compute_), twice, compute_);
      estimate = machine_.multiply(estimate, factor, compute_);
    }
    return estimate;
  }

  // From a root that has its epsilon already.
  [[nodiscard]] Scalar scalar_of_rms(Scalar rms) const {
    const bool divides = recipe_.root.kind == RootKind::kDivideBySqrt;
    if (recipe_.statistic_rounding == StatisticRounding::kRms ||
        (divides && rounds(StatisticRounding::kRms))) {
      rms = to_input_and_back(rms);
    }
    if (divides) return rms;
    const Scalar reciprocal = machine_.divide(constant(1, compute_), rms, compute_);
    return rounds(StatisticRounding::kRstd) ? to_input_and_back(reciprocal) : reciprocal;
  }

  // max(sqrt(S), sqrt(n e)) is the root of a sum; what makes it one of a mean is applied last.
  [[nodiscard]] Scalar clamped_by_root_of_count(Scalar sum) const {
    const FloatFormat& wide = promoted(compute_, *formats_.epsilon);
    const Scalar floor = root_of(
        machine_.convert(machine_.multiply(constant(count_, wide), epsilon_, wide), compute_));
    const Scalar norm =
        machine_.greatest(root_of(machine_.convert(sum, compute_)), floor, compute_);
    const Scalar root_of_count = root_of(constant(count_, compute_));
    if (recipe_.root.kind == RootKind::kDivideBySqrt) {
      return scalar_of_rms(machine_.divide(norm, root_of_count, compute_));
    }
    const Scalar reciprocal = machine_.divide(constant(1, compute_), norm, compute_);
    const Scalar r = machine_.multiply(root_of_count, reciprocal, compute_);
    return rounds(StatisticRounding::kRstd) ? to_input_and_back(r) : r;
  }

  const Machine& machine_;
  const Recipe& recipe_;
  const StepFormats& formats_;
  const FloatFormat& compute_;
  Scalar epsilon_;
  double count_;
};

}  // namespace normcert
