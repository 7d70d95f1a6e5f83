// Sentences about diagnoses: what a hypothesis says, in the words that all views use.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "judge/diagnosis.hpp"

namespace normcert {

// "mean of squares, epsilon inside the root, gain = weight".
[[nodiscard]] std::string function_words(const std::string& statistic, const std::string& placement,
                                         const std::string& weight_offset,
                                         const std::string& weight_use,
                                         const std::string& residual);
// The same from an entry of "survivors" or "refuted".
[[nodiscard]] std::string function_words(const nlohmann::ordered_json& hypothesis);

// What function_words() says of the statistic: "mean of squares"; and behind the place of epsilon:
// "gain = weight, the residual not added".
[[nodiscard]] std::string statistic_words(const std::string& statistic);
[[nodiscard]] std::string rest_words(const nlohmann::ordered_json& hypothesis);

// "inside the root".
[[nodiscard]] std::string placement_words(const std::string& placement);

// "5.71e-07 .. 1.51e-06"; "any" from 0 to infinity.
[[nodiscard]] std::string range_words(const nlohmann::ordered_json& range);

// One sentence: what the port computes, and what that means for the declaration.
[[nodiscard]] std::string diagnosis_headline(const Diagnosis& diagnosis);

// What the sites declare: "RMSNorm with epsilon 1e-05 inside the root, gain = weight".
[[nodiscard]] std::string declared_words(const Diagnosis& diagnosis);

// What the words and figures of a report mean: its "definitions".
[[nodiscard]] nlohmann::ordered_json diagnosis_definitions();

}  // namespace normcert
