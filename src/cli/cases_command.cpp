#include "cli/cases_command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/case_list.hpp"
#include "cli/implementations.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "cli/rerun.hpp"
#include "cli/separate_cases.hpp"
#include "cli/subject_model.hpp"
#include "formats/atomic_file.hpp"
#include "formats/output_target.hpp"
#include "formats/safetensors_writer.hpp"
#include "formats/sha256.hpp"
#include "problem/error.hpp"
#include "problem/recipe_names.hpp"
#include "report/cases_report.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

constexpr int kInconclusive = 3;
constexpr std::array<std::string_view, 2> kLayouts = {"2d", "3d"};

// The same for all spellings of one path, and for links to it.
fs::path resolved(const std::string& path) {
  return fs::weakly_canonical(fs::absolute(find_output_target(path).path));
}

class CasesCommand : public Command {
 public:
  void declare(OptionList& options) override {
    declare_model_options(options, subject_);
    options.add_repeatable("--class", "NAME", "only the cases of this class (repeatable)",
                           classes_);
    options.add("--source", "NAME|FILE",
                "recipe that the port is to be held to: of a gated norm the cases have a gate",
                source_);
    options.add_pair("--separate", "R1 R2",
                     "one row on which two recipes (names or files) differ in most elements",
                     separate_);
    options.add("--layout", "2d|3d", "shape of x: [rows, n] or [1, rows, n]; default 2d", layout_);
    options.add("--output", "FILE", "the .safetensors file to write", output_, "-o");
  }

  void read_values(const SharedOptions&) override {
    read_subject_values(subject_);
    refuse_other_endings(required("--output", output_, "FILE"));
    for (const std::string& name : classes_) {
      static_cast<void>(read_choice("--class", name, standard_classes()));
    }
    if (separate_ && !classes_.empty()) {
      throw value_error("--class", classes_.front(), "no --class beside --separate");
    }
    if (separate_ && source_)
      throw value_error("--source", *source_, "no --source beside --separate");
    if (separate_) recipes_ = recipes_to_separate(*separate_);
    if (source_) recipe_ = implementation_of(*source_, "--source").recipe;
    if (layout_) three_dimensional_ = read_choice("--layout", *layout_, kLayouts) == 1;
  }

  int run(const Invocation& invocation) override {
    check_output_path(*output_, "--output");
    refuse_report_in_its_place(invocation.shared);
    SubjectModel model = read_subject_model(subject_);
    CaseList list;
    Envelope envelope;
    CasesReport report;
    if (separate_) {
      SeparatedCases separated =
          separate_cases(*separate_, recipes_, subject_, model, invocation.shared.seed);
      list.cases = std::move(separated.cases);
      if (!list.cases.empty()) report = write(list);
      envelope.exit_status = separated.is_decided ? 0 : kInconclusive;
      report.separation = std::move(separated.report);
      for (ReportInput& input : separated.inputs) model.inputs.push_back(std::move(input));
    } else {
      add_standard_cases(subject_, model, invocation.shared.seed, list, recipe_.get(), classes_);
      if (list.cases.empty()) throw no_cases(list);
      report = write(list);
      report.omitted = std::move(list.not_tested);
    }
    envelope.kind = "cases";
    envelope.rerun = invocation.rerun;
    envelope.reproducible = invocation.shared.reproducible;
    envelope.inputs = std::move(model.inputs);
    envelope.overrides = std::move(model.overrides);
    return finish(invocation, cases_report_json(envelope, report), kCasesViews, files_);
  }

 private:
  void refuse_report_in_its_place(const SharedOptions& shared) const {
    for (const ReportPath& path : shared.reports) {
      if (resolved(path.path) == resolved(*output_)) {
        throw value_error("--report", path.path, "another file than that of --output");
      }
    }
  }

  // What is written is a .safetensors file whatever its name; a name must not say otherwise.
  static void refuse_other_endings(const std::string& output) {
    constexpr std::array<std::string_view, 14> kOthers = {
        ".json", ".md",  ".html", ".xml", ".sarif", ".txt", ".csv",
        ".npz",  ".npy", ".gguf", ".bin", ".pt",    ".pth", ".onnx"};
    const std::string ending = fs::path(output).extension().string();
    if (std::ranges::find(kOthers, ending) == kOthers.end()) return;
    throw value_error("--output", output,
                      "a file name that ends in .safetensors: that is what is written (the report "
                      "goes where --report says)");
  }

  static InputError no_cases(const CaseList& list) {
    std::string reasons;
    for (const std::string& text : list.not_tested) reasons += "; " + text;
    return InputError({.code = "empty",
                       .file = "",
                       .place = "--class",
                       .found = "classes without rows for this norm" + reasons,
                       .expected = "a class that has some",
                       .nearest = ""});
  }

  CasesReport write(const CaseList& list) {
    CasesReport report;
    report.output = *output_;
    const std::string asked = separate_ ? "--require bits --source " + shell_word(separate_->first)
                              : source_ ? "--source " + shell_word(*source_)
                                        : "--max-ulp 2";
    report.next = "normcert verify --cases " + shell_word(*output_) +
                  " --observed OUTPUTS.safetensors " + asked;
    Sha256 digest;
    TextPairs metadata;
    std::vector<SafetensorsEntry> entries;
    for (const JudgedCase& judged : list.cases) {
      const Case& value = judged.value;
      const std::string sha256 = case_sha256(value);
      // What outputs depend on: the tensors, epsilon and offset.
      digest.update(value.id + " " + value.epsilon.text + " " + value.weight_offset.text + " " +
                    sha256 + "\n");
      add_metadata(value, metadata);
      add_tensors(value, entries);
      report.cases.push_back(
          {.id = value.id,
           .class_name = value.class_name,
           .site = value.site,
           .rows = value.x.rows,
           .dim = value.x.width,
           .dtype = std::string(value.x.format->name),
           .weight_dtype = value.weight ? std::string(value.weight->format->name) : "",
           .epsilon = value.epsilon.text,
           .weight_offset = value.weight_offset.text,
           .sha256 = sha256});
    }
    report.normcert_cases = digest.hex_digest();
    metadata.insert(metadata.begin(), {"normcert_cases", report.normcert_cases});
    files_.add(*output_, safetensors_bytes(metadata, entries));
    return report;
  }

  void add_metadata(const Case& value, TextPairs& metadata) const {
    metadata.emplace_back(value.id + ".class", value.class_name);
    metadata.emplace_back(value.id + ".epsilon", value.epsilon.text);
    metadata.emplace_back(value.id + ".weight_offset", value.weight_offset.text);
    if (!value.weight) metadata.emplace_back(value.id + ".weight", "none");
    if (value.gate) {
      metadata.emplace_back(value.id + ".gate", name_of(value.gate->mode));
      metadata.emplace_back(value.id + ".gate_activation", name_of(value.gate->activation));
    }
    // The one norm that --dim describes has no name in any model.
    if (subject_.config) metadata.emplace_back(value.id + ".site", value.site);
  }

  void add_tensors(const Case& value, std::vector<SafetensorsEntry>& entries) const {
    add_rows(value.id + ".x", value.x, entries);
    if (value.gate) add_rows(value.id + ".gate", value.gate->values, entries);
    if (!value.weight) return;
    TensorView weight = *value.weight;
    weight.shape = {weight.width};
    entries.push_back({value.id + ".weight", std::move(weight)});
  }

  void add_rows(const std::string& name, TensorView rows,
                std::vector<SafetensorsEntry>& entries) const {
    rows.shape = {rows.rows, rows.width};
    if (three_dimensional_) rows.shape.insert(rows.shape.begin(), 1);
    entries.push_back({name, std::move(rows)});
  }

  SubjectOptions subject_;
  std::vector<std::string> classes_;
  std::optional<std::string> source_;
  std::shared_ptr<const Recipe> recipe_;  // of --source
  std::optional<TextPair> separate_;
  RecipePair recipes_;
  std::optional<std::string> layout_;
  std::optional<std::string> output_;
  bool three_dimensional_ = false;
  PendingFiles files_;  // what --output names
};

}  // namespace

const CommandDescription kCasesCommand = {
    .name = "cases",
    .what_for = "a kernel to feed",
    .synopsis =
        "cases [--config PATH | --dim N --dtype T --epsilon TEXT] [--separate R1 R2] -o "
        "FILE.safetensors",
    .summary =
        "Writes the standard cases for a model's norms, one set for each group of norms that are\n"
        "alike: from zero rows to rows whose results lie next to rounding midpoints. Tensors are\n"
        "<case>.x and <case>.weight, <case>.gate of a gated norm; metadata give class, epsilon and "
        "weight offset of each case, "
        "and\n"
        "normcert_cases, which a file of outputs may repeat so that verify knows them to belong "
        "here.\n"
        "\n"
        "--separate writes inputs that tell two recipes apart: <most>, one row of the norm's width "
        "on\n"
        "which they differ in as many elements as possible, and <smallest>, a row of the smallest "
        "width\n"
        "on which any difference was found. Weights are chosen too. Recipes are called equal only "
        "where\n"
        "their parameters prove it for every input of the dtype and width.",
    .examples =
        "normcert cases --dim 4096 --dtype bf16 --epsilon 1e-6 -o cases.safetensors\n"
        "normcert cases --config model/ --dtype bf16 --weight-dtype bf16 -o cases.safetensors\n"
        "normcert cases --dim 64 --dtype fp16 --epsilon 1e-5 --class small --class zero -o c.st\n"
        "normcert cases --separate hf.llama hf.olmo2 --dim 64 --dtype bf16 --epsilon 1e-6 -o c.st",
    .statuses =
        "0  the file was written; with --separate also: the recipes are equal, so there is none\n"
        "3  with --separate: for some norm no difference was found, and equality was not proved",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<CasesCommand>()); }};

}  // namespace normcert
