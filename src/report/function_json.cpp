#include "report/function_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/diagnose_report.hpp"
#include "report/diagnose_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNearest = 3;

}  // namespace

Json function_json(const FunctionLevel& function) {
  Json groups = std::move(diagnose_json(function.diagnosis, {}).at("groups"));
  for (Json& group : groups) {
    Json& refuted = group.at("refuted");
    while (refuted.size() > kNearest) refuted.erase(refuted.size() - 1);
  }
  return {{"headline", diagnosis_headline(function.diagnosis)},
          {"rows", function.rows},
          {"of", function.rows_of_cases},
          {"groups", std::move(groups)}};
}

std::string function_definition() {
  return "the level function: statistic, place and value of epsilon, offset, weight and residual "
         "are those declared, wherever it is rounded. It differs where no order of a binary32 sum "
         "lets the declared function give the outputs of the eliminated rows, while some other "
         "function does; it is the same where the declared one survives at the bound of the known "
         "orders and either every row conforms to the source recipe or to one class of kernels "
         "that compute it, or the rows asked conform to one or no other function survives, and no "
         "element is further from the exact result than 6 roundings and the scalar's freedom "
         "explain; or "
         "where every output is correctly rounded. Of a gated norm nothing is eliminated: it is "
         "the same where every row conforms to the source recipe or to one class of kernels that "
         "compute it, and differs where an element is further from the exact result than every "
         "such kernel's roundings lead";
}

void add_not_tested(const FunctionLevel& function, VerdictValue verdict, Json& not_tested) {
  if (function.rows < function.rows_of_cases) {
    not_tested.push_back(
        "by elimination, every row: it was given " + std::to_string(function.rows) + " of " +
        std::to_string(function.rows_of_cases) +
        ", where a case has too many half of its share at even distances and half those of the "
        "least mean square, and the rows that stand out by an error or are not rounded as the "
        "others");
  }
  const auto& groups = function.diagnosis.groups;
  const bool explained = std::ranges::all_of(groups, [](const DiagnosedGroup& group) {
    return group.joint.outcome == EliminationOutcome::kExplained;
  });
  bool gated = std::ranges::any_of(function.cases, &FunctionEvidence::by_classes);
  for (const auto& [name, evidence] : function.named) {
    gated = gated || std::ranges::any_of(evidence, &FunctionEvidence::by_classes);
  }
  if (gated) {
    not_tested.push_back(
        "which other function a gated norm computes that does not compute the declared one: "
        "elimination has no gates");
  }
  const bool all_gated = gated && groups.empty();
  if (verdict == VerdictValue::kAccepted && !(explained && !groups.empty()) && !all_gated) {
    not_tested.push_back(
        "whether these rows could have revealed another function or epsilon: some that are not "
        "declared fit them as well");
  }
}

}  // namespace normcert
