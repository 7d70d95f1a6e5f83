// The report of `normcert attenuation` (reports/schema/attenuation.schema.json) and its views.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "problem/epsilon.hpp"
#include "reference/attenuation.hpp"
#include "report/envelope.hpp"
#include "report/views.hpp"

namespace normcert {

struct AttenuationLimit {
  double max_attenuation = 0;  // the loss 1 - A that is allowed
  RoundedReal least_q_over_epsilon;
};

// The same rows with another epsilon.
struct AttenuationVersus {
  struct Row {
    AttenuationRow attenuation;
    std::optional<RoundedReal> ratio;  // y(other) / y(epsilon); none for a row of zeros
  };
  Epsilon epsilon;
  std::vector<Row> table;
};

struct AttenuationReport {
  Epsilon epsilon;
  std::vector<AttenuationRow> table;
  std::optional<AttenuationLimit> limit;
  std::optional<AttenuationVersus> versus;
};

[[nodiscard]] nlohmann::ordered_json attenuation_json(const Envelope& envelope,
                                                      const AttenuationReport& report);

extern const ReportViews kAttenuationViews;

}  // namespace normcert
