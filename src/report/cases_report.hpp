// The report of `normcert cases` (reports/schema/cases.schema.json) and its views.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/envelope.hpp"
#include "report/separation_report.hpp"
#include "report/views.hpp"

namespace normcert {

struct WrittenCase {
  std::string id;
  std::string class_name;
  std::string site;
  std::size_t rows = 0;
  std::size_t dim = 0;
  std::string dtype;
  std::string weight_dtype;   // empty: no weight
  std::string epsilon;        // as declared
  std::string weight_offset;  // the same
  std::string sha256;         // over dtype, shape and bytes of x and weight
};

struct CasesReport {
  std::string output;          // path of the file; empty: there was nothing to write
  std::string normcert_cases;  // the digest that outputs may repeat
  std::vector<WrittenCase> cases;
  std::vector<std::string> omitted;
  std::string next;  // the command that judges outputs of these cases; empty where there are none
  std::optional<SeparationReport> separation;
};

[[nodiscard]] nlohmann::ordered_json cases_report_json(const Envelope& envelope,
                                                       const CasesReport& report);

extern const ReportViews kCasesViews;

}  // namespace normcert
