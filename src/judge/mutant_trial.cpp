#include "judge/mutant_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "emulation/emulate.hpp"
#include "inference/declared_standing.hpp"
#include "judge/case_rows.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

// What the exact evaluator alone has takes a microsecond for each step and element.
constexpr std::size_t kRowsOfSlowRecipes = 8;

// From a factor of two down to three digits.
constexpr int kBisections = 16;

std::vector<std::size_t> even_rows(std::size_t count, std::size_t of) {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(i * (of - 1) / (count - 1));
  return some;
}

bool is_zero_row(const TensorView& tensor, std::size_t row) {
  for (std::size_t i = 0; i < tensor.width; ++i) {
    if (tensor.at(row, i).magnitude() != 0) return false;
  }
  return true;
}

}  // namespace

JudgedCase rows_to_judge(const JudgedCase& judged, std::vector<std::size_t> rows,
                         const FormatsOfDump& formats) {
  JudgedCase some = judged;
  some.chosen_rows = std::move(rows);
  CaseRows part = rows_of(some, 0, some.chosen_rows->size());
  some.chosen_rows.reset();
  some.value = std::move(part.value);
  some.observed = std::move(part.observed);
  narrow_dump(some, formats);
  return some;
}

MutantTrial::MutantTrial(const TrialGate& gate, JudgedCase rows, const Recipe& base)
    : gate_(gate), judged_(std::move(rows)), base_(base) {
  judged_.observed.reset();
  const bool slow = fastest_evaluator(base, block_input(judged_.value)) == Evaluator::kExact;
  if (slow && judged_.value.x.rows > kRowsOfSlowRecipes) {
    judged_ = rows_to_judge(judged_, even_rows(kRowsOfSlowRecipes, judged_.value.x.rows), {});
  }
  base_y_ = outputs(base, judged_.value.epsilon.binary64, std::nullopt);
}

TensorView MutantTrial::outputs(const Recipe& recipe, double epsilon,
                                std::optional<double> offset) const {
  BlockInput input = block_input(judged_.value);
  input.epsilon = epsilon;
  if (offset) input.weight_offset = *offset;
  return emulate_block(recipe, input).y.share();
}

MutantTrial::Outcome MutantTrial::run(const Mutant& mutant) const {
  const double epsilon = judged_.value.epsilon.binary64 * mutant.epsilon_factor;
  const TensorView y = outputs(mutant.recipe, epsilon, mutant.weight_offset);
  Outcome outcome;
  outcome.differs = !std::ranges::equal(y.bytes, base_y_.bytes);
  if (!outcome.differs) return outcome;
  const Level level = gate_.request->level;
  const bool by_elimination = level == Level::kFunction && gate_.eliminates;
  outcome.by = rejected_by(y, by_elimination ? Level::kTolerance : level);
  if (outcome.by.empty() && by_elimination) outcome.by = eliminated_by(y);
  return outcome;
}

// The run's own way to a verdict, on these rows alone.
std::string MutantTrial::rejected_by(const TensorView& y, Level level) const {
  VerifyRequest request;
  request.cases.push_back(judged_);
  request.cases.front().observed = Outputs{y, std::nullopt};
  request.find_implementation = gate_.request->find_implementation;
  request.criteria = gate_.request->criteria;
  request.level = level;
  request.threads = gate_.request->threads;
  const VerifyOutcome outcome = conclude(request, measure(request));
  const auto result = std::ranges::find(outcome.results, OutputTensor::kY, &SubjectResult::tensor);
  if (result->verdict == VerdictValue::kAccepted) return "";
  const bool is_open = result->verdict == VerdictValue::kInconclusive;
  return result->reasons.front().code + (is_open ? " (undecided)" : "");
}

std::string MutantTrial::eliminated_by(const TensorView& y) const {
  const ObservedNorm norm{.site = judged_.value.site, .value = &judged_.value, .y = y};
  const DeclaredStanding standing = declared_standing(norm, gate_.request->threads);
  if (!standing.possible) return "elimination";
  return standing.plausible ? "" : "elimination, for known orders";
}

bool MutantTrial::limits_reject(double epsilon) const {
  const TensorView y = outputs(base_, epsilon, std::nullopt);
  if (std::ranges::equal(y.bytes, base_y_.bytes)) return false;
  return !rejected_by(y, Level::kTolerance).empty();
}

bool MutantTrial::same_but_for_zero_rows(const TensorView& y) const {
  for (std::size_t row = 0; row < y.rows; ++row) {
    if (std::ranges::equal(y.row_bytes(row), base_y_.row_bytes(row))) continue;
    if (!judged_.value.residual && is_zero_row(judged_.value.x, row)) continue;
    return false;
  }
  return true;
}

std::optional<double> MutantTrial::immaterial_below() const {
  const auto same_at = [&](double epsilon) {
    return same_but_for_zero_rows(outputs(base_, epsilon, std::nullopt));
  };
  double same = judged_.value.epsilon.binary64;
  const bool is_usual = base_.epsilon.position == EpsilonPosition::kInside && same > 0;
  if (!is_usual || !same_at(0)) return std::nullopt;
  double other = 2 * same;
  for (; same_at(other); other *= 2) {
    if (other > 0x1p100) return std::numeric_limits<double>::infinity();  // every row is zero
    same = other;
  }
  for (int step = 0; step < kBisections && other > same * 1.0005; ++step) {
    const double middle = std::sqrt(same) * std::sqrt(other);
    (same_at(middle) ? same : other) = middle;
  }
  if (same < 0x1p-900) return same;
  // Down to three digits: all below it is the same as well.
  const double unit = std::pow(10.0, std::floor(std::log10(same)) - 2);
  return std::floor(same / unit) * unit;
}

}  // namespace normcert
