#include "judge/case_summary.hpp"

#include <algorithm>

#include "reference/exact_row.hpp"

namespace normcert {
namespace {

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[(values.size() - 1) / 2], values.back()};
}

}  // namespace

CaseSummary summarise(const JudgedCase& judged) {
  const Case& value = judged.value;
  CaseSummary summary{.id = value.id,
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
                      .rows = value.x.rows,
                      .dim = value.x.width,
                      .rows_non_finite = 0,
                      .has_residual = value.residual.has_value(),
                      .q = {},
                      .q_over_epsilon = {},
                      .attenuation = {},
                      .expectation = {}};
  if (summary.covers.empty() && !value.site.empty()) summary.covers = {value.site};
  std::vector<double> q;
  std::vector<double> ratio;
  std::vector<double> attenuation;
  const Wide epsilon(value.epsilon.binary64);
  for (std::size_t row = 0; row < value.x.rows; ++row) {
    if (!row_is_finite(value, row)) {
      ++summary.rows_non_finite;
      continue;
    }
    const ExactRow exact(value, row);
    const Wide mean_square = exact.mean_square();
    q.push_back(mean_square.to_binary64());
    if (epsilon.sign() > 0) ratio.push_back((mean_square / epsilon).to_binary64());
    attenuation.push_back(exact.attenuation().wide().to_binary64());
  }
  if (!q.empty()) {
    summary.q = spread_of(std::move(q));
    summary.attenuation = spread_of(std::move(attenuation));
  }
  if (!ratio.empty()) summary.q_over_epsilon = spread_of(std::move(ratio));
  return summary;
}

}  // namespace normcert
