// What `normcert cases --separate` found, as a part of the report of `normcert cases`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace normcert {

// A case on which the recipes differ.
struct SeparatingCase {
  std::string id;
  std::size_t width = 0;
  std::size_t differing = 0;  // of its elements
};

// One norm, or norms that are alike.
struct NormSeparation {
  std::string site;
  std::size_t dim = 0;
  std::string dtype;
  std::string weight_dtype;  // empty: no weight
  // Parameter -> why no input shows it; a value says that the recipes are proved to be equal.
  std::optional<std::vector<std::pair<std::string, std::string>>> equal;
  std::optional<SeparatingCase> most;
  std::optional<SeparatingCase> smallest;  // less wide than the norm
  bool smallest_is_proved = false;         // no narrower row can differ
  std::uint64_t rows_tried = 0;
};

struct SeparationReport {
  std::string first;  // the recipes, as typed
  std::string second;
  std::vector<NormSeparation> norms;
};

[[nodiscard]] nlohmann::ordered_json separation_json(const SeparationReport& report);
// Lines of text; of Markdown, with an empty line behind.
[[nodiscard]] std::string separation_text(const nlohmann::ordered_json& separation);
[[nodiscard]] std::string separation_markdown(const nlohmann::ordered_json& separation);

}  // namespace normcert
