// Reports of normcert verify are held to their schema by another program, and the schema refuses
// what is no report.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/schema_validator.hpp"
#include "cli/verify_run.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

// One line per report: "ok", or the first objections.
std::vector<std::string> validated(const std::vector<Json>& reports) {
  return normcert::validated(run_program({"schema", "verify"}).out, nlohmann::json(reports));
}

// Runs of every kind, with their exit statuses.
class Runs {
 public:
  Runs() {
    write_right(at("right.safetensors"));
    write_wrong(at("wrong.safetensors"));
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    write_capture(at("ends.safetensors"), complete_metadata("1e-320"),
                  {{"x", numbers({{1e300, -1e300}, {0, 5e-324}, {nan, 1}}, kFp64)},
                   {"y", numbers({{nan, -inf}, {-0.0, 1e308}, {1, inf}}, kFp64)}});
    write_capture(at("residual.safetensors"), complete_metadata(),
                  {{"x", numbers({{0.5, 3}}, kFp16)},
                   {"residual", numbers({{0.5, 4}}, kFp16)},
                   {"y", numbers({{0.125, 1}}, kFp16)}});
    const std::string model = source_file("cases/models/stories260K");
    add(0, {at("right.safetensors"), "--max-ulp", "0"});
    add(1, {at("wrong.safetensors"), "--max-ulp", "1", "--atol", "1e-3", "--candidate", "hf.*"});
    add(3, {at("wrong.safetensors")});
    add(3, {at("right.safetensors"), "--max-ulp", "1", "--mutant", "reference.rounded"});
    add(0, {at("right.safetensors"), "--atol", "1e-3", "--mutant", "wrong.epsilon_outside"});
    add(1, {at("ends.safetensors"), "--atol", "1", "--rtol", "1", "--candidate", "naive.fp64"});
    add(1, {at("residual.safetensors"), "--max-ulp", "1"});
    add(0, {"--cases", source_file("cases/claims"), "--candidate", "reference.rounded"});
    add(1, {"--cases", source_file("cases/claims"), "--candidate", "naive.fp64", "--atol", "2"});
    add(3, {"--config", source_file("tests/data/models/gemma3-1b.json")});
    add(0, {source_file("cases/captures/stories260K/right.safetensors"), "--config", model});
    add(3, {source_file("cases/captures/stories260K/right.safetensors"), "--config", model,
            "--epsilon", "1e-5", "--atol", "1e-5", "--rtol", "1.6e-2"});
    add(0, {"--dim", "24", "--dtype", "fp16", "--epsilon", "1e-6", "--candidate",
            "reference.rounded", "--reproducible"});
  }
  const std::vector<Json>& reports() const { return reports_; }

 private:
  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void add(int status, const Words& words) {
    VerifyReportResult found = report_of(words);
    EXPECT_EQ(found.status, status) << words[0] << " " << words[1];
    reports_.push_back(std::move(found.json));
  }

  EmptyFolder folder_;
  std::vector<Json> reports_;
};

TEST(VerifySchema, ReportsAreValid) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  const Runs runs;
  const std::vector<std::string> said = validated(runs.reports());
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(said[i], "ok") << runs.reports()[i]["rerun"];
  }
}

// A report with everything in it: rejected, with model-free cases, a control and a claim.
Json rich_report() {
  const EmptyFolder folder;
  write_wrong(folder.path() / "wrong.safetensors");
  return report_of({(folder.path() / "wrong.safetensors").string(), "--cases",
                    source_file("cases/claims/05_zero_and_huge.json"), "--candidate", "naive.fp64",
                    "--mutant", "wrong.epsilon_outside", "--max-ulp", "1", "--atol", "1e-3"})
      .json;
}

TEST(VerifySchema, RefusesWhatIsNoReport) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  using Pointer = Json::json_pointer;
  const Json report = rich_report();
  const std::vector<std::pair<const char*, Json>> changes = {
      {"/more", 1},
      {"/schema", "normcert/report/2"},
      {"/kind", "attenuation"},
      {"/verdict", nullptr},
      {"/verdict/value", "passed"},
      {"/verdict/value", "accepted"},
      {"/verdict/level", "exact"},
      {"/verdict/reasons", Json::array()},
      {"/verdict/reasons/0/code", "because"},
      {"/exit_status", 0},
      {"/exit_status", 3},
      {"/headline", ""},
      {"/model", 1},
      {"/coverage", Json::object()},
      {"/definitions/more", 1},
      {"/criteria/max_ulp", -1},
      {"/criteria/tolerance/atol", "nan"},
      {"/criteria/more", 1},
      {"/reference/elements/undecided", nullptr},
      {"/reference/largest_bound", "inf"},
      {"/cases/0/more", 1},
      {"/cases/0/dim", 0},
      {"/cases/0/dtype", "float32"},
      {"/cases/0/sha256", "abc"},
      {"/cases/0/q/min", -1},
      {"/cases/0/q/max", "nan"},
      {"/cases/0/attenuation/max", 1.5},
      {"/cases/0/attenuation/max", "inf"},
      {"/cases/0/epsilon/hex", "1e-6"},
      {"/cases/1/expectation/failures/0", "text"},
      {"/results/0/more", 1},
      {"/results/0/role", "port"},
      {"/results/0/tensor", "x"},
      {"/results/0/expected", 0},
      {"/results/0/compared", 1.5},
      {"/results/0/non_finite/nan", 1},
      {"/results/0/max_abs_error/value", "nan"},
      {"/results/0/max_abs_error/hex", "0x1.0p"},
      {"/results/0/max_abs_error/exact", "0.875"},
      {"/results/0/max_ulp_error/row", -1},
      {"/results/0/max_rel_error/got", 0.9},
      {"/results/0/code_distance/9", 1},
      {"/results/0/code_distance/0", 0},
      {"/results/0/bit_identical_to_recipe/x", -1},
      {"/results/0/equality/function", "equal"},
      {"/results/0/equality/rounding/same", true},
      {"/results/0/tolerance", Json::object()},
      {"/results/0/tolerance/more", 1},
      {"/results/0/verdict", "unknown"},
      {"/results/0/judged", nullptr},
      {"/results/0/as_expected", "yes"},
      {"/controls/0/by", nullptr},
      {"/controls/0/rejected", "yes"},
      {"/refused/0", "text"},
      {"/claims/0/holds", nullptr},
      {"/claims/0/number", "5"},
      {"/not_tested/0", 1},
      {"/findings/0", "text"}};
  std::vector<Json> changed = {report};
  for (const auto& [place, value] : changes) {
    changed.push_back(report);
    changed.back()[Pointer(place)] = value;
  }
  std::vector<std::string> names = {"unchanged"};
  for (const auto& [place, value] : changes) names.push_back(place + (" = " + value.dump()));
  // Without a member, at the top and in the parts.
  const auto without = [&](const std::string& place) {
    for (const auto& [key, value] : report.at(Pointer(place)).items()) {
      if (place.empty() && key == "environment") continue;
      changed.push_back(report);
      changed.back()[Pointer(place)].erase(key);
      names.push_back("without " + place + "/" + key);
    }
  };
  for (const char* place :
       {"", "/verdict", "/cases/0", "/cases/0/q", "/results/0", "/results/0/max_ulp_error",
        "/results/0/equality", "/controls/0", "/claims/0", "/reference", "/criteria"}) {
    without(place);
  }
  const std::vector<std::string> said = validated(changed);
  EXPECT_EQ(said[0], "ok");
  for (std::size_t i = 1; i < said.size(); ++i) EXPECT_NE(said[i], "ok") << names[i];
}

}  // namespace
}  // namespace normcert
