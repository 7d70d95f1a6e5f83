// The weights of a folder as Hugging Face programs save it: model.safetensors, or the shards that a
// model.safetensors.index.json names. Norm weights are looked up by name; a shard is opened when a
// name that lies in it is first asked for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/safetensors.hpp"
#include "problem/tensor.hpp"

namespace normcert {

class Checkpoint {
 public:
  // A .safetensors file, or a folder that holds exactly one, or an index and its shards. Throws
  // InputError; nullopt for a folder without any weights.
  [[nodiscard]] static std::optional<Checkpoint> open(const std::filesystem::path& path);

  // The weight of a norm, one row; nullopt where the checkpoint has no tensor of that name. Throws
  // InputError for a tensor of another shape or kind than [n] floating-point numbers, and for a
  // shard that is missing or damaged.
  [[nodiscard]] std::optional<TensorView> norm_weight(std::string_view site);

  // The file in which that tensor lies, for reports; empty where there is none.
  [[nodiscard]] std::string file_of(std::string_view tensor) const;

 private:
  const SafetensorsFile& opened(const std::string& file, std::string_view tensor);

  std::string source_;  // what says where tensors lie: the index, or the file
  std::filesystem::path folder_;
  std::map<std::string, std::string, std::less<>> file_of_tensor_;
  std::map<std::string, SafetensorsFile> opened_;
};

}  // namespace normcert
