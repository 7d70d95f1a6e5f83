#include "formats/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "formats/file_bytes.hpp"
#include "formats/json_text.hpp"
#include "formats/look_alike.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadataKey = "__metadata__";

struct Dtype {
  std::string_view name;
  std::size_t bits;
  const FloatFormat* format;
};

// safetensors 0.6, enum Dtype. F8_E4M3 is torch.float8_e4m3fn.
constexpr std::array kDtypes = {
    Dtype{"F64", 64, &kFp64},         Dtype{"F32", 32, &kFp32},
    Dtype{"F16", 16, &kFp16},         Dtype{"BF16", 16, &kBf16},
    Dtype{"F8_E4M3", 8, &kFp8E4m3fn}, Dtype{"F8_E5M2", 8, &kFp8E5m2},
    Dtype{"BOOL", 8, nullptr},        Dtype{"U8", 8, nullptr},
    Dtype{"I8", 8, nullptr},          Dtype{"U16", 16, nullptr},
    Dtype{"I16", 16, nullptr},        Dtype{"U32", 32, nullptr},
    Dtype{"I32", 32, nullptr},        Dtype{"U64", 64, nullptr},
    Dtype{"I64", 64, nullptr},        Dtype{"C64", 64, nullptr},
    Dtype{"F8_E8M0", 8, nullptr},     Dtype{"F8_E4M3FNUZ", 8, nullptr},
    Dtype{"F8_E5M2FNUZ", 8, nullptr}, Dtype{"F6_E2M3", 6, nullptr},
    Dtype{"F6_E3M2", 6, nullptr},     Dtype{"F4", 4, nullptr},
};

const Dtype* find_dtype(std::string_view name) {
  const auto found = std::find_if(kDtypes.begin(), kDtypes.end(),
                                  [&](const Dtype& dtype) { return dtype.name == name; });
  return found == kDtypes.end() ? nullptr : &*found;
}

std::optional<std::size_t> checked_product(std::size_t a, std::size_t b) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) return std::nullopt;
  return a * b;
}

InputError error_at(const std::string& file, std::size_t offset, std::string found,
                    std::string expected) {
  return InputError({.code = {},
                     .file = file,
                     .place = "byte " + std::to_string(offset),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = {}});
}

std::string bytes_of(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string shown(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const std::size_t size : sizes) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return "[" + text + "]";
}

// What is wrong with the first bytes, or with what they most probably are instead.
InputError not_safetensors(const std::string& file, std::span<const std::byte> content,
                           std::string found, std::string expected) {
  constexpr std::size_t kHead = 512;
  const auto instead = look_alike(content.first(std::min(content.size(), kHead)));
  if (!instead || *instead == "a safetensors file") {  // it looks right, but this one is damaged
    return error_at(file, 0, std::move(found), std::move(expected));
  }
  // Advice stands in brackets; it is too long for what was found.
  const std::size_t advice = std::min(instead->find(" ("), instead->size());
  return error_at(file, 0, instead->substr(0, advice),
                  "a safetensors file" + instead->substr(advice));
}

// Length of the header: content[8 .. 8 + length) is within the file and begins with '{'.
std::size_t header_length(const std::string& file, std::span<const std::byte> content,
                          std::size_t limit) {
  if (content.size() < kLengthBytes) {
    throw not_safetensors(file, content, bytes_of(content.size()),
                          "a safetensors file: 8 bytes of header length, then the header");
  }
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i > 0; --i) {
    length = length << 8 | std::to_integer<std::uint64_t>(content[i - 1]);
  }
  const std::size_t behind = content.size() - kLengthBytes;
  const std::string found = "a header length of " + std::to_string(length);
  if (length > behind) {
    throw not_safetensors(file, content, found,
                          "at most the " + bytes_of(behind) +
                              " that follow it (a safetensors file begins with the length of its "
                              "header; is it cut off?)");
  }
  if (length > limit) {
    throw not_safetensors(file, content, found, "at most " + std::to_string(limit));
  }
  if (length < 2) throw not_safetensors(file, content, found, "a JSON header of at least 2 bytes");
  if (std::to_integer<char>(content[kLengthBytes]) != '{') {
    throw error_at(file, kLengthBytes,
                   "\"" + std::string(1, std::to_integer<char>(content[kLengthBytes])) + "\"",
                   "the \"{\" of the JSON header");
  }
  return static_cast<std::size_t>(length);
}

TextPairs read_metadata(const JsonNode& node) {
  TextPairs pairs;
  for (const JsonMember& member : node.members()) {
    pairs.emplace_back(member.name, member.value.as_string());
  }
  return pairs;
}

std::vector<std::size_t> read_sizes(const JsonNode& node) {
  std::vector<std::size_t> sizes;
  for (const JsonNode& item : node.items()) {
    sizes.push_back(
        static_cast<std::size_t>(item.as_integer(0, std::numeric_limits<std::int64_t>::max())));
  }
  return sizes;
}

// Bytes of the tensor as its shape and dtype say; nullopt where the dtype is not known.
std::optional<std::size_t> bytes_of_shape(const std::vector<std::size_t>& shape, const Dtype* dtype,
                                          const JsonNode& shape_node) {
  std::size_t elements = 1;
  for (const std::size_t size : shape) {
    const auto product = checked_product(elements, size);
    if (!product) throw shape_node.error(shown(shape), "a shape whose product is below 2^64");
    elements = *product;
  }
  if (!dtype) return std::nullopt;
  const auto bits = checked_product(elements, dtype->bits);
  if (!bits) throw shape_node.error(shown(shape), "a shape of fewer than 2^64 bits");
  if (*bits % 8 != 0) {
    throw shape_node.error(shown(shape), "a number of " + std::string(dtype->name) +
                                             " elements that fills whole bytes");
  }
  return *bits / 8;
}

// A tensor of the header; `data` is everything behind the header.
SafetensorsTensor read_tensor(const JsonMember& member, std::span<const std::byte> data,
                              std::size_t data_offset) {
  const JsonNode& node = member.value;
  if (!node.is_object()) throw node.unexpected("an object with dtype, shape and data_offsets");
  node.reject_unknown_members({"dtype", "shape", "data_offsets"});

  SafetensorsTensor tensor;
  tensor.name = member.name;
  tensor.dtype = node.required("dtype").as_string();
  const Dtype* const dtype = find_dtype(tensor.dtype);
  tensor.format = dtype ? dtype->format : nullptr;

  const JsonNode shape = node.required("shape");
  tensor.shape = read_sizes(shape);
  const auto bytes = bytes_of_shape(tensor.shape, dtype, shape);

  const JsonNode offsets_node = node.required("data_offsets");
  const std::vector<std::size_t> offsets = read_sizes(offsets_node);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    throw offsets_node.error(shown(offsets), "[begin, end] with begin <= end");
  }
  if (offsets[1] > data.size()) {
    throw offsets_node.error(shown(offsets), "an end within the " + bytes_of(data.size()) +
                                                 " behind the header (is the file cut off?)");
  }
  const std::size_t length = offsets[1] - offsets[0];
  if (bytes && *bytes != length) {
    throw offsets_node.error(shown(offsets) + ", " + bytes_of(length),
                             bytes_of(*bytes) + " for " + shown(tensor.shape) + " " + tensor.dtype);
  }
  tensor.file_offset = data_offset + offsets[0];
  tensor.bytes = data.subspan(offsets[0], length);
  return tensor;
}

// Every byte of data belongs to exactly one tensor.
void require_dense(const SafetensorsFile& file, std::size_t data_offset, std::size_t file_size) {
  std::vector<const SafetensorsTensor*> sorted;
  sorted.reserve(file.tensors.size());
  for (const SafetensorsTensor& tensor : file.tensors) sorted.push_back(&tensor);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::pair(a->file_offset, a->bytes.size()) < std::pair(b->file_offset, b->bytes.size());
  });
  std::size_t end = data_offset;
  const SafetensorsTensor* previous = nullptr;
  for (const SafetensorsTensor* tensor : sorted) {
    const std::string name = "\"" + tensor->name + "\"";
    if (tensor->file_offset > end) {
      throw error_at(file.path, end,
                     bytes_of(tensor->file_offset - end) + " of no tensor before " + name,
                     "tensors that follow one another without holes");
    }
    if (tensor->file_offset < end) {
      throw error_at(file.path, tensor->file_offset,
                     "the tensor " + name + ", which begins within \"" + previous->name + "\"",
                     "tensors that do not overlap");
    }
    end += tensor->bytes.size();
    previous = tensor;
  }
  if (end != file_size) {
    throw error_at(file.path, end, bytes_of(file_size - end) + " behind the last tensor",
                   "the end of the file");
  }
}

}  // namespace

const std::string* find_text(const TextPairs& pairs, std::string_view key) {
  const auto found =
      std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == key; });
  return found == pairs.end() ? nullptr : &found->second;
}

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const auto& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

TensorView SafetensorsFile::view(const SafetensorsTensor& tensor) const {
  TensorView view;
  view.format = tensor.format;
  view.rows = 1;
  view.width = tensor.shape.empty() ? 1 : tensor.shape.back();
  for (std::size_t i = 0; i + 1 < tensor.shape.size(); ++i) view.rows *= tensor.shape[i];
  view.bytes = tensor.bytes;
  view.shape = tensor.shape;
  view.owner = owner;
  view.source = source;
  view.source_offset = tensor.file_offset;
  return view;
}

SafetensorsFile parse_safetensors(std::string name, std::span<const std::byte> content,
                                  std::shared_ptr<const void> owner, std::size_t header_limit) {
  const std::size_t length = header_length(name, content, header_limit);
  const auto header = content.subspan(kLengthBytes, length);
  const std::size_t data_offset = kLengthBytes + length;
  const JsonDocument document = JsonDocument::parse(
      name, std::string(reinterpret_cast<const char*>(header.data()), header.size()), kLengthBytes);

  SafetensorsFile file;
  file.path = std::move(name);
  file.owner = std::move(owner);
  for (const JsonMember& member : document.root().members()) {
    if (member.name == kMetadataKey) {
      file.metadata = read_metadata(member.value);
    } else {
      file.tensors.push_back(read_tensor(member, content.subspan(data_offset), data_offset));
    }
  }
  require_dense(file, data_offset, content.size());
  return file;
}

SafetensorsFile read_safetensors(const std::filesystem::path& path, std::size_t header_limit) {
  return read_safetensors(std::make_shared<const MappedFile>(path), header_limit);
}

SafetensorsFile read_safetensors(std::shared_ptr<const MappedFile> mapped,
                                 std::size_t header_limit) {
  SafetensorsFile file =
      parse_safetensors(mapped->path().string(), mapped->bytes(), mapped, header_limit);
  file.source = std::move(mapped);
  return file;
}

std::optional<std::string_view> safetensors_dtype(const FloatFormat& format) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.format && *dtype.format == format) return dtype.name;
  }
  return std::nullopt;
}

std::optional<std::size_t> safetensors_dtype_bits(std::string_view dtype) {
  const Dtype* const known = find_dtype(dtype);
  return known ? std::optional(known->bits) : std::nullopt;
}

}  // namespace normcert
