#include "catalogue/norm_classes.hpp"

#include <algorithm>
#include <vector>

#include "catalogue/embedded_data.hpp"
#include "formats/json_text.hpp"

namespace normcert {
namespace {

constexpr std::string_view kSchema = "normcert/norm-classes/1";

std::vector<NormClass> read_embedded() {
  std::vector<NormClass> classes;
  for (const EmbeddedFile& file : embedded_norm_classes()) {
    const JsonDocument document =
        JsonDocument::parse(std::string(file.name), std::string(file.content));
    const JsonNode root = document.root();
    root.reject_unknown_members({"schema", "classes", "note", "source"});
    const JsonNode schema = root.required("schema");
    if (schema.as_string() != kSchema) throw schema.unexpected(std::string(kSchema));
    for (const JsonMember& one : root.required("classes").members()) {
      classes.push_back({one.name, one.value.as_string()});
    }
  }
  std::ranges::sort(classes, {}, &NormClass::name);
  return classes;
}

std::string_view without_folder(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace

std::span<const NormClass> norm_classes() {
  static const std::vector<NormClass> kClasses = read_embedded();
  return kClasses;
}

const NormClass* find_norm_class(std::string_view name) {
  const auto found = std::ranges::find_if(norm_classes(), [&](const NormClass& one) {
    return one.name == name || without_folder(one.name) == name;
  });
  return found != norm_classes().end() ? &*found : nullptr;
}

}  // namespace normcert
