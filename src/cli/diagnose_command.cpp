#include "cli/diagnose_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blocks/for_each_block.hpp"
#include "catalogue/recipes.hpp"
#include "cli/diagnose_inputs.hpp"
#include "cli/dump_formats.hpp"
#include "cli/input_digests.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "cli/subject_model.hpp"
#include "judge/diagnose.hpp"
#include "report/diagnose_report.hpp"

namespace normcert {
namespace {

class DiagnoseCommand : public Command {
 public:
  void declare(OptionList& options) override {
    declare_data_options(options, subject_);
    declare_model_options(options, subject_);
    options.add("--dtype-of", kDtypeOfValue, kDtypeOfHelp, dtype_of_);
    options.add_repeatable("--against", "SOURCE", "another run; not in this version", against_);
    options.add_flag("--no-hash", "no SHA-256 of inputs and cases", no_hash_);
  }

  void read_values(const SharedOptions& shared) override {
    if (!against_.empty()) {
      throw value_error("--against", against_.front(),
                        "no --against: this version judges one run at a time, and cannot yet say "
                        "what a second one inherits");
    }
    read_subject_values(subject_);
    if (dtype_of_) request_.formats = read_formats_of_dump(*dtype_of_);
    request_.threads = shared.threads ? *shared.threads : available_threads();
    if (subject_.captures.empty() && subject_.cases.empty()) {
      throw InputError({.code = "usage",
                        .file = "",
                        .place = "",
                        .found = "nothing to diagnose",
                        .expected = "captures, or --cases and --observed; see normcert diagnose "
                                    "--help",
                        .nearest = ""});
    }
  }

  int run(const Invocation& invocation) override {
    SubjectModel model = read_subject_model(subject_);
    DiagnoseInputs inputs = read_diagnose_inputs(subject_, model, invocation.shared.seed);
    refuse_reports_over_inputs(invocation.shared, inputs.list.inputs);
    for (const Recipe& recipe : catalogue_recipes()) request_.recipes.push_back(&recipe);
    request_.sites = std::move(inputs.sites);
    // As they were read: a dump is judged in another format.
    std::vector<JudgedCase> as_read;
    std::optional<InputDigests> digests;
    if (!no_hash_) {
      for (const SiteToDiagnose& site : request_.sites) as_read.push_back(site.judged);
      digests.emplace(inputs.list, as_read, request_.threads);
    }
    request_.checks_sums = true;
    Diagnosis diagnosis = diagnose(request_);
    if (digests) {
      const std::vector<std::string> of_sites = digests->finish(inputs.list.inputs);
      for (std::size_t i = 0; i < of_sites.size(); ++i) {
        diagnosis.sites[i].summary.sha256 = of_sites[i];
      }
    }
    require_judged(diagnosis);

    Envelope envelope;
    envelope.kind = "diagnose";
    envelope.rerun = invocation.rerun;
    envelope.reproducible = invocation.shared.reproducible;
    envelope.inputs = std::move(inputs.list.inputs);
    envelope.overrides = std::move(model.overrides);
    if (dtype_of_) {
      envelope.overrides.push_back({"--dtype-of", *dtype_of_, std::nullopt, std::nullopt});
    }
    envelope.findings = std::move(inputs.list.findings);
    add_findings(diagnosis, envelope.findings);
    std::vector<std::string> not_tested = std::move(inputs.list.not_tested);
    add_not_tested(diagnosis, not_tested);
    return finish(invocation, diagnose_report_json(std::move(envelope), diagnosis, not_tested),
                  kDiagnoseViews);
  }

 private:
  // A run in which no site is left has judged nothing.
  static void require_judged(const Diagnosis& diagnosis) {
    const auto says_something = [](const DiagnosedSite& site) {
      return site.result || site.outputs_only;
    };
    if (std::ranges::any_of(diagnosis.sites, says_something)) return;
    if (diagnosis.sites.empty()) {
      throw InputError({.code = "nothing_compared",
                        .file = "",
                        .place = "",
                        .found = "no site with outputs",
                        .expected = "captures with x and y",
                        .nearest = ""});
    }
    const DiagnosedSite& first = diagnosis.sites.front();
    const HealthProblem& problem = first.health.problems.front();
    const std::size_t others = diagnosis.sites.size() - 1;
    throw InputError(
        {.code = problem.code,
         .file = first.summary.file,
         .place = shown_name(first.summary) +
                  (others > 0 ? fmt::format(" and {} more, of which none can be judged", others)
                              : std::string()),
         .found = problem.code + ": " + problem.text,
         .expected =
             problem.code == kTooWide
                 ? "x, weight and y in fp32, bf16 or fp16 (dumps of such numbers as float64: "
                   "stored in their own format)"
                 : "x as the norm reads it and y as it writes it, of the same call",
         .nearest = ""});
  }

  static void add_findings(const Diagnosis& diagnosis, std::vector<ReportFinding>& findings) {
    for (const DiagnosedSite& site : diagnosis.sites) {
      const std::string& name = shown_name(site.summary);
      if (!site.stored_as.empty()) {
        findings.push_back({"stored-wider", "note", name,
                            "stored as " + site.stored_as + ", but every number is one of " +
                                std::string(site.y_format->name) +
                                ": judged in that format; --dtype-of says otherwise"});
      } else if (site.reading) {
        findings.push_back({"stored-wider", "note", name, words_of(*site.reading)});
      }
      if (!site.weight_known) {
        findings.push_back({"weight-unknown", "warning", name,
                            "nothing states the weight: judged without a gain and with an unknown "
                            "one"});
      } else if (!site.offset_known) {
        findings.push_back({"offset-unknown", "note", name,
                            "nothing states the weight offset: 0 and 1 were both tried"});
      }
      const std::size_t padding = site.health.zero_rows + site.health.constant_rows;
      if (padding > 0 && site.summary.class_name == "captured") {
        findings.push_back({"padding", "note", name,
                            fmt::format("{} of {} rows are all zero, {} hold one value throughout: "
                                        "padding?",
                                        site.health.zero_rows, site.summary.rows_in_file,
                                        site.health.constant_rows)});
      }
    }
  }

  static void add_not_tested(const Diagnosis& diagnosis, std::vector<std::string>& not_tested) {
    double least = 0;
    double greatest = 0;
    bool any = false;
    bool no_residual_out = false;
    for (const DiagnosedSite& site : diagnosis.sites) {
      no_residual_out = no_residual_out || (site.summary.has_residual && site.result && !site.sum);
      if (!site.result || !site.summary.q) continue;
      least = any ? std::min(least, site.summary.q->min) : site.summary.q->min;
      greatest = any ? std::max(greatest, site.summary.q->max) : site.summary.q->max;
      any = true;
    }
    if (any) {
      not_tested.push_back(
          fmt::format("rows with q below {:.2g} or above {:.2g}", least, greatest));
    }
    if (no_residual_out)
      not_tested.emplace_back("residual_out: a capture with a residual has none");
    not_tested.emplace_back("other shapes of the same kernel (decode), and its backward pass");
  }

  SubjectOptions subject_;
  std::vector<std::string> against_;
  std::optional<std::string> dtype_of_;
  bool no_hash_ = false;
  DiagnoseRequest request_;
};

}  // namespace

const CommandDescription kDiagnoseCommand = {
    .name = "diagnose",
    .what_for = "outputs of a kernel, and no idea what it computes",
    .synopsis = "diagnose PORT... [--config PATH] [--epsilon TEXT]",
    .summary =
        "Says what a port computes: which functions (statistic, place of epsilon, offset), which "
        "range\n"
        "of epsilon and which rounding points could have produced exactly these outputs, and "
        "refutes\n"
        "all others, with a proof that can be redone with a calculator (normcert report proof).\n"
        "PORT is a .safetensors capture with x, weight and y, or <site>.x, <site>.y, ...; sites "
        "that\n"
        "must be alike are judged alone and together. What is declared (--epsilon, --config, "
        "metadata)\n"
        "is held against that; nothing needs to be. Before anything is judged, each site is "
        "checked to\n"
        "be a capture at all. With outputs alone (y and weight) it says where epsilon bites.",
    .examples =
        "normcert diagnose port.safetensors --config model/\n"
        "normcert diagnose port.safetensors --epsilon 1e-5 --report diagnosis.json\n"
        "normcert diagnose dump.safetensors --weight-offset 0 --all\n"
        "normcert diagnose --cases cases.safetensors --observed out.safetensors",
    .statuses =
        "0  the declared epsilon fits and no other function does; or nothing was declared and one\n"
        "   function alone explains the outputs\n"
        "1  the declared epsilon is impossible\n"
        "3  unknown: several functions fit, or none; strays; a site that is no capture",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<DiagnoseCommand>()); }};

}  // namespace normcert
