#include "report/part_totals_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "numeric/decimal.hpp"
#include "report/part_json.hpp"

namespace normcert {
namespace {

double read_hex(const JsonNode& json) {
  const auto code = read_code(json.as_string(), kFp64);
  if (!code || hex_text(*code) != json.as_string()) {
    throw json.unexpected("a hexadecimal binary64 number");
  }
  return to_binary64(*code);
}

Wide read_wide(const JsonNode& json) {
  auto wide = normcert::read_wide(json.as_string());
  if (!wide || wide->hex() != json.as_string()) {
    throw json.unexpected("a hexadecimal number of at most 256 bits");
  }
  return *std::move(wide);
}

Code read_bits(const JsonNode& json) {
  const std::string text = json.as_string();
  const std::size_t blank = text.find(' ');
  const FloatFormat* format = find_format(text.substr(0, blank));
  std::uint64_t bits = 0;
  if (format != nullptr && blank != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data() + blank + 1, end, bits, 16);
    const bool fits = format->code_bits == 64 || bits >> format->code_bits == 0;
    if (error == std::errc{} && read == end && fits) return {bits, format};
  }
  throw json.unexpected("a format and the bits of one of its numbers, such as bf16 3f80");
}

std::optional<Code> bits_or_none(const JsonNode& json) {
  return json.is_null() ? std::nullopt : std::optional(read_bits(json));
}

std::optional<std::size_t> row_or_none(const JsonNode& json) {
  return json.is_null() ? std::nullopt : std::optional(read_count(json));
}

// The elements of an array of that many.
std::vector<JsonNode> elements(const JsonNode& json, std::size_t count) {
  if (!json.is_array() || json.size() != count) {
    throw json.unexpected("an array of " + std::to_string(count));
  }
  return json.items();
}

std::size_t read_choice(const JsonNode& json, std::initializer_list<std::string_view> names) {
  const auto* const found = std::ranges::find(names, json.as_string());
  if (found == names.end()) throw json.unexpected("a name that is known here");
  return static_cast<std::size_t>(found - names.begin());
}

Witness read_witness(const JsonNode& json) {
  return {.row = read_count(json.required("row")),
          .index = read_count(json.required("index")),
          .x = read_bits(json.required("x")),
          .residual = bits_or_none(json.required("residual")),
          .gate = bits_or_none(json.required("gate")),
          .weight = bits_or_none(json.required("weight")),
          .got = read_bits(json.required("got")),
          .exact = read_wide(json.required("exact"))};
}

std::optional<KindWitness> read_kind_witness(const JsonNode& json) {
  if (json.is_null()) return std::nullopt;
  return KindWitness{.row = read_count(json.required("row")),
                     .index = read_count(json.required("index")),
                     .got = read_bits(json.required("got")),
                     .rounded = read_bits(json.required("rounded"))};
}

Comparison read_comparison(const JsonNode& json) {
  Comparison c;
  for (const auto& [name, member] : kComparisonCounts) c.*member = read_count(json.required(name));
  const std::vector<JsonNode> non_finite = elements(json.required("non_finite"), 3);
  c.non_finite = {read_count(non_finite[0]), read_count(non_finite[1]), read_count(non_finite[2]),
                  read_kind_witness(json.required("first_of_another_kind"))};
  for (const auto& [name, member] : kComparisonMaxima) {
    const JsonNode maximum = json.required(name);
    if (maximum.is_null()) continue;
    c.*member = {true, read_wide(maximum.required("value")),
                 read_witness(maximum.required("witness"))};
  }
  for (const auto& [name, member] : kComparisonShares) {
    const JsonNode share = json.required(name);
    if (share.is_null()) continue;
    const std::vector<JsonNode> parts = elements(share, 2);
    c.*member = {true, read_hex(parts[0]), read_count(parts[1])};
  }
  for (const JsonNode& item : json.required("code_distance").items()) {
    const std::vector<JsonNode> pair = elements(item, 2);
    const std::size_t index = read_count(pair[0]);
    if (index >= CodeDistanceHistogram::kClasses) throw pair[0].unexpected("a class of distances");
    c.code_distance.add_to_class(index, read_count(pair[1]));
  }
  if (const JsonNode first = json.required("first_outside"); !first.is_null()) {
    c.first_outside = read_witness(first);
  }
  c.largest_bound = read_hex(json.required("largest_bound"));
  return c;
}

ScalarRange read_range(const JsonNode& json) {
  const std::vector<JsonNode> ends = elements(json, 2);
  ScalarRange range;
  range.least = static_cast<float>(read_hex(ends[0]));
  range.greatest = static_cast<float>(read_hex(ends[1]));
  const bool in_order = range.least > 0 && range.least <= range.greatest &&
                        double{range.least} == read_hex(ends[0]) &&
                        double{range.greatest} == read_hex(ends[1]);
  if (!in_order) throw json.unexpected("two positive binary32 numbers, in ascending order");
  return range;
}

std::optional<Contradiction> read_contradiction(const JsonNode& json) {
  if (json.is_null()) return std::nullopt;
  Contradiction contradiction;
  contradiction.of_rms = json.required("of_rms").as_bool();
  contradiction.allowed = read_range(json.required("allowed"));
  for (const JsonNode& item : json.required("elements").items()) {
    ConstrainedElement& element = contradiction.elements.emplace_back();
    element.index = read_count(item.required("index"));
    element.x = read_bits(item.required("x"));
    element.residual = bits_or_none(item.required("residual"));
    element.gate = bits_or_none(item.required("gate"));
    element.weight = bits_or_none(item.required("weight"));
    element.got = read_bits(item.required("got"));
    const JsonNode needs = item.required("needs");
    if (!needs.is_null()) element.scalars = read_range(needs);
  }
  return contradiction;
}

ConformityTotals read_conformity(const JsonNode& json) {
  ConformityTotals::RowsOfUnits conforming;
  for (const JsonNode& item : json.required("conforming").items()) {
    const std::vector<JsonNode> pair = elements(item, 2);
    conforming[read_count(pair[0])] += read_count(pair[1]);
  }
  return {std::move(conforming), row_or_none(json.required("undecided")),
          row_or_none(json.required("differing")), read_count(json.required("differing_unit")),
          read_contradiction(json.required("contradiction"))};
}

RoundingTotals read_rounding(const JsonNode& json) {
  RoundingTotals rounding;
  rounding.rows = read_count(json.required("rows"));
  rounding.source_class = text_or_empty(json.required("source_class"));
  for (const JsonNode& item : json.required("classes").items()) {
    rounding.classes.push_back({.name = item.required("name").as_string(),
                                .recipe = text_or_empty(item.required("recipe")),
                                .differs = item.required("differs").as_string(),
                                .is_source = item.required("is_source").as_bool(),
                                .reproduced = item.required("reproduced").as_bool(),
                                .refuted = item.required("refuted").as_bool()});
  }
  return rounding;
}

ResultTotals read_result(const JsonNode& json) {
  ResultTotals result;
  result.candidate = json.required("candidate").as_string();
  result.role = static_cast<Role>(
      read_choice(json.required("role"), {"observed", "candidate", "yardstick", "mutant"}));
  result.tensor =
      static_cast<OutputTensor>(read_choice(json.required("tensor"), {"y", "residual_out"}));
  result.dtype = json.required("dtype").as_string();
  result.source = text_or_empty(json.required("source"));
  for (const JsonNode& item : json.required("bit_identical").items()) {
    const std::vector<JsonNode> pair = elements(item, 2);
    result.bit_identical[pair[0].as_string()] = read_count(pair[1]);
  }
  const std::vector<JsonNode> bits = elements(json.required("bits"), 2);
  result.bits = {read_count(bits[0]), read_count(bits[1])};
  result.conformity = read_conformity(json.required("conformity"));
  result.rounding = read_rounding(json.required("rounding"));
  result.comparison = read_comparison(json.required("comparison"));
  return result;
}

std::optional<RowFigures> read_figures(const JsonNode& json) {
  if (json.is_null()) return std::nullopt;
  const std::vector<JsonNode> figures = elements(json, 3);
  return RowFigures{read_hex(figures[0]), read_hex(figures[1]), read_hex(figures[2])};
}

RowStatistics read_rows(const JsonNode& json) {
  RowStatistics rows;
  rows.rows_finite = read_count(json.required("finite"));
  rows.rows_non_finite = read_count(json.required("non_finite"));
  rows.least = read_figures(json.required("least"));
  rows.median = read_figures(json.required("median"));
  rows.greatest = read_figures(json.required("greatest"));
  for (const JsonNode& item : json.required("q_counts").items()) {
    const std::vector<JsonNode> pair = elements(item, 2);
    rows.q_counts[read_count(pair[0])] += read_count(pair[1]);
  }
  return rows;
}

}  // namespace

std::size_t read_count(const JsonNode& json) {
  return static_cast<std::size_t>(json.as_integer(0, std::numeric_limits<std::int64_t>::max()));
}

std::string text_or_empty(const JsonNode& json) { return json.is_null() ? "" : json.as_string(); }

void read_totals(const JsonNode& json, VerifyTotals& totals) {
  for (const JsonNode& item : json.items()) {
    const JsonNode number = item.required("case");
    const std::size_t index = read_count(number);
    if (index >= totals.size()) throw number.unexpected("the number of a case of this report");
    CaseTotals& of_case = totals[index];
    of_case.rows = read_rows(item.required("rows"));
    for (const JsonNode& result : item.required("results").items()) {
      of_case.results.push_back(read_result(result));
    }
  }
}

}  // namespace normcert
