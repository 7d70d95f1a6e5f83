#include "report/part_reader.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/json_text.hpp"
#include "report/part_checks.hpp"
#include "report/part_envelope.hpp"
#include "report/part_totals_reader.hpp"
#include "report/power_json.hpp"

namespace normcert {
namespace {

std::vector<std::string> texts_of(const JsonNode& json) {
  std::vector<std::string> texts;
  for (const JsonNode& item : json.items()) texts.push_back(item.as_string());
  return texts;
}

Level level_of(const JsonNode& json) {
  for (const Level level : {Level::kFunction, Level::kRounding, Level::kBits, Level::kTolerance}) {
    if (json.as_string() == name_of(level)) return level;
  }
  throw json.unexpected("a level");
}

CaseSummary summary_of(const JsonNode& json, const JsonNode& more) {
  CaseSummary s;
  s.id = json.required("id").as_string();
  s.site = text_or_empty(json.required("site"));
  s.covers = texts_of(more.required("covers"));
  s.class_name = text_or_empty(json.required("class"));
  s.file = text_or_empty(json.required("file"));
  s.dtype = json.required("dtype").as_string();
  s.sha256 = text_or_empty(json.required("sha256"));
  for (const JsonMember& member : json.required("metadata").members()) {
    s.metadata.emplace_back(member.name, member.value.as_string());
  }
  s.weight_dtype = text_or_empty(json.required("weight_dtype"));
  s.epsilon_text = json.required("epsilon").required("text").as_string();
  s.epsilon = json.required("epsilon").required("binary64").as_double();
  s.weight_offset_text = json.required("weight_offset").as_string();
  s.rows = read_count(json.required("rows"));
  s.rows_in_file = read_count(json.required("rows_in_file"));
  s.rows_chosen = json.required("rows_chosen").as_string();
  s.dim = read_count(json.required("dim"));
  s.has_residual = json.required("residual").as_bool();
  if (const JsonNode gate = json.required("gate"); !gate.is_null()) {
    s.gate_mode = gate.required("mode").as_string();
    s.gate_activation = gate.required("activation").as_string();
  }
  for (const JsonNode& pair : more.required("expected").items()) {
    if (!pair.is_array() || pair.size() != 2) throw pair.unexpected("a candidate and a verdict");
    s.expected_verdicts.emplace(pair.item(0).as_string(), pair.item(1).as_string());
  }
  return s;
}

std::optional<ExpectationOutcome> expectation_of(const JsonNode& json) {
  if (json.is_null()) return std::nullopt;
  ExpectationOutcome outcome;
  outcome.checked = read_count(json.required("checked"));
  for (const JsonNode& item : json.required("failures").items()) {
    outcome.failures.push_back({item.required("place").as_string(),
                                item.required("expected").as_string(),
                                item.required("found").as_string()});
  }
  return outcome;
}

Criteria criteria_of(const JsonNode& json) {
  Criteria criteria;
  if (const JsonNode tolerance = json.required("tolerance"); !tolerance.is_null()) {
    criteria.tolerance =
        Tolerance{tolerance.required("atol").as_double(), tolerance.required("rtol").as_double()};
  }
  if (const JsonNode max_ulp = json.required("max_ulp"); !max_ulp.is_null()) {
    criteria.max_ulp = max_ulp.as_double();
  }
  return criteria;
}

class Reader {
 public:
  explicit Reader(const JsonNode& root) : root_(root), part_(part_of(root)) {}

  VerifyReport run() {
    require_envelope(root_);
    VerifyReport report;
    report.part = Part{read_count(part_.required("index")), read_count(part_.required("of"))};
    if (report.part->index < 1 || report.part->index > report.part->of) {
      throw part_.required("index").unexpected("a part from 1 to the number of parts");
    }
    const JsonNode run = part_.required("run");
    report.criteria = criteria_of(root_.required("criteria"));
    report.level = level_of(root_.required("verdict").required("level"));
    report.allow_inconclusive = run.required("allow_inconclusive").as_bool();
    report.candidates = texts_of(run.required("candidates"));
    report.not_tested = texts_of(run.required("not_tested"));
    read_model(report);
    read_cases(run.required("cases"), report.totals);
    read_totals(part_.required("totals"), report.totals);
    require_consistent_totals(part_.required("totals"), report);
    read_claims(run.required("claims"), report);
    const JsonNode power = root_.required("power");
    if (!power.is_null()) report.power = read_power(power);
    return report;
  }

 private:
  static JsonNode part_of(const JsonNode& root) {
    const auto schema = root.is_object() ? root.member("schema") : std::nullopt;
    const bool known = schema && schema->is_string() && schema->as_string() == "normcert/report/1";
    if (!known) throw root.error("no report of normcert", "a report that --part made");
    const JsonNode kind = root.required("kind");
    if (kind.as_string() != "verify") throw kind.unexpected("verify");
    const auto part = root.member("part");
    if (!part) throw root.error("a report of a whole run", "a report that --part made");
    return *part;
  }

  void read_model(VerifyReport& report) const {
    const JsonNode model = root_.required("model");
    if (model.is_null()) return;
    report.model.emplace();
    for (const JsonNode& site : model.required("sites").items()) {
      report.model->sites.emplace_back().name = site.required("name").as_string();
    }
  }

  void read_cases(const JsonNode& more, VerifyTotals& totals) const {
    const std::vector<JsonNode> cases = root_.required("cases").items();
    if (more.size() != cases.size()) throw more.unexpected("an array as long as cases");
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CaseTotals& of_case = totals.emplace_back();
      of_case.summary = summary_of(cases[i], more.item(i));
      of_case.expectation = expectation_of(cases[i].required("expectation"));
    }
  }

  void read_claims(const JsonNode& ranges, VerifyReport& report) const {
    const std::vector<JsonNode> claims = root_.required("claims").items();
    if (ranges.size() != claims.size()) throw ranges.unexpected("an array as long as claims");
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const JsonNode range = ranges.item(i);
      if (!range.is_array() || range.size() != 2) throw range.unexpected("an array of 2");
      ClaimOutcome& claim = report.claims.emplace_back();
      claim.file = claims[i].required("file").as_string();
      claim.claim.number =
          static_cast<int>(claims[i].required("number").as_integer(-1000000, 1000000));
      claim.claim.statement = claims[i].required("statement").as_string();
      claim.claim.check = claims[i].required("check").as_string();
      claim.claim.outcome = claims[i].required("outcome").as_string();
      claim.first_case = read_count(range.item(0));
      claim.end_case = read_count(range.item(1));
      if (claim.first_case > claim.end_case || claim.end_case > report.totals.size()) {
        throw range.unexpected("a range of the cases");
      }
    }
  }

  const JsonNode& root_;
  JsonNode part_;
};

}  // namespace

PartReport read_part_report(const std::string& file) {
  const JsonDocument document = JsonDocument::read(file);
  const JsonNode root = document.root();
  PartReport part;
  part.file = file;
  part.report = Reader(root).run();
  for (const JsonNode& control : root.required("controls").items()) {
    part.mutants.push_back(control.required("name").as_string());
  }
  part.json = std::make_shared<const nlohmann::ordered_json>(
      nlohmann::ordered_json::parse(document.text()));
  return part;
}

}  // namespace normcert
