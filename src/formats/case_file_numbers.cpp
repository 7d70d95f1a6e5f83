#include "formats/case_file_numbers.hpp"

#include <algorithm>
#include <optional>

#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::string_view kElement =
    "a number, or a string such as \"0.1\", \"0x1.8p3\", \"nan\", \"inf\", \"-inf\"";

InputError beyond(const JsonNode& node, const FloatFormat& format) {
  return node.unexpected("a number that is finite in " + std::string(format.name), "",
                         "non_finite_input");
}

double binary64_of(const JsonNode& node) {
  try {
    return node.as_double();
  } catch (const InputError&) {
    throw beyond(node, kFp64);
  }
}

Code read_number_element(const JsonNode& node, const FloatFormat& format) {
  const Code code = convert(code_of(binary64_of(node)), format);
  if (!is_finite(code)) throw beyond(node, format);
  return code;
}

Code read_string_element(const JsonNode& node, const FloatFormat& format) {
  const std::string text = node.as_string();
  const std::optional<Code> code = read_code(text, format);
  if (!code) throw node.unexpected(std::string(kElement));
  // Text that names a number is a number: that it overflows is not what it says.
  const bool named = text.find_first_of("nN") != std::string::npos;
  if (!is_finite(*code) && !named) throw beyond(node, format);
  return *code;
}

// Whether a text of a number means zero: no digit other than 0 before its exponent.
bool is_written_as_zero(std::string_view text) {
  const bool hexadecimal = text.find_first_of("xX") != std::string_view::npos;
  const std::string_view digits = text.substr(0, text.find_first_of(hexadecimal ? "pP" : "eE"));
  return digits.find_first_of("123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

Code read_element(const JsonNode& node, const FloatFormat& format, NonFinite non_finite) {
  if (node.is_array()) {
    throw node.unexpected("a number: rows of numbers, nothing deeper", "", "shape_mismatch");
  }
  if (!node.is_number() && !node.is_string()) throw node.unexpected(std::string(kElement));
  const Code code =
      node.is_number() ? read_number_element(node, format) : read_string_element(node, format);
  if (!is_finite(code) && non_finite == NonFinite::kRefused) {
    throw node.unexpected("a finite number", "", "non_finite_input");
  }
  return code;
}

RowShape shape_of_rows(const JsonNode& node) {
  if (!node.is_array()) {
    throw node.unexpected("an array of rows of numbers", "", "shape_mismatch");
  }
  if (node.size() == 0) throw node.unexpected("at least one row", "", "empty");
  const JsonNode first = node.item(0);
  if (!first.is_array()) {
    for (std::size_t i = 1; i < node.size(); ++i) {
      if (node.item(i).is_array()) {
        throw node.item(i).unexpected("a number, as the first element is", "", "shape_mismatch");
      }
    }
    return {1, node.size(), true};
  }
  const std::size_t width = first.size();
  if (width == 0) throw first.unexpected("a row of at least one element", "", "empty");
  for (std::size_t row = 1; row < node.size(); ++row) {
    const JsonNode item = node.item(row);
    if (item.is_array() && item.size() == width) continue;
    throw item.unexpected("a row of " + std::to_string(width) + " elements, as the first has", "",
                          "shape_mismatch");
  }
  return {node.size(), width, false};
}

JsonNode element_of_rows(const JsonNode& node, const RowShape& shape, std::size_t row,
                         std::size_t index) {
  return (shape.flat ? node : node.item(row)).item(index);
}

Tensor read_rows(const JsonNode& node, const FloatFormat& format, NonFinite non_finite) {
  const RowShape shape = shape_of_rows(node);
  Tensor tensor(format, shape.rows, shape.width);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (std::size_t i = 0; i < shape.width; ++i) {
      tensor.set(row, i, read_element(element_of_rows(node, shape, row, i), format, non_finite));
    }
  }
  return tensor;
}

Epsilon read_case_epsilon(const JsonNode& node) {
  if (!node.is_number() && !node.is_string()) {
    throw node.unexpected("an epsilon such as 1e-6", "", "epsilon_unreadable");
  }
  try {
    Epsilon epsilon = read_epsilon(number_text(node), "", "", ZeroEpsilon::kAllowed);
    if (epsilon.binary64 == 0 && !is_written_as_zero(epsilon.text)) {
      throw node.unexpected("an epsilon above 0 (as binary64)", "", "epsilon_not_positive");
    }
    return epsilon;
  } catch (const InputError& error) {
    if (!error.parts().place.empty()) throw;
    throw node.unexpected(error.parts().expected, "", error.parts().code);
  }
}

std::string number_text(const JsonNode& node) {
  if (node.is_string()) return node.as_string();
  if (!node.is_number()) throw node.unexpected("a number, or a string that holds one");
  return node.token();
}

std::string one_of(std::span<const std::string_view> names) {
  std::string list = "one of ";
  for (const std::string_view name : names) {
    if (name != names.front()) list += ", ";
    list += name;
  }
  return list;
}

}  // namespace normcert
