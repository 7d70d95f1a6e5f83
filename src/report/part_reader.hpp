// A report of a part of a run, read back: everything that merging the parts needs.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "judge/verify_totals.hpp"
#include "report/verify_json.hpp"

namespace normcert {

struct PartReport {
  std::string file;
  std::shared_ptr<const nlohmann::ordered_json> json;  // the whole report
  // part, totals, criteria, level, claims, not_tested, allow_inconclusive, names of the candidates;
  // no outcome. The model has the names of its sites alone.
  VerifyReport report;
  std::vector<std::string> mutants;
};

// Throws a located InputError for anything that is not such a report.
[[nodiscard]] PartReport read_part_report(const std::string& file);

}  // namespace normcert
