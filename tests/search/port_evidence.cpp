#include "search/port_evidence.hpp"

#include <algorithm>
#include <utility>

#include "cli/implementations.hpp"
#include "inference/recipe_hypothesis.hpp"
#include "inference/synthetic_ports.hpp"
#include "judge/function_level.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

JudgedCase judged_case(const Case& value, const TensorView& y) {
  JudgedCase judged;
  judged.value = value;
  judged.value.output = y.format;
  judged.file = "synthetic";
  judged.observed = Outputs{y, std::nullopt};
  return judged;
}

VerifyRequest request_for(std::vector<JudgedCase> cases) {
  VerifyRequest request;
  request.cases = std::move(cases);
  request.level = Level::kFunction;
  request.find_implementation = [](const std::string& name) {
    return implementation_of(name, "source recipe");
  };
  request.known_recipes = [] { return recipes_by_preference({}); };
  return request;
}

// The steps of verify(), with the diagnosis kept.
FunctionLevel judge_port(const VerifyRequest& request, PortEvidence& evidence) {
  const VerifyTotals totals = measure(request);
  FunctionLevel level = judge_function(request, totals);
  const VerifyOutcome outcome = conclude(request, totals, &level);
  evidence.verdict = outcome.verdict;
  evidence.declared_impossible = level.diagnosis.declared == DeclaredOutcome::kImpossible;
  for (const SubjectResult& result : outcome.results) {
    if (!result.judged) continue;
    ++evidence.cases;
    evidence.cases_same += result.equality.function == Tristate::kSame ? 1 : 0;
    evidence.cases_differ += result.equality.function == Tristate::kDiffers ? 1 : 0;
  }
  if (!outcome.reasons.empty()) evidence.reason = outcome.reasons.front().text;
  return level;
}

void describe(const Case& value, PortEvidence& evidence) {
  evidence.dtype = value.x.format->name;
  evidence.width = value.x.width;
}

// Of the hypothesis that the port is, in the elimination of its only case.
void find_truth(const SyntheticPort& port, const FunctionLevel& level, PortEvidence& evidence) {
  const ObservedNorm norm{.site = "norm", .value = &port.value, .y = port.y};
  const auto truth = hypothesis_of_port(port, norm);
  const auto& result = level.diagnosis.sites.front().result;
  if (!truth || !result || result->hypotheses.empty()) return;
  const auto found = std::ranges::find(
      result->hypotheses, *truth, [](const EliminatedHypothesis& one) { return one.hypothesis; });
  evidence.truth_refuted =
      found == result->hypotheses.end() || found->status == HypothesisStatus::kRefuted;
  if (!evidence.truth_refuted) evidence.slack_of_truth = found->least_slack;
}

}  // namespace

PortEvidence evidence_of_port(std::uint64_t number, std::size_t most_width) {
  SyntheticPort port = synthetic_port(number, most_width, false);
  port.value.id = "port";
  port.value.class_name = "captured";
  PortEvidence evidence;
  evidence.described = described(number, port);
  describe(port.value, evidence);
  JudgedCase judged = judged_case(port.value, port.y);
  judged.observed->residual_out = port.residual_out;
  const FunctionLevel level = judge_port(request_for({std::move(judged)}), evidence);
  find_truth(port, level, evidence);
  return evidence;
}

PortEvidence evidence_of_defect(std::uint64_t number, std::size_t most_width) {
  const StandardPort port = standard_port(number, most_width);
  PortEvidence evidence;
  evidence.described = described(number, port);
  evidence.defect = port.defect;
  describe(port.cases.front(), evidence);
  std::vector<JudgedCase> cases;
  for (std::size_t i = 0; i < port.cases.size(); ++i) {
    cases.push_back(judged_case(port.cases[i], port.y[i]));
  }
  (void)judge_port(request_for(std::move(cases)), evidence);
  return evidence;
}

}  // namespace normcert
