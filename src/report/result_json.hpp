// One case and one result of a verify run as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "judge/verify_types.hpp"

namespace normcert {

[[nodiscard]] nlohmann::ordered_json case_json(const CaseSummary& summary);
[[nodiscard]] nlohmann::ordered_json result_json(const SubjectResult& result,
                                                 const CaseSummary& summary,
                                                 const Criteria& criteria);

}  // namespace normcert
