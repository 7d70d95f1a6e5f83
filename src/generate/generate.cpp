#include "generate/generate.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "generate/directed_rows.hpp"
#include "generate/midpoint_rows.hpp"
#include "generate/random_rows.hpp"
#include "generate/row_request.hpp"
#include "generate/weight_row.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

using Maker = void (*)(const RowRequest&, RowList&);

// In the order of generators(). `midpoint` chooses the weight too and is called apart.
constexpr std::array<std::pair<std::string_view, Maker>, 17> kMakers = {{
    {"zero", add_zero},
    {"tiny", add_tiny_or_small},
    {"small", add_tiny_or_small},
    {"ordinary", add_ordinary},
    {"large", add_large},
    {"constant", add_constant},
    {"alternating", add_alternating},
    {"one_hot", add_one_hot},
    {"mixed_scale", add_mixed_scale},
    {"outlier_channel", add_outlier_channel},
    {"q_over_epsilon", add_q_over_epsilon},
    {"near_overflow", add_near_overflow},
    {"subnormal", add_subnormal},
    {"exact_rms", add_exact_rms},
    {"beyond_range", add_beyond_range},
    {"amplitude", add_amplitude},
    {"normal", add_normal},
}};

void add_rows(const RowRequest& request, std::vector<Code>& weight, RowList& rows) {
  if (request.spec.name == "midpoint") {
    if (request.spec.with_weight) {
      add_midpoint(request, weight, rows);
    } else {
      rows.omit("all", "midpoints need a weight of their own");
    }
    return;
  }
  const auto maker = std::ranges::find(kMakers, std::string_view(request.spec.name),
                                       &std::pair<std::string_view, Maker>::first);
  maker->second(request, rows);
}

InputError not_made(const Case& value, const std::string& file, const OmittedRows& omitted) {
  return InputError(
      {.code = {},
       .file = file,
       .place = value.place,
       .found = "rows that cannot be generated (" + omitted.class_name + ", " + omitted.rows + ")",
       .expected = "rows that can: " + omitted.reason,
       .nearest = {}});
}

// Generators know no files and no texts; the weight offset is all that they refuse.
GeneratedRows rows_of(const GeneratorSpec& spec, const Case& value, const std::string& file) {
  try {
    return generate_rows(spec, value.epsilon, value.weight_offset);
  } catch (const InputError& error) {
    ErrorParts parts = error.parts();
    parts.file = file;
    parts.found = value.weight_offset.text;
    parts.place = value.place.empty() ? parts.place : value.place + ", " + parts.place;
    throw InputError(std::move(parts));
  }
}

}  // namespace

GeneratedRows generate_rows(const GeneratorSpec& spec, const Epsilon& epsilon,
                            const WeightOffset& weight_offset) {
  const RowRequest request{spec, epsilon.binary64, weight_offset.binary64};
  RowList rows(spec.name, *spec.format, spec.width);
  std::vector<Code> weight;
  if (spec.with_weight) {
    weight = weight_row(spec.seed, spec.width, *spec.weight_format, weight_offset.binary64);
  }
  add_rows(request, weight, rows);
  GeneratedRows made{.x = rows.tensor(), .weight = {}, .omitted = rows.omitted()};
  if (spec.with_weight) {
    made.weight.emplace(*spec.weight_format, 1, spec.width);
    for (std::size_t i = 0; i < spec.width; ++i) made.weight->set(0, i, weight[i]);
  }
  return made;
}

Case generate(Case value, const std::string& file) {
  if (value.generator) {
    if (value.epsilon.text.empty()) validate(value, file, value.place);
    GeneratorSpec spec = std::move(*value.generator);
    value.generator.reset();
    spec.with_weight = spec.with_weight && !value.weight && !value.weight_none;
    GeneratedRows made = rows_of(spec, value, file);
    if (!made.omitted.empty()) throw not_made(value, file, made.omitted.front());
    value.x = std::move(made.x).share();
    if (made.weight) value.weight = std::move(*made.weight).share();
  }
  validate(value, file, value.place);
  return value;
}

void complete(CaseFile& file) {
  std::vector<Case> cases;
  for (Case& value : file.cases) {
    const std::string id = value.id;
    const std::string expected = value.expect.error;
    try {
      cases.push_back(generate(std::move(value), file.path));
    } catch (const InputError& error) {
      if (expected.empty() || error.parts().code != expected) throw;
      file.refused.push_back({id, expected, error.what(), true});
    }
  }
  file.cases = std::move(cases);
}

}  // namespace normcert
