#include "judge/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "inference/declared_function.hpp"

namespace normcert {
namespace {

constexpr int kUnknown = 3;

// A weight that is first rounded to the format of x is still used once.
std::string_view use_of(const Hypothesis& hypothesis) {
  return hypothesis.weight_use == "cast_to_input" ? "used"
                                                  : std::string_view(hypothesis.weight_use);
}

// Where a residual is rounded is no matter of the function; whether it is added is.
bool ignores_residual(const Hypothesis& hypothesis) { return hypothesis.residual == "ignored"; }

class Conclusion {
 public:
  explicit Conclusion(Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  void run() {
    diagnosis_.value = value();
    flushing();
    last_resort();
    declared();
    sites();
    sums();
    diagnosis_.exit_status = status();
  }

 private:
  void reason(std::string code, std::string text, std::string site = "") {
    diagnosis_.reasons.push_back({std::move(code), std::move(text), std::move(site), ""});
  }

  // The least clear of the groups, since one report speaks for all.
  [[nodiscard]] DiagnosisValue value() const {
    if (diagnosis_.groups.empty()) {
      const bool without_inputs = std::ranges::any_of(
          diagnosis_.sites,
          [](const DiagnosedSite& site) { return site.outputs_only.has_value(); });
      return without_inputs ? DiagnosisValue::kAmbiguous : DiagnosisValue::kUnexplained;
    }
    DiagnosisValue value = DiagnosisValue::kExplained;
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      value = std::max(value, value_of(group.joint.outcome));
    }
    return value;
  }

  // Zeros for subnormal numbers are not what the function gives, although they say nothing of its
  // epsilon or of where it stands.
  void flushing() {
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      if (!group.joint.flushes || group.may_flush) continue;
      flushes_ = true;
      for (const std::size_t i : group.sites) {
        const DiagnosedSite& site = diagnosis_.sites[i];
        if (!site.result->flushes) continue;
        reason("flush", site.result->symptoms.front() + "; they are left out of the judgement",
               shown_name(site.summary));
      }
    }
  }

  void last_resort() {
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      const EliminatedHypothesis* const best = best_survivor(group.joint);
      if (best == nullptr || !is_last_resort(best->hypothesis)) continue;
      const FloatFormat* const x = diagnosis_.sites[group.sites.front()].x_format;
      const std::string format = x == nullptr ? "the input's format" : std::string(x->name);
      reason(
          "last-resort",
          "no function whose sum is formed in binary32 gives these outputs, the declared one "
          "included; one that forms it in " +
              format +
              " may, but the order of such a sum is so "
              "free that it would excuse another statistic or divisor too: " +
              format + " sums are to be told by the bits of a recipe (normcert verify --source)",
          group.sites.size() == 1 ? shown_name(diagnosis_.sites[group.sites.front()].summary) : "");
    }
  }

  void declared() {
    const bool any = std::ranges::any_of(
        diagnosis_.sites, [](const DiagnosedSite& site) { return site.declared.has_value(); });
    bool all_fit = !diagnosis_.groups.empty();
    for (const DiagnosedSite& site : diagnosis_.sites) {
      if (site.other_reading) {
        other_reading_ = true;
        reason("stored-wider", words_of(*site.other_reading), shown_name(site.summary));
      }
      if (!site.result || site.result->declared != DeclaredOutcome::kImpossible) continue;
      impossible_ = true;
      reason("function",
             "epsilon " + site.declared->text +
                 " is impossible here: under no order of summation and no rounding does the "
                 "declared function give these outputs",
             shown_name(site.summary));
    }
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      all_fit = all_fit && group.joint.declared == DeclaredOutcome::kFits;
      if (group.other_reading && group.sites.size() > 1) {
        other_reading_ = true;
        reason("stored-wider", "of all sites together, " + words_of(*group.other_reading));
      }
      if (group.joint.declared != DeclaredOutcome::kImpossible || impossible_) continue;
      impossible_ = true;
      reason("function", "epsilon " + diagnosis_.sites[group.sites.front()].declared->text +
                             " is impossible for all sites together, although it is not at any "
                             "one of them");
    }
    if (impossible_) {
      diagnosis_.declared = DeclaredOutcome::kImpossible;
    } else if (!any) {
      diagnosis_.declared = DeclaredOutcome::kNotDeclared;
    } else {
      diagnosis_.declared = all_fit ? DeclaredOutcome::kFits : DeclaredOutcome::kUndecided;
    }
  }

  void sites() {
    for (const DiagnosedSite& site : diagnosis_.sites) {
      const std::string& name = shown_name(site.summary);
      for (const HealthProblem& problem : site.health.problems) {
        reason(problem.code, problem.text, name);
      }
      if (site.outputs_only) {
        reason("no-input",
               "outputs without their inputs show where epsilon bites, never which epsilon it was",
               name);
      }
      for (std::string& words : site.special_rows.fault_words()) {
        reason("rows",
               "not what the function gives that explains the other rows: " + std::move(words),
               name);
      }
      faults_ = faults_ || site.special_rows.any_fault();
      const bool nothing =
          site.result && site.result->outcome == EliminationOutcome::kNothingToJudge;
      complete_ = complete_ && site.result && !nothing;
      if (!site.result || value_of(site.result->outcome) != DiagnosisValue::kUnexplained) continue;
      std::string text =
          nothing ? "no row of it can be judged" : "no hypothesis gives these outputs";
      if (!site.symptoms.empty()) text += ": " + site.symptoms.front().text;
      reason("unexplained", std::move(text), name);
    }
  }

  // The declared function may give y, but not this: verify leaves its function undecided as well.
  void sums() {
    for (const DiagnosedSite& site : diagnosis_.sites) {
      if (!site.sum || site.sum->differing == 0) continue;
      wrong_sum_ = true;
      reason("residual-out", words_of(*site.sum), shown_name(site.summary));
    }
  }

  // Whether every group is explained by one function alone, and without leaving elements out; an
  // epsilon that these rows leave open is no other function.
  [[nodiscard]] bool one_function() const {
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      const EliminatedHypothesis* first = nullptr;
      for (const EliminatedHypothesis& one : group.joint.hypotheses) {
        if (one.status != HypothesisStatus::kSurvives) continue;
        if (one.stray_count > 0) return false;
        if (first == nullptr) first = &one;
        if (!same_function(first->hypothesis, one.hypothesis)) return false;
      }
      if (first == nullptr || is_last_resort(first->hypothesis)) return false;
      // Another function is told from the declared one only where it pins the epsilon.
      const DiagnosedSite& site = diagnosis_.sites[group.sites.front()];
      const bool pinned = value_of(group.joint.outcome) == DiagnosisValue::kExplained;
      if (!pinned && !is_declared_function(first->hypothesis, site)) return false;
    }
    return !diagnosis_.groups.empty();
  }

  [[nodiscard]] int status() const {
    if (impossible_) return 1;
    if (!complete_ || flushes_ || faults_ || other_reading_ || wrong_sum_ || !one_function()) {
      return kUnknown;
    }
    if (diagnosis_.declared == DeclaredOutcome::kFits) return 0;
    const bool clear = diagnosis_.value == DiagnosisValue::kExplained;
    return diagnosis_.declared == DeclaredOutcome::kNotDeclared && clear ? 0 : kUnknown;
  }

  Diagnosis& diagnosis_;
  bool impossible_ = false;
  bool flushes_ = false;
  bool faults_ = false;  // rows that no hypothesis was asked about, and that none gives
  bool complete_ = true;
  bool wrong_sum_ = false;
  bool other_reading_ = false;  // in which the declared function stands otherwise
};

}  // namespace

std::string_view name_of(DiagnosisValue value) {
  constexpr std::array<std::string_view, 3> kNames = {"explained", "ambiguous", "unexplained"};
  return kNames.at(static_cast<std::size_t>(value));
}

std::string_view name_of(DeclaredOutcome outcome) {
  switch (outcome) {
    case DeclaredOutcome::kFits:
      return "fits";
    case DeclaredOutcome::kImpossible:
      return "impossible";
    case DeclaredOutcome::kUndecided:
      return "undecided";
    case DeclaredOutcome::kNotDeclared:
      break;
  }
  return "not-declared";
}

std::string_view name_of(HypothesisStatus status) {
  switch (status) {
    case HypothesisStatus::kSurvives:
      return "survives";
    case HypothesisStatus::kImplausible:
      return "implausible";
    case HypothesisStatus::kRefuted:
      break;
  }
  return "refuted";
}

DiagnosisValue value_of(EliminationOutcome outcome) {
  switch (outcome) {
    case EliminationOutcome::kExplained:
      return DiagnosisValue::kExplained;
    case EliminationOutcome::kAmbiguous:
      return DiagnosisValue::kAmbiguous;
    case EliminationOutcome::kNothingToJudge:
    case EliminationOutcome::kUnexplained:
      break;
  }
  return DiagnosisValue::kUnexplained;
}

bool is_declared_function(const Hypothesis& hypothesis, const DiagnosedSite& site) {
  std::optional<std::string> offset;
  if (site.offset_known) offset = site.summary.weight_offset_text;
  return is_declared_function(hypothesis, offset, StatisticKept::kBinary32);
}

bool same_function(const Hypothesis& a, const Hypothesis& b) {
  return a.statistic == b.statistic && a.placement == b.placement &&
         a.weight_offset == b.weight_offset && use_of(a) == use_of(b) &&
         ignores_residual(a) == ignores_residual(b);
}

const EliminatedHypothesis* best_survivor(const Elimination& elimination) {
  if (elimination.hypotheses.empty()) return nullptr;
  const EliminatedHypothesis& first = elimination.hypotheses.front();
  return first.status == HypothesisStatus::kSurvives ? &first : nullptr;
}

std::optional<NamedEpsilon> fitting_epsilon(const EliminatedHypothesis& one) {
  if (one.status != HypothesisStatus::kSurvives || !one.has_epsilon) return std::nullopt;
  for (const SlackOfEpsilon& form : one.slack_of) {
    if (!form.name.starts_with("declared") && one.epsilon.contains(form.epsilon)) {
      return NamedEpsilon{form.name, form.epsilon};
    }
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", one.best_epsilon);
  return NamedEpsilon{text, one.best_epsilon};
}

std::size_t site_of_witness(const DiagnosedGroup& group, const Elimination& elimination,
                            const ElementWitness& witness) {
  const std::vector<std::size_t>& judged = elimination.sites;
  return group.sites.at(witness.site < judged.size() ? judged[witness.site] : witness.site);
}

void conclude(Diagnosis& diagnosis) { Conclusion(diagnosis).run(); }

}  // namespace normcert
