// normcert cases --separate: for each norm of a model the inputs that tell two recipes apart.
#pragma once

#include <memory>
#include <vector>

#include "cli/case_list.hpp"
#include "cli/option_list.hpp"
#include "problem/recipe.hpp"
#include "report/separation_report.hpp"

namespace normcert {

struct RecipePair {
  std::shared_ptr<const Recipe> first;
  std::shared_ptr<const Recipe> second;
};

struct SeparatedCases {
  std::vector<JudgedCase> cases;
  SeparationReport report;
  bool is_decided = true;           // each norm has a case, or the recipes are proved equal on it
  std::vector<ReportInput> inputs;  // recipe files
};

// Names of recipes or paths of recipe files. Throws InputError.
[[nodiscard]] RecipePair recipes_to_separate(const TextPair& texts);

[[nodiscard]] SeparatedCases separate_cases(const TextPair& texts, const RecipePair& recipes,
                                            const SubjectOptions& options, SubjectModel& model,
                                            std::uint64_t seed);

}  // namespace normcert
