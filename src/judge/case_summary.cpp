#include "judge/case_summary.hpp"

#include <algorithm>

#include "judge/row_statistics.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {

CaseSummary describe(const JudgedCase& judged) {
  const Case& value = judged.value;
  CaseSummary summary{
      .id = value.id,
      .site = value.site,
      .covers = judged.covers,
      .class_name = value.class_name,
      .file = judged.file,
      .dtype = std::string(value.x.format->name),
      .sha256 = judged.sha256,
      .metadata = judged.metadata,
      .weight_dtype = value.weight ? std::string(value.weight->format->name) : "",
      .epsilon_text = value.epsilon.text,
      .epsilon = value.epsilon.binary64,
      .weight_offset_text = value.weight_offset.text,
      .rows = rows_judged(judged),
      .rows_in_file = value.x.rows,
      .rows_chosen = judged.choice,
      .dim = value.x.width,
      .rows_non_finite = 0,
      .has_residual = value.residual.has_value(),
      .gate_mode = value.gate ? std::string(name_of(value.gate->mode)) : "",
      .gate_activation = value.gate ? std::string(name_of(value.gate->activation)) : "",
      .q = {},
      .q_over_epsilon = {},
      .attenuation = {},
      .expectation = {},
      .expected_verdicts = value.expect.candidates};
  if (summary.covers.empty() && !value.site.empty()) summary.covers = {value.site};
  return summary;
}

CaseSummary summarise(const JudgedCase& judged) {
  CaseSummary summary = describe(judged);
  RowStatisticsBuilder builder(judged);
  const std::size_t step = block_rows(judged.value.x.width);
  for (std::size_t first = 0; first < summary.rows; first += step) {
    const std::size_t count = std::min(step, summary.rows - first);
    builder.add(first, scan_rows(rows_of(judged, first, count).value,
                                 RowStatisticsBuilder::needs_histogram(judged)));
  }
  describe_rows(builder.finish(), summary.epsilon, summary);
  return summary;
}

}  // namespace normcert
