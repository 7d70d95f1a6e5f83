#include "report/diagnose_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/diagnose_view.hpp"
#include "report/report_texts.hpp"

namespace normcert {

nlohmann::ordered_json diagnose_report_json(Envelope envelope, const Diagnosis& diagnosis,
                                            const std::vector<std::string>& not_tested) {
  Verdict verdict{std::string(name_of(diagnosis.value)), std::nullopt, {}};
  for (const Reason& reason : diagnosis.reasons) {
    verdict.reasons.push_back({reason.code, reason.text, unless_empty(reason.site), std::nullopt});
  }
  envelope.verdict = std::move(verdict);
  envelope.exit_status = diagnosis.exit_status;
  nlohmann::ordered_json json = envelope_json(envelope);
  const nlohmann::ordered_json body = diagnose_json(diagnosis, not_tested);
  for (const auto& [key, value] : body.items()) json[key] = value;
  return json;
}

const ReportViews kDiagnoseViews = {
    .text =
        [](const nlohmann::ordered_json& report, const TextStyle& style) {
          return diagnose_text(printable_texts(report), style.all);
        },
    .markdown = diagnose_markdown};

}  // namespace normcert
