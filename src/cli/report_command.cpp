#include "cli/report_command.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "cli/standard_streams.hpp"
#include "formats/atomic_file.hpp"
#include "problem/error.hpp"
#include "report/merge_reports.hpp"
#include "report/proof_text.hpp"
#include "report/verify_report.hpp"

namespace normcert {
namespace {

enum class Verb : std::uint8_t { kMerge, kProof };
constexpr std::array<std::string_view, 2> kVerbs = {"merge", "proof"};

class ReportCommand : public Command {
 public:
  void declare(OptionList& options) override {
    options.add_positionals("VERB FILE...",
                            "merge, and the reports of all parts (verify --part); or proof, and "
                            "the report of a diagnosis",
                            words_);
    options.add("--output", "FILE", "merge: where the report goes; .json or .md says which",
                output_, "-o");
    options.add("--number", "N",
                "proof: which of its refutations (1: of the declared epsilon, "
                "where that is impossible)",
                number_);
  }

  void read_values(const SharedOptions&) override {
    if (words_.empty()) throw usage("no verb", "normcert report merge FILE... -o OUT");
    verb_ = static_cast<Verb>(read_choice("report", words_.front(), kVerbs));
    files_.assign(words_.begin() + 1, words_.end());
    if (verb_ == Verb::kProof) {
      if (files_.size() != 1) throw usage("no report", "normcert report proof FILE");
      if (output_) throw value_error("--output", *output_, "no --output: a proof goes to stdout");
      if (number_) proof_number_ = read_integer("--number", *number_, 1, 1'000'000);
      return;
    }
    if (number_) throw value_error("--number", *number_, "no --number: merge has no proofs");
    if (files_.empty()) throw usage("no reports to merge", "the reports of all parts");
    view_ = view_of_path(required("--output", output_, "FILE"), "--output");
    check_output_path(*output_, "--output");
  }

  int run(const Invocation& invocation) override {
    if (verb_ == Verb::kProof) {
      write_stdout(proof_text(files_.front(), proof_number_));
      return 0;
    }
    Invocation with_output = invocation;
    with_output.shared.reports.push_back({*output_, view_});
    refuse_to_overwrite(with_output.shared);
    std::vector<PartReport> parts;
    for (const std::string& file : files_) parts.push_back(read_part_report(file));
    return finish(with_output, merge_parts(std::move(parts), invocation.rerun), kVerifyViews);
  }

 private:
  static InputError usage(std::string found, std::string expected) {
    return InputError({.code = "usage",
                       .file = "",
                       .place = "",
                       .found = std::move(found),
                       .expected = std::move(expected),
                       .nearest = ""});
  }

  void refuse_to_overwrite(const SharedOptions& shared) const {
    std::error_code error;
    for (const ReportPath& report : shared.reports) {
      for (const std::string& file : files_) {
        if (!std::filesystem::equivalent(report.path, file, error)) continue;
        throw value_error(report.path == *output_ ? "--output" : "--report", report.path,
                          "a file that is not among the parts");
      }
    }
  }

  std::vector<std::string> words_;
  std::vector<std::string> files_;
  std::optional<std::string> output_;
  std::optional<std::string> number_;
  std::uint64_t proof_number_ = 1;
  Verb verb_ = Verb::kMerge;
  View view_ = View::kJson;
};

}  // namespace

const CommandDescription kReportCommand = {
    .name = "report",
    .what_for = "reports: of a run's parts, or of a diagnosis",
    .synopsis = "report merge FILE... -o OUT | proof FILE",
    .summary =
        "merge: the JSON reports of all parts of one run (normcert verify --part 1/N ... N/N) "
        "become\n"
        "the report of the whole run, with its verdict. Every part must be there once, from the "
        "same\n"
        "version, inputs and limits; with --reproducible the result has the bytes that one run "
        "over "
        "all\n"
        "rows would have written, but for the command that it names.\n"
        "proof: one refutation of the JSON report of a diagnosis, as steps for a calculator and as "
        "a\n"
        "few lines of Python that print the contradiction.",
    .examples =
        "normcert report merge part1.json part2.json part3.json -o whole.json\n"
        "normcert report merge parts/1.json parts/2.json -o whole.md --quiet\n"
        "normcert report proof diagnosis.json",
    .statuses =
        "0  accepted; a proof was printed\n"
        "1  rejected\n"
        "3  inconclusive",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<ReportCommand>()); }};

}  // namespace normcert
