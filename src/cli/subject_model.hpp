// The model that the options name, with the checkpoint that holds its weights.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/subject_options.hpp"
#include "formats/checkpoint.hpp"
#include "problem/model.hpp"
#include "report/envelope.hpp"

namespace normcert {

struct SubjectModel {
  std::optional<Model> model;
  std::string sha256;  // of the config file
  std::optional<Checkpoint> checkpoint;
  std::set<std::string> weight_files;  // of the checkpoint, as far as weights were taken from them
  std::vector<ReportInput> inputs;     // files that were read
  std::vector<ReportOverride> overrides;
};

// Throws InputError. No --config and no --dim: no model.
[[nodiscard]] SubjectModel read_subject_model(const SubjectOptions& options);

// The weight of a site from the checkpoint, or nothing.
[[nodiscard]] std::optional<TensorView> site_weight(SubjectModel& model, const std::string& site);

}  // namespace normcert
