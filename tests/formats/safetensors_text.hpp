// Safetensors files from their parts, well formed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/safetensors.hpp"

namespace normcert {

inline std::string length_bytes(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i, length >>= 8) bytes += static_cast<char>(length & 0xFF);
  return bytes;
}

inline std::string safetensors_text(const std::string& header, const std::string& data = "") {
  return length_bytes(header.size()) + header + data;
}

// As if it stood in a file of that name.
inline SafetensorsFile parse_text(const std::string& content,
                                  const std::string& name = "f.safetensors",
                                  std::size_t header_limit = kSafetensorsHeaderLimit) {
  const auto owned = std::make_shared<const std::string>(content);
  return parse_safetensors(name, std::as_bytes(std::span(*owned)), owned, header_limit);
}

// Data of zeros.
inline SafetensorsFile parse_header(const std::string& header, std::size_t data_bytes) {
  return parse_text(safetensors_text(header, std::string(data_bytes, '\0')));
}

}  // namespace normcert
