#include "cli/subject_options.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "cli/option_values.hpp"
#include "numeric/decimal.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::array<std::string_view, 4> kCaseFormats = {"fp64", "fp32", "bf16", "fp16"};

const FloatFormat* read_format(std::string_view option, const std::optional<std::string>& text) {
  if (!text) return nullptr;
  return find_format(kCaseFormats.at(read_choice(option, *text, kCaseFormats)));
}

}  // namespace

void declare_model_options(OptionList& list, SubjectOptions& options) {
  list.add("--config", "PATH", "config.json of the model, or the folder that holds it",
           options.config);
  list.add("--weights", "PATH", "a .safetensors file or folder with the norms' weights",
           options.weights);
  list.add("--epsilon", "TEXT", "replaces the declared epsilon (listed as an override)",
           options.epsilon_text);
  list.add("--weight-offset", "TEXT", "the gain is offset + weight: 0, 1, ...",
           options.weight_offset_text);
  list.add("--dim", "N", "width of the norm; with --dtype and --epsilon instead of --config",
           options.dim_text);
  list.add("--dtype", "T", "fp64, fp32, bf16 or fp16: of generated cases, and of case files' rows",
           options.dtype_text);
  list.add("--weight-dtype", "T", "the same for weights; default: that of the rows",
           options.weight_dtype_text);
}

void declare_data_options(OptionList& list, SubjectOptions& options) {
  list.add_positionals("CAPTURE", "captures (.safetensors), case files, or folders of them",
                       options.captures);
  list.add_repeatable("--cases", "PATH",
                      "a capture, a case file, a folder of them, or the word standard",
                      options.cases);
  list.add_repeatable("--observed", "PATH", "outputs for --cases: y, or <case>.y",
                      options.observed);
  list.add_flag("--partial", "judge what was observed although outputs are missing",
                options.partial);
}

WeightOffset read_weight_offset(const std::string& text, const std::string& file,
                                const std::string& place) {
  const auto code = read_code(text, kFp64);
  if (!code || !is_finite(*code)) {
    throw InputError({.code = "weight_offset_unreadable",
                      .file = file,
                      .place = place,
                      .found = text,
                      .expected = "a finite weight offset such as 0 or 1",
                      .nearest = ""});
  }
  return {text, to_binary64(*code)};
}

void read_subject_values(SubjectOptions& options) {
  if (options.epsilon_text) {
    options.epsilon = read_epsilon_option("--epsilon", *options.epsilon_text);
  }
  if (options.weight_offset_text) {
    options.weight_offset = read_weight_offset(*options.weight_offset_text, "", "--weight-offset");
  }
  if (options.dim_text) {
    // Wider rows than 2^24 are not met anywhere; the limit keeps products far from overflow.
    options.dim = read_integer("--dim", *options.dim_text, 1, std::uint64_t{1} << 24);
  }
  options.dtype = read_format("--dtype", options.dtype_text);
  options.weight_dtype = read_format("--weight-dtype", options.weight_dtype_text);
}

}  // namespace normcert
