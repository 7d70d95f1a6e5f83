#include "generate/standard_set.hpp"

#include <string>
#include <utility>

#include "generate/generate.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

GeneratorSpec generator_of(const StandardSpec& spec, std::string_view class_name) {
  GeneratorSpec generator;
  generator.name = class_name;
  generator.width = spec.width;
  generator.seed = spec.seed;
  generator.format = spec.format;
  generator.weight_format = spec.weight_format == nullptr ? spec.format : spec.weight_format;
  generator.with_weight = !spec.weight || class_name == "midpoint";
  return generator;
}

}  // namespace

StandardSet standard_set(const StandardSpec& spec) {
  if (spec.width == 0) {
    throw InputError({.code = "empty",
                      .file = {},
                      .place = "standard cases",
                      .found = "width 0",
                      .expected = "rows of at least one element",
                      .nearest = {}});
  }
  StandardSet set;
  for (const std::string_view class_name : standard_classes()) {
    if (class_name == "zero" && spec.epsilon.binary64 == 0) {
      set.omitted.push_back({std::string(class_name), "all", "0/0 is undefined: epsilon is 0"});
      continue;
    }
    GeneratedRows made =
        generate_rows(generator_of(spec, class_name), spec.epsilon, spec.weight_offset);
    set.omitted.insert(set.omitted.end(), made.omitted.begin(), made.omitted.end());
    if (made.x.rows == 0) continue;
    Case value;
    value.id = class_name;
    value.class_name = class_name;
    value.place = std::string("standard.") + value.id;
    value.x = std::move(made.x).share();
    value.weight = made.weight ? std::move(*made.weight).share() : *spec.weight;
    value.weight_offset = spec.weight_offset;
    value.weight_offset_given = true;
    value.epsilon = spec.epsilon;
    value.output = spec.format;
    validate(value, "", value.place);
    set.cases.push_back(std::move(value));
  }
  return set;
}

}  // namespace normcert
