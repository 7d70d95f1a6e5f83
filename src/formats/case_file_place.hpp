// Places in a case file for values that outlive the document: JsonNode::place() counts lines from
// the start of the text at each call, which is too slow for every number of a long file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/json_text.hpp"

namespace normcert {

class CaseFilePlaces {
 public:
  explicit CaseFilePlaces(const JsonDocument& document);

  // "cases[3].x[0][2], line 12"
  [[nodiscard]] std::string of(const JsonNode& node) const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<std::size_t> line_ends_;  // offsets of the newlines
};

}  // namespace normcert
