#include "judge/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace normcert {
namespace {

constexpr double kWidestRange = 4;  // high / low of an epsilon that counts as known

bool same_function(const DiagnosedHypothesis& a, const DiagnosedHypothesis& b) {
  return a.statistic == b.statistic && a.placement == b.placement &&
         a.weight_offset == b.weight_offset && a.qualifiers == b.qualifiers;
}

bool survives(const DiagnosedHypothesis& hypothesis) {
  return hypothesis.status == HypothesisStatus::kSurvives;
}

bool range_is_known(const DiagnosedHypothesis& hypothesis) {
  if (hypothesis.placement == "none") return true;
  const std::optional<EpsilonRange>& range = hypothesis.epsilon;
  return range && range->low > 0 && range->high <= kWidestRange * range->low;
}

bool is_judged(const DiagnosedSite& site) { return site.result.has_value(); }

class Conclusion {
 public:
  explicit Conclusion(Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  void run() {
    values();
    declared();
    not_judged();
    diagnosis_.exit_status = status();
  }

 private:
  void reason(const char* code, std::string text, std::string site = "") {
    diagnosis_.reasons.push_back({code, std::move(text), std::move(site), ""});
  }

  // The least clear of the groups, since one report speaks for all.
  void values() {
    const auto worse = [](DiagnosisValue a, DiagnosisValue b) { return std::max(a, b); };
    if (diagnosis_.groups.empty()) {
      const bool without_inputs = std::ranges::any_of(
          diagnosis_.sites,
          [](const DiagnosedSite& site) { return site.outputs_only.has_value(); });
      diagnosis_.value = without_inputs ? DiagnosisValue::kAmbiguous : DiagnosisValue::kUnexplained;
      return;
    }
    diagnosis_.value = DiagnosisValue::kExplained;
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      diagnosis_.value = worse(diagnosis_.value, group.result.value);
    }
  }

  void declared() {
    bool any = false;
    bool all_fit = true;
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      any = any || group.result.declared != DeclaredOutcome::kNotDeclared;
      all_fit = all_fit && group.result.declared == DeclaredOutcome::kFits;
      if (group.result.declared == DeclaredOutcome::kImpossible) impossible_ = true;
    }
    for (const DiagnosedSite& site : diagnosis_.sites) {
      if (!is_judged(site) || site.result->declared != DeclaredOutcome::kImpossible) continue;
      impossible_ = true;
      reason("function",
             "the declared epsilon " + site.declared.epsilon->text +
                 " is impossible: no order of summation and no rounding of the declared function "
                 "gives these outputs",
             shown_name(site.summary));
    }
    if (impossible_ && diagnosis_.reasons.empty()) {
      reason(
          "function",
          "one declared epsilon for all sites is impossible, although each site alone allows it");
    }
    if (impossible_) {
      diagnosis_.declared = DeclaredOutcome::kImpossible;
    } else if (!any) {
      diagnosis_.declared = DeclaredOutcome::kNotDeclared;
    } else {
      diagnosis_.declared = all_fit ? DeclaredOutcome::kFits : DeclaredOutcome::kUndecided;
    }
  }

  void not_judged() {
    for (const DiagnosedSite& site : diagnosis_.sites) {
      for (const HealthProblem& problem : site.health.problems) {
        reason(problem.code.c_str(), problem.text, shown_name(site.summary));
        incomplete_ = true;
      }
      if (site.outputs_only) {
        reason("no-input",
               "the capture has outputs but no x: they show where epsilon bites, never which "
               "epsilon it was",
               shown_name(site.summary));
        incomplete_ = true;
      }
      if (!is_judged(site) || site.result->value != DiagnosisValue::kUnexplained) continue;
      std::string text = "no known function gives these outputs";
      if (!site.symptoms.empty()) text += ": " + site.symptoms.front().text;
      reason("unexplained", std::move(text), shown_name(site.summary));
    }
  }

  [[nodiscard]] bool strays() const {
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      for (const DiagnosedHypothesis& one : group.result.survivors) {
        if (one.strays > 0) return true;
      }
    }
    return false;
  }

  // Whether every group has one function alone, the declared one where there is one; an epsilon
  // that the data leaves open is no other function.
  [[nodiscard]] bool one_function() const {
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      const DiagnosedHypothesis* first = nullptr;
      for (const DiagnosedHypothesis& one : group.result.survivors) {
        if (!survives(one)) continue;
        if (first == nullptr) first = &one;
        if (!same_function(*first, one)) return false;
      }
      if (first == nullptr) return false;
    }
    return !diagnosis_.groups.empty();
  }

  [[nodiscard]] int status() const {
    constexpr int kUnknown = 3;
    if (impossible_) return 1;
    if (incomplete_ || strays() || !one_function()) return kUnknown;
    if (diagnosis_.declared == DeclaredOutcome::kFits) return 0;
    const bool clear = diagnosis_.value == DiagnosisValue::kExplained;
    return diagnosis_.declared == DeclaredOutcome::kNotDeclared && clear ? 0 : kUnknown;
  }

  Diagnosis& diagnosis_;
  bool impossible_ = false;
  bool incomplete_ = false;
};

}  // namespace

std::string_view name_of(DiagnosisValue value) {
  constexpr std::array<std::string_view, 3> kNames = {"explained", "ambiguous", "unexplained"};
  return kNames.at(static_cast<std::size_t>(value));
}

std::string_view name_of(DeclaredOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"fits", "impossible", "undecided",
                                                      "not-declared"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

std::string_view name_of(HypothesisStatus status) {
  constexpr std::array<std::string_view, 3> kNames = {"survives", "implausible", "refuted"};
  return kNames.at(static_cast<std::size_t>(status));
}

DiagnosisValue value_of(const std::vector<DiagnosedHypothesis>& survivors) {
  const DiagnosedHypothesis* first = nullptr;
  bool known = true;
  bool agree = true;
  for (const DiagnosedHypothesis& one : survivors) {
    if (!survives(one)) continue;
    if (first == nullptr) first = &one;
    agree = agree && same_function(*first, one);
    known = known && range_is_known(one);
  }
  if (first == nullptr) return DiagnosisValue::kUnexplained;
  return agree && known ? DiagnosisValue::kExplained : DiagnosisValue::kAmbiguous;
}

DeclaredOutcome declared_outcome(const DiagnosedElements& result, bool is_declared) {
  if (!is_declared) return DeclaredOutcome::kNotDeclared;
  bool anything = false;
  bool possible = false;
  for (const auto* list : {&result.survivors, &result.refuted}) {
    for (const DiagnosedHypothesis& one : *list) {
      anything = anything || survives(one);
      if (!one.declared_function || !one.slack_of_declared) continue;
      if (survives(one) && *one.slack_of_declared <= result.bounds.known_orders) {
        return DeclaredOutcome::kFits;
      }
      possible = possible || *one.slack_of_declared <= result.bounds.any_order;
    }
  }
  return anything && !possible ? DeclaredOutcome::kImpossible : DeclaredOutcome::kUndecided;
}

void conclude(Diagnosis& diagnosis) { Conclusion(diagnosis).run(); }

}  // namespace normcert
