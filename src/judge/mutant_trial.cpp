#include "judge/mutant_trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "emulation/emulate.hpp"
#include "inference/declared_standing.hpp"
#include "judge/case_rows.hpp"
#include "judge/function_level.hpp"
#include "judge/row_choice.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

// What the exact evaluator alone has takes a microsecond for each step and element.
constexpr std::size_t kRowsOfSlowRecipes = 8;

// From a factor of two down to three digits.
constexpr int kBisections = 16;

// 2.1379e-05 -> 2.13e-05: all below it is as it is.
double lowered_to_three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17e", value);
  std::string digits = text;
  digits.erase(4, digits.find('e') - 4);
  return std::strtod(digits.c_str(), nullptr);
}

bool is_zero_row(const TensorView& tensor, std::size_t row) {
  for (std::size_t i = 0; i < tensor.width; ++i) {
    if (tensor.at(row, i).magnitude() != 0) return false;
  }
  return true;
}

VerifyOutcome conclude_by_classes(const VerifyRequest& request, const VerifyTotals& totals) {
  const FunctionLevel function = judge_function(request, totals);
  return conclude(request, totals, &function);
}

}  // namespace

JudgedCase rows_to_judge(const JudgedCase& judged, std::vector<std::size_t> rows,
                         const FormatsOfDump& formats) {
  JudgedCase some = rows_alone(judged, std::move(rows));
  narrow_dump(some, formats);
  // Read again and again: at hand rather than converted each time.
  return rows_alone(some, std::nullopt);
}

MutantTrial::MutantTrial(const TrialGate& gate, JudgedCase rows, const Recipe& base)
    : gate_(gate), judged_(std::move(rows)), base_(base) {
  judged_.observed.reset();
  const bool slow = fastest_evaluator(base, block_input(judged_.value)) == Evaluator::kExact;
  if (slow && judged_.value.x.rows > kRowsOfSlowRecipes) {
    judged_ = rows_to_judge(judged_, spread_rows(kRowsOfSlowRecipes, judged_.value.x.rows), {});
  }
  base_y_ = outputs(base, judged_.value.epsilon.binary64, std::nullopt);
}

TensorView MutantTrial::outputs(const Recipe& recipe, double epsilon,
                                std::optional<double> offset) const {
  BlockInput input = block_input(judged_.value);
  input.epsilon = epsilon;
  if (offset) input.weight_offset = *offset;
  if (recipe.gate == GateMode::kNone) input.gate.reset();  // the defect gate_ignored
  return emulate_block(recipe, input).y.share();
}

TensorView MutantTrial::outputs_of(const Mutant& mutant) const {
  const double epsilon = judged_.value.epsilon.binary64 * mutant.epsilon_factor;
  return outputs(mutant.recipe, epsilon, mutant.weight_offset);
}

MutantTrial::Outcome MutantTrial::run(const Mutant& mutant) const {
  const TensorView y = outputs_of(mutant);
  Outcome outcome;
  outcome.differs = !std::ranges::equal(y.bytes, base_y_.bytes);
  if (!outcome.differs) return outcome;
  const Level level = gate_.request->level;
  const bool by_elimination = level == Level::kFunction && gate_.eliminates;
  judge(y, by_elimination ? Level::kTolerance : level, outcome);
  // What is not decided of the base either says nothing of the mutant.
  if (outcome.is_open && base_is_open(level)) outcome.by.clear();
  if (!outcome.by.empty() || !by_elimination) return outcome;
  const ObservedNorm norm = observed(y);
  outcome = eliminated({&norm, 1}, gate_.request->threads);
  if (outcome.is_open && !base_has_rows()) outcome.by.clear();
  return outcome;
}

bool MutantTrial::base_has_rows() const {
  const ObservedNorm norm = observed(base_y_);
  return declared_standing({&norm, 1}, gate_.request->threads).rows > 0;
}

bool MutantTrial::base_is_open(Level level) const {
  if (!base_is_open_) {
    Outcome outcome;
    judge(base_y_, level, outcome);
    base_is_open_ = outcome.is_open;
  }
  return *base_is_open_;
}

ObservedNorm MutantTrial::observed(TensorView y) const {
  return {.site = judged_.value.site, .value = &judged_.value, .y = std::move(y)};
}

// The run's own way to a verdict, on these rows alone.
void MutantTrial::judge(const TensorView& y, Level level, Outcome& outcome) const {
  VerifyRequest request;
  request.cases.push_back(judged_);
  request.cases.front().observed = Outputs{y, std::nullopt};
  request.find_implementation = gate_.request->find_implementation;
  request.criteria = gate_.request->criteria;
  request.level = level;
  request.threads = gate_.request->threads;
  const VerifyTotals totals = measure(request);
  // Of a gated norm the classes of kernels decide, which is quick; nothing is eliminated.
  const bool by_classes = level == Level::kFunction && judged_.value.gate;
  const VerifyOutcome verdict =
      by_classes ? conclude_by_classes(request, totals) : conclude(request, totals);
  const auto result = std::ranges::find(verdict.results, OutputTensor::kY, &SubjectResult::tensor);
  if (result->verdict == VerdictValue::kAccepted) return;
  outcome.is_open = result->verdict == VerdictValue::kInconclusive;
  outcome.by = result->reasons.front().code + (outcome.is_open ? " (undecided)" : "");
}

MutantTrial::Outcome MutantTrial::eliminated(std::span<const ObservedNorm> norms,
                                             unsigned threads) {
  const DeclaredStanding standing = declared_standing(norms, threads);
  Outcome outcome{.differs = true, .by = "", .is_open = false};
  if (standing.rows == 0) {  // as of a port: nothing would have been decided
    outcome.is_open = true;
    outcome.by = "elimination (undecided)";
    return outcome;
  }
  if (standing.plausible) return outcome;
  outcome.is_open = standing.possible;
  outcome.by = standing.possible ? "elimination, for known orders" : "elimination";
  return outcome;
}

bool MutantTrial::rejects(double epsilon) const {
  const TensorView y = outputs(base_, epsilon, std::nullopt);
  if (std::ranges::equal(y.bytes, base_y_.bytes)) return false;
  const Level level = gate_.request->level;
  Outcome outcome;
  judge(y, level == Level::kFunction ? Level::kTolerance : level, outcome);
  return !outcome.by.empty() && !outcome.is_open;
}

bool MutantTrial::same_but_for_zero_rows(const TensorView& y) const {
  for (std::size_t row = 0; row < y.rows; ++row) {
    if (std::ranges::equal(y.row_bytes(row), base_y_.row_bytes(row))) continue;
    if (!judged_.value.residual && is_zero_row(judged_.value.x, row)) continue;
    return false;
  }
  return true;
}

bool MutantTrial::shows_epsilon() const {
  const TensorView& x = judged_.value.x;
  for (std::size_t row = 0; row < x.rows; ++row) {
    if (judged_.value.residual || !is_zero_row(x, row)) return judged_.value.epsilon.binary64 > 0;
  }
  return false;
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
  return lowered_to_three_digits(same);
}

}  // namespace normcert
