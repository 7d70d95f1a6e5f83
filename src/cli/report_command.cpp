#include "cli/report_command.hpp"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "formats/atomic_file.hpp"
#include "problem/error.hpp"
#include "report/merge_reports.hpp"
#include "report/verify_report.hpp"

namespace normcert {
namespace {

constexpr std::array<std::string_view, 1> kVerbs = {"merge"};

class ReportCommand : public Command {
 public:
  void declare(OptionList& options) override {
    options.add_positionals("VERB FILE...", "merge, and the reports of all parts (verify --part)",
                            words_);
    options.add("--output", "FILE", "where the report goes; .json or .md says which", output_,
                "-o");
  }

  void read_values(const SharedOptions&) override {
    if (words_.empty()) throw usage("no verb", "normcert report merge FILE... -o OUT");
    static_cast<void>(read_choice("report", words_.front(), kVerbs));
    files_.assign(words_.begin() + 1, words_.end());
    if (files_.empty()) throw usage("no reports to merge", "the reports of all parts");
    view_ = view_of_path(required("--output", output_, "FILE"), "--output");
    check_output_path(*output_, "--output");
  }

  int run(const Invocation& invocation) override {
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
  View view_ = View::kJson;
};

}  // namespace

const CommandDescription kReportCommand = {
    .name = "report",
    .what_for = "the reports of a run's parts",
    .synopsis = "report merge FILE... -o OUT",
    .summary =
        "merge: the JSON reports of all parts of one run (normcert verify --part 1/N ... N/N) "
        "become\n"
        "the report of the whole run, with its verdict. Every part must be there once, from the "
        "same\n"
        "version, inputs and limits; with --reproducible the result has the bytes that one run "
        "over "
        "all\n"
        "rows would have written, but for the command that it names.",
    .examples =
        "normcert report merge part1.json part2.json part3.json -o whole.json\n"
        "normcert report merge parts/1.json parts/2.json -o whole.md --quiet",
    .statuses =
        "0  accepted\n"
        "1  rejected\n"
        "3  inconclusive",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<ReportCommand>()); }};

}  // namespace normcert
