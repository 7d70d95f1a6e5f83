// Survivors of a diagnosis that nothing tells apart, as one line of a view: where rows are constant
// a LayerNorm writes nothing, whatever its epsilon, its place and its gain. The JSON report keeps
// each of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace normcert {

struct AlikeSurvivors {
  // Entries of "survivors", in their order; more than one where every epsilon fits each of them,
  // with the same statistic, status and slack.
  std::vector<const nlohmann::ordered_json*> entries;
  std::size_t functions = 1;  // that they are
  std::string words;          // function_words() of the one, or of all together
};

// The first one stands alone: it is the diagnosis.
[[nodiscard]] std::vector<AlikeSurvivors> alike_survivors(const nlohmann::ordered_json& survivors);

// Different values of a key, in their order: "before_weight / after_weight".
[[nodiscard]] std::string alternatives(const AlikeSurvivors& alike, const char* key);

}  // namespace normcert
