#include "report/diagnose_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "inference/declared_function.hpp"
#include "inference/input_view.hpp"
#include "numeric/interval_text.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

std::string gain_words(const std::string& offset, const std::string& use) {
  if (use == "none") return "no gain";
  if (use == "ignored") return "the weight ignored";
  const std::string gain = offset.empty() || offset == "0" ? "weight" : offset + " + weight";
  if (use == "twice") return "gain " + gain + ", applied twice";
  return "gain = " + gain;
}

std::string gain_and_residual(const std::string& offset, const std::string& use,
                              const std::string& residual) {
  return gain_words(offset, use) + (residual == "ignored" ? ", the residual not added" : "");
}

// Empty for null.
std::string text_of(const Json& hypothesis, const char* key) {
  const Json& value = hypothesis.at(key);
  return value.is_null() ? std::string() : value.get<std::string>();
}

// What is done to x before anything else, which stands among the roundings of a hypothesis.
std::string input_words(const std::string& rounding) {
  std::string words;
  for (const FloatFormat* const format : {&kBf16, &kFp16}) {
    if (rounding.find(InputView{.format = format}.rounding("")) == std::string::npos) continue;
    words += fmt::format(", x rounded to {} first", format->name);
  }
  if (rounding.find(InputView{.flushes = true}.rounding("")) != std::string::npos) {
    words += ", subnormal x taken as zero";
  }
  return words;
}

std::string words_of(const Hypothesis& one) {
  return function_words(one.statistic, one.placement, one.weight_offset, one.weight_use,
                        one.residual) +
         input_words(one.rounding);
}

std::size_t judged_sites(const Diagnosis& diagnosis) {
  return static_cast<std::size_t>(std::ranges::count_if(
      diagnosis.sites, [](const DiagnosedSite& site) { return site.result.has_value(); }));
}

std::string sites_words(std::size_t part, std::size_t all) {
  return fmt::format("{} of {} {}", part, all, all == 1 ? "norm" : "norms");
}

// Functions that survive in some group, each once, in their order.
std::vector<std::string> surviving_functions(const Diagnosis& diagnosis) {
  std::vector<std::string> functions;
  for (const DiagnosedGroup& group : diagnosis.groups) {
    for (const EliminatedHypothesis& one : group.joint.hypotheses) {
      if (one.status != HypothesisStatus::kSurvives) continue;
      std::string words = words_of(one.hypothesis);
      if (std::ranges::find(functions, words) == functions.end()) {
        functions.push_back(std::move(words));
      }
    }
  }
  return functions;
}

std::string declared_texts(const Diagnosis& diagnosis) {
  std::set<std::string> texts;
  for (const DiagnosedSite& site : diagnosis.sites) {
    if (site.declared) texts.insert(site.declared->text);
  }
  std::string words;
  for (const std::string& text : texts) words += (words.empty() ? "" : ", ") + text;
  return words;
}

std::string observed_words(const Diagnosis& diagnosis) {
  const EliminatedHypothesis* const best =
      diagnosis.groups.empty() ? nullptr : best_survivor(diagnosis.groups.front().joint);
  if (best == nullptr) return "no known function gives these outputs";
  std::string words = words_of(best->hypothesis);
  if (best->has_epsilon && !best->epsilon.empty()) {
    words += ", epsilon " + interval_text(best->epsilon.low, best->epsilon.high, 3);
  }
  return words;
}

std::string no_function_words(const Diagnosis& diagnosis) {
  std::size_t sites = 0;
  std::size_t without_rows = 0;
  for (const DiagnosedSite& site : diagnosis.sites) {
    sites += site.result && value_of(site.result->outcome) == DiagnosisValue::kUnexplained ? 1 : 0;
    const bool nothing = site.result && site.result->outcome == EliminationOutcome::kNothingToJudge;
    without_rows += nothing ? 1 : 0;
  }
  if (sites > 0 && sites == without_rows) {
    return "no row can be judged at " + sites_words(sites, judged_sites(diagnosis)) +
           ": nothing there tells functions apart";
  }
  if (sites == 0) return "each norm alone can be explained, but not all of them by one function";
  return "no known function gives the outputs of " + sites_words(sites, judged_sites(diagnosis));
}

bool rests_on_last_resort(const Diagnosis& diagnosis) {
  return std::ranges::any_of(diagnosis.groups, [](const DiagnosedGroup& group) {
    const EliminatedHypothesis* const best = best_survivor(group.joint);
    return best != nullptr && is_last_resort(best->hypothesis);
  });
}

std::string impossible_headline(const Diagnosis& diagnosis) {
  std::size_t sites = 0;
  for (const DiagnosedSite& site : diagnosis.sites) {
    sites += site.result && site.result->declared == DeclaredOutcome::kImpossible ? 1 : 0;
  }
  const EliminatedHypothesis* const best =
      diagnosis.groups.empty() ? nullptr : best_survivor(diagnosis.groups.front().joint);
  const bool other_function =
      best != nullptr &&
      !is_declared_function(best->hypothesis,
                            diagnosis.sites[diagnosis.groups.front().sites.front()]);
  return fmt::format(
      "the port does not {}: {} is impossible {}",
      other_function ? "compute the declared function" : "use the declared epsilon",
      declared_texts(diagnosis),
      sites == 0 ? "for all norms together" : "at " + sites_words(sites, judged_sites(diagnosis)));
}

// The first that excuses what is accused here, or nullptr.
const OtherReading* other_reading_in(const Diagnosis& diagnosis) {
  for (const DiagnosedSite& site : diagnosis.sites) {
    if (site.other_reading) return &*site.other_reading;
  }
  for (const DiagnosedGroup& group : diagnosis.groups) {
    if (group.other_reading) return &*group.other_reading;
  }
  return nullptr;
}

}  // namespace

std::string statistic_words(const std::string& statistic) {
  constexpr std::string_view kGroup = "_per_group_";
  if (const std::size_t place = statistic.find(kGroup); place != std::string::npos) {
    return fmt::format("{} of each group of {}", statistic_words(statistic.substr(0, place)),
                       statistic.substr(place + kGroup.size()));
  }
  if (statistic == "mean_square") return "mean of squares";
  if (statistic == "mean_square_n_minus_1") return "sum of squares over n - 1";
  if (statistic == "sum_square") return "sum of squares, not divided by n";
  if (statistic == "variance") return "variance, the mean subtracted first (LayerNorm)";
  for (const auto& [prefix, meaning] :
       {std::pair{"padded_", "the padded width"}, std::pair{"grouped_", "the size of a group"}}) {
    if (!statistic.starts_with(prefix)) continue;
    return fmt::format("sum of squares over {}, {}",
                       statistic.substr(std::string_view(prefix).size()), meaning);
  }
  std::string words = statistic;
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string placement_words(const std::string& placement) {
  if (placement == "inside") return "epsilon inside the root";
  if (placement == "outside") return "epsilon outside the root";
  if (placement == "after_rsqrt") return "epsilon added to the inverse root";
  if (placement == "clamp_q") return "the mean square at least epsilon";
  if (placement == "clamp_rms") return "the RMS at least epsilon";
  if (placement == "on_sum") return "epsilon on the sum";
  if (placement == "scaled_by_max") return "epsilon behind a division by the greatest element";
  if (placement == "none") return "no epsilon";
  if (placement == "identity") return "not normalised at all";
  if (placement == "times_rms") return "multiplied by the RMS";
  return placement;
}

std::string function_words(const std::string& statistic, const std::string& placement,
                           const std::string& weight_offset, const std::string& weight_use,
                           const std::string& residual) {
  std::string words = placement == "identity" ? "" : statistic_words(statistic) + ", ";
  return words + placement_words(placement) + ", " +
         gain_and_residual(weight_offset, weight_use, residual);
}

std::string function_words(const Json& hypothesis) {
  return function_words(text_of(hypothesis, "statistic"), text_of(hypothesis, "placement"),
                        text_of(hypothesis, "weight_offset"), text_of(hypothesis, "weight_use"),
                        text_of(hypothesis, "residual")) +
         input_words(text_of(hypothesis, "rounding"));
}

std::string rest_words(const Json& hypothesis) {
  return gain_and_residual(text_of(hypothesis, "weight_offset"), text_of(hypothesis, "weight_use"),
                           text_of(hypothesis, "residual")) +
         input_words(text_of(hypothesis, "rounding"));
}

std::string range_words(const Json& range) {
  if (range.is_null()) return "-";
  const auto end = [](const Json& value) {
    return value.is_string() ? value.get<std::string>()
                             : fmt::format("{:.3g}", value.get<double>());
  };
  const Json& low = range.at("low");
  const Json& high = range.at("high");
  const bool from_zero = low.is_number() && low.get<double>() == 0;
  if (high.is_string()) return from_zero ? "any" : "at least " + end(low);
  if (from_zero) return "up to " + end(high);
  return interval_words(low, high, 3);
}

std::string declared_words(const Diagnosis& diagnosis) {
  const std::string texts = declared_texts(diagnosis);
  std::set<std::string> gains;
  for (const DiagnosedSite& site : diagnosis.sites) {
    const bool has_weight = !site.summary.weight_dtype.empty() || !site.weight_known;
    gains.insert(!site.offset_known
                     ? "gain not declared"
                     : gain_words(site.summary.weight_offset_text, has_weight ? "used" : "none"));
  }
  std::string words = "mean of squares, epsilon ";
  words += texts.empty() ? "not declared" : texts + " inside the root";
  for (const std::string& gain : gains) words += ", " + gain;
  return words;
}

std::string diagnosis_headline(const Diagnosis& diagnosis) {
  const std::size_t all = diagnosis.sites.size();
  const std::size_t judged = judged_sites(diagnosis);
  std::string words;
  if (diagnosis.groups.empty()) {
    words = diagnosis.value == DiagnosisValue::kAmbiguous
                ? "outputs alone never say which epsilon it was"
                : "nothing could be judged";
  } else if (diagnosis.declared == DeclaredOutcome::kImpossible) {
    words = impossible_headline(diagnosis);
  } else if (diagnosis.value == DiagnosisValue::kUnexplained) {
    words = no_function_words(diagnosis);
  } else if (rests_on_last_resort(diagnosis)) {
    words =
        "no function whose sum is formed in binary32 gives these outputs; a sum formed in 16 "
        "bits may, but would excuse other functions as well";
  } else if (diagnosis.value == DiagnosisValue::kAmbiguous) {
    const std::vector<std::string> functions = surviving_functions(diagnosis);
    const bool fits = diagnosis.declared == DeclaredOutcome::kFits;
    if (fits) words = "the declared epsilon " + declared_texts(diagnosis) + " fits, but ";
    words += functions.size() == 1
                 ? "these rows leave open which epsilon it was: " + observed_words(diagnosis)
                 : fmt::format(
                       "{} functions give these outputs, and these rows cannot tell them "
                       "apart",
                       functions.size());
  } else if (diagnosis.declared == DeclaredOutcome::kFits) {
    words =
        "the declared epsilon " + declared_texts(diagnosis) + " fits: " + observed_words(diagnosis);
  } else {
    words = (diagnosis.declared == DeclaredOutcome::kNotDeclared
                 ? "nothing was declared, so nothing was judged; the port computes: "
                 : "the port computes: ") +
            observed_words(diagnosis);
  }
  const bool flushes = std::ranges::any_of(diagnosis.groups, [](const DiagnosedGroup& group) {
    return group.joint.flushes && !group.may_flush;
  });
  const bool faults = std::ranges::any_of(
      diagnosis.sites, [](const DiagnosedSite& site) { return site.special_rows.any_fault(); });
  if (faults) words = "some rows are not what any function gives; elsewhere " + words;
  if (flushes) words = "subnormal numbers are written as zero; elsewhere " + words;
  if (std::ranges::any_of(diagnosis.sites, [](const DiagnosedSite& site) {
        return site.sum && site.sum->differing > 0;
      })) {
    words += "; but residual_out is not x + residual";
  }
  std::size_t strays = 0;
  for (const DiagnosedGroup& group : diagnosis.groups) {
    if (const EliminatedHypothesis* const best = best_survivor(group.joint))
      strays += best->stray_count;
  }
  if (strays > 0)
    words += fmt::format("; but for {} stray element{}", strays, strays == 1 ? "" : "s");
  const OtherReading* const other = other_reading_in(diagnosis);
  if (other != nullptr && diagnosis.declared != DeclaredOutcome::kImpossible) {
    words +=
        "; unknown whether so: the numbers fit a narrower format than they are stored in, and "
        "in that the declared function is not refuted (--dtype-of " +
        other->reading.option + ")";
  }
  if (judged < all) words += fmt::format("; judged: {} of {} sites", judged, all);
  std::set<std::string> stored;
  for (const DiagnosedSite& site : diagnosis.sites) {
    if (!site.stored_as.empty()) {
      stored.insert(site.stored_as + " dumps judged as " + std::string(site.y_format->name));
    }
  }
  for (const std::string& text : stored) words += "; " + text;
  return words;
}

}  // namespace normcert
