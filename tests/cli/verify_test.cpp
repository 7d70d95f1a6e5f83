// normcert verify through the real program: verdicts and exit statuses on data whose exact results
// are known by hand, the published statements, the worked example.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "cli/verify_run.hpp"

namespace normcert {
namespace {

using Codes = std::vector<std::string>;

class Verify : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  EmptyFolder folder_;
};

TEST_F(Verify, AcceptedIsZero) {
  write_right(at("a.safetensors"));
  const auto [status, report] = report_of({at("a.safetensors"), "--max-ulp", "0"});
  EXPECT_EQ(status, 0);
  EXPECT_EQ(report["verdict"]["value"], "accepted");
  EXPECT_EQ(report["verdict"]["level"], "tolerance");
  ASSERT_EQ(report["results"].size(), 1U);
  const auto& result = report["results"][0];
  EXPECT_EQ(result["candidate"], "observed");
  EXPECT_EQ(result["role"], "observed");
  EXPECT_EQ(result["case"], "a");
  EXPECT_EQ(result["compared"], 2);
  EXPECT_EQ(result["max_abs_error"]["value"], 0);
  EXPECT_EQ(report["cases"][0]["q"]["min"], 25);
  EXPECT_EQ(report["cases"][0]["attenuation"]["max"], 0.625);
}

TEST_F(Verify, RejectedIsOne) {
  write_wrong(at("a.safetensors"));
  const auto [status, report] = report_of({at("a.safetensors"), "--max-ulp", "1"});
  EXPECT_EQ(status, 1);
  EXPECT_EQ(reason_codes(report), Codes{"max_ulp"});
  const auto& worst = report["results"][0]["max_abs_error"];
  EXPECT_EQ(worst["row"], 0);
  EXPECT_EQ(worst["index"], 1);
  EXPECT_EQ(worst["x"], "0x1.cp+2");
  EXPECT_EQ(worst["got"], "0x1.ccccccp-1");
  EXPECT_EQ(worst["exact"], "8.750000000000000000000000000000000000000e-01");
  EXPECT_EQ(worst["value"].get<double>(), static_cast<double>(0.9F) - 0.875);
}

TEST_F(Verify, InconclusiveIsThreeUnlessThatIsAllowed) {
  // No limits, and not the exact result with one rounding: not decided.
  write_wrong(at("a.safetensors"));
  EXPECT_EQ(reason_codes(report_of({at("a.safetensors")}).json), Codes{"function"});
  EXPECT_EQ(run_verify({at("a.safetensors")}).status, 3);
  EXPECT_EQ(run_verify({at("a.safetensors"), "--allow-inconclusive"}).status, 0);
  EXPECT_EQ(run_verify({at("a.safetensors"), "--allow-inconclusive", "--max-ulp", "1"}).status, 1);
  write_right(at("a.safetensors"));
  EXPECT_EQ(run_verify({at("a.safetensors")}).status, 0);
}

TEST_F(Verify, UnreadableIsTwo) {
  expect_verify_refused({}, {"nothing to verify"});
  expect_verify_refused({at("none.safetensors")}, {"none.safetensors", "no file of this name"});
  write_text(at("bad.safetensors"), "not a capture at all");
  expect_verify_refused({at("bad.safetensors")}, {"bad.safetensors"});
  write_right(at("a.safetensors"));
  for (const char* option : {"--atol", "--rtol", "--max-ulp"}) {
    for (const char* value : {"-1", "nan", "inf", "x", "1e999", ""}) {
      expect_verify_refused(
          {at("a.safetensors"), option, value},
          {std::string(option) + ": found " + (*value == '\0' ? "an empty value" : value)});
    }
  }
  expect_verify_refused({at("a.safetensors"), "--require", "bit"},
                        {"--require: found bit", "bits"});
  expect_verify_refused({at("a.safetensors"), "--candidate", "hf.lama"}, {"hf.lama", "hf.llama"});
  expect_verify_refused({at("a.safetensors"), "--mutant", "nothing*"}, {"nothing*"});
  expect_verify_refused({at("a.safetensors"), "--source", "hf.lama"}, {"hf.lama", "hf.llama"});
}

TEST_F(Verify, AConfigAloneIsNeverAccepted) {
  const std::string config = source_file("tests/data/models/llama3.1-8b.json");
  for (const char* format : {"text", "json", "markdown"}) {
    const ProgramResult result = run_verify({"--config", config, "--format", format});
    EXPECT_EQ(result.status, 3) << format;
    EXPECT_EQ(result.out.find("accepted"), std::string::npos) << format;
    EXPECT_EQ(result.out.find("ACCEPTED"), std::string::npos) << format;
  }
  const auto [status, report] = report_of({"--config", config});
  EXPECT_EQ(reason_codes(report), Codes{"nothing_observed"});
  EXPECT_EQ(report["coverage"]["sites_in_model"], 65);
  EXPECT_EQ(report["coverage"]["judged"], 0);
  EXPECT_EQ(report["coverage"]["not_judged"].size(), 65U);
  EXPECT_TRUE(report["results"].empty());
  EXPECT_EQ(report["model"]["sites"][0]["epsilon"]["text"], "1e-05");
}

TEST_F(Verify, WorkedExample) {
  const Words words = {"--dim",       "512",      "--dtype", "bf16", "--epsilon", "1e-6",
                       "--candidate", "hf.llama", "--atol",  "1e-2", "--rtol",    "1e-2"};
  const auto [status, report] = report_of(words);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(report["verdict"]["value"], "accepted");
  ASSERT_EQ(report["model"]["sites"].size(), 1U);
  EXPECT_EQ(report["model"]["sites"][0]["name"], "norm");
  EXPECT_EQ(report["model"]["sites"][0]["dim"], 512);
  EXPECT_EQ(report["model"]["sites"][0]["weight_offset"], "0");
  EXPECT_EQ(report["results"].size(), report["cases"].size());
  std::size_t measured = 0;
  for (const auto& result : report["results"]) {
    EXPECT_EQ(result["role"], "candidate");
    EXPECT_EQ(result["candidate"], "hf.llama");
    EXPECT_EQ(result["dtype"], "bf16");
    EXPECT_EQ(result["compared"], result["expected"]);
    if (!result["judged"].get<bool>()) ++measured;
  }
  EXPECT_EQ(measured, 2U);  // beyond_range and amplitude
  // The same rows catch a wrong place of epsilon.
  const auto wrong =
      report_of({"--dim", "512", "--dtype", "bf16", "--epsilon", "1e-6", "--candidate",
                 "wrong.epsilon_outside", "--atol", "1e-2", "--rtol", "1e-2"});
  EXPECT_EQ(wrong.status, 1);
}

TEST_F(Verify, EveryPublishedStatementHolds) {
  const auto [status, report] =
      report_of({"--cases", source_file("cases/claims"), "--candidate", "reference.rounded"});
  EXPECT_EQ(status, 0);
  std::vector<int> numbers;
  for (const auto& claim : report["claims"]) {
    EXPECT_TRUE(claim["holds"].get<bool>()) << claim["file"];
    numbers.push_back(claim["number"]);
  }
  for (int number = 1; number <= 8; ++number) {
    EXPECT_NE(std::ranges::find(numbers, number), numbers.end()) << number;
  }
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  for (const auto& result : report["results"]) {
    EXPECT_EQ(result["correctly_rounded"], result["expected"]) << result["case"];
  }
}

// Claim 3: adding epsilon to the root gives 0.999 instead of 0.707, both finite.
TEST_F(Verify, EpsilonOutsideTheRootIsRejected) {
  const std::string cases = source_file("cases/claims/03_inside_or_outside.json");
  const auto [status, report] =
      report_of({"--cases", cases, "--candidate", "wrong.epsilon_outside", "--atol", "1e-3"});
  EXPECT_EQ(status, 1);
  const auto& first = report["results"][0];
  EXPECT_EQ(first["case"], "published-digits");
  EXPECT_EQ(first["verdict"], "rejected");
  EXPECT_EQ(first["non_finite"]["got"], 0);
  EXPECT_NEAR(first["max_abs_error"]["value"].get<double>(), 0.999001 - 0.707107, 1e-6);
  const ProgramResult right =
      run_verify({"--cases", cases, "--candidate", "reference.rounded", "--atol", "1e-3"});
  EXPECT_EQ(right.status, 0);
}

// Claim 5: 1e200 squared overflows binary64; a kernel that squares gives 0 instead of 1.
TEST_F(Verify, ADirectSquareFailsOnHugeRows) {
  const std::string cases = source_file("cases/claims/05_zero_and_huge.json");
  const auto [status, report] =
      report_of({"--cases", cases, "--candidate", "naive.fp64", "--max-ulp", "1"});
  EXPECT_EQ(status, 0);  // as the file expects
  EXPECT_TRUE(report["claims"][0]["holds"].get<bool>());
  std::size_t rejected = 0;
  for (const auto& result : report["results"]) {
    if (result["as_expected"].is_null()) continue;
    EXPECT_TRUE(result["as_expected"].get<bool>()) << result["case"];
    if (result["verdict"] == "rejected") ++rejected;
  }
  EXPECT_EQ(rejected, 3U);
  // A limit that hides it: the file's expectation does not hold, and that is said.
  const auto wide = report_of({"--cases", cases, "--candidate", "naive.fp64", "--atol", "2"});
  EXPECT_EQ(wide.status, 1);
  EXPECT_EQ(reason_codes(wide.json), Codes{"unexpected"});
  EXPECT_FALSE(wide.json["claims"][0]["holds"].get<bool>());
}

TEST_F(Verify, ExpectedNumbersThatDoNotHoldAreRejected) {
  write_text(at("c.json"), R"({"schema": "normcert/cases/1", "cases": [
    {"id": "two", "class": "custom", "dtype": "fp64", "epsilon": 39, "x": [[1, 7]],
     "expect": {"y": [["0.125", "0.876"]]}}]})");
  const auto [status, report] =
      report_of({"--cases", at("c.json"), "--candidate", "reference.rounded"});
  EXPECT_EQ(status, 1);
  EXPECT_EQ(reason_codes(report), Codes{"unexpected"});
  const auto& failure = report["cases"][0]["expectation"]["failures"][0];
  EXPECT_EQ(failure["expected"], "0.876");
  EXPECT_NE(failure["place"].get<std::string>().find("expect.y[0][1], line 3"), std::string::npos)
      << failure;
}

TEST_F(Verify, RowsOfNanAreNeverAccepted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_capture(at("some.safetensors"), complete_metadata(),
                {{"x", numbers({{1, 7}, {nan, 7}})}, {"y", numbers({{0.125, 0.875}, {5, 5}})}});
  const auto some = report_of({at("some.safetensors"), "--max-ulp", "1"});
  EXPECT_EQ(some.status, 3);
  EXPECT_EQ(reason_codes(some.json), Codes{"non_finite"});
  EXPECT_EQ(some.json["results"][0]["compared"], 2);
  EXPECT_EQ(some.json["results"][0]["expected"], 4);
  write_capture(at("all.safetensors"), complete_metadata(),
                {{"x", numbers({{nan, 7}})}, {"y", numbers({{5, 5}})}});
  const auto all = report_of({at("all.safetensors"), "--max-ulp", "1"});
  EXPECT_EQ(all.status, 3);
  EXPECT_EQ(reason_codes(all.json), Codes{"nothing_compared"});
  write_capture(
      at("weight.safetensors"), {{"epsilon", "39"}, {"weight_offset", "0"}},
      {{"x", numbers({{1, 7}})}, {"y", numbers({{5, 5}})}, {"weight", weights({1, nan})}});
  expect_verify_refused({at("weight.safetensors"), "--max-ulp", "1"}, {"weight[1] = nan"});
}

TEST_F(Verify, OutputsThatAreNotFiniteAreRejectedUnderAnyLimit) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double wrong : {inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    write_capture(at("a.safetensors"), complete_metadata(),
                  {{"x", numbers(kRow)}, {"y", numbers({{0.125, wrong}})}});
    const auto [status, report] =
        report_of({at("a.safetensors"), "--atol", "1e300", "--rtol", "1e300"});
    EXPECT_EQ(status, 1);
    EXPECT_EQ(reason_codes(report), (Codes{"non_finite", "tolerance"}));
    const auto& first = report["results"][0]["non_finite"]["first"];
    EXPECT_EQ(first["row"], 0);
    EXPECT_EQ(first["index"], 1);
    EXPECT_EQ(first["rounded"], "0x1.cp-1");
    const std::string bits = std::isnan(wrong) ? "7fc00000" : wrong > 0 ? "7f800000" : "ff800000";
    EXPECT_EQ(first["bits"], bits);
    const std::string text = report["verdict"]["reasons"][0]["text"];
    EXPECT_NE(text.find("the first, row 0, element 1: got " + first["got"].get<std::string>() +
                        " (bits " + bits + "), the exact result rounds to 0x1.cp-1"),
              std::string::npos)
        << text;
  }
}

TEST_F(Verify, ARealCaptureOfARealModel) {
  const Words words = {source_file("cases/captures/stories260K/right.safetensors"), "--config",
                       source_file("cases/models/stories260K")};
  Words with_limits = words;
  with_limits.insert(with_limits.end(), {"--atol", "1e-5", "--rtol", "1.6e-2"});
  const auto [status, report] = report_of(with_limits);
  // These limits would pass an epsilon wrong by a factor of ten as well.
  EXPECT_EQ(status, 3);
  EXPECT_EQ(reason_codes(report), Codes{"power"});
  EXPECT_EQ(report["coverage"]["judged"], 11);
  EXPECT_EQ(report["coverage"]["sites_in_model"], 11);
  EXPECT_EQ(report["results"].size(), 11U);
}

}  // namespace
}  // namespace normcert
