#include "cli/case_list.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "formats/case_file.hpp"
#include "formats/file_bytes.hpp"
#include "formats/sha256.hpp"
#include "generate/generate.hpp"
#include "problem/error.hpp"
#include "problem/recipe_names.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandard = "standard";

InputError located(const std::string& code, const std::string& file, const std::string& place,
                   const std::string& found, const std::string& expected) {
  return InputError({.code = code,
                     .file = file,
                     .place = place,
                     .found = found,
                     .expected = expected,
                     .nearest = ""});
}

// Files are recognised by their content: a case file is JSON, everything else must be a capture.
bool starts_like_json(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 64))) {
    const auto c = static_cast<char>(byte);
    const bool skipped = c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\xef' ||
                         c == '\xbb' || c == '\xbf';
    if (!skipped) return c == '{' || c == '[';
  }
  return false;
}

// Hashed later; mapped now, so that it is this file's content that is hashed, and read from the
// same mapping.
std::shared_ptr<const MappedFile> add_input(CaseList& list, const std::string& file) {
  auto mapped = std::make_shared<const MappedFile>(file);
  list.unhashed.emplace(list.inputs.size(), mapped);
  list.inputs.push_back({file, std::nullopt, "file"});
  return mapped;
}

class CaseReader {
 public:
  CaseReader(const SubjectOptions& options, SubjectModel& model, CaseList& list)
      : options_(options), model_(model), list_(list) {}

  void read(const std::string& file) {
    const std::shared_ptr<const MappedFile> mapped = add_input(list_, file);
    if (starts_like_json(mapped->bytes())) {
      read_json_cases(file);
    } else {
      read_capture_cases(mapped);
    }
  }

 private:
  void read_capture_cases(const std::shared_ptr<const MappedFile>& mapped) {
    const std::string file = mapped->path().string();
    const Capture capture = read_capture(mapped, CaptureKind::kCases);
    if (const std::string* digest = find_text(capture.metadata, "normcert_cases")) {
      list_.digests[file] = *digest;
    }
    for (const UnusedTensor& unused : capture.unused) {
      list_.findings.push_back(
          {"unused-tensor", "note", std::nullopt,
           "tensor " + unused.name + " of " + file + " is not used" +
               (unused.nearest.empty() ? "" : "; was " + unused.nearest + " meant?")});
    }
    for (const CaptureSite& site : capture.sites) {
      list_.cases.push_back(case_of_site(capture, site, options_, model_, list_.findings));
    }
  }

  void read_json_cases(const std::string& file) {
    CaseFileOptions file_options;
    if (options_.dtype != nullptr) file_options.dtype = options_.dtype;
    file_options.weight_dtype = options_.weight_dtype;
    file_options.epsilon_may_be_missing = options_.epsilon.has_value() || model_.model.has_value();
    CaseFile cases = read_case_file(fs::path(file), file_options);
    for (Case& value : cases.cases) supply(value);
    complete(cases);
    const std::size_t first = list_.cases.size();
    for (Case& value : cases.cases) {
      if (!value.expect.error.empty()) {
        throw located("unexpected", file, value.place, "a case that can be evaluated",
                      "to be refused with " + value.expect.error + ", as its expect.error says");
      }
      JudgedCase judged;
      judged.file = file;
      if (model_.model) judged.source_recipe = find_site(*model_.model, value.site).site.recipe;
      if (value.written && value.written->digits > 0) {
        throw located("usage", file, value.place, "y_digits",
                      "y as codes: printed decimals are not judged by this version");
      }
      if (value.written) {
        judged.observed = Outputs{value.written->y, std::nullopt};
        judged.observed_file = file;
        value.output = value.written->y.format;
      }
      judged.value = std::move(value);
      list_.cases.push_back(std::move(judged));
    }
    std::ranges::move(cases.refused, std::back_inserter(list_.refused));
    if (cases.claim) list_.claims.push_back({file, *cases.claim, first, list_.cases.size()});
  }

  // What the case file leaves to options and model.
  void supply(Case& value) {
    if (options_.epsilon) {
      value.epsilon = *options_.epsilon;
    } else if (value.epsilon.text.empty() && model_.model) {
      value.epsilon = find_site(*model_.model, value.site).site.epsilon;
    }
    if (options_.weight_offset) {
      value.weight_offset = *options_.weight_offset;
    } else if (!value.weight_offset_given && model_.model) {
      const SiteMatch match = find_site(*model_.model, value.site);
      if (match.site.weight_offset) value.weight_offset = *match.site.weight_offset;
    }
    if (!value.weight && !value.weight_none && !value.generator) {
      value.weight = site_weight(model_, value.site);
    }
  }

  const SubjectOptions& options_;
  SubjectModel& model_;
  CaseList& list_;
};

// Outputs of --observed by the name under which they stand in their file.
struct ObservedSite {
  std::string file;
  std::string name;  // prefix, empty for a file with the bare tensors
  Outputs outputs;
  std::string made_for;  // metadata normcert_cases, repeated by a careful port
  bool used = false;
};

std::vector<ObservedSite> read_observed(const SubjectOptions& options, CaseList& list) {
  std::vector<ObservedSite> sites;
  for (const std::string& path : options.observed) {
    const std::vector<std::string> files = files_of(path, "--observed");
    for (const std::string& file : files) {
      const Capture capture = read_capture(add_input(list, file), CaptureKind::kObserved);
      const std::string* made_for = find_text(capture.metadata, "normcert_cases");
      for (const CaptureSite& site : capture.sites) {
        sites.push_back({file, site.site, Outputs{site.y, site.residual_out},
                         made_for != nullptr ? *made_for : "", false});
      }
    }
  }
  return sites;
}

// The name under which a case's output may stand: its id, the part behind the file's stem, or its
// site where no other case has that site.
bool names_case(const ObservedSite& observed, const Case& value, bool only_pair,
                bool only_case_of_site) {
  if (observed.name.empty()) return only_pair;
  return value.id == observed.name || value.id.ends_with("/" + observed.name) ||
         (only_case_of_site && value.site == observed.name);
}

void check_shape(const ObservedSite& observed, const TensorView& tensor, const Case& value) {
  if (tensor.rows == value.x.rows && tensor.width == value.x.width) return;
  throw located("shape_mismatch", observed.file, observed.name,
                std::to_string(tensor.rows) + " x " + std::to_string(tensor.width) + " outputs",
                std::to_string(value.x.rows) + " x " + std::to_string(value.x.width) +
                    ", the shape of case " + value.id);
}

// Outputs that say for which cases they were made must not be judged with others.
void check_made_for(const ObservedSite& observed, const JudgedCase& judged, const CaseList& list) {
  const auto digest = list.digests.find(judged.file);
  if (observed.made_for.empty() || digest == list.digests.end()) return;
  if (observed.made_for == digest->second) return;
  throw located("other_cases", observed.file, "__metadata__.normcert_cases", observed.made_for,
                digest->second + ", that of the cases in " + judged.file);
}

void pair_observed(const SubjectOptions& options, CaseList& list) {
  std::vector<ObservedSite> observed = read_observed(options, list);
  const bool only_pair = observed.size() == 1 && list.cases.size() == 1;
  std::string without_output;
  for (JudgedCase& judged : list.cases) {
    if (judged.observed) continue;
    bool matched = false;
    const bool only_case_of_site =
        std::ranges::count(list.cases, judged.value.site,
                           [](const JudgedCase& other) { return other.value.site; }) == 1;
    for (ObservedSite& site : observed) {
      if (!names_case(site, judged.value, only_pair, only_case_of_site)) continue;
      if (matched) {
        throw located("duplicate_output", site.file, site.name,
                      "a second output of case " + judged.value.id, "one output for each case");
      }
      check_made_for(site, judged, list);
      if (site.outputs.y) check_shape(site, *site.outputs.y, judged.value);
      if (site.outputs.residual_out) check_shape(site, *site.outputs.residual_out, judged.value);
      judged.observed = site.outputs;
      judged.observed_file = site.file;
      if (site.outputs.y) judged.value.output = site.outputs.y->format;
      site.used = matched = true;
    }
    if (!matched) without_output += (without_output.empty() ? "" : ", ") + judged.value.id;
  }
  std::string without_case;
  for (const ObservedSite& site : observed) {
    if (!site.used) without_case += (without_case.empty() ? "" : ", ") + site.name;
  }
  const bool any = std::ranges::any_of(observed, &ObservedSite::used);
  if (!any) {
    throw located("nothing_compared", options.observed.front(), "",
                  "no output that belongs to a case", "tensors y, or <case>.y for the cases given");
  }
  if (!without_output.empty() || !without_case.empty()) {
    if (!options.partial) {
      throw located("missing_output", options.observed.front(), "",
                    (without_output.empty() ? "" : "no output for " + without_output) +
                        (without_output.empty() || without_case.empty() ? "" : "; ") +
                        (without_case.empty() ? "" : "no case for " + without_case),
                    "one output for each case, or --partial");
    }
    if (!without_output.empty()) list.not_tested.push_back("no output for " + without_output);
    if (!without_case.empty()) list.not_tested.push_back("no case for the output " + without_case);
  }
}

void refuse_equal_ids(const std::vector<JudgedCase>& cases) {
  std::set<std::string_view> ids;
  for (const JudgedCase& judged : cases) {
    if (!ids.insert(judged.value.id).second) {
      throw located("duplicate_case", judged.file, judged.value.place,
                    "a second case with the id " + judged.value.id, "ids that occur once in a run");
    }
  }
}

}  // namespace

std::vector<std::string> files_of(const std::string& path, const std::string& option) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    // Captures and case files; what else lies in a folder (READMEs, logs) is not meant.
    const bool fits = name.ends_with(".safetensors") || name.ends_with(".json");
    if (fits && !name.starts_with('.') && entry.is_regular_file()) {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  if (files.empty()) {
    throw located("empty", path, option, "a folder without .safetensors or .json files",
                  "captures or case files");
  }
  return files;
}

std::string case_sha256(const Case& value) {
  Sha256 hash;
  const auto add = [&](std::string_view name, const std::optional<TensorView>& tensor) {
    if (!tensor) return;
    hash.update(std::string(name) + " " + std::string(tensor->format->name) + " " +
                std::to_string(tensor->rows) + "x" + std::to_string(tensor->width) + "\n");
    if (!is_made(*tensor)) {
      hash.update(tensor->bytes, tensor->source.get(), tensor->source_offset);
      return;
    }
    RowReader rows(*tensor);
    for (std::size_t row = 0; row < tensor->rows; ++row) hash.update(rows.row(row));
  };
  add("x", value.x);
  add("weight", value.weight);
  add("residual", value.residual);
  if (value.gate) {
    const std::string use =
        std::string(name_of(value.gate->mode)) + " " + std::string(name_of(value.gate->activation));
    hash.update(use + "\n");
    add("gate", value.gate->values);
  }
  return hash.hex_digest();
}

CaseList read_cases(const SubjectOptions& options, SubjectModel& model, std::uint64_t seed,
                    const std::string& source, const Recipe* recipe, bool standard) {
  CaseList list;
  list.inputs = model.inputs;
  CaseReader reader(options, model, list);
  std::vector<std::string> paths = options.captures;
  paths.insert(paths.end(), options.cases.begin(), options.cases.end());
  for (const std::string& path : paths) {
    if (path == kStandard) {
      add_standard_cases(options, model, seed, list, recipe);
      continue;
    }
    for (const std::string& file : files_of(path, "--cases")) reader.read(file);
  }
  if (standard && paths.empty()) add_standard_cases(options, model, seed, list, recipe);
  refuse_equal_ids(list.cases);
  for (const std::string& file : model.weight_files) {
    add_input(list, file);
  }
  if (!options.observed.empty()) pair_observed(options, list);
  if (!source.empty()) {
    for (JudgedCase& judged : list.cases) judged.source_recipe = source;
  }
  return list;
}

}  // namespace normcert
