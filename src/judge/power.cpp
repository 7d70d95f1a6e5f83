#include "judge/power.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "emulation/emulate.hpp"
#include "inference/stored_format.hpp"
#include "judge/case_rows.hpp"
#include "judge/case_summary.hpp"
#include "judge/diagnose.hpp"
#include "judge/mutant_base.hpp"
#include "judge/mutant_trial.hpp"
#include "judge/power_rows.hpp"
#include "judge/verdict.hpp"

namespace normcert {
namespace {

// Epsilons that limits, rounding and bits are asked about: the declared one times 10^(k/1000). By
// tenths of a decade outward to the first that is rejected, between that and the one before by
// halves: an output moves one way as epsilon does.
constexpr int kTenths = 80;
constexpr int kStepsOfTenth = 100;
constexpr std::size_t kFewElements = std::size_t{1} << 18;
// On as many of the norms of the least q/epsilon as have no more elements.
constexpr std::size_t kElementsScanned = std::size_t{1} << 20;
// Norms that are eliminated together.
constexpr std::size_t kNormsKept = 16;
constexpr std::size_t kElementsKept = std::size_t{1} << 22;
// Rows that answer one question, which of two recipes it is (inference/separating_input.hpp).
constexpr std::string_view kSeparatingClass = "separating";
// Of the first norm, to find the recipe that a port is most like.
constexpr std::size_t kRowsCompared = 64;

// Outputs that the verdict rests on: of a port, or of a candidate in its place.
struct Subject {
  const JudgedCase* judged = nullptr;
  const Implementation* candidate = nullptr;  // nullptr: what was observed
  const FloatFormat* y = nullptr;
  FormatsOfDump formats;  // in which a float32 dump is judged
  std::string site;
  RowsToTry rows;

  [[nodiscard]] JudgedCase judged_rows(std::vector<std::size_t> numbers) const {
    return rows_to_judge(*judged, std::move(numbers), formats);
  }
  [[nodiscard]] double least_ratio() const { return rows.least_q / judged->value.epsilon.binary64; }
};

bool all_fit_binary32(const Case& value, const FloatFormat& y) {
  const auto fits = [](const std::optional<TensorView>& tensor) {
    return !tensor || tensor->format->precision <= kFp32.precision;
  };
  return fits(value.x) && fits(value.residual) && fits(value.weight) &&
         y.precision <= kFp32.precision;
}

struct KeptTrial {
  MutantTrial trial;
  MutantSet set;
  bool eliminates = false;
};

class GroupJudge {
 public:
  GroupJudge(const VerifyRequest& request, const FunctionLevel* function,
             std::vector<Subject> subjects)
      : request_(request), function_(function), subjects_(std::move(subjects)) {
    std::ranges::stable_sort(subjects_, {}, &Subject::least_ratio);
  }

  PowerGroup run() {
    describe();
    const std::optional<Recipe> base = find_base();
    if (!base) return std::move(group_);
    group_.base = base->name;
    bool all_unpinned = true;
    for (const Subject& subject : subjects_) {
      all_unpinned = ask(subject, *base) && all_unpinned;
    }
    for (TriedMutant& tried : group_.mutants) try_together(tried);
    for (TriedMutant& tried : group_.mutants) settle(tried);
    forget_meanings();
    if (all_unpinned && !group_.unpinned.empty()) {
      group_.immaterial_below = std::ranges::min(group_.unpinned, {}, &UnpinnedSite::below).below;
    }
    if (request_.level == Level::kFunction) range_of_elimination();
    const bool scans = request_.level != Level::kFunction || request_.criteria.any();
    if (scans && !kept_.empty()) range_as_emulated();
    return std::move(group_);
  }

 private:
  void describe() {
    const Implementation* const candidate = subjects_.front().candidate;
    group_.candidate = candidate != nullptr ? candidate->name : "observed";
    group_.role = candidate != nullptr ? Role::kCandidate : Role::kObserved;
    for (const Subject& subject : subjects_) {
      if (std::ranges::find(group_.sites, subject.site) == group_.sites.end()) {
        group_.sites.push_back(subject.site);
      }
      group_.rows_judged += rows_judged(*subject.judged);
    }
    std::ranges::sort(group_.sites);
  }

  [[nodiscard]] std::optional<Recipe> find_base() const {
    const Subject& first = subjects_.front();
    if (first.rows.chunks.empty()) return std::nullopt;
    std::vector<std::size_t> numbers = first.rows.chunks.front();
    numbers.resize(std::min(numbers.size(), kRowsCompared));
    return mutant_base(request_, first.judged_rows(std::move(numbers)), *first.y, first.candidate);
  }

  // Tries on one norm what none before it has noticed; whether its outputs show nothing of epsilon.
  bool ask(const Subject& subject, const Recipe& base) {
    bool immaterial = true;
    double below = std::numeric_limits<double>::infinity();
    for (const std::vector<std::size_t>& numbers : subject.rows.chunks) {
      JudgedCase rows = subject.judged_rows(numbers);
      rows.value.output = subject.y;
      // Gated norms are not eliminated (judge/function_level.hpp).
      const bool eliminates = all_fit_binary32(rows.value, *subject.y) && !rows.value.gate;
      if (request_.level == Level::kFunction && eliminates) prepare_for_elimination(rows);
      MutantSet set = mutants_of(base, rows.value);
      add(set);
      MutantTrial trial({&request_, eliminates}, std::move(rows), base);
      group_.rows += trial.rows();
      for (const Mutant& mutant : set.mutants) try_on(trial, mutant, subject.site);
      if (immaterial) {
        const std::optional<double> found = trial.immaterial_below();
        immaterial = found.has_value();
        below = std::min(below, found.value_or(0));
      }
      keep(std::move(trial), std::move(set), eliminates);
    }
    if (!std::isfinite(below)) return false;  // no row that could be asked
    if (immaterial) group_.unpinned.push_back({subject.site, below});
    return immaterial;
  }

  // For what is asked of several norms together: the first that show epsilon at all.
  void keep(MutantTrial trial, MutantSet set, bool eliminates) {
    const std::size_t elements = trial.elements();
    const bool fits = kept_.empty() || elements_kept_ + elements <= kElementsKept;
    if (!trial.shows_epsilon() || kept_.size() == kNormsKept || !fits) return;
    elements_kept_ += elements;
    kept_.push_back({std::move(trial), std::move(set), eliminates});
  }

  // What no norm alone notices, several together may.
  void try_together(TriedMutant& tried) const {
    const bool is_settled = tried.fate == MutantFate::kEquivalent ||
                            (tried.fate == MutantFate::kCaught && !tried.is_open);
    if (request_.level != Level::kFunction || is_settled) return;
    std::vector<ObservedNorm> norms;
    for (const KeptTrial& kept : kept_) {
      const auto mutant = std::ranges::find(kept.set.mutants, tried.name, &Mutant::name);
      if (!kept.eliminates || mutant == kept.set.mutants.end()) continue;
      norms.push_back(kept.trial.observed(kept.trial.outputs_of(*mutant)));
    }
    if (norms.size() < 2) return;
    const MutantTrial::Outcome outcome = MutantTrial::eliminated(norms, request_.threads);
    if (outcome.by.empty() || (outcome.is_open && tried.is_open)) return;
    tried.fate = MutantFate::kCaught;
    tried.is_open = outcome.is_open;
    tried.by = outcome.by + " at " + std::to_string(norms.size()) + " norms together";
  }

  // A mutant has a meaning where it has one on some norm of the group.
  void add(const MutantSet& set) {
    const auto known = [&](const std::string& name) {
      return std::ranges::find(group_.mutants, name, &TriedMutant::name) != group_.mutants.end();
    };
    for (const Mutant& mutant : set.mutants) {
      if (known(mutant.name)) continue;
      group_.mutants.push_back({mutant.name, is_required(mutant.name, asks_for_rounding()),
                                MutantFate::kEquivalent, ""});
    }
    for (const MeaninglessMutant& one : set.meaningless) {
      if (std::ranges::find(group_.meaningless, one.name, &MeaninglessMutant::name) ==
          group_.meaningless.end()) {
        group_.meaningless.push_back(one);
      }
    }
  }
  void forget_meanings() {
    std::erase_if(group_.meaningless, [&](const MeaninglessMutant& one) {
      return std::ranges::find(group_.mutants, one.name, &TriedMutant::name) !=
             group_.mutants.end();
    });
  }
  [[nodiscard]] bool asks_for_rounding() const {
    return request_.level == Level::kRounding || request_.level == Level::kBits;
  }

  void try_on(const MutantTrial& trial, const Mutant& mutant, const std::string& site) {
    TriedMutant& tried = *std::ranges::find(group_.mutants, mutant.name, &TriedMutant::name);
    if (tried.fate == MutantFate::kCaught && !tried.is_open) return;
    const MutantTrial::Outcome outcome = trial.run(mutant);
    if (tried.is_open && (outcome.by.empty() || outcome.is_open)) return;
    if (!outcome.by.empty()) {
      tried.fate = MutantFate::kCaught;
      tried.by = outcome.by + " at " + site;
      tried.is_open = outcome.is_open;
    } else if (outcome.differs) {
      tried.fate = MutantFate::kAccepted;
    }
  }

  // An order of the sum moves the scalar by up to (n - 1)/2 units of 2^-24: as much as n - 1 in
  // place of n does from some 4096 on, or a rounding to a 16-bit format in wide rows.
  void settle(TriedMutant& tried) const {
    const Case& value = subjects_.front().judged->value;
    const auto n = static_cast<double>(value.x.width);
    const double freedom = (n - 1) / 2 * 0x1p-24;
    const bool is_divisor = tried.name == "divisor_n_minus_1";
    const bool is_rounding =
        tried.name == "inverse_rms_rounded" || tried.name == "statistic_in_input_dtype";
    const double effect = is_divisor    ? 1 / (2 * n)
                          : is_rounding ? std::ldexp(1.0, -value.x.format->precision - 1)
                                        : std::numeric_limits<double>::infinity();
    const bool by_freedom =
        request_.level == Level::kFunction || request_.level == Level::kRounding;
    if (tried.fate != MutantFate::kAccepted || !by_freedom || effect > freedom) return;
    tried.fate = MutantFate::kInsideRounding;
    tried.required = false;
  }

  // The hull of what elimination leaves to the declared function.
  void range_of_elimination() {
    if (function_ == nullptr || group_.role != Role::kObserved) return;
    const Diagnosis& diagnosis = function_->diagnosis;
    EpsilonRange hull;
    for (const DiagnosedGroup& group : diagnosis.groups) {
      const std::size_t site = group.sites.front();
      const JudgedCase* const judged = &request_.cases[function_->case_of_site.at(site)];
      if (std::ranges::find(subjects_, judged, &Subject::judged) == subjects_.end()) continue;
      for (const EliminatedHypothesis& one : group.joint.hypotheses) {
        if (one.status == HypothesisStatus::kRefuted || one.epsilon_any_order.empty() ||
            !is_declared_function(one.hypothesis, diagnosis.sites[site])) {
          continue;
        }
        hull.low = std::min(hull.low, one.epsilon_any_order.low);
        hull.high = std::max(hull.high, one.epsilon_any_order.high);
      }
    }
    if (hull.empty()) return;
    if (hull.low > 0) group_.rejected_below = hull.low;
    if (std::isfinite(hull.high)) group_.rejected_above = hull.high;
  }

  void range_as_emulated() {
    const double declared = subjects_.front().judged->value.epsilon.binary64;
    for (const int sign : {-1, 1}) {
      const auto at = [&](int steps) {
        return declared * std::pow(10.0, sign * steps / (10.0 * kStepsOfTenth));
      };
      const auto rejects = [&](int steps) {
        std::size_t elements = 0;
        for (const KeptTrial& kept : kept_) {
          elements += kept.trial.elements();
          if (elements > kElementsScanned && &kept != &kept_.front()) return false;
          if (kept.trial.rejects(at(steps))) return true;
        }
        return false;
      };
      // Many elements are asked less often.
      const int stride = kStepsOfTenth * (kept_.front().trial.elements() > kFewElements ? 5 : 1);
      int rejected = stride;
      while (rejected <= kTenths * kStepsOfTenth && !rejects(rejected)) rejected += stride;
      if (rejected > kTenths * kStepsOfTenth) continue;
      int passed = rejected - stride;
      while (rejected - passed > 1) {
        const int middle = (passed + rejected) / 2;
        (rejects(middle) ? rejected : passed) = middle;
      }
      std::optional<double>& nearest = sign < 0 ? group_.rejected_below : group_.rejected_above;
      if (!nearest || sign * *nearest > sign * at(rejected)) nearest = at(rejected);
    }
  }

  const VerifyRequest& request_;
  const FunctionLevel* function_;
  std::vector<Subject> subjects_;
  PowerGroup group_;
  std::vector<KeptTrial> kept_;
  std::size_t elements_kept_ = 0;
};

const FloatFormat& format_of(const Implementation& candidate, const Case& value) {
  if (!candidate.recipe) return *value.output;
  return emulated_format(*candidate.recipe, *value.x.format,
                         value.weight ? value.weight->format : nullptr);
}

// In which the port is judged: those in which elimination read it, where it did.
FormatsOfDump formats_of(const JudgedCase& judged, const VerifyRequest& request,
                         const FunctionLevel* function) {
  if (function != nullptr) {
    for (std::size_t site = 0; site < function->case_of_site.size(); ++site) {
      if (&request.cases[function->case_of_site[site]] != &judged) continue;
      const DiagnosedSite& diagnosed = function->diagnosis.sites.at(site);
      if (diagnosed.reading) return diagnosed.reading->formats;
    }
  }
  FormatsOfDump formats = request.formats;
  if (formats.y == nullptr) formats.y = narrower_format_of(*judged.observed->y);
  return formats;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string_view name_of(MutantFate fate) {
  constexpr std::array<std::string_view, 4> kNames = {"caught", "accepted", "equivalent",
                                                      "inside rounding"};
  return kNames.at(static_cast<std::size_t>(fate));
}

MutantCount required_of(const PowerGroup& group) {
  MutantCount count;
  for (const TriedMutant& mutant : group.mutants) {
    if (!mutant.required) continue;
    ++count.of;
    if (mutant.fate == MutantFate::kCaught) ++count.caught;
  }
  return count;
}

Power measure_power(const VerifyRequest& request, const FunctionLevel* function, PowerRows rows) {
  std::vector<std::vector<Subject>> groups;
  std::map<std::string, std::size_t> known;
  const auto add = [&](const JudgedCase& judged, const Implementation* candidate,
                       const FloatFormat& y) {
    const std::string name = candidate != nullptr ? candidate->name : "observed";
    const CaseSummary summary = describe(judged);
    const bool is_vector =
        !judged.value.expect.empty() || judged.value.class_name == kSeparatingClass;
    if (rows_judged(judged) == 0 || is_measured_only(summary.class_name) || is_vector) return;
    Subject subject{&judged, candidate, &y, {}, shown_name(summary), {}};
    if (candidate == nullptr) subject.formats = formats_of(judged, request, function);
    if (subject.formats.y != nullptr) subject.y = subject.formats.y;
    subject.rows = rows_to_try(judged, rows == PowerRows::kFull, request.threads);
    const auto [place, is_new] = known.emplace(name + " " + shared_by(judged, y), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(std::move(subject));
  };
  for (const JudgedCase& judged : request.cases) {
    if (judged.observed && judged.observed->y) add(judged, nullptr, *judged.observed->y->format);
  }
  for (const Implementation& candidate : request.candidates) {
    for (const JudgedCase& judged : request.cases) {
      if (!judged.observed) add(judged, &candidate, format_of(candidate, judged.value));
    }
  }
  Power power;
  power.asked = rows;
  for (std::vector<Subject>& group : groups) {
    power.groups.push_back(GroupJudge(request, function, std::move(group)).run());
  }
  return power;
}

void judge_power(const Power& power, VerifyOutcome& outcome) {
  if (outcome.verdict != VerdictValue::kAccepted) return;
  for (const PowerGroup& group : power.groups) {
    std::vector<std::string> missed;
    for (const TriedMutant& mutant : group.mutants) {
      if (mutant.required && mutant.fate != MutantFate::kCaught) missed.push_back(mutant.name);
    }
    const MutantCount count = required_of(group);
    if (count.of > 0 && missed.empty()) continue;
    outcome.verdict = VerdictValue::kInconclusive;
    const std::string where = group.sites.size() == 1
                                  ? group.sites.front()
                                  : std::to_string(group.sites.size()) + " norms of one group";
    const std::string text =
        count.of == 0
            ? where + ": no defect could be tried, since no recipe writes outputs of this format"
            : where + ": these rows and this level would also accept " + listed(missed) + " (" +
                  std::to_string(count.caught) + " of " + std::to_string(count.of) +
                  " required defects are noticed)";
    outcome.reasons.push_back(
        {"power", text, group.sites.size() == 1 ? group.sites.front() : "", group.candidate});
  }
}

}  // namespace normcert
