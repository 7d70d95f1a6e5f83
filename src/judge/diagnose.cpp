#include "judge/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "judge/block_plan.hpp"
#include "judge/case_summary.hpp"
#include "numeric/nth_number.hpp"
#include "problem/row_reader.hpp"
#include "reference/row_sums.hpp"

namespace normcert {
namespace {

bool has_inputs(const SiteToDiagnose& site) { return site.judged.value.x.size() > 0; }

bool has_y(const SiteToDiagnose& site) {
  return site.judged.observed && site.judged.observed->y.has_value();
}

// The name of a tensor that elimination does not take, or nullptr.
const char* wide_tensor(const SiteToDiagnose& site) {
  const auto is_wide = [](const TensorView& tensor) {
    return tensor.size() > 0 && tensor.format->precision > kFp32.precision;
  };
  const Case& value = site.judged.value;
  if (is_wide(*site.judged.observed->y)) return "y";
  if (is_wide(value.x)) return "x";
  if (value.weight && is_wide(*value.weight)) return "weight";
  return value.residual && is_wide(*value.residual) ? "residual" : nullptr;
}

// q of the rows, each within a few units of binary64; none without a finite row.
std::optional<Spread> spread_of_q(const Case& value) {
  const std::size_t rows = value.x.rows;
  const std::size_t step = block_rows(value.x.width);
  const auto width = static_cast<double>(value.x.width);
  const NumberSource each = [&](const std::function<void(double)>& take) {
    for (std::size_t first = 0; first < rows; first += step) {
      for (const RowSum& sum : row_sums(value, first, std::min(step, rows - first))) {
        if (sum.finite && std::isfinite(sum.high)) take((sum.low / 2 + sum.high / 2) / width);
      }
    }
  };
  std::size_t count = 0;
  Spread spread{std::numeric_limits<double>::infinity(), 0, 0};
  each([&](double q) {
    ++count;
    spread.min = std::min(spread.min, q);
    spread.max = std::max(spread.max, q);
  });
  if (count == 0) return std::nullopt;
  spread.median = nth_number((count - 1) / 2, each);
  return spread;
}

class Diagnoser {
 public:
  explicit Diagnoser(DiagnoseRequest& request) : request_(request) {}

  Diagnosis run() {
    for (SiteToDiagnose& site : request_.sites) {
      DiagnosedSite diagnosed;
      stored_.push_back(site.judged);
      diagnosed.stored_as = narrow_dump(site.judged, request_.formats);
      describe_site(site, diagnosed);
      diagnosis_.sites.push_back(std::move(diagnosed));
    }
    check();
    for (const std::vector<std::size_t>& group : groups()) judge(group);
    symptoms();
    special();
    if (request_.checks_sums) check_sums();
    for (const DiagnosedGroup& group : diagnosis_.groups) measure(group);
    conclude(diagnosis_);
    return std::move(diagnosis_);
  }

 private:
  void describe_site(const SiteToDiagnose& site, DiagnosedSite& diagnosed) const {
    const Case& value = site.judged.value;
    diagnosed.summary = describe(site.judged);
    diagnosed.declared_from = site.declared_from;
    if (!value.epsilon.text.empty()) diagnosed.declared = value.epsilon;
    diagnosed.offset_known = value.weight_offset_given;
    diagnosed.weight_known = value.weight.has_value() || value.weight_none;
    if (!diagnosed.offset_known) diagnosed.summary.weight_offset_text.clear();
    if (has_y(site)) {
      diagnosed.y_format = site.judged.observed->y->format;
      diagnosed.summary.rows_in_file = site.judged.observed->y->rows;
    }
    if (!has_inputs(site)) return;
    diagnosed.x_format = value.x.format;
    diagnosed.summary.q = spread_of_q(value);
  }

  void check() {
    std::vector<CapturedSite> captured;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < request_.sites.size(); ++i) {
      const SiteToDiagnose& site = request_.sites[i];
      if (!has_y(site)) {
        diagnosis_.sites[i].health.problems.push_back(
            {"missing_output", "the capture has no y for it"});
      } else if (const char* const tensor = wide_tensor(site)) {
        diagnosis_.sites[i].health.problems.push_back(
            {std::string(kTooWide),
             std::string(tensor) + " is fp64: which function gives outputs is asked of tensors in "
                                   "up to fp32 alone; normcert verify judges fp64 by limits"});
      } else if (!has_inputs(site)) {
        diagnosis_.sites[i].outputs_only =
            outputs_only(site.judged.value, *site.judged.observed->y);
      } else {
        const std::optional<TensorView>& sum = site.judged.observed->residual_out;
        captured.push_back({&site.judged.value, &*site.judged.observed->y, sum ? &*sum : nullptr,
                            site.inputs_are_ours});
        indices.push_back(i);
      }
    }
    std::vector<SiteHealth> health = check_captures(captured);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      diagnosis_.sites[indices[k]].health = std::move(health[k]);
    }
  }

  // Sites that are judged, by what they must share to be judged together, in the order of their
  // first.
  [[nodiscard]] std::vector<std::vector<std::size_t>> groups() const {
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < request_.sites.size(); ++i) {
      if (!has_inputs(request_.sites[i]) || !diagnosis_.sites[i].health.problems.empty()) continue;
      const auto [place, is_new] = known.emplace(key_of(request_.sites[i]), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(i);
    }
    return groups;
  }

  static std::string key_of(const SiteToDiagnose& site) {
    return shared_by(site.judged, *site.judged.observed->y->format);
  }

  void judge(const std::vector<std::size_t>& group) {
    std::vector<ObservedNorm> norms;
    for (const std::size_t i : group) {
      const JudgedCase& judged = request_.sites[i].judged;
      norms.push_back(
          {shown_name(diagnosis_.sites[i].summary), &judged.value, *judged.observed->y});
    }
    const EliminationOptions options{request_.recipes, request_.threads};
    EliminationResult result = eliminate(norms, options);
    const ReadingChoice choice = choose(group, norms, options, result);
    for (std::size_t k = 0; k < group.size(); ++k) {
      DiagnosedSite& site = diagnosis_.sites[group[k]];
      site.result = std::move(result.alone[k]);
      site.other_reading = choice.alone[k];
    }
    diagnosis_.groups.push_back(
        {group, std::move(result.joint), source_flushes(group.front()), choice.joint});
  }

  ReadingChoice choose(const std::vector<std::size_t>& group,
                       const std::vector<ObservedNorm>& norms, const EliminationOptions& options,
                       EliminationResult& result) {
    ReadingChoice choice;
    choice.alone.resize(group.size());
    if (request_.formats_are_known) return choice;
    std::vector<DumpedNorm> dumped;
    for (std::size_t k = 0; k < group.size(); ++k) {
      dumped.push_back({norms[k].site, &stored_[group[k]], &request_.sites[group[k]].judged});
    }
    choice = choose_reading(dumped, request_.formats, options, result);
    if (!choice.adopted) return choice;
    for (const std::size_t i : group) {
      DiagnosedSite& site = diagnosis_.sites[i];
      describe_site(request_.sites[i], site);
      const bool same = *site.y_format == *stored_[i].observed->y->format;
      site.stored_as = same ? "" : std::string(stored_[i].observed->y->format->name);
      site.reading = choice.adopted;
    }
    return choice;
  }

  // Of the source framework, where it is among the known ones; else nullptr.
  [[nodiscard]] const Recipe* source_of(std::size_t site) const {
    const std::string& name = request_.sites[site].judged.source_recipe;
    const auto found = std::ranges::find(request_.recipes, name, &Recipe::name);
    return found == request_.recipes.end() ? nullptr : *found;
  }

  [[nodiscard]] bool source_flushes(std::size_t site) const {
    const Recipe* const source = source_of(site);
    return source != nullptr && source->flush != FlushMode::kNone;
  }

  void check_sums() {
    for (std::size_t i = 0; i < request_.sites.size(); ++i) {
      DiagnosedSite& site = diagnosis_.sites[i];
      if (!site.result) continue;
      site.sum = check_sum(request_.sites[i].judged, source_of(i));
      const std::vector<std::size_t>& names = request_.sites[i].row_numbers;
      if (site.sum && site.sum->first && !names.empty()) {
        site.sum->first->row = names.at(site.sum->first->row);
      }
    }
  }

  // As the declared function, and as the same function with an epsilon that fits.
  void measure(const DiagnosedGroup& group) {
    const EliminatedHypothesis* const best = best_survivor(group.joint);
    for (const std::size_t i : group.sites) {
      DiagnosedSite& site = diagnosis_.sites[i];
      if (!site.declared || !site.weight_known || !site.x_format) continue;
      const JudgedCase& judged = request_.sites[i].judged;
      double offset = judged.value.weight_offset.binary64;
      if (!site.offset_known && best != nullptr && best->hypothesis.weight_offset == "1")
        offset = 1;
      const auto measured = [&](const std::string& text, double epsilon) {
        site.usual_tests.push_back(
            usual_tests(judged.value, offset, *judged.observed->y, text, epsilon));
      };
      measured(site.declared->text, site.declared->binary64);
      if (best == nullptr || !is_declared_function(best->hypothesis, site)) continue;
      const auto fits = fitting_epsilon(*best);
      if (fits && fits->value != site.declared->binary64) measured(fits->text, fits->value);
    }
  }

  void symptoms() {
    for (std::size_t i = 0; i < request_.sites.size(); ++i) {
      DiagnosedSite& site = diagnosis_.sites[i];
      if (!site.result || value_of(site.result->outcome) != DiagnosisValue::kUnexplained) continue;
      const SiteToDiagnose& from = request_.sites[i];
      site.symptoms = symptoms_of(from.judged.value, *from.judged.observed->y, from.row_numbers);
    }
  }

  void special() {
    for (std::size_t i = 0; i < request_.sites.size(); ++i) {
      DiagnosedSite& site = diagnosis_.sites[i];
      const EliminatedHypothesis* const best = site.result ? best_survivor(*site.result) : nullptr;
      if (best == nullptr) continue;
      const SiteToDiagnose& from = request_.sites[i];
      const ObservedNorm norm{shown_name(site.summary), &from.judged.value,
                              *from.judged.observed->y};
      site.special_rows = special_rows(norm, *best, site.result->rows);
      site.special_rows.name_rows(from.row_numbers);
      std::ranges::move(site.special_rows.overflow_words(norm),
                        std::back_inserter(site.result->symptoms));
    }
  }

  DiagnoseRequest& request_;
  std::vector<JudgedCase> stored_;  // as the sites were captured
  Diagnosis diagnosis_;
};

}  // namespace

std::string shared_by(const JudgedCase& judged, const FloatFormat& y) {
  const Case& value = judged.value;
  const auto format = [](const std::optional<TensorView>& tensor) {
    return tensor ? std::string(tensor->format->name) : std::string("-");
  };
  return std::to_string(value.x.width) + " " + std::string(value.x.format->name) + " " +
         std::string(y.name) + " " + format(value.weight) + " " + format(value.residual) +
         (value.weight_none ? " none " : " ") +
         (value.weight_offset_given ? value.weight_offset.text : "?") + " " + value.epsilon.text +
         " " + judged.source_recipe;
}

Diagnosis diagnose(DiagnoseRequest& request) { return Diagnoser(request).run(); }

}  // namespace normcert
