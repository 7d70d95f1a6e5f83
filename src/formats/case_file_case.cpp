#include "formats/case_file_case.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "formats/case_file_expect.hpp"
#include "formats/case_file_generate.hpp"
#include "formats/case_file_numbers.hpp"
#include "numeric/decimal.hpp"

namespace normcert {
namespace {

constexpr int kMostDigits = 40;
constexpr std::string_view kFormats[] = {"fp64", "fp32", "bf16", "fp16"};
constexpr std::string_view kWeightFormats[] = {"fp64", "fp32",       "bf16",
                                               "fp16", "fp8_e4m3fn", "fp8_e5m2"};
constexpr std::string_view kMembers[] = {
    "id",      "class", "site",     "note",     "dtype",  "weight_dtype",
    "y_dtype", "x",     "generate", "residual", "weight", "weight_offset",
    "epsilon", "y",     "y_digits", "expect"};

class Reader {
 public:
  Reader(const JsonNode& node, const CaseFileOptions& options, const CaseFilePlaces& places,
         std::size_t& elements_left)
      : node_(node), options_(options), places_(places), elements_left_(elements_left) {}

  [[nodiscard]] Case read() {
    node_.reject_unknown_members(kMembers);
    case_.id = node_.required("id").as_string();
    case_.place = places_.of(node_);
    case_.class_name = class_name(node_.required("class"));
    if (const auto site = node_.member("site")) case_.site = site->as_string();
    if (const auto note = node_.member("note")) case_.note = note->as_string();
    const FloatFormat* dtype = format("dtype", kFormats, options_.dtype);
    const FloatFormat* weight_dtype =
        format("weight_dtype", kWeightFormats,
               options_.weight_dtype == nullptr ? dtype : options_.weight_dtype);
    case_.output = format("y_dtype", kFormats, dtype);
    read_epsilon_and_offset();
    read_inputs(*dtype);
    read_weight(*weight_dtype);
    read_written();
    if (const auto expect = node_.member("expect")) {
      case_.expect = read_expectation(*expect, case_.x, places_);
      case_.expect.error = expected_refusal(node_);
    }
    if (!case_.generator && !case_.epsilon.text.empty()) check();
    return std::move(case_);
  }

 private:
  [[nodiscard]] static std::string class_name(const JsonNode& node) {
    const std::string name = node.as_string();
    if (std::ranges::find(case_classes(), name) == case_classes().end()) {
      throw node.unexpected(one_of(case_classes()), std::string(nearest_name(name, case_classes())),
                            "unknown_class");
    }
    return name;
  }

  [[nodiscard]] const FloatFormat* format(std::string_view member,
                                          std::span<const std::string_view> names,
                                          const FloatFormat* otherwise) const {
    const auto node = node_.member(member);
    if (!node) return otherwise;
    const std::string name = node->is_string() ? node->as_string() : "";
    if (std::ranges::find(names, name) == names.end()) {
      throw node->unexpected(one_of(names), std::string(nearest_name(name, names)),
                             "unknown_dtype");
    }
    return find_format(name);
  }

  // The line of an epsilon that does not go with the rows is its own, not that of the case.
  void check() const {
    try {
      validate(case_, places_.file(), case_.place);
    } catch (const InputError& error) {
      const ErrorParts& parts = error.parts();
      const auto epsilon = node_.member("epsilon");
      if (!epsilon || parts.code != "epsilon_not_positive") throw;
      throw epsilon->error(parts.found, parts.expected, "", parts.code);
    }
  }

  void read_epsilon_and_offset() {
    if (const auto epsilon = node_.member("epsilon")) {
      case_.epsilon = read_case_epsilon(*epsilon);
    } else if (!options_.epsilon_may_be_missing) {
      throw node_.error("a case without epsilon", "a member \"epsilon\" (or the option --epsilon)",
                        "", "missing_epsilon");
    }
    if (const auto offset = node_.member("weight_offset")) {
      case_.weight_offset.text = number_text(*offset);
      const auto code = read_code(case_.weight_offset.text, kFp64);
      if (!code || !is_finite(*code)) throw offset->unexpected("a finite number such as 0 or 1");
      case_.weight_offset.binary64 = to_binary64(*code);
      case_.weight_offset_given = true;
    }
  }

  void take_elements(const JsonNode& node, std::size_t count) {
    if (count > elements_left_) {
      throw node.error(std::to_string(count) + " elements",
                       "at most " + std::to_string(options_.max_elements) +
                           " elements of x in one file (" + std::to_string(elements_left_) +
                           " are left)");
    }
    elements_left_ -= count;
  }

  void read_inputs(const FloatFormat& dtype) {
    const auto x = node_.member("x");
    const auto generate = node_.member("generate");
    if (x.has_value() == generate.has_value()) {
      throw node_.error(x ? "a case with both \"x\" and \"generate\"" : "a case without rows",
                        "one of \"x\" and \"generate\"");
    }
    if (x) {
      const RowShape shape = shape_of_rows(*x);
      take_elements(*x, shape.rows * shape.width);
      case_.x = read_rows(*x, dtype, NonFinite::kRefused).share();
    } else {
      case_.generator = read_generator(*generate, options_.max_elements);
      take_elements(*generate, most_elements(*case_.generator));
      case_.generator->format = &dtype;
      case_.x.format = &dtype;
      case_.x.width = case_.generator->width;
    }
    if (const auto residual = node_.member("residual")) {
      case_.residual = rows_like_x(*residual, dtype, NonFinite::kRefused).share();
    }
  }

  // Rows of the shape of x, as far as that is known.
  [[nodiscard]] Tensor rows_like_x(const JsonNode& node, const FloatFormat& dtype,
                                   NonFinite non_finite) const {
    Tensor tensor = read_rows(node, dtype, non_finite);
    const bool rows_fit = case_.generator || tensor.rows == case_.x.rows;
    if (!rows_fit || tensor.width != case_.x.width) {
      const std::string rows = case_.generator ? "" : std::to_string(case_.x.rows) + " x ";
      throw node.error(std::to_string(tensor.rows) + " x " + std::to_string(tensor.width),
                       "the shape of x, " + rows + std::to_string(case_.x.width), "",
                       "shape_mismatch");
    }
    return tensor;
  }

  void read_weight(const FloatFormat& dtype) {
    if (case_.generator) case_.generator->weight_format = &dtype;
    const auto weight = node_.member("weight");
    if (!weight) return;
    if (weight->is_string()) {
      const std::string word = weight->as_string();
      const bool generated = word == "generated" && case_.generator.has_value();
      if (word != "none" && !generated) {
        throw weight->unexpected(
            "an array of numbers, \"none\", or, for generated rows, "
            "\"generated\"");
      }
      case_.weight_none = word == "none";
      if (case_.generator) case_.generator->with_weight = generated;
      return;
    }
    const bool fits =
        weight->is_array() && weight->size() == case_.x.width && !weight->item(0).is_array();
    if (!fits) {
      throw weight->unexpected(
          "an array of " + std::to_string(case_.x.width) + " numbers, as many as a row of x has",
          "", "shape_mismatch");
    }
    case_.weight = read_rows(*weight, dtype, NonFinite::kRefused).share();
    if (case_.generator) case_.generator->with_weight = false;
  }

  void read_written() {
    const auto y = node_.member("y");
    const auto digits = node_.member("y_digits");
    if (!y) {
      if (digits) throw digits->unexpected("no \"y_digits\" in a case without \"y\"");
      return;
    }
    WrittenOutput written;
    written.y = rows_like_x(*y, *case_.output, NonFinite::kAllowed).share();
    if (digits) {
      written.digits = static_cast<int>(digits->as_integer(1, kMostDigits));
      const RowShape shape = shape_of_rows(*y);
      for (std::size_t row = 0; row < shape.rows; ++row) {
        for (std::size_t i = 0; i < shape.width; ++i) {
          written.texts.push_back(number_text(element_of_rows(*y, shape, row, i)));
        }
      }
    }
    case_.written = std::move(written);
  }

  const JsonNode& node_;
  const CaseFileOptions& options_;
  const CaseFilePlaces& places_;
  std::size_t& elements_left_;
  Case case_;
};

}  // namespace

Case read_case(const JsonNode& node, const CaseFileOptions& options, const CaseFilePlaces& places,
               std::size_t& elements_left) {
  return Reader(node, options, places, elements_left).read();
}

}  // namespace normcert
