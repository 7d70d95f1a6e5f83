// A verify run as JSON: the part of the report that is this command's own. The views are made from
// this value and from nothing else.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "judge/power.hpp"
#include "judge/verify_totals.hpp"
#include "problem/model.hpp"
#include "report/claim_outcome.hpp"

namespace normcert {

struct VerifyReport {
  VerifyOutcome outcome;
  Criteria criteria;
  Level level = Level::kFunction;
  std::optional<Model> model;
  std::string model_sha256;
  std::vector<RefusedCase> refused;  // cases that were refused as their file said they would be
  std::vector<ClaimOutcome> claims;
  std::vector<std::string> not_tested;
  bool allow_inconclusive = false;
  // What a report of a part of a run (--part) holds for merging the parts.
  std::optional<Part> part;
  VerifyTotals totals;
  // At level function, where an output was observed.
  std::optional<FunctionLevel> function;
  std::optional<Power> power;           // none: it was not measured
  std::vector<std::string> candidates;  // names, as given
};

// Keys in the order of the schema reports/schema/verify.schema.json, without the envelope.
[[nodiscard]] nlohmann::ordered_json verify_json(const VerifyReport& report);

// One sentence: verdict with its coverage, "accepted, 11 of 11 sites".
[[nodiscard]] std::string verify_headline(const VerifyReport& report);

}  // namespace normcert
