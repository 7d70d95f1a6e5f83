// A Hugging Face config.json, or a params.json with the same kind of keys: what the file says about
// its norms, before a family (catalogue/families.hpp) says what it means. A nested file is read at
// its text model ("text_config"); its other parts are listed, not judged.
//
// Files are known by their content; only inside a folder the name config.json is looked for.
// Nothing is filled in: what the file does not say stays unknown here. NaN and Infinity, as Python
// writes them, are errors only where a number is read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json_text.hpp"
#include "numeric/float_format.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

// Keys under which configs state the epsilon of a norm. The name does not tell whether the norm is
// an RMSNorm: T5 calls its RMSNorm's epsilon layer_norm_epsilon, Orion its LayerNorm's
// rms_norm_eps.
[[nodiscard]] std::span<const std::string_view> epsilon_keys();

class HfConfig {
 public:
  // Throw InputError.
  [[nodiscard]] static HfConfig read(const std::filesystem::path& path);  // a file or a folder
  // `name` stands for the file in messages.
  [[nodiscard]] static HfConfig parse(std::string name, std::string text);

  [[nodiscard]] const std::string& file() const { return document_.file(); }
  // Path of the part that is judged, "text_config"; empty: the whole file.
  [[nodiscard]] const std::string& section() const { return section_name_; }
  // Other parts of the file that describe models, "vision_config".
  [[nodiscard]] const std::vector<std::string>& other_sections() const { return other_sections_; }
  [[nodiscard]] const std::string& model_type() const { return model_type_; }  // empty: absent
  // The model_type of a file of which a part is judged; empty where the whole file is, or absent.
  [[nodiscard]] const std::string& composite_type() const { return composite_type_; }
  // The same file, read at another of its parts; nullopt where it has none of that name.
  [[nodiscard]] std::optional<HfConfig> part(std::string_view name) const;
  // dtype, else torch_dtype; of the section, else of the file. Nullptr where absent, null or
  // "auto".
  [[nodiscard]] const FloatFormat* dtype() const { return dtype_; }
  [[nodiscard]] std::optional<std::size_t> hidden() const { return hidden_; }
  [[nodiscard]] std::optional<std::size_t> layers() const { return layers_; }
  // num_decoder_layers, else layers(), as in T5Config.
  [[nodiscard]] std::optional<std::size_t> decoder_layers() const { return decoder_layers_; }

  // The first of these keys that the section holds and that is not null: a count from 1.
  [[nodiscard]] std::optional<std::size_t> count(
      std::initializer_list<std::string_view> keys) const;

  // What the section states under a key: the words of a list, a single word, the token of a number
  // or truth value ("true"). Empty where the key is absent or null; "" for anything else.
  [[nodiscard]] std::vector<std::string> words(std::string_view key) const;
  [[nodiscard]] bool is_list(std::string_view key) const;

  // Whether the section holds the key, and null is what stands there.
  [[nodiscard]] bool is_null(std::string_view key) const;

  // The epsilon keys that the section holds and that are not null, in the order of the file.
  [[nodiscard]] std::vector<std::string> present_epsilon_keys() const;
  // The same elsewhere in the file, as paths: "vision_config.layer_norm_eps".
  [[nodiscard]] std::vector<std::string> epsilon_paths_elsewhere() const;
  // The path of a key of the section, for messages: "text_config.rms_norm_eps".
  [[nodiscard]] std::string path_of(std::string_view key) const;
  // Nullopt where the key is absent. What stands there must be a JSON number above 0: null is the
  // code missing_epsilon, text and others are epsilon_unreadable.
  [[nodiscard]] std::optional<Epsilon> epsilon(std::string_view key) const;
  // The token as it stands. Requires the key to be present.
  [[nodiscard]] std::string text(std::string_view key) const;

  // To be thrown: about the section as a whole.
  [[nodiscard]] InputError error(std::string found, std::string expected, std::string nearest,
                                 std::string code) const;

 private:
  HfConfig(JsonDocument document, JsonNode section)
      : document_(std::move(document)), section_(section) {}
  // Everything that is read once, of a section.
  void read_section();

  JsonDocument document_;
  JsonNode section_;
  std::string section_name_;
  std::vector<std::string> other_sections_;
  std::string model_type_;
  std::string composite_type_;
  const FloatFormat* dtype_ = nullptr;
  std::optional<std::size_t> hidden_;
  std::optional<std::size_t> layers_;
  std::optional<std::size_t> decoder_layers_;
  std::map<std::size_t, std::string> python_numbers_;  // NaN and the like, by their byte offset
};

}  // namespace normcert
