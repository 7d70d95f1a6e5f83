// One row through all steps of a recipe, on any machine (emulation/exact_machine.hpp says what a
// machine is). Instantiated once for each machine; callers use emulation/emulate.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "emulation/activation_step.hpp"
#include "emulation/row_view.hpp"
#include "emulation/scalar_step.hpp"
#include "emulation/step_formats.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// Widths of the parts of a row that a recipe treats as rows of their own, and of the elements
// among each that make the statistic.
struct RowExtent {
  std::size_t group = 0;
  std::size_t statistic = 0;
};

// Throws InputError where the recipe's group does not divide `width`, or a fraction of it is
// nothing; the message says which recipe and key.
[[nodiscard]] RowExtent row_extent(const Recipe& recipe, std::size_t width);

// What goes into a row, as bytes; nullptr: the input has none. All as wide as x.
struct InputRow {
  RowView x{};
  const RowView* residual = nullptr;
  const RowView* gate = nullptr;
};

template <typename Machine>
class RowEvaluator {
 public:
  using Scalar = typename Machine::Scalar;
  using Row = typename Machine::Row;

  // `weight` is nullptr where there is none: the gain is 1.
  RowEvaluator(const Recipe& recipe, const FloatFormat& x, const RowView* weight, double offset,
               double epsilon, std::size_t width)
      : machine_(recipe.flush),
        recipe_(recipe),
        formats_(step_formats(recipe, x, weight == nullptr ? nullptr : weight->format)),
        extent_(row_extent(recipe, width)),
        scalar_step_(machine_, recipe_, formats_, epsilon, extent_.statistic),
        activation_(machine_, recipe_.activation, *formats_.compute),
        offset_(machine_.constant(used_offset(offset), kFp64)) {
    if (weight != nullptr && recipe.weight.form != WeightForm::kNone) gain_ = gain(*weight);
  }
  RowEvaluator(const RowEvaluator&) = delete;
  RowEvaluator& operator=(const RowEvaluator&) = delete;

  [[nodiscard]] const StepFormats& formats() const { return formats_; }
  [[nodiscard]] const RowExtent& extent() const { return extent_; }
  [[nodiscard]] const ScalarStep<Machine>& scalar_step() const { return scalar_step_; }
  // What multiplies, or nothing where the gain is 1.
  [[nodiscard]] const std::optional<Row>& gain() const { return gain_; }

  // Writes y, one element of formats().output each; where there is a residual also its sum with x,
  // in the residual's format. Returns the scalar of each group. Requires the tensors of `row` that
  // the recipe needs: a gate where it has one.
  std::vector<Scalar> run(const InputRow& row, std::byte* y, std::byte* residual_out) const {
    std::vector<Scalar> scalars;
    for (std::size_t first = 0; first < row.x.size(); first += extent_.group) {
      Rows rows =
          with_residual(row.x.part(first, extent_.group), row.residual, first, residual_out);
      const std::vector<Row> factors = gate_factors(row, first);
      prepare(rows, factors);
      scalars.push_back(scalar_step_.scalar(statistic_part(rows.statistic)));
      Row& numerator = rows.numerator ? *rows.numerator : rows.statistic;
      const Row result =
          gated_after(biased(tail(std::move(numerator), scalars.back(), first)), factors);
      machine_.store(result, *formats_.output, recipe_.rounding,
                     y + first * bytes_of(*formats_.output));
    }
    return scalars;
  }

  // What the statistic is taken of, stored in the compute format.
  void store_statistic_row(const InputRow& row, ActivationEnd end, std::byte* bytes,
                           std::byte* residual_out) const {
    Rows rows = with_residual(row.x, row.residual, 0, residual_out);
    prepare(rows, gate_factors(row, 0, end));
    machine_.store(rows.statistic, *formats_.compute, StoreRounding::kNearestEven, bytes);
  }

  // The tail alone: y as it would be if the scalar of the whole row were `scalar`, a number of the
  // compute format. Requires a recipe without groups.
  void run_tail(const InputRow& row, double scalar, std::byte* y, std::byte* residual_out,
                ActivationEnd end = ActivationEnd::kEmulated) const {
    Rows rows = with_residual(row.x, row.residual, 0, residual_out);
    const std::vector<Row> factors = gate_factors(row, 0, end);
    prepare(rows, factors);
    Row& numerator = rows.numerator ? *rows.numerator : rows.statistic;
    const Row result = gated_after(
        biased(tail(std::move(numerator), machine_.constant(scalar, *formats_.compute), 0)),
        factors);
    machine_.store(result, *formats_.output, recipe_.rounding, y);
  }

 private:
  struct Rows {
    Row statistic;
    std::optional<Row> numerator;  // where it is not the same
  };

  static std::size_t bytes_of(const FloatFormat& format) {
    return static_cast<std::size_t>(format.storage_bytes);
  }

  [[nodiscard]] double used_offset(double offset) const {
    switch (recipe_.weight.form) {
      case WeightForm::kOnePlusW:
        return 1;
      case WeightForm::kOffsetPlusW:
        return offset;
      case WeightForm::kW:
      case WeightForm::kNone:
        break;
    }
    return 0;
  }

  [[nodiscard]] bool has_exact_gain() const {
    return recipe_.weight.offset_dtype == OffsetFormat::kExact;
  }

  [[nodiscard]] Row load(const RowView& row) const {
    return machine_.convert(machine_.load(row), *formats_.input);
  }

  // What multiplies; with an exact sum the weight alone.
  [[nodiscard]] Row gain(const RowView& view) const {
    Row weight = machine_.convert(machine_.load(view), *formats_.weight);
    if (recipe_.weight.form == WeightForm::kW || has_exact_gain()) return weight;
    const FloatFormat& format = *formats_.offset;
    return machine_.add(machine_.convert(std::move(weight), format),
                        machine_.convert(offset_, format), format);
  }

  [[nodiscard]] Rows with_residual(const RowView& x, const RowView* residual, std::size_t first,
                                   std::byte* residual_out) const {
    const FloatFormat& compute = *formats_.compute;
    if (residual == nullptr) return {machine_.convert(load(x), compute), {}};
    const FloatFormat& input = *formats_.input;
    // A residual of another format than x is added as it stands, and its sum stored in its format.
    const FloatFormat& own =
        recipe_.convert_inputs == InputConversion::kNone ? *residual->format : input;
    const Row other = machine_.convert(machine_.load(residual->part(first, x.size())), own);
    const bool rounded =
        recipe_.residual == ResidualMode::kNone || recipe_.residual == ResidualMode::kRounded;
    Row sum =
        machine_.add(load(x), other, rounded ? input : promoted(promoted(compute, input), own));
    Row stored = machine_.convert(sum, own);
    machine_.store(stored, *residual->format, StoreRounding::kNearestEven,
                   residual_out + first * bytes_of(*residual->format));
    Rows rows{machine_.convert(std::move(sum), compute), {}};
    if (recipe_.residual == ResidualMode::kUnroundedStatistic) {
      rows.numerator = machine_.convert(std::move(stored), compute);
    }
    return rows;
  }

  template <typename Operation>
  static void change(Rows& rows, Operation operation) {
    rows.statistic = operation(std::move(rows.statistic));
    if (rows.numerator) rows.numerator = operation(std::move(*rows.numerator));
  }

  // What a row is multiplied by, one after the other, for the gate's part from `first` on: its
  // activation, or g and the activation's other factor. Numbers of the compute format.
  [[nodiscard]] std::vector<Row> gate_factors(const InputRow& row, std::size_t first,
                                              ActivationEnd end = ActivationEnd::kEmulated) const {
    std::vector<Row> factors;
    if (recipe_.gate == GateMode::kNone || row.gate == nullptr) return factors;
    const std::size_t count = std::min(extent_.group, row.x.size() - first);
    const FloatFormat& compute = *formats_.compute;
    Row gate = machine_.convert(machine_.load(row.gate->part(first, count)), compute);
    if (activation_.has_gate_as_factor()) factors.push_back(gate);
    factors.push_back(
        machine_.each(std::move(gate), compute, [&](Scalar g) { return activation_(g, end); }));
    return factors;
  }

  [[nodiscard]] Row gated(Row row, const std::vector<Row>& factors) const {
    for (const Row& factor : factors) {
      row = machine_.multiply(std::move(row), factor, *formats_.compute);
    }
    return row;
  }

  [[nodiscard]] Row gated_after(Row row, const std::vector<Row>& factors) const {
    if (recipe_.gate != GateMode::kAfter) return row;
    return gated(machine_.convert(std::move(row), *formats_.compute), factors);
  }

  // What happens to the row before its squares are taken.
  void prepare(Rows& rows, const std::vector<Row>& factors) const {
    const FloatFormat& compute = *formats_.compute;
    if (recipe_.gate == GateMode::kBefore) {
      change(rows, [&](Row row) { return gated(std::move(row), factors); });
    }
    if (recipe_.before == PreStep::kDivideByMax) {
      const Scalar max = machine_.greatest_magnitude(rows.statistic);
      change(rows, [&](Row row) { return machine_.divide(std::move(row), max, compute); });
    } else if (recipe_.before == PreStep::kClamp65504) {
      change(rows, [&](Row row) { return machine_.clamp(std::move(row), 65504); });
    }
    if (recipe_.statistic.kind == StatisticKind::kVariance) {
      const Scalar mean = scalar_step_.mean(rows.statistic);
      change(rows, [&](Row row) { return machine_.subtract(std::move(row), mean, compute); });
    }
  }

  [[nodiscard]] Row statistic_part(const Row& row) const {
    return machine_.part(row, 0, extent_.statistic);
  }

  // The numerator (of the compute format), the scalar and the part of the gain from `first` on.
  [[nodiscard]] Row tail(Row x, Scalar scalar, std::size_t first) const {
    const FloatFormat& compute = *formats_.compute;
    std::optional<Row> w;
    if (gain_) w = machine_.part(*gain_, first, x.size());
    switch (recipe_.association) {
      case Association::kXrThenW:
      case Association::kXr:
      case Association::kFmaXrWXr:
        return weighted(normalised(machine_.multiply(std::move(x), scalar, compute)), w);
      case Association::kXOverRmsW:
        return weighted(normalised(machine_.divide(std::move(x), scalar, compute)), w);
      case Association::kXTimesRw:
        if (!w) return scaled(std::move(x), scalar);
        return multiplied(std::move(x), scaled(std::move(*w), scalar));
      case Association::kXwThenR:
        if (w) x = multiplied(std::move(x), *w);
        return scaled(std::move(x), scalar);
      case Association::kXwOverRms:
        if (w) x = multiplied(std::move(x), *w);
        return divided(std::move(x), scalar);
      case Association::kWOverRmsX: {
        const Scalar one = machine_.constant(1, compute);
        if (!w) return scaled(std::move(x), machine_.divide(one, scalar, compute));
        return multiplied(std::move(x), divided(std::move(*w), scalar));
      }
    }
    return x;
  }

  [[nodiscard]] Row biased(Row row) const {
    if (!recipe_.weight.bias) return row;
    const FloatFormat& format = *row.format;
    return machine_.add(std::move(row), machine_.constant(0, format), format);
  }

  [[nodiscard]] Row scaled(Row row, Scalar scalar) const {
    const FloatFormat& format = promoted(*row.format, *formats_.compute);
    return machine_.multiply(std::move(row), scalar, format);
  }

  [[nodiscard]] Row divided(Row row, Scalar scalar) const {
    const FloatFormat& format = promoted(*row.format, *formats_.compute);
    return machine_.divide(std::move(row), scalar, format);
  }

  [[nodiscard]] Row normalised(Row xr) const {
    return machine_.convert(std::move(xr), *formats_.cast);
  }

  [[nodiscard]] Row multiplied(Row a, const Row& b) const {
    const FloatFormat& format = promoted(*a.format, *b.format);
    return machine_.multiply(std::move(a), b, format);
  }

  [[nodiscard]] Row weighted(Row xr, const std::optional<Row>& w) const {
    if (!w) return xr;
    if (!has_exact_gain()) return multiplied(std::move(xr), *w);
    const FloatFormat& format = promoted(*xr.format, *w->format);
    // Zeros and infinities tell the two apart: (+0) (1 - 3) is -0, fma(+0, -3, +0) is +0.
    if (recipe_.association == Association::kFmaXrWXr) {
      return machine_.multiply_and_add_itself(std::move(xr), *w, format);
    }
    return machine_.multiply_with_sum(std::move(xr), *w, offset_, format);
  }

  Machine machine_;
  Recipe recipe_;
  StepFormats formats_;
  RowExtent extent_;
  ScalarStep<Machine> scalar_step_;
  ActivationEvaluator<Machine> activation_;
  Scalar offset_;
  std::optional<Row> gain_;
};

}  // namespace normcert
