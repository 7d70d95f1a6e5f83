// Safetensors files out. The bytes depend on what is given and on nothing else: metadata and
// tensors in the order given, a header without blanks, padded with spaces to a multiple of eight
// bytes as the reference implementation does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/safetensors.hpp"

namespace normcert {

struct SafetensorsEntry {
  std::string name;
  // Its `shape` is written; where that is empty, [rows, width].
  TensorView tensor;
};

// Throws InputError (place: the name) for a name that is not UTF-8, is given twice or is reserved,
// and for a format that safetensors has no name for.
[[nodiscard]] std::string safetensors_bytes(const TextPairs& metadata,
                                            const std::vector<SafetensorsEntry>& entries);

// The file is there whole or not at all.
void write_safetensors(const std::filesystem::path& path, const TextPairs& metadata,
                       const std::vector<SafetensorsEntry>& entries);

}  // namespace normcert
