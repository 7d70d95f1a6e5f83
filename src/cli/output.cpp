#include "cli/output.hpp"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "cli/option_values.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

// https://no-color.org: present and not empty.
bool color_is_refused() {
  const char* const value = std::getenv("NO_COLOR");
  return value != nullptr && value[0] != '\0';
}

TextStyle text_style(const SharedOptions& options) {
  return {.color = !options.no_color && !color_is_refused() && stdout_is_terminal(),
          .all = options.all};
}

}  // namespace

void check_report_paths(const SharedOptions& options) {
  for (const ReportPath& report : options.reports) check_output_path(report.path, "--report");
}

void refuse_reports_over_inputs(const SharedOptions& options,
                                const std::vector<ReportInput>& inputs) {
  std::error_code error;
  for (const ReportPath& report : options.reports) {
    for (const ReportInput& input : inputs) {
      if (!std::filesystem::equivalent(report.path, input.path, error)) continue;
      throw value_error("--report", report.path, "a file that is not among the inputs");
    }
  }
}

void note(const SharedOptions& options, std::string_view text) {
  if (options.quiet) return;
  write_stderr("normcert: " + printable(text, std::numeric_limits<std::size_t>::max()) + '\n');
}

int finish(const Invocation& invocation, const nlohmann::ordered_json& report,
           const ReportViews& views) {
  PendingFiles files;
  return finish(invocation, report, views, files);
}

int finish(const Invocation& invocation, const nlohmann::ordered_json& report,
           const ReportViews& views, PendingFiles& files) {
  const SharedOptions& options = invocation.shared;
  const TextStyle style = text_style(options);
  for (const ReportPath& path : options.reports) {
    files.add(path.path, render(path.view, report, views, style));
  }
  files.write_through();
  write_stdout(render(options.format, report, views, style));
  hold_signals();
  files.commit();
  return report.at("exit_status").get<int>();
}

}  // namespace normcert
