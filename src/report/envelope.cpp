#include "report/envelope.hpp"

#include <nlohmann/json.hpp>

#include "report/build_info.hpp"
#include "report/environment.hpp"

namespace normcert {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json(nullptr);
}

template <typename Part, typename Conversion>
ordered_json array_of(const std::vector<Part>& parts, Conversion conversion) {
  ordered_json array = ordered_json::array();
  for (const Part& part : parts) array.push_back(conversion(part));
  return array;
}

ordered_json reason_json(const VerdictReason& reason) {
  return {{"code", reason.code},
          {"text", reason.text},
          {"site", text_or_null(reason.site)},
          {"candidate", text_or_null(reason.candidate)}};
}

ordered_json verdict_json(const std::optional<Verdict>& verdict) {
  if (!verdict) return nullptr;
  return {{"value", verdict->value},
          {"level", text_or_null(verdict->level)},
          {"reasons", array_of(verdict->reasons, reason_json)}};
}

ordered_json input_json(const ReportInput& input) {
  return {{"path", input.path},
          {"sha256", text_or_null(input.sha256)},
          {"what_was_hashed", text_or_null(input.what_was_hashed)}};
}

ordered_json override_json(const ReportOverride& override) {
  return {{"option", override.option},
          {"value", override.value},
          {"replaces", text_or_null(override.replaces)},
          {"from", text_or_null(override.from)}};
}

ordered_json finding_json(const ReportFinding& finding) {
  return {{"rule", finding.rule},
          {"level", finding.level},
          {"site", text_or_null(finding.site)},
          {"text", finding.text}};
}

}  // namespace

ordered_json envelope_json(const Envelope& envelope) {
  ordered_json json;
  json["schema"] = "normcert/report/1";
  json["kind"] = envelope.kind;
  json["verdict"] = verdict_json(envelope.verdict);
  json["exit_status"] = envelope.exit_status;
  json["tool"] = {{"name", "normcert"}, {"version", build_info().version}};
  if (!envelope.reproducible) json["environment"] = environment_json();
  json["rerun"] = envelope.rerun;
  json["inputs"] = array_of(envelope.inputs, input_json);
  json["overrides"] = array_of(envelope.overrides, override_json);
  json["findings"] = array_of(envelope.findings, finding_json);
  return json;
}

}  // namespace normcert
