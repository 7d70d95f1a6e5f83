#include "cli/diagnose_inputs.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "problem/error.hpp"

namespace normcert {
namespace {

// The site as the model knows it, where there is a model that does.
std::optional<NormSite> declared_site(const SubjectModel& model, const std::string& name) {
  if (!model.model) return std::nullopt;
  return find_site(*model.model, name).site;
}

std::string declared_from(const SubjectOptions& options, const SubjectModel& model,
                          const Case& value) {
  if (value.epsilon.text.empty()) return "";
  if (options.epsilon) return "option --epsilon";
  if (const auto site = declared_site(model, value.site)) return site->epsilon_from;
  return "the capture's metadata";
}

// Files in which no site has an x.
class OutputFiles {
 public:
  OutputFiles(SubjectOptions& options, SubjectModel& model) : options_(options), model_(model) {}

  void take(DiagnoseInputs& inputs) {
    std::vector<std::string> others;
    for (const std::string& path : options_.captures) {
      for (const std::string& file : files_of(path, "PORT")) {
        if (!take_file(file, inputs)) others.push_back(file);
      }
    }
    options_.captures = std::move(others);
  }

 private:
  bool take_file(const std::string& file, DiagnoseInputs& inputs) {
    const std::optional<Capture> capture = outputs_of(file);
    if (!capture) return false;
    auto mapped = std::make_shared<const MappedFile>(file);
    inputs.list.unhashed.emplace(inputs.list.inputs.size(), std::move(mapped));
    inputs.list.inputs.push_back({file, std::nullopt, "file"});
    for (const CaptureSite& site : capture->sites) inputs.sites.push_back(read(*capture, site));
    return true;
  }

  // None for what is no capture, or one with inputs: the other reader says what is wrong with it.
  static std::optional<Capture> outputs_of(const std::string& file) {
    try {
      Capture capture = read_capture(file, CaptureKind::kObserved);
      const bool any_input = std::ranges::any_of(
          capture.sites, [](const CaptureSite& site) { return site.x || !site.y; });
      if (any_input) return std::nullopt;
      return capture;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  SiteToDiagnose read(const Capture& capture, const CaptureSite& site) {
    SiteToDiagnose read;
    JudgedCase& judged = read.judged;
    judged.file = capture.path;
    judged.observed_file = capture.path;
    judged.observed = Outputs{site.y, site.residual_out};
    judged.metadata = capture.metadata;
    Case& value = judged.value;
    value.id = site.id;
    value.class_name = "captured";
    value.site = site.site;
    const auto declared = declared_site(model_, site.site);
    if (declared) value.site = declared->name;
    value.output = site.y->format;
    value.x.rows = 0;
    value.x.width = site.y->width;
    value.weight = site.weight;
    if (!value.weight && !site.weight_is_none) value.weight = site_weight(model_, value.site);
    value.weight_none = site.weight_is_none;
    if (options_.weight_offset) {
      value.weight_offset = *options_.weight_offset;
    } else if (site.weight_offset) {
      value.weight_offset = *site.weight_offset;
    } else if (declared && declared->weight_offset) {
      value.weight_offset = *declared->weight_offset;
    } else if (value.weight) {
      throw InputError({.code = "missing_weight_offset",
                        .file = capture.path,
                        .place = site.site.empty() ? "" : "site " + site.site,
                        .found = "no weight offset: the gain may be w or 1 + w",
                        .expected = "--weight-offset 0 or 1, metadata weight_offset, or a --config "
                                    "whose family is known: without x nothing else tells",
                        .nearest = ""});
    }
    value.weight_offset_given = true;
    if (options_.epsilon) {
      value.epsilon = *options_.epsilon;
    } else if (declared) {
      value.epsilon = declared->epsilon;
    } else if (site.epsilon) {
      value.epsilon = *site.epsilon;
    }
    if (!value.weight && !value.weight_none) {
      throw InputError({.code = "missing_weight",
                        .file = capture.path,
                        .place = site.site.empty() ? "" : "site " + site.site,
                        .found = "neither x nor a weight",
                        .expected = "a tensor weight, a --config folder that has it, or metadata "
                                    "weight: none",
                        .nearest = ""});
    }
    read.declared_from = declared_from(options_, model_, value);
    return read;
  }

  SubjectOptions& options_;
  SubjectModel& model_;
};

}  // namespace

DiagnoseInputs read_diagnose_inputs(SubjectOptions& options, SubjectModel& model,
                                    std::uint64_t seed) {
  options.declarations_may_be_missing = true;
  DiagnoseInputs inputs;
  OutputFiles(options, model).take(inputs);
  CaseList alone = std::move(inputs.list);
  inputs.list = read_cases(options, model, seed, "", nullptr, false);
  for (JudgedCase& judged : inputs.list.cases) {
    SiteToDiagnose site;
    site.inputs_are_ours = judged.value.class_name != "captured";
    site.declared_from = declared_from(options, model, judged.value);
    site.judged = std::move(judged);
    inputs.sites.push_back(std::move(site));
  }
  inputs.list.cases.clear();
  for (auto& [index, file] : alone.unhashed) {
    inputs.list.unhashed.emplace(inputs.list.inputs.size(), std::move(file));
    inputs.list.inputs.push_back(std::move(alone.inputs[index]));
  }
  return inputs;
}

}  // namespace normcert
