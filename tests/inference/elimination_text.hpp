// A judgement as text, every number as it is: equal texts are equal bytes.
#pragma once

#include <fmt/format.h>

#include <string>

#include "inference/elimination.hpp"

namespace normcert {

inline std::string text_of(const ElementWitness& one) {
  return fmt::format("[{} {} {} {:a} {:a} {:a} {:a} {:a} {:a} {:a} {:a} {:a} {:a}]", one.site,
                     one.row, one.index, one.x, one.residual, one.weight, one.gain, one.got,
                     one.mean_square, one.scalar_low, one.scalar_high, one.tie, one.other);
}

inline std::string text_of(const Refutation& one) {
  return fmt::format("{} {} {} {:a} {:a} {:a}", static_cast<int>(one.kind), text_of(one.first),
                     text_of(one.second), one.low_asked, one.high_asked, one.slack);
}

inline std::string text_of(const EliminatedHypothesis& one) {
  const Hypothesis& h = one.hypothesis;
  std::string text = fmt::format(
      "{}/{}/{}/{}/{}/{} {} {:a} {:a} {:a} {} {:a} {:a}..{:a} {:a}..{:a} {} {} {}\n", h.statistic,
      h.placement, h.rounding, h.weight_offset, h.weight_use, h.residual,
      static_cast<int>(one.status), one.least_slack, one.known_orders, one.any_order, one.order,
      one.best_epsilon, one.epsilon.low, one.epsilon.high, one.epsilon_any_order.low,
      one.epsilon_any_order.high, one.has_epsilon, one.format_limits, one.stray_count);
  for (const std::string& recipe : one.recipes) text += recipe + ' ';
  for (const std::size_t other : one.same_outputs_here) text += std::to_string(other) + ' ';
  for (const SlackOfEpsilon& slack : one.slack_of) {
    text += fmt::format("{}={:a}:{:a} ", slack.name, slack.epsilon, slack.slack);
  }
  for (const StrayElement& stray : one.strays) {
    text += fmt::format("stray {} {} {} ", stray.site, stray.row, stray.index);
  }
  return text + '\n' + text_of(one.refutation) + '\n' + text_of(one.declared_refutation) + '\n';
}

inline std::string text_of(const Elimination& one) {
  const RowCounts& r = one.rows;
  std::string text = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {} {} {:a} {:a} {:a} {:a}\n", static_cast<int>(one.outcome),
      static_cast<int>(one.declared), one.declared_as, one.with_strays, r.rows, r.judged, r.zero,
      r.non_finite_input, r.no_number, r.out_of_range, r.nan_outputs, r.infinite_outputs,
      r.zero_rows_nan, one.q_min, one.q_max, one.known_orders, one.any_order);
  for (const std::string& symptom : one.symptoms) text += symptom + '\n';
  for (const EliminatedHypothesis& hypothesis : one.hypotheses) text += text_of(hypothesis);
  return text;
}

inline std::string text_of(const EliminationResult& result) {
  std::string text = text_of(result.joint);
  for (const Elimination& one : result.alone) text += text_of(one);
  return text;
}

}  // namespace normcert
