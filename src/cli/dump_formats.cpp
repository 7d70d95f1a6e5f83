#include "cli/dump_formats.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/option_values.hpp"

namespace normcert {
namespace {

constexpr const char* kOption = "--dtype-of";
constexpr std::array<std::string_view, 3> kDumpFormats = {"fp32", "bf16", "fp16"};

const FloatFormat* read_dump_format(const std::string& word, const std::string& value) {
  if (std::ranges::find(kDumpFormats, value) == kDumpFormats.end()) {
    throw value_error(kOption, word, "x=T, weight=T or y=T with T one of fp32, bf16, fp16");
  }
  return find_format(value);
}

}  // namespace

FormatsOfDump read_formats_of_dump(const std::string& text) {
  FormatsOfDump formats;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    const std::string word = text.substr(first, end - first);
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const FloatFormat* const format = read_dump_format(word, value);
    if (name == "x") {
      formats.x = format;
    } else if (name == "weight") {
      formats.weight = format;
    } else if (name == "y") {
      formats.y = format;
    } else {
      throw value_error(kOption, word, "x=T, weight=T or y=T");
    }
    first = end + 1;
  }
  return formats;
}

}  // namespace normcert
