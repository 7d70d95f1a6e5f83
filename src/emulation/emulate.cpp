#include "emulation/emulate.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/hardware_rounding.hpp"
#include "emulation/row_evaluator.hpp"
#include "emulation/vector_evaluator.hpp"
#include "numeric/double_double.hpp"
#include "problem/error.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

std::vector<Code> codes_of(const RowView& row) {
  std::vector<Code> codes(row.size());
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = row.at(i);
  return codes;
}

RowView row_of(const TensorView& tensor, std::size_t row) {
  return {tensor.format, tensor.row_bytes(row)};
}

InputError does_not_fit(const Recipe& recipe, const std::string& key, const std::string& value,
                        std::size_t width) {
  return InputError({.code = "recipe_width",
                     .file = "recipe " + recipe.name,
                     .place = key,
                     .found = value,
                     .expected = "a value that fits rows of " + std::to_string(width) + " elements",
                     .nearest = ""});
}

// Neither leaves out silently what the other has.
void require_gate(const Recipe& recipe, bool has_gate) {
  if ((recipe.gate != GateMode::kNone) == has_gate) return;
  throw InputError({.code = "recipe_gate",
                    .file = "recipe " + recipe.name,
                    .place = "gate",
                    .found = std::string(name_of(recipe.gate)) +
                             (has_gate ? " for inputs with a gate" : " for inputs without a gate"),
                    .expected = has_gate ? "a recipe of a gated norm"
                                         : "a tensor gate beside x, or a recipe without one",
                    .nearest = ""});
}

// The steps of a residual of its own format are those of the exact evaluator alone.
bool has_other_residual(const Recipe& recipe, const BlockInput& input) {
  return recipe.convert_inputs == InputConversion::kNone && input.residual &&
         !(*input.residual->format == *input.x.format);
}

template <typename Machine>
EmulatedBlock emulate(const Recipe& recipe, const BlockInput& input) {
  std::optional<RowView> weight;
  if (input.weight) weight = row_of(*input.weight, 0);
  const RowEvaluator<Machine> evaluator(recipe, *input.x.format, weight ? &*weight : nullptr,
                                        input.weight_offset, input.epsilon, input.x.width);
  EmulatedBlock block{Tensor(*evaluator.formats().output, input.x.rows, input.x.width), {}};
  std::byte* residual_out = nullptr;
  if (input.residual) {
    block.residual_out.emplace(*input.residual->format, input.x.rows, input.x.width);
    residual_out = block.residual_out->bytes.data();
  }
  const auto y_bytes = input.x.width * static_cast<std::size_t>(block.y.format->storage_bytes);
  for (std::size_t row = 0; row < input.x.rows; ++row) {
    std::optional<RowView> residual;
    std::optional<RowView> gate;
    if (input.gate) gate = row_of(*input.gate, row);
    std::byte* sum = nullptr;
    if (input.residual) {
      residual = row_of(*input.residual, row);
      sum = residual_out + row * residual->bytes.size();
    }
    evaluator.run({.x = row_of(input.x, row),
                   .residual = residual ? &*residual : nullptr,
                   .gate = gate ? &*gate : nullptr},
                  block.y.bytes.data() + row * y_bytes, sum);
  }
  return block;
}

}  // namespace

BlockInput block_input(const Case& value) {
  std::optional<TensorView> gate;
  if (value.gate) gate = value.gate->values;
  return {.x = value.x,
          .residual = value.residual,
          .gate = std::move(gate),
          .weight = value.weight,
          .weight_offset = value.weight_offset.binary64,
          .epsilon = value.epsilon.binary64};
}

RowExtent row_extent(const Recipe& recipe, std::size_t width) {
  RowExtent extent{width, width};
  const StatisticStep& statistic = recipe.statistic;
  if (statistic.group) {
    extent.group = static_cast<std::size_t>(*statistic.group);
    if (width % extent.group != 0) {
      throw does_not_fit(recipe, "statistic.group", std::to_string(extent.group), width);
    }
    extent.statistic = extent.group;
  }
  if (statistic.fraction) {
    const double elements = std::floor(*statistic.fraction * static_cast<double>(extent.group));
    if (elements < 1) {
      throw does_not_fit(recipe, "statistic.fraction", std::to_string(*statistic.fraction), width);
    }
    extent.statistic = static_cast<std::size_t>(elements);
  }
  return extent;
}

EmulatedRow emulate_row(const Recipe& recipe, const RowInput& input) {
  require_gate(recipe, input.gate.has_value());
  const RowEvaluator<ExactMachine> evaluator(recipe, *input.x.format,
                                             input.weight ? &*input.weight : nullptr,
                                             input.weight_offset, input.epsilon, input.x.size());
  const FloatFormat& output = *evaluator.formats().output;
  std::vector<std::byte> y(input.x.size() * static_cast<std::size_t>(output.storage_bytes));
  std::vector<std::byte> residual_out(input.residual ? input.residual->bytes.size() : 0);
  EmulatedRow result;
  result.scalars = evaluator.run({.x = input.x,
                                  .residual = input.residual ? &*input.residual : nullptr,
                                  .gate = input.gate ? &*input.gate : nullptr},
                                 y.data(), residual_out.data());
  result.y = codes_of({&output, y});
  if (input.residual) result.residual_out = codes_of({input.residual->format, residual_out});
  return result;
}

namespace {

template <typename Machine>
Tensor statistic_row(const Recipe& recipe, const RowInput& input, ActivationEnd end) {
  const RowEvaluator<Machine> evaluator(recipe, *input.x.format,
                                        input.weight ? &*input.weight : nullptr,
                                        input.weight_offset, input.epsilon, input.x.size());
  Tensor row(*evaluator.formats().compute, 1, input.x.size());
  std::vector<std::byte> residual_out(input.residual ? input.residual->bytes.size() : 0);
  evaluator.store_statistic_row(
      {.x = input.x, .residual = input.residual ? &*input.residual : nullptr, .gate = &*input.gate},
      end, row.bytes.data(), residual_out.data());
  return row;
}

}  // namespace

Tensor gated_row(const Recipe& recipe, const RowInput& input, ActivationEnd end) {
  return hardware_emulates(recipe) ? statistic_row<HardwareMachine>(recipe, input, end)
                                   : statistic_row<ExactMachine>(recipe, input, end);
}

Evaluator fastest_evaluator(const Recipe& recipe, const BlockInput& input) {
  if (vectors_emulate(recipe, input)) return Evaluator::kVectors;
  if (has_other_residual(recipe, input)) return Evaluator::kExact;
  return hardware_emulates(recipe) ? Evaluator::kHardware : Evaluator::kExact;
}

EmulatedBlock emulate_block(const Recipe& recipe, const BlockInput& input) {
  return emulate_block(recipe, input, fastest_evaluator(recipe, input));
}

EmulatedBlock emulate_block(const Recipe& recipe, const BlockInput& input, Evaluator evaluator) {
  require_gate(recipe, input.gate.has_value());
  if (evaluator == Evaluator::kExact) return emulate<ExactMachine>(recipe, input);
  if (!arithmetic_is_default()) {
    throw std::logic_error("the processor's rounding mode or flushing was changed");
  }
  if (evaluator == Evaluator::kHardware) return emulate<HardwareMachine>(recipe, input);
  EmulatedBlock block{Tensor(emulated_format(recipe, *input.x.format,
                                             input.weight ? input.weight->format : nullptr),
                             input.x.rows, input.x.width),
                      {}};
  if (input.residual) {
    block.residual_out.emplace(*input.residual->format, input.x.rows, input.x.width);
  }
  VectorEvaluator(recipe, input)
      .emulate(block.y.bytes.data(),
               block.residual_out ? block.residual_out->bytes.data() : nullptr);
  return block;
}

std::vector<std::size_t> count_same_bits(const Recipe& recipe, const BlockInput& input,
                                         const TensorView& got) {
  require_gate(recipe, input.gate.has_value());
  const FloatFormat& format =
      emulated_format(recipe, *input.x.format, input.weight ? input.weight->format : nullptr);
  if (!(*got.format == format) || got.rows != input.x.rows || got.width != input.x.width) {
    throw std::logic_error("the outputs are not of the shape and format that the recipe gives");
  }
  std::vector<std::size_t> same(got.rows, 0);
  if (vectors_emulate(recipe, input)) {
    if (!arithmetic_is_default()) {
      throw std::logic_error("the processor's rounding mode or flushing was changed");
    }
    VectorEvaluator(recipe, input).count_same(got.bytes.data(), same);
    return same;
  }
  const EmulatedBlock block = emulate_block(recipe, input);
  const TensorView y = block.y.view();
  for (std::size_t row = 0; row < got.rows; ++row) {
    for (std::size_t i = 0; i < got.width; ++i) {
      same[row] += same_bits(y.at(row, i), got.at(row, i)) ? 1 : 0;
    }
  }
  return same;
}

bool hardware_emulates(const Recipe& recipe) {
  const bool exact_offset = recipe.weight.offset_dtype == OffsetFormat::kExact &&
                            recipe.weight.form == WeightForm::kOffsetPlusW;
  return recipe.flush == FlushMode::kNone && !exact_offset;
}

const FloatFormat& emulated_format(const Recipe& recipe, const FloatFormat& x,
                                   const FloatFormat* weight) {
  return *step_formats(recipe, x, weight).output;
}

}  // namespace normcert
