#include "formats/case_file.hpp"

#include <limits>
#include <unordered_map>
#include <utility>

#include "formats/case_file_case.hpp"
#include "formats/case_file_expect.hpp"
#include "formats/case_file_place.hpp"

namespace normcert {
namespace {

constexpr std::size_t kLongestId = 200;  // bytes

// An id names tensors and report lines.
std::string read_id(const JsonNode& node) {
  std::string id = node.as_string();
  if (id.empty()) throw node.unexpected("an id that is not empty");
  if (id.size() > kLongestId) {
    throw node.unexpected("an id of at most " + std::to_string(kLongestId) + " bytes");
  }
  if (printable(id) != id) throw node.unexpected("an id of printable characters");
  return id;
}

std::string text_of(const JsonNode& object, std::string_view member) {
  const JsonNode node = object.required(member);
  std::string text = node.as_string();
  if (text.empty()) throw node.unexpected("a text that is not empty");
  return text;
}

Claim read_claim(const JsonNode& node) {
  node.reject_unknown_members({"number", "statement", "check", "outcome"});
  return {.number = static_cast<int>(
              node.required("number").as_integer(1, std::numeric_limits<int>::max())),
          .statement = text_of(node, "statement"),
          .check = text_of(node, "check"),
          .outcome = text_of(node, "outcome")};
}

// Other than the refusal that was expected: the message says that, too.
InputError unexpected_refusal(const InputError& error, const std::string& expected) {
  ErrorParts parts = error.parts();
  parts.expected += " (the refusal " + parts.code + ", where expect.error names " + expected + ')';
  return InputError(std::move(parts));
}

class Reader {
 public:
  Reader(const JsonDocument& document, const CaseFileOptions& options)
      : document_(document),
        options_(options),
        places_(document),
        elements_left_(options.max_elements) {}

  [[nodiscard]] CaseFile read() {
    const JsonNode root = document_.root();
    const JsonNode schema = root.required("schema");
    if (!schema.is_string() || schema.as_string() != kCaseFileSchema) {
      throw schema.unexpected('"' + std::string(kCaseFileSchema) + '"');
    }
    root.reject_unknown_members({"schema", "note", "claim", "cases"});
    file_.path = document_.file();
    if (const auto claim = root.member("claim")) file_.claim = read_claim(*claim);
    const JsonNode cases = root.required("cases");
    if (!cases.is_array() || cases.size() == 0) {
      throw cases.unexpected("an array of at least one case");
    }
    for (std::size_t i = 0; i < cases.size(); ++i) read_next(cases.item(i));
    return std::move(file_);
  }

 private:
  void read_next(const JsonNode& node) {
    const JsonNode id_node = node.required("id");
    const std::string id = read_id(id_node);
    const auto [first, is_new] = places_of_ids_.emplace(id, places_.of(id_node));
    if (!is_new) {
      throw id_node.unexpected("an id of its own: this one stands at " + first->second + " too");
    }
    const std::string expected = expected_refusal(node);
    try {
      file_.cases.push_back(read_case(node, options_, places_, elements_left_));
    } catch (const InputError& error) {
      const std::string& code = error.parts().code;
      if (expected.empty() || code.empty()) throw;
      if (code != expected) throw unexpected_refusal(error, expected);
      file_.refused.push_back({id, code, error.what(), true});
    }
  }

  const JsonDocument& document_;
  const CaseFileOptions& options_;
  CaseFilePlaces places_;
  std::size_t elements_left_;
  std::unordered_map<std::string, std::string> places_of_ids_;
  CaseFile file_;
};

}  // namespace

bool is_case_file(const JsonNode& root) {
  if (!root.is_object()) return false;
  const auto schema = root.member("schema");
  return schema && schema->is_string() && schema->as_string().starts_with("normcert/cases/");
}

CaseFile read_case_file(const JsonDocument& document, const CaseFileOptions& options) {
  return Reader(document, options).read();
}

CaseFile read_case_file(const std::filesystem::path& path, const CaseFileOptions& options) {
  return read_case_file(JsonDocument::read(path), options);
}

}  // namespace normcert
