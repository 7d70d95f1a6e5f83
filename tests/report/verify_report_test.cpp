// Reports of verify from outcomes written down by hand: status, order of keys, what is null.
#include "report/verify_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "numeric/decimal.hpp"
#include "report/json_writer.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

VerifyReport one_result(VerdictValue verdict) {
  VerifyReport report;
  report.level = Level::kTolerance;
  report.criteria.max_ulp = 1;
  report.outcome.verdict = verdict;
  if (verdict != VerdictValue::kAccepted) {
    report.outcome.reasons = {{"max_ulp", "why", "", "observed"}};
  }
  CaseSummary& summary = report.outcome.cases.emplace_back();
  summary.id = "case";
  summary.dtype = "fp32";
  summary.epsilon_text = "39";
  summary.epsilon = 39;
  summary.rows = 1;
  summary.dim = 2;
  SubjectResult& result = report.outcome.results.emplace_back();
  result.candidate = "observed";
  result.dtype = "fp32";
  result.verdict = verdict;
  result.comparison.expected = 2;
  result.comparison.compared = 2;
  return report;
}

Json json_of(const VerifyReport& report) {
  Envelope envelope;
  envelope.kind = "verify";
  envelope.rerun = "normcert verify";
  envelope.reproducible = true;
  return verify_report_json(envelope, report);
}

TEST(VerifyReport, ExitStatus) {
  EXPECT_EQ(json_of(one_result(VerdictValue::kAccepted))["exit_status"], 0);
  EXPECT_EQ(json_of(one_result(VerdictValue::kRejected))["exit_status"], 1);
  VerifyReport inconclusive = one_result(VerdictValue::kInconclusive);
  EXPECT_EQ(json_of(inconclusive)["exit_status"], 3);
  inconclusive.allow_inconclusive = true;
  EXPECT_EQ(json_of(inconclusive)["exit_status"], 0);
  EXPECT_EQ(json_of(inconclusive)["verdict"]["value"], "inconclusive");
  VerifyReport rejected = one_result(VerdictValue::kRejected);
  rejected.allow_inconclusive = true;
  EXPECT_EQ(json_of(rejected)["exit_status"], 1);
}

TEST(VerifyReport, KeysAreInTheirOrder) {
  EXPECT_EQ(keys_of(json_of(one_result(VerdictValue::kAccepted))),
            (std::vector<std::string>{
                "schema",      "kind",      "verdict",   "exit_status", "tool",    "rerun",
                "inputs",      "overrides", "findings",  "headline",    "model",   "coverage",
                "definitions", "criteria",  "reference", "cases",       "results", "controls",
                "refused",     "claims",    "power",     "not_tested"}));
}

TEST(VerifyReport, WhatIsNotKnownIsNull) {
  const Json json = json_of(one_result(VerdictValue::kRejected));
  EXPECT_TRUE(json["model"].is_null());
  EXPECT_TRUE(json["coverage"].is_null());
  EXPECT_TRUE(json["criteria"]["tolerance"].is_null());
  const Json& result = json["results"][0];
  for (const char* key :
       {"site", "max_abs_error", "max_rel_error", "max_ulp_error", "as_expected"}) {
    EXPECT_TRUE(result.at(key).is_null()) << key;
  }
  const Json& summary = json["cases"][0];
  for (const char* key : {"site", "file", "sha256", "q", "q_over_epsilon", "attenuation",
                          "weight_dtype", "expectation"}) {
    EXPECT_TRUE(summary.at(key).is_null()) << key;
  }
  const Json& reason = json["verdict"]["reasons"][0];
  EXPECT_TRUE(reason["site"].is_null());
  EXPECT_EQ(reason["candidate"], "observed");
}

TEST(VerifyReport, AWitnessIsExact) {
  VerifyReport report = one_result(VerdictValue::kRejected);
  ErrorMaximum& maximum = report.outcome.results[0].comparison.absolute;
  maximum.any = true;
  maximum.value = Wide(0.1);
  maximum.witness.row = 3;
  maximum.witness.index = 1;
  maximum.witness.x = code_of(-1.5F);
  maximum.witness.got = code_of(0.1F);
  maximum.witness.exact = Wide(1.0) / Wide(3.0);
  const Json error = json_of(report)["results"][0]["max_abs_error"];
  EXPECT_EQ(error["value"].get<double>(), 0.1);
  EXPECT_EQ(error["hex"], "0x1.999999999999ap-4");
  EXPECT_EQ(error["row"], 3);
  EXPECT_EQ(error["index"], 1);
  EXPECT_EQ(error["x"], "-0x1.8p+0");
  EXPECT_EQ(error["got"], "0x1.99999ap-4");
  EXPECT_EQ(error["exact"], "3.333333333333333333333333333333333333333e-01");
  EXPECT_TRUE(error["weight"].is_null());
  EXPECT_TRUE(error["residual"].is_null());
}

TEST(VerifyReport, NumbersThatAreNotFiniteAreStrings) {
  VerifyReport report = one_result(VerdictValue::kAccepted);
  report.outcome.cases[0].q = Spread{1, 2, std::numeric_limits<double>::infinity()};
  const std::string text = json_text(json_of(report));
  EXPECT_NE(text.find("\"q\": {\"min\": 1, \"median\": 2, \"max\": \"inf\"}"), std::string::npos)
      << text;
}

TEST(VerifyReport, HistogramsHoldOnlyWhatOccurs) {
  VerifyReport report = one_result(VerdictValue::kAccepted);
  for (const std::uint64_t distance : {0U, 0U, 3U, 12U}) {
    report.outcome.results[0].comparison.code_distance.add(distance);
  }
  EXPECT_EQ(json_of(report)["results"][0]["code_distance"].dump(), R"({"0":2,"3":1,"9-16":1})");
}

TEST(VerifyReport, HeadlineSaysHowMuchWasCompared) {
  EXPECT_EQ(verify_headline(one_result(VerdictValue::kAccepted)), "accepted, 1 of 1 case");
  VerifyReport nothing;
  EXPECT_EQ(verify_headline(nothing).find("accepted"), std::string::npos);
  VerifyReport with_model = one_result(VerdictValue::kAccepted);
  with_model.model.emplace();
  for (const char* name : {"a", "b"}) {
    NormSite site;
    site.name = name;
    with_model.model->sites.push_back(site);
  }
  with_model.outcome.cases[0].site = "a";
  with_model.outcome.cases[0].covers = {"a"};
  EXPECT_EQ(verify_headline(with_model), "accepted for 1 of 2 sites");
  const Json coverage = json_of(with_model)["coverage"];
  EXPECT_EQ(coverage["judged"], 1);
  EXPECT_EQ(coverage["not_judged"][0]["site"], "b");
  with_model.outcome.cases[0].covers = {"a", "b"};
  EXPECT_EQ(verify_headline(with_model), "accepted, 2 of 2 sites");
}

TEST(VerifyReport, MeasuredRowsAreNoCoverage) {
  VerifyReport report = one_result(VerdictValue::kInconclusive);
  report.outcome.results[0].judged = false;
  EXPECT_NE(verify_headline(report).find("no output of a port was compared"), std::string::npos);
  const Json json = json_of(report);
  EXPECT_NE(kVerifyViews.markdown(json).find("measured, not judged"), std::string::npos);
}

TEST(VerifyReport, ViewsEscapeWhatTheyShow) {
  VerifyReport report = one_result(VerdictValue::kRejected);
  report.outcome.cases[0].id = "<script>|`a`";
  report.outcome.reasons[0].text = "# <b> ![x](y)";
  const std::string markdown = kVerifyViews.markdown(json_of(report));
  EXPECT_EQ(markdown.find("<script>"), std::string::npos);
  EXPECT_EQ(markdown.find("<b>"), std::string::npos);
  EXPECT_EQ(markdown.find("![x](y)"), std::string::npos);
}

TEST(VerifyWords, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(1234567), "1 234 567");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18 446 744 073 709 551 615");
  EXPECT_EQ(figure(Json()), "-");
  EXPECT_EQ(figure(Json("inf")), "inf");
  EXPECT_EQ(figure(Json(0.0)), "0");
  EXPECT_EQ(figure(Json(1.23456e-9)), "1.235e-09");
  EXPECT_EQ(share(Json(65536), Json(65536)), "65 536 of 65 536");
  EXPECT_EQ(upper("not-a-pair"), "NOT-A-PAIR");
}

}  // namespace
}  // namespace normcert
