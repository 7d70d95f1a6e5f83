#include "judge/power.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "emulation/emulate.hpp"
#include "inference/stored_format.hpp"
#include "judge/block_judge.hpp"
#include "judge/case_rows.hpp"
#include "judge/case_summary.hpp"
#include "judge/diagnose.hpp"
#include "judge/mutant_trial.hpp"
#include "judge/power_rows.hpp"
#include "judge/verdict.hpp"

namespace normcert {
namespace {

// Epsilons that limits are asked about: factors 10^(k/1000), those between the last decade's tenth
// that passes and the first that does not.
constexpr int kTenths = 40;
constexpr int kFineSteps = 100;
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

// The base written in the format of the outputs; nothing where no recipe writes it.
std::optional<Recipe> writing(Recipe base, const Case& value, const FloatFormat& y) {
  const FloatFormat* const weight = value.weight ? value.weight->format : nullptr;
  for (const OutputFormat output : {base.output, OutputFormat::kInput, OutputFormat::kWeight,
                                    OutputFormat::kPromote, OutputFormat::kBinary32}) {
    base.output = output;
    if (emulated_format(base, *value.x.format, weight) == y) return base;
  }
  return std::nullopt;
}

// The declared function as plainly as it can be computed, for ports whose source is the exact
// result rounded once.
Recipe wide_base(const Case& value) {
  Recipe recipe;
  recipe.name = kRoundedReferenceName;
  recipe.compute = ComputeFormat::kBinary64;
  recipe.statistic.square = StepFormat::kBinary64;
  recipe.statistic.accumulate = Accumulation::kBinary64;
  recipe.epsilon.dtype = StepFormat::kBinary64;
  recipe.cast = CastPoint::kAfterWeight;
  const double offset = value.weight_offset.binary64;
  recipe.weight.form = offset == 0   ? WeightForm::kW
                       : offset == 1 ? WeightForm::kOnePlusW
                                     : WeightForm::kOffsetPlusW;
  if (!value.weight) {
    recipe.weight.form = WeightForm::kNone;
    recipe.association = Association::kXr;
  }
  return recipe;
}

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
    for (std::size_t i = 0; i < group_.mutants.size(); ++i) settle(i);
    forget_meanings();
    if (all_unpinned && !group_.unpinned.empty()) {
      group_.immaterial_below = std::ranges::min(group_.unpinned, {}, &UnpinnedSite::below).below;
    }
    if (request_.level == Level::kFunction) range_of_elimination();
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
    const JudgedCase some = first.judged_rows(std::move(numbers));
    std::optional<Recipe> plain = writing(wide_base(some.value), some.value, *first.y);
    if (first.candidate != nullptr) {
      const Recipe* const own = first.candidate->recipe.get();
      return own != nullptr ? writing(*own, some.value, *first.y) : std::move(plain);
    }
    const Implementation source = request_.find_implementation(source_name(*first.judged));
    std::vector<const Recipe*> recipes;
    if (source.recipe) recipes.push_back(source.recipe.get());
    if (request_.known_recipes) {
      for (const Recipe* recipe : request_.known_recipes()) recipes.push_back(recipe);
    }
    std::optional<Recipe> best = source.recipe ? std::nullopt : plain;
    std::uint64_t most = best ? observed_bits(some, *best) : 0;
    for (const Recipe* recipe : recipes) {
      std::optional<Recipe> base = writing(*recipe, some.value, *first.y);
      if (!base) continue;
      const std::uint64_t equal = observed_bits(some, *base);
      if (best && equal <= most) continue;
      most = equal;
      best = std::move(base);
    }
    return best ? best : std::move(plain);
  }

  // How many of the port's outputs the recipe gives; of one that only the slow evaluator has it is
  // not asked.
  [[nodiscard]] static std::uint64_t observed_bits(const JudgedCase& rows, const Recipe& recipe) {
    const BlockInput input = block_input(rows.value);
    if (fastest_evaluator(recipe, input) == Evaluator::kExact) return 0;
    std::uint64_t equal = 0;
    for (const std::size_t count : count_same_bits(recipe, input, *rows.observed->y)) {
      equal += count;
    }
    return equal;
  }
  // Tries on one norm what none before it has noticed; whether its outputs show nothing of epsilon.
  bool ask(const Subject& subject, const Recipe& base) {
    bool immaterial = true;
    double below = std::numeric_limits<double>::infinity();
    for (const std::vector<std::size_t>& numbers : subject.rows.chunks) {
      JudgedCase rows = subject.judged_rows(numbers);
      rows.value.output = subject.y;
      const bool eliminates = all_fit_binary32(rows.value, *subject.y);
      if (request_.level == Level::kFunction && eliminates) prepare_for_elimination(rows);
      const MutantSet set = mutants_of(base, rows.value);
      add(set);
      const MutantTrial trial({&request_, eliminates}, std::move(rows), base);
      group_.rows += trial.rows();
      for (const Mutant& mutant : set.mutants) try_on(trial, mutant, subject.site);
      if (immaterial) {
        const std::optional<double> found = trial.immaterial_below();
        immaterial = found.has_value();
        below = std::min(below, found.value_or(0));
      }
      if (!limits_asked_ && request_.criteria.any()) {
        range_of_limits(trial, subject.judged->value.epsilon.binary64);
      }
    }
    if (!std::isfinite(below)) return false;  // no row that could be asked
    if (immaterial) group_.unpinned.push_back({subject.site, below});
    return immaterial;
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
    if (tried.fate == MutantFate::kCaught) return;
    const MutantTrial::Outcome outcome = trial.run(mutant);
    if (!outcome.by.empty()) {
      tried.fate = MutantFate::kCaught;
      tried.by = outcome.by + " at " + site;
    } else if (outcome.differs) {
      tried.fate = MutantFate::kAccepted;
    }
  }

  // n - 1 in place of n moves the scalar by 1/(2n): less than an order of the sum may.
  void settle(std::size_t index) {
    TriedMutant& tried = group_.mutants[index];
    const auto n = static_cast<double>(subjects_.front().judged->value.x.width);
    const bool inside = tried.name == "divisor_n_minus_1" && 1 / (2 * n) <= n / 2 * 0x1p-24;
    if (tried.fate == MutantFate::kAccepted && inside && request_.level == Level::kFunction) {
      tried.fate = MutantFate::kInsideRounding;
    }
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

  void range_of_limits(const MutantTrial& trial, double declared) {
    limits_asked_ = true;
    for (const int sign : {-1, 1}) {
      const auto rejects = [&](double tenths) {
        return trial.limits_reject(declared * std::pow(10.0, sign * tenths / 10));
      };
      int first = 1;
      while (first <= kTenths && !rejects(first)) ++first;
      if (first > kTenths) continue;
      int step = 1;
      while (step < kFineSteps && !rejects(first - 1 + static_cast<double>(step) / kFineSteps)) {
        ++step;
      }
      const double factor = first - 1 + static_cast<double>(step) / kFineSteps;
      (sign < 0 ? group_.rejected_below : group_.rejected_above) =
          declared * std::pow(10.0, sign * factor / 10);
    }
  }

  const VerifyRequest& request_;
  const FunctionLevel* function_;
  std::vector<Subject> subjects_;
  PowerGroup group_;
  bool limits_asked_ = false;
};

// As diagnose() judges it; formats that stay as they are stand as they are.
FormatsOfDump formats_of_dump(const JudgedCase& judged) {
  FormatsOfDump formats;
  const Case& value = judged.value;
  formats.y = narrower_format_of(*judged.observed->y);
  const auto like_y = [&](const TensorView& tensor) {
    const FloatFormat* const seen = narrower_format_of(tensor);
    return formats.y != nullptr && seen != nullptr && *seen == *formats.y ? seen : tensor.format;
  };
  if (formats.y == nullptr) formats.y = judged.observed->y->format;
  formats.x = like_y(value.x);
  if (value.weight) formats.weight = like_y(*value.weight);
  return formats;
}

const FloatFormat& format_of(const Implementation& candidate, const Case& value) {
  if (!candidate.recipe) return *value.output;
  return emulated_format(*candidate.recipe, *value.x.format,
                         value.weight ? value.weight->format : nullptr);
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
    if (rows_judged(judged) == 0 || is_measured_only(summary.class_name) ||
        !judged.value.expect.empty()) {
      return;
    }
    Subject subject{&judged, candidate, &y, {}, shown_name(summary), {}};
    if (candidate == nullptr) subject.formats = formats_of_dump(judged);
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
  for (const PowerGroup& group : power.groups) {
    std::vector<std::string> missed;
    for (const TriedMutant& mutant : group.mutants) {
      if (mutant.required && mutant.fate != MutantFate::kCaught) missed.push_back(mutant.name);
    }
    const MutantCount count = required_of(group);
    if (count.of > 0 && missed.empty()) continue;
    if (outcome.verdict == VerdictValue::kAccepted) outcome.verdict = VerdictValue::kInconclusive;
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
