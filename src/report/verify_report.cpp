#include "report/verify_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/report_texts.hpp"
#include "report/verify_view.hpp"

namespace normcert {
namespace {

int exit_status(const VerifyReport& report) {
  switch (report.outcome.verdict) {
    case VerdictValue::kAccepted:
      return 0;
    case VerdictValue::kRejected:
      return 1;
    case VerdictValue::kInconclusive:
      break;
  }
  return report.allow_inconclusive ? 0 : 3;
}

}  // namespace

nlohmann::ordered_json verify_report_json(Envelope envelope, const VerifyReport& report) {
  Verdict verdict{
      std::string(name_of(report.outcome.verdict)), std::string(name_of(report.level)), {}};
  for (const Reason& reason : report.outcome.reasons) {
    verdict.reasons.push_back(
        {reason.code, reason.text, unless_empty(reason.site), unless_empty(reason.candidate)});
  }
  envelope.verdict = std::move(verdict);
  envelope.exit_status = exit_status(report);
  nlohmann::ordered_json json = envelope_json(envelope);
  const nlohmann::ordered_json body = verify_json(report);
  for (const auto& [key, value] : body.items()) json[key] = value;
  return json;
}

const ReportViews kVerifyViews = {
    .text = [](const nlohmann::ordered_json& report,
               const TextStyle& style) { return verify_text(printable_texts(report), style.all); },
    .markdown = verify_markdown};

}  // namespace normcert
