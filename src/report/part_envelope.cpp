#include "report/part_envelope.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace normcert {
namespace {

using Names = std::initializer_list<std::string_view>;

void require_texts(const JsonNode& object, Names names) {
  for (const std::string_view name : names) {
    static_cast<void>(object.required(name).as_string());
  }
}

void require_texts_or_null(const JsonNode& object, Names names) {
  for (const std::string_view name : names) {
    const JsonNode value = object.required(name);
    if (!value.is_null()) static_cast<void>(value.as_string());
  }
}

void require_model(const JsonNode& model) {
  if (model.is_null()) return;
  require_texts_or_null(model, {"source", "sha256", "model_type", "family"});
  for (const JsonNode& site : model.required("sites").items()) {
    require_texts(site, {"name"});
    require_texts_or_null(site, {"epsilon_from", "weight_offset", "dtype", "recipe"});
    require_texts(site.required("epsilon"), {"text"});
    const JsonNode dim = site.required("dim");
    if (!dim.is_null()) {
      static_cast<void>(dim.as_integer(0, std::numeric_limits<std::int64_t>::max()));
    }
  }
}

}  // namespace

void require_envelope(const JsonNode& root) {
  require_texts(root, {"rerun", "headline"});
  require_texts(root.required("tool"), {"name", "version"});
  static_cast<void>(root.required("exit_status").as_integer(0, 255));
  for (const JsonNode& input : root.required("inputs").items()) {
    require_texts(input, {"path"});
    require_texts_or_null(input, {"sha256", "what_was_hashed"});
  }
  for (const JsonNode& item : root.required("overrides").items()) {
    require_texts(item, {"option", "value"});
    require_texts_or_null(item, {"replaces", "from"});
  }
  for (const JsonNode& finding : root.required("findings").items()) {
    require_texts(finding, {"rule", "level", "text"});
    require_texts_or_null(finding, {"site"});
  }
  for (const JsonNode& refused : root.required("refused").items()) {
    require_texts(refused, {"id", "code", "message"});
  }
  require_model(root.required("model"));
  for (const std::string_view name : {"verdict", "coverage", "definitions", "criteria", "reference",
                                      "cases", "results", "controls", "claims", "not_tested"}) {
    static_cast<void>(root.required(name));
  }
}

}  // namespace normcert
