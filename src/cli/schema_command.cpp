#include "cli/schema_command.hpp"

#include <string>
#include <vector>

#include "cli/standard_streams.hpp"
#include "numeric/float_format.hpp"
#include "problem/error.hpp"
#include "report/embedded_schemas.hpp"

namespace normcert {
namespace {

constexpr std::string_view kEnding = ".schema.json";

std::string_view name_of(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.size() - kEnding.size());
}

InputError unknown_schema(const std::string& word) {
  std::vector<std::string_view> names;
  std::string known;
  for (const EmbeddedFile& file : embedded_schemas()) {
    names.push_back(name_of(file));
    known += (known.empty() ? "" : ", ") + std::string(name_of(file));
  }
  return InputError({.code = "unknown_schema",
                     .file = "",
                     .place = "",
                     .found = "the unknown schema " + word,
                     .expected = "one of " + known,
                     .nearest = std::string(nearest_name(word, names))});
}

class SchemaCommand : public Command {
 public:
  void declare(OptionList& options) override {
    options.add_positionals("NAME", "a schema to print; without it their names", names_);
  }

  void read_values(const SharedOptions&) override {
    if (names_.size() > 1) {
      throw InputError({.code = "usage",
                        .file = "",
                        .place = "",
                        .found = std::to_string(names_.size()) + " names",
                        .expected = "one NAME or none",
                        .nearest = ""});
    }
    for (const EmbeddedFile& file : embedded_schemas()) {
      if (names_.empty()) text_ += std::string(name_of(file)) + '\n';
      if (!names_.empty() && name_of(file) == names_.front()) text_ = file.content;
    }
    if (text_.empty()) throw unknown_schema(names_.front());
  }

  int run(const Invocation&) override {
    write_stdout(text_);
    return 0;
  }

 private:
  std::vector<std::string> names_;
  std::string text_;
};

}  // namespace

const CommandDescription kSchemaCommand = {
    .name = "schema",
    .what_for = "a program that reads reports",
    .synopsis = "schema [NAME]",
    .summary =
        "Prints a JSON Schema (draft 2020-12) of what the program writes, or the names of all.",
    .examples =
        "normcert schema\n"
        "normcert schema attenuation > attenuation.schema.json",
    .statuses = "0  the schema was printed",
    .writes_reports = false,
    .create = [] { return std::unique_ptr<Command>(std::make_unique<SchemaCommand>()); }};

}  // namespace normcert
