// What is known about families of models, and how it makes a Model of a config.json: which key
// holds the epsilon, how wide each norm is and what it is called, what is added to the weight,
// which recipe the source framework computes. The families are cases/families/*.json, compiled in.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/hf_config.hpp"
#include "formats/json_text.hpp"
#include "problem/model.hpp"

namespace normcert {

[[nodiscard]] std::span<const Family> families();

// The family that covers this model_type, or nullptr.
[[nodiscard]] const Family* find_family(std::string_view model_type);

// The family of this name, or nullptr.
[[nodiscard]] const Family* find_family_named(std::string_view name);

// Whether transformers builds the model of this type with LayerNorm only.
[[nodiscard]] bool is_layernorm_model(std::string_view model_type);

// Strict: unknown keys and values are located errors that name the nearest known one.
[[nodiscard]] Family parse_family(const JsonDocument& document);

// An epsilon from elsewhere (an option, a capture) for a config that declares none.
struct EpsilonFromElsewhere {
  Epsilon epsilon;
  std::string from;  // "option --epsilon"
};

// Of a composite file (text_config beside others) the text model is resolved; where its family
// lists its norms and the model_type of the whole file has a family, the norms of that stand beside
// them. A model_type that no family covers gives one site `norm`, family "unknown", no offset and
// no recipe, and the one epsilon that the known keys agree on. Throws InputError; codes: those of
// epsilons, missing_epsilon (names the keys that were looked for, and what the configuration class
// would have filled in), ambiguous_epsilon, not_rmsnorm.
[[nodiscard]] Model resolve_model(
    const HfConfig& config, const std::optional<EpsilonFromElsewhere>& elsewhere = std::nullopt);

// The same with a family given by the user, whatever the config's model_type.
[[nodiscard]] Model resolve_model(
    const HfConfig& config, const Family& family,
    const std::optional<EpsilonFromElsewhere>& elsewhere = std::nullopt);

}  // namespace normcert
