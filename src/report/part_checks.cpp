#include "report/part_checks.hpp"

#include <string>
#include <utility>
#include <vector>

#include "report/part_result_check.hpp"
#include "report/part_rows.hpp"
#include "report/part_totals_reader.hpp"

namespace normcert {
namespace {

InputError wrong(const JsonNode& json, std::string expected) {
  return json.unexpected(std::move(expected), "", "parts");
}

void check_rows(const JsonNode& json, const RowStatistics& rows, const PartRows& own) {
  const std::uint64_t count = own.count();
  if (rows.rows_finite + rows.rows_non_finite != count) {
    throw wrong(json.required("finite"), "with non_finite, " + std::to_string(count) +
                                             ", the rows of the case in this part");
  }
  std::uint64_t counted = 0;
  for (const auto& [index, rows_of_class] : rows.q_counts) counted += rows_of_class;
  const std::uint64_t to_count = own.rows > kUnitRows ? rows.rows_finite : 0;
  if (counted != to_count) {
    throw json.required("q_counts")
        .error("classes of " + std::to_string(counted) + " rows",
               std::to_string(to_count) + ", as many as the histogram holds", "", "parts");
  }
  const bool any = rows.rows_finite > 0;
  if (rows.least.has_value() != any || rows.greatest.has_value() != any) {
    throw wrong(json.required("least"), any ? "figures of the finite rows" : "null");
  }
  if (any && rows.least->q > rows.greatest->q) {
    throw wrong(json.required("least"), "at most the greatest");
  }
  if (rows.median.has_value() != (any && to_count == 0)) {
    throw wrong(json.required("median"),
                any && to_count == 0 ? "figures of the finite rows" : "null: more than 4096 rows");
  }
}

}  // namespace

void require_consistent_totals(const JsonNode& json, const VerifyReport& report) {
  std::vector<PartRows> rows;
  std::size_t unit = 0;
  for (const CaseTotals& of_case : report.totals) {
    const CaseSummary& s = of_case.summary;
    rows.push_back({*report.part, unit, s.rows, s.rows_in_file, s.dim});
    unit += rows.back().units();
  }
  std::vector<bool> seen(rows.size());
  for (const JsonNode& item : json.items()) {
    const JsonNode number = item.required("case");
    const auto index = read_count(number);
    if (seen[index]) throw wrong(number, "every case once");
    seen[index] = true;
    const CaseTotals& of_case = report.totals[index];
    check_rows(item.required("rows"), of_case.rows, rows[index]);
    const std::vector<JsonNode> results = item.required("results").items();
    for (std::size_t i = 0; i < results.size(); ++i) {
      require_consistent_result(results[i], of_case.results[i], of_case, rows[index],
                                report.criteria);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (seen[i] || rows[i].count() == 0) continue;
    throw json.error("nothing of case " + std::to_string(i),
                     "totals of its " + std::to_string(rows[i].count()) + " rows in this part", "",
                     "parts");
  }
}

}  // namespace normcert
