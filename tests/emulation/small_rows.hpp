// Rows of a few numbers through a recipe, for tests that can be checked by hand.
#pragma once

#include <optional>
#include <vector>

#include "emulation/emulate.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

struct SmallRow {
  std::vector<double> x;
  std::vector<double> weight = {};    // empty: no weight
  std::vector<double> residual = {};  // empty: none
  double epsilon = 0;
  double offset = 0;
  const FloatFormat* format = &kFp32;
  const FloatFormat* weight_format = nullptr;    // nullptr: as x
  const FloatFormat* residual_format = nullptr;  // nullptr: as x
};

struct SmallResult {
  std::vector<double> y;
  std::vector<double> residual_out;
  std::vector<double> scalars;
  const FloatFormat* format = nullptr;  // of y
};

inline Tensor row_tensor(const std::vector<double>& values, const FloatFormat& format) {
  Tensor tensor(format, 1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.set(0, i, convert(code_of(values[i]), format));
  }
  return tensor;
}

inline std::vector<double> doubles_of(const std::vector<Code>& codes) {
  std::vector<double> values;
  for (const Code code : codes) values.push_back(to_binary64(code));
  return values;
}

// By the slow evaluator.
inline SmallResult emulate_small(const Recipe& recipe, const SmallRow& row) {
  const FloatFormat& weight_format = row.weight_format ? *row.weight_format : *row.format;
  const Tensor x = row_tensor(row.x, *row.format);
  const Tensor weight = row_tensor(row.weight, weight_format);
  const Tensor residual =
      row_tensor(row.residual, row.residual_format != nullptr ? *row.residual_format : *row.format);
  RowInput input{.x = {x.format, x.bytes},
                 .residual = {},
                 .weight = {},
                 .weight_offset = row.offset,
                 .epsilon = row.epsilon};
  if (!row.weight.empty()) input.weight = RowView{weight.format, weight.bytes};
  if (!row.residual.empty()) input.residual = RowView{residual.format, residual.bytes};
  const EmulatedRow result = emulate_row(recipe, input);
  return {doubles_of(result.y), doubles_of(result.residual_out), doubles_of(result.scalars),
          result.y.front().format};
}

// rms of the row, in a recipe that divides by it.
inline double rms_of(Recipe recipe, const SmallRow& row) {
  recipe.root.kind = RootKind::kDivideBySqrt;
  recipe.association = Association::kXOverRmsW;
  return emulate_small(recipe, row).scalars.at(0);
}

inline double rounded_to(double value, const FloatFormat& format) {
  return to_binary64(convert(code_of(value), format));
}

}  // namespace normcert
