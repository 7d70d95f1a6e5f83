// normcert diagnose through the real binary: the shipped captures of a trained model, and the same
// captures with the mistakes that people make.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/diagnose_run.hpp"
#include "cli/schema_validator.hpp"
#include "formats/safetensors.hpp"
#include "inference/stored_format.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

const std::string kStories = "cases/captures/stories260K/";

Words stories(const std::string& capture) {
  return {source_file(kStories + capture), "--config", source_file("cases/models/stories260K")};
}

// The right port's tensors, changed and written again.
class Changed {
 public:
  Changed() : file_(read_safetensors(source_file(kStories + "right.safetensors"))) {
    for (const SafetensorsTensor& tensor : file_.tensors) {
      entries_.push_back({tensor.name, file_.view(tensor)});
    }
  }

  [[nodiscard]] TensorView& at(const std::string& name) {
    for (SafetensorsEntry& entry : entries_) {
      if (entry.name == name) return entry.tensor;
    }
    throw std::out_of_range(name);
  }
  void each(const std::string& role, const std::function<void(TensorView&)>& change) {
    for (SafetensorsEntry& entry : entries_) {
      if (entry.name.ends_with("." + role)) change(entry.tensor);
    }
  }
  void remove(const std::string& role) {
    std::erase_if(entries_,
                  [&](const SafetensorsEntry& entry) { return entry.name.ends_with("." + role); });
  }
  [[nodiscard]] Words write(const EmptyFolder& folder) const {
    const std::string path = (folder.path() / "changed.safetensors").string();
    write_capture(path, file_.metadata, entries_);
    return {path, "--config", source_file("cases/models/stories260K")};
  }

 private:
  SafetensorsFile file_;
  std::vector<SafetensorsEntry> entries_;
};

constexpr const char* kFirst = "model.layers.0.input_layernorm";

// One element one code further from zero.
void push(TensorView& tensor, std::size_t row, std::size_t index) {
  Tensor copy(*tensor.format, tensor.rows, tensor.width);
  copy.bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
  Code code = copy.at(row, index);
  ++code.bits;
  copy.set(row, index, code);
  const std::vector<std::size_t> shape = tensor.shape;
  tensor = std::move(copy).share();
  tensor.shape = shape;
}

const Json* hypothesis(const Json& list, const std::string& statistic,
                       const std::string& placement) {
  for (const Json& one : list) {
    if (one.at("statistic") == statistic && one.at("placement") == placement) return &one;
  }
  return nullptr;
}

double number(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

TEST(Diagnose, TheRightPortIsExplainedAndTheDeclaredEpsilonFits) {
  const Json report = diagnosed(0, stories("right.safetensors"));
  EXPECT_EQ(report.at("verdict").at("value"), "explained");
  EXPECT_EQ(report.at("declared").at("outcome"), "fits");
  EXPECT_EQ(report.at("declared").at("from"), "config key rms_norm_eps");
  const Json& best = report.at("survivors").at(0);
  EXPECT_EQ(best.at("statistic"), "mean_square");
  EXPECT_EQ(best.at("placement"), "inside");
  EXPECT_EQ(best.at("rounding"), "before_weight");
  EXPECT_EQ(best.at("epsilon").at("contains_declared"), "binary64");
  EXPECT_EQ(best.at("epsilon").at("well_known"), Json({"1e-5"}));
  EXPECT_LT(number(best.at("epsilon").at("low")), 1e-5);
  EXPECT_GT(number(best.at("epsilon").at("low")), 1e-6);
  EXPECT_LT(number(best.at("epsilon").at("high")), 2e-5);
  bool named = false;
  for (const Json& name : best.at("recipes")) named = named || name == "hf.llama";
  EXPECT_TRUE(named);
  const Json* const outside = hypothesis(report.at("refuted"), "mean_square", "outside");
  ASSERT_NE(outside, nullptr);
  EXPECT_GT(number(outside->at("least_slack")),
            number(outside->at("slack_bounds").at("any_order")));
  EXPECT_EQ(report.at("sites").size(), 11U);
}

TEST(Diagnose, TheWrongPortCannotHaveUsedTheDeclaredEpsilon) {
  const Json report = diagnosed(1, stories("wrong_epsilon.safetensors"));
  EXPECT_EQ(report.at("verdict").at("value"), "explained");
  EXPECT_EQ(report.at("declared").at("outcome"), "impossible");
  const Json& best = report.at("survivors").at(0);
  EXPECT_EQ(best.at("epsilon").at("well_known"), Json({"1e-6"}));
  EXPECT_EQ(best.at("epsilon").at("contains_declared"), "no");
  EXPECT_GT(number(best.at("slack_of_declared")),
            20 * number(report.at("slack_bounds").at("any_order")));
  const Json* const outside = hypothesis(report.at("survivors"), "mean_square", "outside");
  ASSERT_NE(outside, nullptr);
  EXPECT_EQ(outside->at("status"), "implausible");
  std::size_t impossible = 0;
  for (const Json& site : report.at("sites")) {
    impossible += site.at("result").at("outcome") == "impossible" ? 1U : 0U;
  }
  EXPECT_EQ(impossible, 7U);
}

TEST(Diagnose, AnEpsilonAsOptionIsEnough) {
  EXPECT_EQ(run_diagnose({source_file(kStories + "right.safetensors"), "--epsilon", "1e-5"}).status,
            0);
  const Json report =
      diagnosed(1, {source_file(kStories + "wrong_epsilon.safetensors"), "--epsilon", "1e-5"});
  EXPECT_EQ(report.at("declared").at("from"), "option --epsilon");
  EXPECT_EQ(report.at("sites").at(0).at("weight_offset"), nullptr);
  EXPECT_EQ(report.at("survivors").at(0).at("weight_offset"), "0");
  EXPECT_EQ(run_diagnose({source_file(kStories + "wrong_epsilon.safetensors"), "--epsilon", "1e-6"})
                .status,
            0);
}

TEST(Diagnose, ThreadsChangeNothing) {
  Words words = stories("wrong_epsilon.safetensors");
  words.insert(words.end(), {"--format", "json", "--reproducible", "--threads"});
  Words one = words;
  one.emplace_back("1");
  Words three = words;
  three.emplace_back("3");
  EXPECT_EQ(run_diagnose(one).out, run_diagnose(three).out);
}

TEST(Diagnose, TheProofRunsAndPrintsTheContradiction) {
  const EmptyFolder folder;
  const std::string report = (folder.path() / "report.json").string();
  const std::string program = (folder.path() / "proof.py").string();
  Words words = stories("wrong_epsilon.safetensors");
  words.insert(words.end(), {"--report", report});
  EXPECT_EQ(run_diagnose(words).status, 1);
  std::size_t ran = 0;
  for (const std::string number : {"1", "2", "5", "9"}) {
    const ProgramResult proof = run_program({"report", "proof", report, "--number", number});
    ASSERT_EQ(proof.status, 0) << proof.err;
    write_text(program, proof.out);
    const std::string line =
        "/usr/bin/python3 '" + program + "' > '" + (folder.path() / "said").string() + "' 2>&1";
    const int status = std::system(line.c_str());
    const std::string said = read_whole_file(folder.path() / "said");
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << said << proof.out;
    EXPECT_NE(said.find("was written, but r gives"), std::string::npos) << said;
    if (number == "1") {
      EXPECT_NE(said.find("this epsilon is impossible"), std::string::npos) << said;
      EXPECT_NE(proof.out.find("the port wrote"), std::string::npos);
    }
    ++ran;
  }
  EXPECT_EQ(ran, 4U);
  EXPECT_EQ(run_program({"report", "proof", report, "--number", "100000"}).status, 2);
  EXPECT_EQ(run_program({"report", "proof", source_file("README.md")}).status, 2);
}

TEST(Diagnose, TextSaysTheVerdictFirst) {
  const std::string text = run_diagnose(stories("wrong_epsilon.safetensors")).out;
  EXPECT_TRUE(
      text.starts_with("EXPLAINED   the port does not use the declared epsilon: 1e-05 is "
                       "impossible at 7 of 11 norms\n"))
      << text;
  for (const char* said : {"(1e-6 fits)", "hf.llama", "proven bounds: 17 u", "the port wrote",
                           "explained  declared impossible  11 of 11 sites  exit 1\n"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said;
  }
  Words words = stories("wrong_epsilon.safetensors");
  words.insert(words.end(), {"--format", "markdown"});
  const std::string markdown = run_diagnose(words).out;
  EXPECT_TRUE(markdown.starts_with("# EXPLAINED: what this port computes\n")) << markdown;
  for (const char* said : {"## Proof", "from math import", "| implausible |", "## Definitions"}) {
    EXPECT_NE(markdown.find(said), std::string::npos) << said;
  }
}

TEST(Diagnose, OneStrayElementIsCountedAndChangesNoSurvivor) {
  const EmptyFolder folder;
  Changed changed;
  push(changed.at(std::string(kFirst) + ".y"), 54, 44);
  const Json report = diagnosed(3, changed.write(folder));
  EXPECT_EQ(report.at("declared").at("outcome"), "fits");
  const Json& best = report.at("survivors").at(0);
  EXPECT_EQ(best.at("placement"), "inside");
  EXPECT_EQ(best.at("strays"), 1);
  EXPECT_EQ(best.at("stray_elements").at(0), Json({{"site", kFirst}, {"row", 54}, {"index", 44}}));
  EXPECT_NE(report.at("headline").get<std::string>().find("1 stray element"), std::string::npos);
}

// The one element on which the lower end rests, pushed over its tie: only a sum in bf16 could
// excuse that, which says nothing of the declaration.
TEST(Diagnose, AnExcuseForEverythingIsNoFit) {
  const EmptyFolder folder;
  Changed changed;
  push(changed.at(std::string(kFirst) + ".y"), 54, 45);
  const Json report = diagnosed(3, changed.write(folder));
  EXPECT_NE(report.at("verdict").at("value"), "unexplained");
}

TEST(Diagnose, ASiteThatIsNoCaptureIsNotJudged) {
  const EmptyFolder folder;
  Changed changed;
  changed.at(std::string(kFirst) + ".x") = changed.at(std::string(kFirst) + ".y");
  const Json report = diagnosed(3, changed.write(folder));
  EXPECT_EQ(report.at("declared").at("outcome"), "fits");
  EXPECT_EQ(report.at("sites").at(0).at("not_judged").at(0).at("code"), "input-overwritten");
  EXPECT_EQ(report.at("sites").at(0).at("result"), nullptr);
  EXPECT_EQ(report.at("groups").at(0).at("sites").size(), 10U);
  EXPECT_EQ(reason_codes(report), std::vector<std::string>{"input-overwritten"});
}

TEST(Diagnose, NothingIsJudgedWhereNoSiteIsLeft) {
  const EmptyFolder folder;
  Changed changed;
  changed.each("x", [](TensorView& x) {
    Tensor turned(*x.format, x.rows, x.width);
    for (std::size_t row = 0; row < x.rows; ++row) {
      for (std::size_t i = 0; i < x.width; ++i) turned.set(row, i, x.at((row + 1) % x.rows, i));
    }
    x = std::move(turned).share();
  });
  const ProgramResult result = run_diagnose(changed.write(folder));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("not-a-pair"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("the rows are shifted"), std::string::npos) << result.err;
}

TEST(Diagnose, Float32DumpsAreJudgedInTheirFormat) {
  const EmptyFolder folder;
  Changed changed;
  for (const char* role : {"x", "y", "weight"}) {
    changed.each(role, [](TensorView& tensor) { tensor = held(stored_as(tensor, kFp32)); });
  }
  const Words words = changed.write(folder);
  const Json report = diagnosed(0, words);
  EXPECT_EQ(report.at("sites").at(0).at("dtype"), "bf16");
  EXPECT_EQ(report.at("sites").at(0).at("stored_as"), "fp32");
  EXPECT_NE(report.at("headline").get<std::string>().find("fp32 dumps judged as bf16"),
            std::string::npos);
  EXPECT_EQ(report.at("survivors").at(0).at("epsilon").at("well_known"), Json({"1e-5"}));
  Words stated = words;
  stated.insert(stated.end(), {"--dtype-of", "x=fp32,y=fp32,weight=fp32"});
  EXPECT_EQ(diagnosed(3, stated).at("sites").at(0).at("dtype"), "fp32");
}

TEST(Diagnose, OutputsAloneSayWhereEpsilonBites) {
  const EmptyFolder folder;
  Changed changed;
  changed.remove("x");
  const Json report = diagnosed(3, changed.write(folder));
  EXPECT_EQ(report.at("verdict").at("value"), "ambiguous");
  EXPECT_EQ(report.at("declared").at("outcome"), "undecided");
  EXPECT_EQ(reason_codes(report), std::vector<std::string>{"no-input"});
  EXPECT_EQ(report.at("sites").at(0).at("outputs_only").at("immaterial_rows"), 128);
}

TEST(Diagnose, WhatDeclaresNothingIsNotJudged) {
  const Json report = diagnosed(
      0, {source_file("tests/data/captures/bf16-n64/torch.F_rms_norm.eps_none.cpu.safetensors")});
  EXPECT_EQ(report.at("declared").at("outcome"), "not-declared");
  EXPECT_NE(report.at("headline").get<std::string>().find("nothing was declared"),
            std::string::npos);
  EXPECT_EQ(report.at("survivors").at(0).at("epsilon").at("well_known"), Json({"eps(fp32)"}));
}

TEST(Diagnose, WrongUsage) {
  const auto refused = [](Words words, const std::string& said) {
    const ProgramResult result = run_diagnose(std::move(words));
    EXPECT_EQ(result.status, 2) << said;
    EXPECT_EQ(result.out, "") << said;
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
  };
  const std::string right = source_file(kStories + "right.safetensors");
  refused({}, "nothing to diagnose");
  refused({right, "--against", "other.safetensors"}, "--against");
  refused({right, "--dtype-of", "x=bf61"}, "x=bf61");
  refused({right, "--dtype-of", "z=bf16"}, "z=bf16");
  refused({right, "--report", right + ".xml"}, ".xml");
  refused({"--cases", "standard", "--dim", "8", "--dtype", "bf16", "--epsilon", "1e-6"},
          "missing_output");
}

TEST(Diagnose, ReportsAreValid) {
  const EmptyFolder folder;
  std::vector<Json> reports;
  reports.push_back(diagnosed(0, stories("right.safetensors")));
  reports.push_back(diagnosed(1, stories("wrong_epsilon.safetensors")));
  {
    Changed changed;
    changed.remove("x");
    reports.push_back(diagnosed(3, changed.write(folder)));
  }
  {
    Changed changed;
    push(changed.at(std::string(kFirst) + ".y"), 3, 5);
    changed.at("model.norm.x") = changed.at("model.norm.y");
    reports.push_back(diagnosed(3, changed.write(folder)));
  }
  {
    Changed changed;
    changed.each("y", [](TensorView& y) {
      Tensor zeros(*y.format, y.rows, y.width);
      y = std::move(zeros).share();
    });
    reports.push_back(diagnosed(3, changed.write(folder)));
  }
  ASSERT_TRUE(validator_is_there());
  for (const char* schema : {"diagnose", "report"}) {
    const std::vector<std::string> said =
        validated(run_program({"schema", schema}).out, nlohmann::json(reports));
    for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i], "ok") << schema << ' ' << i;
  }
  // The schema refuses what is no report.
  nlohmann::json broken = nlohmann::json(reports.front());
  broken["declared"]["outcome"] = "perhaps";
  broken["survivors"][0]["least_slack"] = "much";
  nlohmann::json lacking = nlohmann::json(reports.front());
  lacking.erase("groups");
  for (const std::string& said : validated(run_program({"schema", "diagnose"}).out,
                                           nlohmann::json::array({broken, lacking}))) {
    EXPECT_NE(said, "ok");
  }
}

}  // namespace
}  // namespace normcert
