#include "formats/case_file_place.hpp"

#include <algorithm>

namespace normcert {

CaseFilePlaces::CaseFilePlaces(const JsonDocument& document) : file_(document.file()) {
  const std::string& text = document.text();
  for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', i + 1)) {
    line_ends_.push_back(i);
  }
}

std::string CaseFilePlaces::of(const JsonNode& node) const {
  const auto before = std::ranges::lower_bound(line_ends_, node.byte_offset());
  return node.path() + ", line " + std::to_string(before - line_ends_.begin() + 1);
}

}  // namespace normcert
