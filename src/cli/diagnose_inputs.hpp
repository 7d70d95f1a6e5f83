// What `normcert diagnose` judges: captures of which epsilon, offset, weight and even x may be
// missing, since what is missing is what it looks for.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/case_list.hpp"
#include "judge/diagnose.hpp"

namespace normcert {

struct DiagnoseInputs {
  std::vector<SiteToDiagnose> sites;
  CaseList list;  // its cases were moved into `sites`
};

// Throws InputError. `options` loses the captures that hold outputs alone.
[[nodiscard]] DiagnoseInputs read_diagnose_inputs(SubjectOptions& options, SubjectModel& model,
                                                  std::uint64_t seed);

}  // namespace normcert
