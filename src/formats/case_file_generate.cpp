#include "formats/case_file_generate.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "formats/case_file_numbers.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostNumbers = 4096;  // of one parameter
constexpr std::size_t kMostOwnRows = 64;    // that a generator makes unasked, parameters aside

std::string read_text(const JsonNode& node, ParameterKind kind) {
  std::string text = number_text(node);
  if (!fits(text, kind)) throw node.unexpected(std::string(expectation_of(kind)));
  return text;
}

std::vector<std::string> read_parameter(const JsonNode& node,
                                        const ParameterDescription& description) {
  if (!node.is_array()) return {read_text(node, description.kind)};
  if (!description.is_list) throw node.unexpected(std::string(expectation_of(description.kind)));
  if (node.size() == 0 || node.size() > kMostNumbers) {
    throw node.unexpected("1 to " + std::to_string(kMostNumbers) + " numbers");
  }
  std::vector<std::string> texts;
  for (const JsonNode& item : node.items()) texts.push_back(read_text(item, description.kind));
  return texts;
}

const GeneratorDescription& read_name(const JsonNode& node) {
  const std::string name = node.as_string();
  if (const GeneratorDescription* found = find_generator(name)) return *found;
  std::vector<std::string_view> names;
  for (const GeneratorDescription& each : generators()) names.push_back(each.name);
  throw node.unexpected(one_of(names), std::string(nearest_name(name, names)));
}

// A count that may be 0 in the file: an empty case, which has a code of its own.
std::size_t read_count(const JsonNode& node, std::size_t most) {
  const std::int64_t count = node.as_integer(0, static_cast<std::int64_t>(most));
  if (count == 0) throw node.unexpected("at least 1", "", "empty");
  return static_cast<std::size_t>(count);
}

}  // namespace

GeneratorSpec read_generator(const JsonNode& node, std::size_t max_elements) {
  const GeneratorDescription& description = read_name(node.required("name"));
  std::vector<std::string_view> known = {"name", "dim", "rows", "seed"};
  for (const ParameterDescription& parameter : description.parameters) {
    known.push_back(parameter.name);
  }
  node.reject_unknown_members(known);
  GeneratorSpec spec;
  spec.name = description.name;
  spec.width = read_count(node.required("dim"), max_elements);
  if (const auto rows = node.member("rows")) spec.rows = read_count(*rows, max_elements);
  if (const auto seed = node.member("seed")) {
    spec.seed =
        static_cast<std::uint64_t>(seed->as_integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  for (const ParameterDescription& parameter : description.parameters) {
    if (const auto value = node.member(parameter.name)) {
      spec.parameters.emplace(parameter.name, read_parameter(*value, parameter));
    }
  }
  return spec;
}

std::size_t most_elements(const GeneratorSpec& spec) {
  std::size_t rows = spec.rows == 0 ? kMostOwnRows : spec.rows;
  if (spec.rows == 0) {
    for (const auto& [name, texts] : spec.parameters) rows = std::max(rows, texts.size());
  }
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  return spec.width > kMost / rows ? kMost : spec.width * rows;
}

}  // namespace normcert
