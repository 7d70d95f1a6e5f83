#include "judge/reading_choice.hpp"

#include <algorithm>
#include <utility>

#include "inference/declared_function.hpp"
#include "inference/declared_standing.hpp"

namespace normcert {
namespace {

// Where the declared function stands in one elimination.
struct Standing {
  bool judged = false;
  bool explained = false;        // something survives
  bool fits = false;             // the declared function does, without strays
  bool possible = false;         // at the bound of any order of the sum
  bool possible_at_all = false;  // with a statistic in any format

  [[nodiscard]] bool accuses() const { return judged && explained && !possible; }
  [[nodiscard]] bool accuses_at_all() const { return judged && explained && !possible_at_all; }
};

Standing standing_of(const Elimination& elimination, const Case& value) {
  Standing standing;
  standing.judged = elimination.rows.judged > 0;
  const std::optional<std::string> offset = declared_offset(value);
  const auto is_declared = [&](const EliminatedHypothesis& one, StatisticKept kept) {
    return value.epsilon.text.empty() || is_declared_function(one.hypothesis, offset, kept);
  };
  for (const EliminatedHypothesis& one : elimination.hypotheses) {
    if (one.status == HypothesisStatus::kRefuted) continue;
    const bool survives = one.status == HypothesisStatus::kSurvives;
    standing.explained = standing.explained || survives;
    const auto has_epsilon = [&](double slack) {
      return value.epsilon.text.empty() || has_declared_epsilon(one, slack);
    };
    if (!is_declared(one, StatisticKept::kAnyFormat) || !has_epsilon(one.any_order)) continue;
    standing.possible_at_all = true;
    if (!is_declared(one, StatisticKept::kBinary32)) continue;
    standing.possible = true;
    standing.fits =
        standing.fits || (survives && one.stray_count == 0 && has_epsilon(one.known_orders));
  }
  return standing;
}

// What was asked of some of the norms under one reading.
struct Trial {
  DumpReading reading;
  std::vector<std::size_t> norms;
  std::vector<JudgedCase> cases;
  EliminationResult result;
};

class Chooser {
 public:
  Chooser(std::span<const DumpedNorm> norms, const FormatsOfDump& stated,
          const EliminationOptions& options, EliminationResult& result)
      : norms_(norms), stated_(stated), options_(options), result_(result) {}

  ReadingChoice run() {
    choice_.alone.resize(norms_.size());
    if (is_settled(result_, all())) return std::move(choice_);
    plan();
    for (Trial& trial : trials_) {
      judge(trial);
      if (adopts(trial) && is_settled(trial.result, trial.norms)) return adopt(trial);
    }
    for (std::size_t i = 0; i < norms_.size(); ++i) excuse(i);
    excuse_together();
    const bool excused = choice_.joint || std::ranges::any_of(choice_.alone, [](const auto& one) {
                           return one.has_value();
                         });
    if (excused || standing(result_.joint).explained) return std::move(choice_);
    for (Trial& trial : trials_) {
      if (adopts(trial) && standing(trial.result.joint).explained) return adopt(trial);
    }
    return std::move(choice_);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> all() const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < norms_.size(); ++i) list.push_back(i);
    return list;
  }
  // What is declared is the same for all norms of a group.
  [[nodiscard]] Standing standing(const Elimination& elimination) const {
    return standing_of(elimination, norms_.front().stored->value);
  }
  [[nodiscard]] bool is_settled(const EliminationResult& result,
                                const std::vector<std::size_t>& norms) const {
    const Standing joint = standing(result.joint);
    if (joint.judged && !joint.fits) return false;
    for (std::size_t k = 0; k < norms.size(); ++k) {
      if (standing(result.alone[k]).accuses()) return false;
    }
    return true;
  }

  // Every reading that any norm has, with the norms that have it.
  void plan() {
    for (std::size_t i = 0; i < norms_.size(); ++i) {
      for (DumpReading& reading : other_readings(*norms_[i].stored, *norms_[i].read, stated_)) {
        const auto known = std::ranges::find_if(trials_, [&](const Trial& trial) {
          return trial.reading.option == reading.option &&
                 trial.reading.narrower == reading.narrower;
        });
        if (known == trials_.end()) {
          trials_.push_back({std::move(reading), {i}, {}, {}});
          continue;
        }
        known->norms.push_back(i);
        known->reading.shown = known->reading.shown && reading.shown;
      }
    }
  }

  void judge(Trial& trial) const {
    std::vector<ObservedNorm> observed;
    trial.cases.reserve(trial.norms.size());
    for (const std::size_t i : trial.norms) {
      JudgedCase& judged = trial.cases.emplace_back(*norms_[i].stored);
      narrow_dump(judged, trial.reading.formats);
      observed.push_back({norms_[i].site, &judged.value, *judged.observed->y});
    }
    trial.result = eliminate(observed, options_);
  }

  [[nodiscard]] bool adopts(const Trial& trial) const {
    return trial.reading.shown && trial.norms.size() == norms_.size();
  }

  ReadingChoice adopt(Trial& trial) {
    for (std::size_t i = 0; i < norms_.size(); ++i) {
      *norms_[i].read = std::move(trial.cases[i]);
      choice_.alone[i].reset();
    }
    choice_.joint.reset();
    choice_.adopted = std::move(trial.reading);
    result_ = std::move(trial.result);
    return std::move(choice_);
  }

  // `doubted` as the norms are read, `other` under the trial's reading.
  static void excuse(const Standing& doubted, const Standing& other, const Trial& trial,
                     std::optional<OtherReading>& excuse) {
    const bool unexplained = doubted.judged && !doubted.explained;
    const bool clears = (unexplained || doubted.accuses()) && other.possible;
    const bool clears_at_all = doubted.accuses_at_all() && other.possible_at_all;
    if (!(clears || clears_at_all) || (excuse && (excuse->keeps_statistic || !clears))) return;
    excuse = OtherReading{trial.reading, clears};
  }

  void excuse(std::size_t norm) {
    const Standing doubted = standing(result_.alone[norm]);
    for (const Trial& trial : trials_) {
      const auto place = std::ranges::find(trial.norms, norm);
      if (place == trial.norms.end()) continue;
      const auto k = static_cast<std::size_t>(place - trial.norms.begin());
      excuse(doubted, standing(trial.result.alone[k]), trial, choice_.alone[norm]);
    }
    settle(result_.alone[norm], choice_.alone[norm]);
  }

  // Norms of which only some may be read otherwise are perhaps not alike, and cannot be asked
  // together in that reading: what they are accused of must hold without those.
  void excuse_together() {
    const Standing accused = standing(result_.joint);
    // That nothing explains all of them together accuses none.
    if (!accused.accuses_at_all()) return;
    for (const Trial& trial : trials_) {
      if (trial.norms.size() == norms_.size()) {
        excuse(accused, standing(trial.result.joint), trial, choice_.joint);
      } else if (!choice_.joint) {
        excuse(accused, without(trial.norms), trial, choice_.joint);
      }
    }
    settle(result_.joint, choice_.joint);
  }

  // Of the other norms together, as they are read.
  [[nodiscard]] Standing without(const std::vector<std::size_t>& left_out) const {
    std::vector<ObservedNorm> rest;
    for (std::size_t i = 0; i < norms_.size(); ++i) {
      if (std::ranges::find(left_out, i) != left_out.end()) continue;
      const JudgedCase& read = *norms_[i].read;
      rest.push_back({norms_[i].site, &read.value, *read.observed->y});
    }
    return standing(eliminate(rest, options_).joint);
  }

  static void settle(Elimination& elimination, const std::optional<OtherReading>& excuse) {
    if (!excuse || elimination.declared != DeclaredOutcome::kImpossible) return;
    elimination.declared = DeclaredOutcome::kUndecided;
  }

  std::span<const DumpedNorm> norms_;
  const FormatsOfDump& stated_;
  const EliminationOptions& options_;
  EliminationResult& result_;
  std::vector<Trial> trials_;
  ReadingChoice choice_;
};

}  // namespace

std::string words_of(const OtherReading& other) {
  return "the declared function does not give these outputs if the numbers are of the format in "
         "which they are stored, but " +
         excuse_words(other.reading);
}

ReadingChoice choose_reading(std::span<const DumpedNorm> norms, const FormatsOfDump& stated,
                             const EliminationOptions& options, EliminationResult& result) {
  return Chooser(norms, stated, options, result).run();
}

}  // namespace normcert
