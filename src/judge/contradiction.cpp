#include "judge/contradiction.hpp"

#include <limits>

#include "numeric/decimal.hpp"

namespace normcert {
namespace {

std::string hexadecimal(float value) { return hex_text(code_of(double{value})); }

std::string element_text(const ConstrainedElement& element) {
  std::string text = "element " + std::to_string(element.index) + " (x " + hex_text(element.x);
  if (element.residual) text += ", residual " + hex_text(*element.residual);
  if (element.gate) text += ", gate " + hex_text(*element.gate);
  if (element.weight) text += ", weight " + hex_text(*element.weight);
  text += ", got " + hex_text(element.got) + ")";
  return element.scalars ? text + " needs " + range_text(*element.scalars)
                         : "no positive number gives " + text;
}

}  // namespace

std::string scalar_name(const Contradiction& contradiction) {
  return contradiction.of_rms ? "RMS" : "inverse RMS";
}

std::string range_text(const ScalarRange& range) {
  if (range.least == std::numeric_limits<float>::denorm_min()) {
    return "at most " + shortest_decimal(range.greatest) + " (" + hexadecimal(range.greatest) + ")";
  }
  if (range.greatest == std::numeric_limits<float>::max()) {
    return "at least " + shortest_decimal(range.least) + " (" + hexadecimal(range.least) + ")";
  }
  if (range.least == range.greatest) {
    return shortest_decimal(range.least) + " (" + hexadecimal(range.least) + ")";
  }
  return shortest_decimal(range.least) + " to " + shortest_decimal(range.greatest) + " (" +
         hexadecimal(range.least) + " to " + hexadecimal(range.greatest) + ")";
}

std::string contradiction_text(const Contradiction& contradiction) {
  std::string text;
  bool alone = contradiction.elements.size() == 1;
  for (const ConstrainedElement& element : contradiction.elements) {
    text += (text.empty() ? "" : ", ") + element_text(element);
    alone = alone && element.scalars;
  }
  if (alone) text += ", orders of the sum lead to " + range_text(contradiction.allowed);
  return text;
}

}  // namespace normcert
