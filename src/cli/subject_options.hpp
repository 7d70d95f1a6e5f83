// The options that say what is judged: model, cases, outputs. Shared by the commands that judge.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/option_list.hpp"
#include "problem/case.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

struct SubjectOptions {
  // As typed.
  std::vector<std::string> captures;  // positional
  std::vector<std::string> cases;
  std::vector<std::string> observed;
  std::optional<std::string> config;
  std::optional<std::string> weights;
  std::optional<std::string> epsilon_text;
  std::optional<std::string> weight_offset_text;
  std::optional<std::string> dim_text;
  std::optional<std::string> dtype_text;
  std::optional<std::string> weight_dtype_text;
  bool partial = false;
  // Not an option: what nothing declares stays unset, for commands that find out what was computed.
  bool declarations_may_be_missing = false;

  // As read.
  std::optional<Epsilon> epsilon;
  std::optional<WeightOffset> weight_offset;
  std::optional<std::size_t> dim;
  const FloatFormat* dtype = nullptr;
  const FloatFormat* weight_dtype = nullptr;
};

// --config, --weights, --epsilon, --weight-offset, --dim, --dtype, --weight-dtype.
void declare_model_options(OptionList& list, SubjectOptions& options);
// Captures, --cases, --observed, --partial.
void declare_data_options(OptionList& list, SubjectOptions& options);

// Throws InputError for bad values; opens no file.
void read_subject_values(SubjectOptions& options);

// A weight offset as text: a finite number. Throws InputError.
[[nodiscard]] WeightOffset read_weight_offset(const std::string& text, const std::string& file,
                                              const std::string& place);

}  // namespace normcert
