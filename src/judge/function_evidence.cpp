#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "inference/declared_function.hpp"
#include "inference/declared_standing.hpp"
#include "inference/input_view.hpp"
#include "judge/function_level.hpp"
#include "judge/gated_evidence.hpp"
#include "numeric/float_format.hpp"
#include "numeric/interval_text.hpp"

namespace normcert {
namespace {

// Where the declared function stands in one elimination.
struct Standing {
  bool any_survivor = false;
  bool possible = false;  // with the declared epsilon at L_any
  bool fits = false;      // with the declared epsilon at L_known
  std::size_t strays = 0;
  const EliminatedHypothesis* best = nullptr;     // the survivor that needs least
  const EliminatedHypothesis* nearest = nullptr;  // of the declared function, whatever its status
};

Standing standing_in(const Elimination& elimination, const DiagnosedSite& site) {
  Standing standing;
  for (const EliminatedHypothesis& one : elimination.hypotheses) {
    const bool survives = one.status == HypothesisStatus::kSurvives;
    if (survives && standing.best == nullptr) standing.best = &one;
    standing.any_survivor = standing.any_survivor || survives;
    if (!is_declared_function(one.hypothesis, site)) continue;
    if (standing.nearest == nullptr) standing.nearest = &one;
    if (one.status == HypothesisStatus::kRefuted) continue;
    standing.possible = standing.possible || has_declared_epsilon(one, one.any_order);
    if (!survives || !has_declared_epsilon(one, one.known_orders)) continue;
    if (!standing.fits || one.stray_count < standing.strays) standing.strays = one.stray_count;
    standing.fits = true;
  }
  return standing;
}

bool refutes(const Standing& standing) { return standing.any_survivor && !standing.possible; }

// Three digits.
std::string digits(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
  return {text.data(), end.ptr};
}

std::string range_text(const EpsilonRange& range) {
  if (std::isinf(range.high)) return "of at least " + digits(range.low);
  return interval_text(range.low, range.high, 3);
}

// "mean_square, epsilon outside, 9.1e-07 .. 2e-06".
std::string function_text(const EliminatedHypothesis& one) {
  const Hypothesis& words = one.hypothesis;
  std::string text = words.statistic + ", epsilon " + words.placement;
  if (!words.weight_offset.empty() && words.weight_offset != "0") {
    text += ", weight offset " + words.weight_offset;
  }
  if (words.weight_use == "ignored" || words.weight_use == "twice") {
    text += ", weight " + words.weight_use;
  }
  if (words.residual == "ignored") text += ", residual ignored";
  return one.has_epsilon && !one.epsilon.empty() ? text + ", " + range_text(one.epsilon) : text;
}

std::string declared_text(const DiagnosedSite& site) {
  return site.declared ? "epsilon " + site.declared->text : "the declared epsilon";
}

// In another format of the dump's numbers the declared function is not refuted.
bool is_excused(const std::optional<OtherReading>& other) {
  return other && other->keeps_statistic;
}

FunctionEvidence refuted(const Standing& standing, const DiagnosedSite& site, bool together) {
  FunctionEvidence evidence;
  evidence.declared = Tristate::kDiffers;
  const EliminatedHypothesis& best = *standing.best;
  const std::string where = together ? " for the norms that must be alike together" : "";
  if (is_last_resort(best.hypothesis)) {
    evidence.text = "no function whose sum is formed in binary32 or better gives these outputs" +
                    where + ": a sum formed in the format of x would excuse them, and others too";
    return evidence;
  }
  if (best.hypothesis.statistic.ends_with("_in_input_dtype")) {
    evidence.code = "precision";
    evidence.text = "the statistic is not kept in binary32 or better" + where + ": what fits is " +
                    function_text(best);
    return evidence;
  }
  if (converted_format(best.hypothesis) != nullptr) {
    evidence.code = "precision";
    evidence.text = "x is rounded to another format before anything else" + where +
                    ": what fits is " + function_text(best) + ", " + best.hypothesis.rounding;
    return evidence;
  }
  const bool own_function = is_declared_function(best.hypothesis, site) && best.has_epsilon;
  evidence.text =
      declared_text(site) + " inside the root is impossible" + where +
      ", under any order of the sum and wherever it is rounded to a format of its tensors: " +
      (own_function ? "epsilon " + range_text(best.epsilon) + " fits"
                    : "what fits is " + function_text(best));
  return evidence;
}

std::string undecided_text(const Standing& standing, const DiagnosedSite& site) {
  if (!standing.any_survivor) {
    std::string text = "no function that is known gives these outputs";
    if (!site.symptoms.empty()) text += ": " + site.symptoms.front().text;
    return text;
  }
  if (standing.fits) {
    return "the declared function fits only if " + std::to_string(standing.strays) +
           (standing.strays == 1 ? " element is" : " elements are") + " left out";
  }
  return declared_text(site) +
         " would need a sum that is formed worse than in every known order, though not worse than "
         "in any order at all";
}

// A conforming port rounds x + residual, the statistic's share of that, x r, the gain, the weight
// to the format of x, and the product, each to some format of the tensors, or to binary32 with what
// the scalar's freedom is; 1.01 covers second order.
double largest_error_of(const DiagnosedSite& site, double any_order) {
  if (site.x_format == nullptr || site.y_format == nullptr || !std::isfinite(any_order)) {
    return std::numeric_limits<double>::infinity();
  }
  int precision = std::min(site.x_format->precision, site.y_format->precision);
  if (const FloatFormat* const weight = find_format(site.summary.weight_dtype)) {
    precision = std::min(precision, weight->precision);
  }
  return 1.01 * (6 * std::ldexp(1.0, -precision) + (any_order + 8) * 0x1p-24);
}

// Of a norm without a row that could be judged (zeros, rows beyond a binary32 statistic): what the
// others of its group show, if they do; its own rows are then held to the bound.
FunctionEvidence by_others(const DiagnosedGroup& group, const DiagnosedSite& site) {
  FunctionEvidence evidence;
  const Standing joint = standing_in(group.joint, site);
  if (!joint.fits || joint.strays > 0) {
    evidence.text = "no row of it can be judged by elimination";
    return evidence;
  }
  evidence.declared = Tristate::kSame;
  evidence.explained = group.joint.outcome == EliminationOutcome::kExplained;
  evidence.largest_error = largest_error_of(site, group.joint.any_order);
  return evidence;
}

}  // namespace

FunctionEvidence evidence_of(const Diagnosis& diagnosis, std::size_t index) {
  const DiagnosedSite& site = diagnosis.sites.at(index);
  FunctionEvidence evidence;
  if (!site.health.problems.empty()) {
    evidence.code = site.health.problems.front().code;
    evidence.text = "not judged: " + site.health.problems.front().text;
    return evidence;
  }
  const auto group = std::ranges::find_if(diagnosis.groups, [&](const DiagnosedGroup& one) {
    return std::ranges::find(one.sites, index) != one.sites.end();
  });
  if (!site.result || group == diagnosis.groups.end()) {
    evidence.text = "no row of it can be judged by elimination";
    return evidence;
  }
  if (site.result->outcome == EliminationOutcome::kNothingToJudge) return by_others(*group, site);
  const Standing alone = standing_in(*site.result, site);
  if (is_excused(site.other_reading)) {
    evidence.text = words_of(*site.other_reading);
    return evidence;
  }
  if (refutes(alone)) return refuted(alone, site, false);
  const Standing joint = standing_in(group->joint, site);
  if (refutes(joint) && is_excused(group->other_reading)) {
    evidence.text = words_of(*group->other_reading);
    return evidence;
  }
  if (refutes(joint)) return refuted(joint, site, true);
  // Where no function explains all norms of a group, some other one of it is to blame, or none is.
  const bool together = joint.any_survivor;
  const Standing& standing = together && alone.fits ? joint : alone;
  if (!alone.fits || !standing.fits || alone.strays > 0 || standing.strays > 0) {
    evidence.text = undecided_text(alone.fits && alone.strays == 0 ? standing : alone, site);
    return evidence;
  }
  evidence.declared = Tristate::kSame;
  const Elimination& basis = together ? group->joint : *site.result;
  evidence.explained = basis.outcome == EliminationOutcome::kExplained;
  evidence.largest_error = largest_error_of(site, basis.any_order);
  return evidence;
}

namespace {

// |got - exact| against the bound, on every row that was compared. An ulp of y is at least
// 2^(1 - p) |y| / 2.
bool within_bound(const FunctionEvidence& evidence, const SubjectResult& result) {
  const FloatFormat* const format = find_format(result.dtype);
  const ErrorMaximum& ulp = result.comparison.ulp;
  if (format == nullptr || !std::isfinite(evidence.largest_error)) return false;
  if (!ulp.any) return true;
  return ulp.value.to_binary64() <= std::ldexp(evidence.largest_error, format->precision);
}

}  // namespace

void settle_function(const FunctionEvidence& evidence, SubjectResult& result) {
  Equality& equality = result.equality;
  equality.function = Tristate::kUndecided;
  equality.function_code = "function";
  equality.function_text.clear();
  const bool as_source = equality.rounding == Tristate::kSame && equality.bits.of > 0;
  if (result.tensor == OutputTensor::kResidualOut) {
    if (as_source) {
      equality.function = Tristate::kSame;
    } else {
      equality.function_text =
          "it is neither x + residual rounded once nor what " + equality.source + " gives";
    }
    return;
  }
  if (evidence.by_classes) {
    const bool is_same = evidence.of_one_class || (as_source && evidence.source_is_declared);
    equality.function = is_same ? Tristate::kSame : Tristate::kUndecided;
    if (is_same) return;
    equality.function_text = evidence.text;
    if (!is_beyond_every_kernel(evidence, result)) return;
    const ErrorMaximum& worst = result.comparison.ulp;
    equality.function = Tristate::kDiffers;
    equality.function_text =
        "element " + std::to_string(worst.witness.index) + " of row " +
        std::to_string(worst.witness.row) + " is " + digits(worst.value.to_binary64()) +
        " ulp from the exact gated norm; no way to compute it in binary32, under any order of the "
        "sum and wherever it is rounded to a format of its tensors, is off by more than " +
        digits(std::ldexp(evidence.largest_error, find_format(result.dtype)->precision));
    return;
  }
  if (evidence.declared != Tristate::kSame) {
    equality.function = evidence.declared;
    equality.function_code = evidence.code;
    equality.function_text = evidence.text;
    return;
  }
  if (as_source) {
    equality.function = Tristate::kSame;
    return;
  }
  if (equality.explained_by.empty() && !evidence.explained) {
    equality.function_text =
        "the declared function fits, but so do others, and the rows do not round as any port of it "
        "that is known";
  } else if (!evidence.of_one_class && !within_bound(evidence, result)) {
    equality.function_text =
        "the declared function fits the rows that were eliminated, but elsewhere an element is "
        "further from the exact result than any rounding of it explains";
  } else {
    equality.function = Tristate::kSame;
  }
}

}  // namespace normcert
