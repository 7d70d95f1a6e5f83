// Safetensors files in: eight bytes of header length, a JSON header, the tensors' bytes
// (huggingface.co/docs/safetensors). The file is mapped and never trusted: lengths, shapes, offsets
// and their products are checked before any view is formed, and what is refused is named with its
// place. As strict as the reference implementation: tensors lie without holes or overlaps and end
// where the file ends.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/file_bytes.hpp"
#include "problem/tensor.hpp"

namespace normcert {

struct SafetensorsTensor {
  std::string name;
  std::string dtype;               // as it stands in the header, "BF16"
  std::vector<std::size_t> shape;  // empty: a scalar
  // Nullptr: not a floating-point format that this program computes with (I64, F4, FP8 variants
  // with other codes, names nobody knows); such a tensor is bytes and has no view.
  const FloatFormat* format = nullptr;
  std::size_t file_offset = 0;         // of `bytes`, from the start of the file
  std::span<const std::byte> bytes{};  // not aligned; alive as long as SafetensorsFile::owner
};

// Ordered as it stands in the file.
using TextPairs = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] const std::string* find_text(const TextPairs& pairs, std::string_view key);

struct SafetensorsFile {
  std::string path;
  TextPairs metadata;                      // __metadata__
  std::vector<SafetensorsTensor> tensors;  // in the order of the header
  std::shared_ptr<const void> owner;
  std::shared_ptr<const ByteSource> source;  // the mapped file; may be empty

  [[nodiscard]] const SafetensorsTensor* find(std::string_view name) const;
  // Rows are the leading dimensions multiplied, the width is the last one; a scalar is 1 x 1.
  // Keeps the file mapped. Requires tensor.format.
  [[nodiscard]] TensorView view(const SafetensorsTensor& tensor) const;
};

// The reference reader's limit. (One published file has a header of 132 MB.)
inline constexpr std::size_t kSafetensorsHeaderLimit = 100'000'000;

// Throw InputError. What is no safetensors file at all is named: a Git LFS pointer, a web page, a
// PyTorch checkpoint (with the command that converts it), ...
[[nodiscard]] SafetensorsFile read_safetensors(const std::filesystem::path& path,
                                               std::size_t header_limit = kSafetensorsHeaderLimit);
[[nodiscard]] SafetensorsFile read_safetensors(std::shared_ptr<const MappedFile> mapped,
                                               std::size_t header_limit = kSafetensorsHeaderLimit);
// The same from memory that `owner` keeps alive; `name` stands for the file in messages.
[[nodiscard]] SafetensorsFile parse_safetensors(std::string name,
                                                std::span<const std::byte> content,
                                                std::shared_ptr<const void> owner,
                                                std::size_t header_limit = kSafetensorsHeaderLimit);

// The dtype name of a format in a safetensors header; nullopt where it has none (tf32).
[[nodiscard]] std::optional<std::string_view> safetensors_dtype(const FloatFormat& format);
// Bits of one element of that dtype; nullopt for a name that is not known.
[[nodiscard]] std::optional<std::size_t> safetensors_dtype_bits(std::string_view dtype);

}  // namespace normcert
