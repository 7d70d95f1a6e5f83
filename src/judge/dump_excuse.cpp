#include "judge/dump_excuse.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "judge/dump_formats.hpp"
#include "judge/verdict.hpp"
#include "judge/verify.hpp"
#include "judge/verify_totals.hpp"

namespace normcert {
namespace {

bool is_rejected_for_its_numbers(const VerifyRequest& request, const SubjectResult& result) {
  const bool is_other_function =
      request.level == Level::kFunction && result.equality.function == Tristate::kDiffers;
  return result.role == Role::kObserved && result.verdict == VerdictValue::kRejected &&
         !is_other_function;
}

bool rejects(const VerifyRequest& request, const JudgedCase& judged, OutputTensor tensor) {
  VerifyRequest trial;
  trial.cases.push_back(judged);
  trial.find_implementation = request.find_implementation;
  trial.criteria = request.criteria;
  trial.level = request.level == Level::kFunction ? Level::kTolerance : request.level;
  trial.threads = request.threads;
  const VerifyOutcome outcome = conclude(trial, measure(trial));
  const auto result = std::ranges::find(outcome.results, tensor, &SubjectResult::tensor);
  return result == outcome.results.end() || result->verdict == VerdictValue::kRejected;
}

// Only the format of y matters to limits.
bool matters(const VerifyRequest& request, const JudgedCase& read, const DumpReading& reading) {
  const bool asks_for_rounding = request.level == Level::kRounding || request.level == Level::kBits;
  return asks_for_rounding || !(*reading.formats.y == *read.observed->y->format);
}

std::optional<DumpReading> excuse_of(const VerifyRequest& request, const JudgedCase& as_captured,
                                     const SubjectResult& result) {
  const JudgedCase& read = request.cases[result.case_index];
  JudgedCase stored = as_captured;
  stored.chosen_rows = read.chosen_rows;
  stored.source_recipe = read.source_recipe;
  for (DumpReading& reading : other_readings(stored, read, request.formats)) {
    if (!matters(request, read, reading)) continue;
    JudgedCase other = stored;
    narrow_dump(other, reading.formats);
    if (!rejects(request, other, result.tensor)) return std::move(reading);
  }
  return std::nullopt;
}

}  // namespace

void excuse_dumps(const VerifyRequest& request, std::span<const JudgedCase> stored,
                  VerifyOutcome& outcome) {
  bool any = false;
  for (SubjectResult& result : outcome.results) {
    if (!is_rejected_for_its_numbers(request, result)) continue;
    const std::optional<DumpReading> excuse = excuse_of(request, stored[result.case_index], result);
    if (!excuse) continue;
    any = true;
    result.verdict = VerdictValue::kInconclusive;
    for (Reason& reason : result.reasons) {
      reason.text += "; so if its numbers are of the format in which they are stored, but " +
                     excuse_words(*excuse);
    }
  }
  if (!any) return;
  outcome.reasons.clear();
  judge_run(request, outcome);
}

}  // namespace normcert
