#include "formats/case_file_expect.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/case_file_numbers.hpp"
#include "numeric/decimal.hpp"

namespace normcert {
namespace {

using Numbers = std::vector<ExpectedNumber>;

constexpr std::string_view kPlacements[] = {"inside",    "outside", "after_rsqrt",   "clamp_q",
                                            "clamp_rms", "on_sum",  "scaled_by_max", "none"};
constexpr std::string_view kVerdicts[] = {"accepted", "rejected"};

// One of `names`, else the nearest is suggested.
std::string read_word(const JsonNode& node, std::span<const std::string_view> names) {
  const std::string word = node.as_string();
  if (std::ranges::find(names, word) == names.end()) {
    throw node.unexpected(one_of(names), std::string(nearest_name(word, names)));
  }
  return word;
}

class Reader {
 public:
  Reader(const TensorView& x, const CaseFilePlaces& places) : x_(x), places_(places) {}

  [[nodiscard]] Expectation read(const JsonNode& node) const {
    node.reject_unknown_members(
        {"y", "attenuation", "output_rms", "square", "y_with_placement", "error", "candidates"});
    Expectation expect;
    if (const auto y = node.member("y")) expect.y = elements(*y);
    if (const auto square = node.member("square")) expect.square = elements(*square);
    if (const auto value = node.member("attenuation")) expect.attenuation = per_row(*value);
    if (const auto value = node.member("output_rms")) expect.output_rms = per_row(*value);
    if (const auto placed = node.member("y_with_placement")) {
      for (const JsonMember& member : placed->members()) {
        if (std::ranges::find(kPlacements, member.name) == std::end(kPlacements)) {
          throw member.key.error('"' + member.name + '"', one_of(kPlacements),
                                 std::string(nearest_name(member.name, kPlacements)));
        }
        expect.y_with_placement[member.name] = elements(member.value);
      }
    }
    if (const auto candidates = node.member("candidates")) {
      for (const JsonMember& member : candidates->members()) {
        expect.candidates[member.name] = read_word(member.value, kVerdicts);
      }
    }
    return expect;
  }

 private:
  [[nodiscard]] ExpectedNumber number(const JsonNode& node) const {
    if (node.is_number()) {
      static_cast<void>(node.as_double());  // finite as binary64, or throws
      return {node.token(), true, places_.of(node)};
    }
    if (!node.is_string()) throw node.unexpected("a number, or a string of decimals");
    std::string text = node.as_string();
    const bool infinite = text == "inf" || text == "-inf";
    if (!infinite && !read_number(text)) {
      throw node.unexpected("a number such as \"0.707107\", \"0x1.8p3\", \"inf\" or \"-inf\"");
    }
    return {std::move(text), infinite, places_.of(node)};
  }

  // Rows as in x; a flat array is one row; a single number stands for all elements.
  [[nodiscard]] std::vector<Numbers> elements(const JsonNode& node) const {
    if (!node.is_array()) return {{number(node)}};
    const RowShape shape = shape_of_rows(node);
    const bool one_for_all = shape.rows == 1 && shape.width == 1;
    if (x_.rows != 0 && !one_for_all && (shape.rows != x_.rows || shape.width != x_.width)) {
      throw node.error(counted(shape.rows, "row") + " of " + counted(shape.width, "number"),
                       counted(x_.rows, "row") + " of " + counted(x_.width, "number") +
                           " as in x, or one number for all");
    }
    std::vector<Numbers> rows(shape.rows);
    for (std::size_t row = 0; row < shape.rows; ++row) {
      for (std::size_t i = 0; i < shape.width; ++i) {
        rows[row].push_back(number(element_of_rows(node, shape, row, i)));
      }
    }
    return rows;
  }

  // One number for each row, or one for all.
  [[nodiscard]] Numbers per_row(const JsonNode& node) const {
    if (!node.is_array()) return {number(node)};
    const std::size_t size = node.size();
    if (size == 0 || (x_.rows != 0 && size != 1 && size != x_.rows)) {
      throw node.unexpected("one number for each of " + counted(x_.rows, "row") +
                            ", or one for all");
    }
    Numbers numbers;
    for (const JsonNode& item : node.items()) numbers.push_back(number(item));
    return numbers;
  }

  [[nodiscard]] static std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
  }

  const TensorView& x_;
  const CaseFilePlaces& places_;
};

}  // namespace

std::string expected_refusal(const JsonNode& case_node) {
  const auto expect = case_node.member("expect");
  if (!expect) return "";
  const auto error = expect->member("error");
  if (!error) return "";
  if (expect->size() > 1) {
    throw expect->error("\"error\" beside other expectations",
                        "\"error\" alone: a refused case has no result");
  }
  return read_word(*error, refusal_codes());
}

Expectation read_expectation(const JsonNode& expect, const TensorView& x,
                             const CaseFilePlaces& places) {
  return Reader(x, places).read(expect);
}

}  // namespace normcert
