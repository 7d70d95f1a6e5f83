#include "formats/hf_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/file_bytes.hpp"
#include "formats/python_json.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

// transformers 5.16 and what other tools write (GPT-NeoX, MaxText, TensorRT-LLM, Megatron, LFM2).
constexpr std::array<std::string_view, 10> kEpsilonKeys = {
    "rms_norm_eps",       "layer_norm_eps",
    "layer_norm_epsilon", "norm_eps",
    "layernorm_epsilon",  "norm_epsilon",
    "block_norm_eps",     "rms_norm_epsilon",
    "layernorm_eps",      "normalization_layer_epsilon"};

// Where a nested config keeps the model that reads and writes text.
constexpr std::array<std::string_view, 4> kTextSections = {"text_config", "llm_config",
                                                           "language_config", "lm_config"};
// Omni models: the part that thinks is nested once more.
constexpr std::string_view kThinker = "thinker_config";

// Larger than every model, small enough that a list of all sites fits into memory.
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

constexpr std::array<std::string_view, 4> kLayerKeys = {"num_hidden_layers", "num_layers",
                                                        "n_layers", "n_layer"};
constexpr std::array<std::string_view, 1> kDecoderLayerKeys = {"num_decoder_layers"};
constexpr std::array<std::string_view, 4> kHiddenKeys = {"hidden_size", "d_model", "dim", "n_embd"};

struct DtypeName {
  std::string_view name;
  const FloatFormat* format;
};
constexpr std::array kDtypeNames = {
    DtypeName{"bfloat16", &kBf16},       DtypeName{"float16", &kFp16},
    DtypeName{"float32", &kFp32},        DtypeName{"float64", &kFp64},
    DtypeName{"half", &kFp16},           DtypeName{"float", &kFp32},
    DtypeName{"double", &kFp64},         DtypeName{"float8_e4m3fn", &kFp8E4m3fn},
    DtypeName{"float8_e5m2", &kFp8E5m2},
};

using PythonNumbers = std::map<std::size_t, std::string>;

// Throws where NaN or Infinity stands.
void refuse_python_number(const PythonNumbers& words, const JsonNode& node, std::string code = {}) {
  const auto word = words.find(node.byte_offset());
  if (word == words.end()) return;
  throw node.error(word->second, "a finite number", "", std::move(code));
}

// A member that says something: absent and null are the same here.
std::optional<JsonNode> stated(const PythonNumbers& words, const JsonNode& object,
                               std::string_view name) {
  auto value = object.member(name);
  if (!value || value->is_null()) return std::nullopt;
  refuse_python_number(words, *value);
  return value;
}

std::optional<JsonNode> stated_object(const PythonNumbers& words, const JsonNode& object,
                                      std::string_view name) {
  auto value = stated(words, object, name);
  if (value && !value->is_object()) throw value->unexpected("an object");
  return value;
}

JsonNode text_section(const PythonNumbers& words, const JsonNode& object) {
  for (const std::string_view name : kTextSections) {
    if (const auto section = stated_object(words, object, name)) return *section;
  }
  if (const auto thinker = stated_object(words, object, kThinker))
    return text_section(words, *thinker);
  return object;
}

const FloatFormat* read_dtype(const PythonNumbers& words, const JsonNode& object) {
  for (const std::string_view key : {"dtype", "torch_dtype"}) {
    const auto node = stated(words, object, key);
    if (!node) continue;
    const std::string text = node->as_string();
    std::string_view name = text;
    if (name == "auto") continue;
    if (name.starts_with("torch.")) name.remove_prefix(std::string_view("torch.").size());
    std::vector<std::string_view> names;
    for (const DtypeName& known : kDtypeNames) {
      if (known.name == name) return known.format;
      names.push_back(known.name);
    }
    throw node->unexpected("one of bfloat16, float16, float32, float64, float8_e4m3fn, float8_e5m2",
                           std::string(nearest_name(name, names)), "unknown_dtype");
  }
  return nullptr;
}

std::optional<std::size_t> read_count(const PythonNumbers& words, const JsonNode& object,
                                      std::span<const std::string_view> keys, std::int64_t most) {
  for (const std::string_view key : keys) {
    if (const auto node = stated(words, object, key)) {
      return static_cast<std::size_t>(node->as_integer(1, most));
    }
  }
  return std::nullopt;
}

bool is_epsilon_key(std::string_view name) {
  return std::find(kEpsilonKeys.begin(), kEpsilonKeys.end(), name) != kEpsilonKeys.end();
}

std::vector<std::string> epsilon_keys_of(const JsonNode& object) {
  std::vector<std::string> keys;
  for (const JsonMember& member : object.members()) {
    if (is_epsilon_key(member.name) && !member.value.is_null()) keys.push_back(member.name);
  }
  return keys;
}

bool describes_a_model(const JsonNode& object) {
  return object.member("model_type") || object.member("hidden_size") ||
         !epsilon_keys_of(object).empty();
}

// A file may give single layers another epsilon (transformers 5). Reading the file without that
// would declare the wrong one for them.
void refuse_epsilon_of_single_layers(const PythonNumbers& words, const JsonNode& section) {
  const auto layers = stated(words, section, "per_layer_config");
  if (!layers || !layers->is_object()) return;
  for (const JsonMember& layer : layers->members()) {
    if (!layer.value.is_object() || epsilon_keys_of(layer.value).empty()) continue;
    throw layer.value.error("an epsilon of a single layer",
                            "one epsilon for all layers (per_layer_config cannot change it here)");
  }
}

}  // namespace

std::span<const std::string_view> epsilon_keys() { return kEpsilonKeys; }

HfConfig HfConfig::parse(std::string name, std::string text) {
  auto python_numbers = replace_python_numbers(text);
  JsonDocument document = JsonDocument::parse(std::move(name), std::move(text));
  const JsonNode root = document.root();
  if (!root.is_object()) throw root.unexpected("an object: the config.json of a model");
  const JsonNode section = text_section(python_numbers, root);
  HfConfig config(std::move(document), section);
  config.python_numbers_ = std::move(python_numbers);
  config.read_section();
  return config;
}

void HfConfig::read_section() {
  const JsonNode root = document_.root();
  const PythonNumbers& words = python_numbers_;
  section_name_ = section_.path();
  other_sections_.clear();
  for (const JsonMember& member : root.members()) {
    const bool judged =
        section_name_ == member.name || section_name_.starts_with(member.name + ".");
    if (member.value.is_object() && !judged && describes_a_model(member.value)) {
      other_sections_.push_back(member.name);
    }
  }
  const auto type = stated(words, section_, "model_type");
  model_type_ = type ? type->as_string() : "";
  const auto whole = section_name_.empty() ? std::nullopt : root.member("model_type");
  composite_type_ = whole && whole->is_string() ? whole->as_string() : "";
  dtype_ = read_dtype(words, section_);
  if (!dtype_) dtype_ = read_dtype(words, root);
  hidden_ = read_count(words, section_, kHiddenKeys, kMostElements);
  layers_ = read_count(words, section_, kLayerKeys, kMostLayers);
  decoder_layers_ = read_count(words, section_, kDecoderLayerKeys, kMostLayers);
  if (!decoder_layers_) decoder_layers_ = layers_;
  refuse_epsilon_of_single_layers(words, section_);
}

std::optional<HfConfig> HfConfig::part(std::string_view name) const {
  const auto section = stated_object(python_numbers_, document_.root(), name);
  if (!section) return std::nullopt;
  HfConfig config(document_, *section);
  config.python_numbers_ = python_numbers_;
  config.read_section();
  return config;
}

HfConfig HfConfig::read(const std::filesystem::path& path) {
  std::error_code ignored;  // a path that cannot be looked at is reported by the reader
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = folder ? path / "config.json" : path;
  if (folder && !std::filesystem::exists(file, ignored)) {
    throw InputError({.code = {},
                      .file = path.string(),
                      .place = {},
                      .found = "a folder without config.json",
                      .expected = "a config.json, or a folder that holds one",
                      .nearest = {}});
  }
  return parse(file.string(), read_file_bytes(file, kJsonMaxBytes, EmptyFile::kAllowed));
}

std::optional<std::size_t> HfConfig::count(std::initializer_list<std::string_view> keys) const {
  return read_count(python_numbers_, section_, std::span(keys.begin(), keys.size()), kMostElements);
}

std::vector<std::string> HfConfig::words(std::string_view key) const {
  const auto node = stated(python_numbers_, section_, key);
  if (!node) return {};
  const auto word = [](const JsonNode& value) -> std::string {
    if (value.is_string()) return value.as_string();
    return value.is_number() || value.is_bool() ? value.token() : "";
  };
  if (!node->is_array()) return {word(*node)};
  std::vector<std::string> list;
  for (const JsonNode& item : node->items()) list.push_back(word(item));
  return list;
}

bool HfConfig::is_list(std::string_view key) const {
  const auto node = section_.member(key);
  return node && node->is_array();
}

bool HfConfig::is_null(std::string_view key) const {
  const auto node = section_.member(key);
  return node && node->is_null();
}

std::vector<std::string> HfConfig::present_epsilon_keys() const {
  return epsilon_keys_of(section_);
}

std::vector<std::string> HfConfig::epsilon_paths_elsewhere() const {
  std::vector<std::string> paths;
  const JsonNode root = document_.root();
  if (!section_name_.empty()) paths = epsilon_keys_of(root);
  for (const std::string& section : other_sections_) {
    for (const std::string& key : epsilon_keys_of(root.required(section))) {
      paths.push_back(section + "." + key);
    }
  }
  return paths;
}

std::string HfConfig::path_of(std::string_view key) const {
  return section_name_.empty() ? std::string(key) : section_name_ + "." + std::string(key);
}

std::optional<Epsilon> HfConfig::epsilon(std::string_view key) const {
  const auto node = section_.member(key);
  if (!node) return std::nullopt;
  refuse_python_number(python_numbers_, *node, "epsilon_not_finite");
  if (node->is_null()) {
    throw node->unexpected("a number (null declares no epsilon)", "", "missing_epsilon");
  }
  if (node->is_string()) {
    throw node->unexpected(
        "a number without quotation marks (programs that read this file cannot add a text)", "",
        "epsilon_unreadable");
  }
  if (!node->is_number()) throw node->unexpected("a number", "", "epsilon_unreadable");
  return read_epsilon(node->token(), file(), node->place());
}

std::string HfConfig::text(std::string_view key) const {
  const JsonNode node = section_.required(key);
  const auto word = python_numbers_.find(node.byte_offset());
  return word == python_numbers_.end() ? node.shown() : word->second;
}

InputError HfConfig::error(std::string found, std::string expected, std::string nearest,
                           std::string code) const {
  return InputError({.code = std::move(code),
                     .file = file(),
                     .place = section_name_,
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = std::move(nearest)});
}

}  // namespace normcert
