#include "cli/verify_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "cli/case_list.hpp"
#include "cli/dump_formats.hpp"
#include "cli/implementations.hpp"
#include "cli/input_digests.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/row_options.hpp"
#include "cli/subject_model.hpp"
#include "inference/stored_format.hpp"
#include "judge/diagnose.hpp"
#include "judge/dump_excuse.hpp"
#include "judge/power.hpp"
#include "judge/verify.hpp"
#include "report/verify_report.hpp"

namespace normcert {
namespace {

constexpr std::array<std::string_view, 3> kPowers = {"sample", "full", "off"};
constexpr std::array<std::string_view, 3> kLevels = {"function", "rounding", "bits"};

double read_limit(std::string_view option, const std::string& text) {
  const std::string expected = "a finite number of at least 0, such as 1.5";
  const ExactNumber number = read_exact(option, text, expected);
  if (number.negative && number.numerator.sign() != 0) throw value_error(option, text, expected);
  return std::fabs(to_binary64(*read_code(text, kFp64)));
}

class VerifyCommand : public Command {
 public:
  void declare(OptionList& options) override {
    declare_data_options(options, subject_);
    declare_model_options(options, subject_);
    options.add_repeatable("--candidate", "NAME|GLOB|FILE",
                           "recipe to judge, or to compare the port's bits with", candidates_);
    options.add_repeatable("--mutant", "NAME|FILE", "recipe that must be rejected (a control)",
                           mutants_);
    options.add("--source", "NAME|FILE", "recipe of the source framework", source_);
    options.add("--require", "LEVEL",
                "function (default without limits); rounding or bits: as the source recipe",
                require_);
    options.add("--atol", "X", "limit |got - exact| <= atol + rtol |exact|; alone sets rtol to 0",
                atol_);
    options.add("--rtol", "X", "see --atol; alone sets atol to 0", rtol_);
    options.add("--max-ulp", "X", "limit of the error in ulp of the output's format", max_ulp_);
    options.add("--rows", "N:low-q|all",
                "rows to judge of each case: N:low-q, N:spread (as N), N:first; all (default)",
                rows_);
    options.add("--part", "I/N", "judge part I of N alone; normcert report merge joins them",
                part_);
    options.add("--power", "sample|off",
                "run known defects in the port's place: sample (default, of many rows some), full, "
                "off",
                power_);
    options.add("--dtype-of", kDtypeOfValue, kDtypeOfHelp, dtype_of_);
    options.add_flag("--no-hash", "no SHA-256 of inputs and cases", no_hash_);
    options.add_flag("--allow-inconclusive", "exit 0 where the verdict is inconclusive",
                     allow_inconclusive_);
  }

  void read_values(const SharedOptions& shared) override {
    read_subject_values(subject_);
    read_criteria();
    if (require_) {
      request_.level = static_cast<Level>(read_choice("--require", *require_, kLevels));
    } else if (request_.criteria.any()) {
      request_.level = Level::kTolerance;
    }
    if (rows_) row_choice_ = read_row_choice(*rows_);
    if (part_) request_.part = read_part(*part_);
    if (dtype_of_) request_.formats = read_formats_of_dump(*dtype_of_);
    if (power_) power_choice_ = read_choice("--power", *power_, kPowers);
    request_.threads = shared.threads ? *shared.threads : available_threads();
    request_.candidates = implementations_of(candidates_, "--candidate");
    request_.mutants = implementations_of(mutants_, "--mutant");
    if (source_) source_implementation_ = implementation_of(*source_, "--source");
    request_.find_implementation = [this](const std::string& name) {
      if (source_implementation_ && source_implementation_->name == name) {
        return *source_implementation_;
      }
      for (const Implementation& candidate : request_.candidates) {
        if (candidate.name == name) return candidate;
      }
      return implementation_of(name, "source recipe");
    };
    request_.known_recipes = [this] { return recipes_by_preference(request_.candidates); };
    if (!subject_.observed.empty() && subject_.cases.empty() && subject_.captures.empty()) {
      throw value_error("--observed", subject_.observed.front(),
                        "--cases with the inputs that these outputs belong to");
    }
  }

  int run(const Invocation& invocation) override {
    SubjectModel model = read_subject_model(subject_);
    const std::string source = source_implementation_ ? source_implementation_->name : "";
    CaseList list =
        read_cases(subject_, model, invocation.shared.seed, source, recipe_to_hold_to(),
                   !(candidates_.empty() && mutants_.empty()) && subject_.observed.empty());
    require_something(model, list);
    require_outputs(list);
    refuse_reports_over_inputs(invocation.shared, list.inputs);
    request_.cases = std::move(list.cases);
    drop_candidates_that_fit_no_case(list.not_tested);
    stored_ = request_.cases;
    narrow_dumps(list.findings);
    name_source_recipes();
    require_whole_run();
    VerifyReport report = judge(invocation.shared, list, model);
    report.criteria = request_.criteria;
    report.level = request_.level;
    report.model = std::move(model.model);
    report.model_sha256 = model.sha256;
    report.not_tested = std::move(list.not_tested);
    report.claims = std::move(list.claims);
    if (part_) report.part = request_.part;
    for (const Implementation& candidate : request_.candidates) {
      report.candidates.push_back(candidate.name);
    }
    report.refused = std::move(list.refused);
    report.allow_inconclusive = allow_inconclusive_;

    Envelope envelope;
    envelope.kind = "verify";
    envelope.rerun = invocation.rerun;
    envelope.reproducible = invocation.shared.reproducible;
    envelope.inputs = std::move(list.inputs);
    envelope.overrides = std::move(model.overrides);
    if (source_) envelope.overrides.push_back({"--source", *source_, std::nullopt, std::nullopt});
    if (dtype_of_) {
      envelope.overrides.push_back({"--dtype-of", *dtype_of_, std::nullopt, std::nullopt});
    }
    envelope.findings = std::move(list.findings);
    if (report.function) add_stored_wider(*report.function, envelope.findings);
    if (std::optional<ReportFinding> finding = without_source()) {
      envelope.findings.push_back(*std::move(finding));
    }
    return finish(invocation, verify_report_json(std::move(envelope), report), kVerifyViews);
  }

 private:
  // --source, else the first --candidate that is named; nullptr where that is no recipe.
  [[nodiscard]] const Recipe* recipe_to_hold_to() const {
    if (source_implementation_) return source_implementation_->recipe.get();
    const auto named = std::ranges::find(request_.candidates, false, &Implementation::from_pattern);
    return named == request_.candidates.end() ? nullptr : named->recipe.get();
  }

  // A pattern over names means the recipes that can compute the cases: of gated norms where one of
  // those is gated, of others where one is not.
  void drop_candidates_that_fit_no_case(std::vector<std::string>& not_tested) {
    const auto fits_none = [this](const Implementation& one) {
      return one.from_pattern &&
             std::ranges::none_of(request_.cases, [&](const JudgedCase& judged) {
               return takes_gate_of(one, judged.value);
             });
    };
    const auto dropped = std::erase_if(request_.candidates, fits_none);
    if (dropped == 0) return;
    not_tested.push_back(std::to_string(dropped) +
                         " recipes whose names --candidate fits: they are of norms " +
                         (request_.cases.front().value.gate ? "without" : "with") + " a gate");
  }

  void read_criteria() {
    Criteria& criteria = request_.criteria;
    if (atol_ || rtol_) {
      Tolerance tolerance;
      tolerance.atol = read_limit("--atol", atol_.value_or("0"));
      tolerance.rtol = read_limit("--rtol", rtol_.value_or("0"));
      criteria.tolerance = tolerance;
    }
    if (max_ulp_) criteria.max_ulp = read_limit("--max-ulp", *max_ulp_);
  }

  void require_something(const SubjectModel& model, const CaseList& list) const {
    if (!list.cases.empty() || !list.refused.empty() || model.model) return;
    throw InputError({.code = "usage",
                      .file = "",
                      .place = "",
                      .found = "nothing to verify",
                      .expected = "captures, --cases, or a --config; see normcert verify --help",
                      .nearest = ""});
  }

  // Where a port wrote outputs, a case without one (and without any other use) is missing, not
  // ignored.
  void require_outputs(CaseList& list) const {
    const auto is_observed = [](const JudgedCase& judged) { return judged.observed.has_value(); };
    if (!candidates_.empty() || std::ranges::none_of(list.cases, is_observed)) return;
    std::string missing;
    for (const JudgedCase& judged : list.cases) {
      if (judged.observed || !judged.value.expect.empty()) continue;
      missing += (missing.empty() ? "" : ", ") + judged.value.id;
    }
    if (missing.empty() || !subject_.observed.empty()) return;  // pairing has seen to those
    if (subject_.partial) {
      list.not_tested.push_back("no output for " + missing);
      return;
    }
    throw InputError({.code = "missing_output",
                      .file = "",
                      .place = "",
                      .found = "no output for " + missing,
                      .expected = "one output for each case, or --partial",
                      .nearest = ""});
  }

  // Interface rule 7: --source, else the family's, else the first candidate, else the exact result.
  void name_source_recipes() {
    for (JudgedCase& judged : request_.cases) {
      if (!judged.source_recipe.empty()) continue;
      const auto first = std::ranges::find_if(request_.candidates, [&](const Implementation& one) {
        return !judged.observed || takes_gate_of(one, judged.value);
      });
      if (first != request_.candidates.end()) judged.source_recipe = first->name;
    }
  }

  // A float32 dump of a port in 16 bits is judged in its own format, like the port. Of x and weight
  // alone that is said only by the user: a port may well be given such numbers and keep binary32.
  void narrow_dumps(std::vector<ReportFinding>& findings) {
    for (JudgedCase& judged : request_.cases) {
      if (!judged.observed || !judged.observed->y) continue;
      const bool is_capture = judged.value.class_name == "captured";
      if (!is_capture && !request_.formats.any()) continue;
      FormatsOfDump formats = request_.formats;
      if (formats.y == nullptr) formats.y = narrower_format_of(*judged.observed->y);
      if (formats.y == nullptr && !formats.any()) continue;
      const std::string stored_as = narrow_dump(judged, formats);
      if (stored_as.empty() || request_.formats.y != nullptr) continue;
      const std::string& name = judged.value.site.empty() ? judged.value.id : judged.value.site;
      findings.push_back({"stored-wider", "note", name,
                          "stored as " + stored_as + ", but every number is one of " +
                              std::string(formats.y->name) +
                              ": judged in that format; --dtype-of says otherwise"});
    }
  }

  [[nodiscard]] bool asks_for_function() const {
    return request_.level == Level::kFunction && can_judge_function(request_);
  }

  // Elimination looks at rows of all of a case, and at cases together.
  void require_whole_run() const {
    if (!part_ || !asks_for_function()) return;
    throw value_error("--part", *part_,
                      "a whole run: level function is not decided in parts; ask for --require "
                      "rounding or bits, or for limits");
  }

  static void add_stored_wider(const FunctionLevel& function,
                               std::vector<ReportFinding>& findings) {
    for (const DiagnosedSite& site : function.diagnosis.sites) {
      if (!site.reading) continue;
      findings.push_back({"stored-wider", "note", shown_name(site.summary),
                          words_of(*site.reading) + " (which function it is)"});
    }
  }

  // Whose rounding or bits are asked for where no recipe is named: what reports else show only in
  // their tables.
  [[nodiscard]] std::optional<ReportFinding> without_source() const {
    if (request_.level != Level::kRounding && request_.level != Level::kBits) return std::nullopt;
    const auto count = std::ranges::count_if(request_.cases, [](const JudgedCase& judged) {
      return judged.source_recipe.empty() || judged.source_recipe == kRoundedReferenceName;
    });
    if (count == 0) return std::nullopt;
    const bool asked_for = source_ || !request_.candidates.empty();
    return ReportFinding{
        "source-recipe", "note", std::nullopt,
        "judged by reference.rounded, the exact result rounded once: cases " +
            std::to_string(count) + " of " + std::to_string(request_.cases.size()) +
            (asked_for ? ""
                       : "; no source recipe is named (--source NAME, --candidate NAME, or a "
                         "--config whose family has one), and frameworks round more often")};
  }

  // The block loop, with the hashes computed beside it.
  VerifyReport judge(const SharedOptions& shared, CaseList& list, SubjectModel& model) {
    std::optional<InputDigests> digests;
    if (!no_hash_) digests.emplace(list, request_.cases);
    VerifyReport report;
    {
      ProgressLine progress(shared, "elements");
      for (JudgedCase& judged : request_.cases) {
        choose_rows(judged, row_choice_, request_.threads);
      }
      report.totals = measure(
          request_, [&](std::uint64_t done, std::uint64_t all) { progress.show(done, all); },
          digests ? &digests->tasks() : nullptr);
    }
    if (digests) {
      const std::vector<std::string> of_cases = digests->finish(list.inputs);
      for (std::size_t i = 0; i < of_cases.size(); ++i) {
        report.totals[i].summary.sha256 = of_cases[i];
      }
    } else {
      forget_hashes(list, model);
    }
    if (asks_for_function()) report.function = judge_function(request_, report.totals);
    const FunctionLevel* const function = report.function ? &*report.function : nullptr;
    report.outcome = conclude(request_, report.totals, function);
    // Parts are joined by their numbers, which are of one reading.
    if (!part_) excuse_dumps(request_, stored_, report.outcome);
    if (kPowers.at(power_choice_) == "off") return report;
    report.power = measure_power(request_, function, static_cast<PowerRows>(power_choice_));
    judge_power(*report.power, report.outcome);
    return report;
  }

  static void forget_hashes(CaseList& list, SubjectModel& model) {
    for (ReportInput& input : list.inputs) {
      input.sha256.reset();
      input.what_was_hashed = "nothing: --no-hash";
    }
    model.sha256.clear();
    list.not_tested.emplace_back(
        "that the files are what their names say: nothing was hashed (--no-hash)");
  }

  SubjectOptions subject_;
  std::vector<std::string> candidates_;
  std::vector<std::string> mutants_;
  std::optional<std::string> source_;
  std::optional<std::string> require_;
  std::optional<std::string> atol_;
  std::optional<std::string> rtol_;
  std::optional<std::string> max_ulp_;
  std::optional<std::string> rows_;
  std::optional<std::string> part_;
  std::optional<std::string> power_;
  std::optional<std::string> dtype_of_;
  std::size_t power_choice_ = 0;
  bool no_hash_ = false;
  bool allow_inconclusive_ = false;
  RowChoice row_choice_;
  std::optional<Implementation> source_implementation_;
  VerifyRequest request_;
  std::vector<JudgedCase> stored_;  // the request's cases as they were captured
};

}  // namespace

const CommandDescription kVerifyCommand = {
    .name = "verify",
    .what_for = "inputs of a norm, and the outputs of a port of it",
    .synopsis = "verify [CAPTURE...] [--config PATH] [--cases PATH]... [--observed PATH]...",
    .summary =
        "Compares every output of a port with the exact result of the RMSNorm that the model\n"
        "declares. Asked for nothing else it says by elimination whether the port computes that "
        "function,\n"
        "wherever it rounds, and with a proof what it computes instead; else whether it is within "
        "the\n"
        "limits (--atol and --rtol, --max-ulp), or has the rounding or the bits of the source\n"
        "framework's recipe (--require).\n"
        "A capture is a .safetensors file with x, weight and y, or <site>.x, <site>.y, ...; "
        "epsilon\n"
        "and weight offset come from options, the config, the case, or the capture's metadata.\n"
        "Without any output of a port the run is inconclusive, unless --candidate names a recipe\n"
        "that is to be judged as the port.",
    .examples =
        "normcert verify port.safetensors --config model/\n"
        "normcert verify port.safetensors --config model/ --atol 1e-5 --rtol 1.6e-2\n"
        "normcert verify port.safetensors --config model/ --require bits --report port.md\n"
        "normcert verify --cases cases.safetensors --observed out.safetensors --max-ulp 1\n"
        "normcert verify --dim 512 --dtype bf16 --epsilon 1e-6 --candidate hf.llama --max-ulp 2\n"
        "normcert verify --cases cases/claims --candidate reference.rounded\n"
        "normcert verify large.safetensors --max-ulp 1 --rows 512:low-q --no-hash\n"
        "normcert verify large.safetensors --max-ulp 1 --part 1/8 --report part1.json",
    .statuses =
        "0  accepted\n"
        "1  rejected\n"
        "3  inconclusive: nothing was observed, what was asked cannot be decided, or these rows "
        "and\n"
        "   this level would have accepted a known defect too (see --power)",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<VerifyCommand>()); }};

}  // namespace normcert
