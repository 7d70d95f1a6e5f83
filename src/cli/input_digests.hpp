// SHA-256 of the files that were read and of the cases in them, computed beside the judgement.
#pragma once

#include <string>
#include <vector>

#include "blocks/background_tasks.hpp"
#include "cli/case_list.hpp"
#include "judge/verify_types.hpp"

namespace normcert {

// Where there are few rows but large files, hashing is what a run takes longest for.
class InputDigests {
 public:
  // Of the inputs of `list` that have none yet, and of `cases`. Both must outlive this object.
  // `threads`: its own; with 1 others lend theirs, by tasks().
  InputDigests(const CaseList& list, const std::vector<JudgedCase>& cases, unsigned threads = 1);

  // What is to be computed, for threads that have time; finish() does the rest.
  [[nodiscard]] BackgroundTasks& tasks() { return tasks_; }

  // Waits for all of them, puts those of inputs where they belong and returns those of cases.
  [[nodiscard]] std::vector<std::string> finish(std::vector<ReportInput>& inputs);

 private:
  std::vector<std::string> of_inputs_;
  std::vector<std::string> of_cases_;
  BackgroundTasks tasks_;  // last: it ends before what its tasks write to
};

}  // namespace normcert
