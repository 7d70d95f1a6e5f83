// normcert verify at level function through the real binary: the shipped captures of a trained
// model, right and with another epsilon, and what people do to captures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/schema_validator.hpp"
#include "cli/verify_run.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors.hpp"
#include "inference/stored_format.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;
using Codes = std::vector<std::string>;

const std::string kModel = "cases/models/stories260K";
const std::string kRightPort = "cases/captures/stories260K/right.safetensors";
const std::string kWrongPort = "cases/captures/stories260K/wrong_epsilon.safetensors";

Words port(const std::string& capture, const Words& more = {}) {
  Words words = {source_file(capture), "--config", source_file(kModel)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// How many results have equality.function `value`.
std::size_t results_with(const Json& report, const std::string& value) {
  std::size_t count = 0;
  for (const Json& result : report.at("results")) {
    count += result.at("equality").at("function") == value ? 1U : 0U;
  }
  return count;
}

void expect_valid(const Json& report) {
  if (!validator_is_there()) GTEST_SKIP() << "no python3-jsonschema";
  for (const std::string& said : validated(run_program({"schema", "verify"}).out,
                                           nlohmann::json::array({nlohmann::json(report)}))) {
    EXPECT_EQ(said, "ok");
  }
}

// The right port's capture with tensors changed, of every site.
using Change = std::function<void(const std::string& role, TensorView& tensor)>;

std::string changed(const EmptyFolder& folder, const Change& change) {
  const SafetensorsFile file = read_safetensors(source_file(kRightPort));
  std::vector<SafetensorsEntry> entries;
  for (const SafetensorsTensor& tensor : file.tensors) {
    entries.push_back({tensor.name, file.view(tensor)});
    change(tensor.name.substr(tensor.name.rfind('.') + 1), entries.back().tensor);
  }
  std::string path = (folder.path() / "changed.safetensors").string();
  write_capture(path, file.metadata, entries);
  return path;
}

TEST(VerifyFunction, TheRightPortComputesWhatIsDeclared) {
  const auto run = report_of(port(kRightPort, {"--require", "function"}));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.json.at("verdict").at("value"), "accepted");
  EXPECT_EQ(run.json.at("verdict").at("level"), "function");
  EXPECT_EQ(run.json.at("results").size(), 11U);
  EXPECT_EQ(results_with(run.json, "same"), 11U);
  const Json& function = run.json.at("function");
  EXPECT_EQ(function.at("rows"), 11 * 128);
  EXPECT_EQ(function.at("of"), 11 * 128);
  const Json& best = function.at("groups").at(0).at("survivors").at(0);
  EXPECT_EQ(best.at("placement"), "inside");
  EXPECT_EQ(best.at("epsilon").at("contains_declared"), "binary64");
  expect_valid(run.json);
}

TEST(VerifyFunction, ItIsTheDefaultWithoutLimits) {
  const ProgramResult asked =
      run_verify(port(kRightPort, {"--format", "json", "--reproducible", "--require", "function"}));
  const ProgramResult by_default =
      run_verify(port(kRightPort, {"--format", "json", "--reproducible"}));
  Json a = Json::parse(asked.out);
  Json b = Json::parse(by_default.out);
  a.erase("rerun");
  b.erase("rerun");
  EXPECT_TRUE(a == b);
  for (const Words& more :
       {Words{"--atol", "1"}, {"--require", "bits"}, {"--require", "rounding"}}) {
    EXPECT_FALSE(report_of(port(kRightPort, more)).json.contains("function")) << more.back();
  }
}

TEST(VerifyFunction, TheWrongEpsilonIsRejectedAndNamedWithAProof) {
  const auto run = report_of(port(kWrongPort, {"--require", "function"}));
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(reason_codes(run.json), Codes{"function"});
  EXPECT_EQ(results_with(run.json, "differs"), 11U);
  const Json& group = run.json.at("function").at("groups").at(0);
  EXPECT_EQ(group.at("outcome"), "impossible");
  EXPECT_EQ(group.at("survivors").at(0).at("epsilon").at("well_known"), Json({"1e-6"}));
  EXPECT_FALSE(group.at("declared_proof").at("steps").empty());
  EXPECT_LE(group.at("refuted").size(), 3U);
  expect_valid(run.json);

  const std::string text = run_verify(port(kWrongPort, {"--require", "function"})).out;
  EXPECT_TRUE(text.starts_with("REJECTED   at 11 sites")) << text;
  for (const char* said :
       {"epsilon 1e-05 inside the root is impossible", "epsilon 6.92e-07 .. 1.28e-06",
        "(1e-6 fits)", "redo it with a calculator", "the port wrote", "as hf.llama"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << " not in " << text;
  }
  const std::string markdown =
      run_verify(port(kWrongPort, {"--require", "function", "--format", "markdown"})).out;
  for (const char* said : {"## Which function the port computes", "## Proof", "6.92e-07"}) {
    EXPECT_NE(markdown.find(said), std::string::npos) << said;
  }
}

TEST(VerifyFunction, AnEpsilonAsOptionReplacesTheDeclaredOne) {
  // With 1e-6 these rows do not tell an epsilon outside the root from one inside it.
  const auto right =
      report_of({source_file(kWrongPort), "--epsilon", "1e-6", "--weight-offset", "0"});
  EXPECT_EQ(right.status, 3);
  EXPECT_EQ(reason_codes(right.json), Codes{"power"});
  EXPECT_EQ(right.json["results"][0]["equality"]["function"], "same");
  EXPECT_EQ(
      report_of({source_file(kRightPort), "--epsilon", "1e-6", "--weight-offset", "0"}).status, 1);
  // Nothing is declared: nothing is judged.
  const EmptyFolder folder;
  const std::string path = (folder.path() / "bare.safetensors").string();
  write_capture(path, {{"weight", "none"}, {"weight_offset", "0"}},
                {{"x", numbers(kRow)}, {"y", numbers(kRight)}});
  expect_verify_refused({path, "--require", "function"}, {"epsilon"});
}

// Once after the weight, where the source rounds before it and after: the same function.
TEST(VerifyFunction, AnotherRoundingIsTheSameFunction) {
  const EmptyFolder folder;
  const SafetensorsFile file = read_safetensors(source_file(kRightPort));
  std::vector<SafetensorsEntry> entries;
  Recipe recipe;
  recipe.name = "once";
  recipe.cast = CastPoint::kAfterWeight;
  for (const SafetensorsTensor& tensor : file.tensors) {
    entries.push_back({tensor.name, file.view(tensor)});
    if (!tensor.name.ends_with(".y")) continue;
    const std::string site = tensor.name.substr(0, tensor.name.size() - 1);
    BlockInput input{.x = file.view(*file.find(site + "x")),
                     .weight = file.view(*file.find(site + "weight"))};
    input.epsilon = 1e-5;
    const std::vector<std::size_t> shape = entries.back().tensor.shape;
    entries.back().tensor = emulate_block(recipe, input).y.share();
    entries.back().tensor.shape = shape;
  }
  const std::string path = (folder.path() / "once.safetensors").string();
  write_capture(path, file.metadata, entries);
  const Words words = {path, "--config", source_file(kModel)};
  const auto run = report_of(words);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(results_with(run.json, "same"), 11U);
  Words rounding = words;
  rounding.insert(rounding.end(), {"--require", "rounding"});
  EXPECT_EQ(report_of(rounding).status, 1);
}

TEST(VerifyFunction, Float32DumpsAreJudgedInTheirFormat) {
  const EmptyFolder folder;
  const std::string path = changed(folder, [](const std::string&, TensorView& tensor) {
    tensor = held(stored_as(tensor, kFp32));
  });
  const auto run = report_of({path, "--config", source_file(kModel)});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(results_with(run.json, "same"), 11U);
  EXPECT_EQ(run.json.at("findings").at(0).at("rule"), "stored-wider");
  EXPECT_EQ(run.json.at("results").at(0).at("dtype"), "bf16");
  // In bits as well: 90 111 of 90 112, as the port's own bf16.
  const auto rounding = report_of({path, "--config", source_file(kModel), "--require", "rounding"});
  EXPECT_EQ(rounding.status, 0);
  std::uint64_t equal = 0;
  for (const Json& result : rounding.json.at("results")) {
    equal += result.at("equality").at("bits").at("equal").get<std::uint64_t>();
  }
  EXPECT_EQ(equal, 90111U);
}

TEST(VerifyFunction, RowsThatDoNotBelongTogetherAreNeverRejected) {
  const EmptyFolder folder;
  const std::string path = changed(folder, [](const std::string& role, TensorView& x) {
    if (role != "x") return;
    Tensor turned(*x.format, x.rows, x.width);
    for (std::size_t row = 0; row < x.rows; ++row) {
      for (std::size_t i = 0; i < x.width; ++i) turned.set(row, i, x.at((row + 1) % x.rows, i));
    }
    x = std::move(turned).share();
  });
  const auto run = report_of({path, "--config", source_file(kModel)});
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(reason_codes(run.json), Codes{"not-a-pair"});
  expect_valid(run.json);
}

// What real kernels gave: those that compute RMSNorm, in whatever order and rounding, are accepted;
// those with epsilon elsewhere, and those that keep the statistic in 16 bits, are not.
TEST(VerifyFunction, CapturesOfRealKernels) {
  std::size_t accepted = 0;
  std::size_t other = 0;
  std::size_t imprecise = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_file("tests/data/captures"))) {
    const std::string name = entry.path().filename().string();
    const std::string folder = entry.path().parent_path().filename().string();
    // Those of eps_none declare no epsilon.
    if (entry.path().extension() != ".safetensors" || name.find("eps_none") != std::string::npos) {
      continue;
    }
    const bool wrong = name.starts_with("wrong.");
    const bool low = name.find("lowp") != std::string::npos && !folder.starts_with("fp32");
    // Ordinary rows alone, whose mean square is far above epsilon: nothing of it is shown.
    const bool blind = name.find("_fused") != std::string::npos || name.find("kernel.triton.") == 0;
    // The power of all others would take the sanitizers minutes.
    const auto run =
        report_of({entry.path().string(), "--no-hash", "--power", blind ? "sample" : "off"});
    EXPECT_EQ(run.status, wrong || low ? 1 : blind ? 3 : 0) << entry.path();
    if (blind) {
      EXPECT_EQ(reason_codes(run.json), Codes{"power"}) << entry.path();
    }
    const Json& y = run.json.at("results").at(0);
    EXPECT_EQ(y.at("equality").at("function"), wrong || low ? "differs" : "same") << entry.path();
    if (wrong || low) {
      const Codes codes = reason_codes(run.json);
      EXPECT_NE(std::ranges::find(codes, wrong ? "function" : "precision"), codes.end())
          << entry.path();
    }
    (wrong ? other : low ? imprecise : accepted) += 1;
  }
  EXPECT_EQ(accepted, 92U);
  EXPECT_EQ(other, 14U);
  EXPECT_EQ(imprecise, 12U);
}

TEST(VerifyFunction, APartOfARunIsRefused) {
  expect_verify_refused(port(kRightPort, {"--part", "1/2"}),
                        {"--part: found 1/2", "level function"});
  expect_verify_refused(port(kRightPort, {"--part", "1/2", "--require", "function"}),
                        {"--part: found 1/2", "--require rounding or bits"});
}

// Its groups are those of diagnose: what both schemas define by one name is one thing.
TEST(VerifyFunction, ItsSchemaKeepsPaceWithThatOfDiagnose) {
  const Json verify = Json::parse(run_program({"schema", "verify"}).out).at("$defs");
  const Json diagnose = Json::parse(run_program({"schema", "diagnose"}).out).at("$defs");
  std::size_t shared = 0;
  for (const auto& [name, definition] : diagnose.items()) {
    if (name == "result" || !verify.contains(name)) continue;  // of a site, of a subject
    EXPECT_TRUE(verify.at(name) == definition) << name;
    ++shared;
  }
  EXPECT_GE(shared, 16U);
}

TEST(VerifyFunction, ThreadsChangeNothing) {
  const Words more = {"--format", "json", "--reproducible", "--threads"};
  Words one = port(kWrongPort, more);
  one.emplace_back("1");
  Words three = port(kWrongPort, more);
  three.emplace_back("3");
  EXPECT_EQ(run_verify(one).out, run_verify(three).out);
}

}  // namespace
}  // namespace normcert
