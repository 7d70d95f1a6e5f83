// How a command hands over what it found: the result to stdout, reports to files, notes to stderr.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "formats/atomic_file.hpp"
#include "report/envelope.hpp"
#include "report/views.hpp"

namespace normcert {

// Throws what writing the reports would most probably throw, before any work is done.
void check_report_paths(const SharedOptions& options);

// Throws where a report would replace a file that was read.
void refuse_reports_over_inputs(const SharedOptions& options,
                                const std::vector<ReportInput>& inputs);

// One line of progress or diagnosis on stderr ("normcert: ..."), unless --quiet. Escaped.
void note(const SharedOptions& options, std::string_view text);

// The end of a run: prints the report in the format asked for and writes it to every --report path.
// Whatever can fail comes before the success that stdout shows: pipes and devices among the paths
// get their report, files are complete under temporary names. They take their names together, after
// stdout has taken everything, or not at all. Returns the report's "exit_status".
[[nodiscard]] int finish(const Invocation& invocation, const nlohmann::ordered_json& report,
                         const ReportViews& views);
// The same with files of the command's own, which share the reports' fate.
[[nodiscard]] int finish(const Invocation& invocation, const nlohmann::ordered_json& report,
                         const ReportViews& views, PendingFiles& files);

}  // namespace normcert
