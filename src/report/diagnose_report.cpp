#include "report/diagnose_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "problem/error.hpp"
#include "report/diagnose_view.hpp"

namespace normcert {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// Names come from files: nothing that a terminal would act upon may reach it.
nlohmann::ordered_json printable_texts(nlohmann::ordered_json json) {
  constexpr std::size_t kLimit = 10000;
  if (json.is_string()) return printable(json.get<std::string>(), kLimit);
  if (json.is_structured()) {
    for (auto& part : json) part = printable_texts(std::move(part));
  }
  return json;
}

}  // namespace

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
