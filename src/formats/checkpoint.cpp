#include "formats/checkpoint.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/json_text.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::string_view kIndexName = "model.safetensors.index.json";

InputError checkpoint_error(std::string file, std::string place, std::string found,
                            std::string expected) {
  return InputError({.code = {},
                     .file = std::move(file),
                     .place = std::move(place),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = {}});
}

std::vector<std::filesystem::path> safetensors_files(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".safetensors") files.push_back(entry->path());
  }
  if (error) {
    throw checkpoint_error(folder.string(), "",
                           "a folder that cannot be read (" + error.message() + ")",
                           "a readable folder");
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A shard stands beside its index: a name with a folder in it could lead anywhere.
std::string shard_name(const JsonNode& node) {
  const std::string name = node.as_string();
  if (name.empty() || name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos ||
      name == "." || name == "..") {
    throw node.unexpected("the name of a file beside the index");
  }
  return name;
}

}  // namespace

std::optional<Checkpoint> Checkpoint::open(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  std::error_code error;
  std::filesystem::path single = path;
  if (std::filesystem::is_directory(path, error)) {
    const std::filesystem::path index = path / kIndexName;
    if (std::filesystem::exists(index, error)) {
      const JsonDocument document = JsonDocument::read(index);
      checkpoint.source_ = index.string();
      checkpoint.folder_ = path;
      for (const JsonMember& member : document.root().required("weight_map").members()) {
        checkpoint.file_of_tensor_.emplace(member.name, shard_name(member.value));
      }
      return checkpoint;
    }
    const auto files = safetensors_files(path);
    if (files.empty()) return std::nullopt;
    if (files.size() > 1) {
      throw checkpoint_error(
          path.string(), "",
          std::to_string(files.size()) + " .safetensors files without " + std::string(kIndexName),
          "one file, or an index that says which tensors lie where");
    }
    single = files.front();
  }
  SafetensorsFile file = read_safetensors(single);
  const std::string name = single.filename().string();
  checkpoint.source_ = single.string();
  checkpoint.folder_ = single.parent_path();
  for (const SafetensorsTensor& tensor : file.tensors) {
    checkpoint.file_of_tensor_.emplace(tensor.name, name);
  }
  checkpoint.opened_.emplace(name, std::move(file));
  return checkpoint;
}

const SafetensorsFile& Checkpoint::opened(const std::string& file, std::string_view tensor) {
  if (const auto known = opened_.find(file); known != opened_.end()) return known->second;
  const std::filesystem::path path = folder_ / file;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw checkpoint_error(source_, "tensor " + std::string(tensor),
                           "the shard " + file + ", which is missing",
                           "all shards beside the index");
  }
  return opened_.emplace(file, read_safetensors(path)).first->second;
}

std::optional<TensorView> Checkpoint::norm_weight(std::string_view site) {
  const std::string name = std::string(site) + ".weight";
  const auto entry = file_of_tensor_.find(name);
  if (entry == file_of_tensor_.end()) return std::nullopt;
  const SafetensorsFile& file = opened(entry->second, name);
  const SafetensorsTensor* const tensor = file.find(name);
  if (!tensor) {
    throw checkpoint_error(file.path, "", "a shard without " + name,
                           "the tensors that " + source_ + " names");
  }
  if (!tensor->format) {
    throw checkpoint_error(file.path, "tensor " + name, tensor->dtype,
                           "the weight of a norm in F64, F32, BF16, F16, F8_E4M3 or F8_E5M2");
  }
  if (tensor->shape.size() != 1 || tensor->shape.front() == 0) {
    throw checkpoint_error(file.path, "tensor " + name,
                           "a shape of " + std::to_string(tensor->shape.size()) + " dimensions",
                           "the weight of a norm: one dimension, at least one element");
  }
  return file.view(*tensor);
}

std::string Checkpoint::file_of(std::string_view tensor) const {
  const auto entry = file_of_tensor_.find(tensor);
  if (entry == file_of_tensor_.end()) return {};
  return (folder_ / entry->second).string();
}

}  // namespace normcert
