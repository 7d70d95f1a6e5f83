#include "formats/safetensors_writer.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>

#include "formats/atomic_file.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::size_t kAlignment = 8;

InputError text_error(const std::string& kind, const std::string& name, std::string found,
                      std::string expected) {
  return InputError({.code = {},
                     .file = {},
                     .place = kind + " " + name,
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = {}});
}

std::string json_string(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw text_error("the text", text, "bytes that are no UTF-8", "UTF-8");
  }
}

std::vector<std::size_t> shape_of(const TensorView& tensor) {
  if (tensor.shape.empty()) return {tensor.rows, tensor.width};
  const std::size_t elements = std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                               std::size_t{1}, std::multiplies<>());
  if (elements != tensor.size()) throw std::logic_error("shape and size of a tensor differ");
  return tensor.shape;
}

std::string entry_json(const SafetensorsEntry& entry, std::size_t begin) {
  const TensorView& tensor = entry.tensor;
  const auto dtype = safetensors_dtype(*tensor.format);
  if (!dtype) {
    throw text_error("tensor", entry.name, std::string(tensor.format->name),
                     "a format that safetensors files can hold");
  }
  if (tensor.bytes.size() !=
      tensor.size() * static_cast<std::size_t>(tensor.format->storage_bytes)) {
    throw std::logic_error("bytes and size of a tensor differ");
  }
  std::string sizes;
  for (const std::size_t size : shape_of(tensor)) {
    sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
  }
  return json_string(entry.name) + R"(:{"dtype":")" + std::string(*dtype) + R"(","shape":[)" +
         sizes + R"(],"data_offsets":[)" + std::to_string(begin) + ',' +
         std::to_string(begin + tensor.bytes.size()) + "]}";
}

std::string metadata_json(const TextPairs& metadata) {
  std::set<std::string_view> keys;
  std::string pairs;
  for (const auto& [key, value] : metadata) {
    if (!keys.insert(key).second)
      throw text_error("metadata", key, "a key that is given twice", "one value");
    pairs += (pairs.empty() ? "" : ",") + json_string(key) + ':' + json_string(value);
  }
  return R"("__metadata__":{)" + pairs + '}';
}

}  // namespace

std::string safetensors_bytes(const TextPairs& metadata,
                              const std::vector<SafetensorsEntry>& entries) {
  std::string header = "{";
  if (!metadata.empty()) header += metadata_json(metadata);
  std::set<std::string_view> names{"__metadata__"};
  std::size_t end = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (!names.insert(entry.name).second) {
      throw text_error("tensor", entry.name, "a name that is taken", "names that differ");
    }
    if (header.size() > 1) header += ',';
    header += entry_json(entry, end);
    end += entry.tensor.bytes.size();
  }
  header += '}';
  header.append((kAlignment - header.size() % kAlignment) % kAlignment, ' ');

  std::string bytes;
  bytes.reserve(sizeof(std::uint64_t) + header.size() + end);
  for (std::uint64_t length = header.size(), i = 0; i < sizeof length; ++i, length >>= 8) {
    bytes += static_cast<char>(length & 0xFF);
  }
  bytes += header;
  for (const SafetensorsEntry& entry : entries) {
    bytes.append(reinterpret_cast<const char*>(entry.tensor.bytes.data()),
                 entry.tensor.bytes.size());
  }
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const TextPairs& metadata,
                       const std::vector<SafetensorsEntry>& entries) {
  write_file_atomically(path, safetensors_bytes(metadata, entries));
}

}  // namespace normcert
