// The calculator through the real program: the published figures, in every view.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

namespace normcert {
namespace {

using nlohmann::ordered_json;

std::string output_of(const std::vector<std::string>& words) {
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(is_utf8(result.out));
  return result.out;
}

ordered_json report_of(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  return ordered_json::parse(output_of(words));
}

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
}

const std::vector<std::string> kLadder = {
    "attenuation", "--epsilon",         "1e-6", "--q-over-epsilon", "0.01", "--q-over-epsilon",
    "0.1",         "--q-over-epsilon",  "1",    "--q-over-epsilon", "10",   "--q-over-epsilon",
    "100",         "--max-attenuation", "0.01"};

TEST(Attenuation, PublishedLadder) {
  const std::vector<std::string> figures = {"0.099504",       "0.301511", "0.707107",
                                            "0.953463",       "0.995037", "49.2512562814",
                                            "before the gain"};
  std::vector<std::string> markdown = kLadder;
  markdown.insert(markdown.end(), {"--format", "markdown"});
  expect_contains(output_of(kLadder), figures);
  expect_contains(output_of(markdown), figures);

  const ordered_json report = report_of(kLadder);
  EXPECT_EQ(report["kind"], "attenuation");
  EXPECT_TRUE(report["verdict"].is_null());
  EXPECT_EQ(report["exit_status"], 0);
  ASSERT_EQ(report["table"].size(), 5U);
  // 1 / sqrt(1 + 1 / x), from another program (mpmath, 60 digits), rounded to binary64.
  const std::vector<double> expected = {0.09950371902099892, 0.30151134457776363,
                                        0.7071067811865476, 0.9534625892455924, 0.9950371902099892};
  const std::vector<double> ratios = {0.01, 0.1, 1, 10, 100};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(report["table"][i]["attenuation"].get<double>(), expected[i]) << i;
    EXPECT_EQ(report["table"][i]["q_over_epsilon"].get<double>(), ratios[i]) << i;
  }
  EXPECT_EQ(report["table"][0]["q"].get<double>(), 1e-8);
  EXPECT_EQ(report["table"][2]["exact"], "7.071067811865475244008443621048490392848e-01");
  EXPECT_EQ(report["least_q_over_epsilon"].get<double>(), 49.2512562814070351758793969849246231);
  EXPECT_TRUE(report["versus"].is_null());
}

TEST(Attenuation, TwoEpsilons) {
  const std::vector<std::string> words = {"attenuation", "--epsilon", "1e-6", "--versus",
                                          "1e-4",        "--q",       "1e-6"};
  expect_contains(output_of(words), {"0.707107", "0.099504", "0.140720", "one factor",
                                     "y(1e-4) / y(1e-6) = sqrt((q + 1e-6) / (q + 1e-4))"});
  const ordered_json report = report_of(words);
  EXPECT_EQ(report["table"][0]["attenuation"].get<double>(), 0.7071067811865476);
  const ordered_json& row = report["versus"]["table"][0];
  EXPECT_EQ(row["attenuation"].get<double>(), 0.09950371902099892);
  EXPECT_EQ(row["q_over_epsilon"].get<double>(), 0.01);
  EXPECT_EQ(row["ratio"].get<double>(), 0.14071950894605836);  // sqrt(2/101)
  EXPECT_EQ(report["versus"]["epsilon"]["text"], "1e-4");
}

TEST(Attenuation, RowsComeInTheOrderGiven) {
  const ordered_json report = report_of({"attenuation", "--epsilon", "0.5", "--q-over-epsilon", "4",
                                         "--q", "3", "--q-over-epsilon", "2", "--q", "1"});
  std::vector<double> q;
  for (const auto& row : report["table"]) q.push_back(row["q"].get<double>());
  EXPECT_EQ(q, (std::vector<double>{3, 1, 2, 1}));  // --q, then --q-over-epsilon
}

TEST(Attenuation, WithoutRowsALadder) {
  const ordered_json report = report_of({"attenuation", "--epsilon", "1e-5"});
  std::vector<double> ratios;
  for (const auto& row : report["table"]) ratios.push_back(row["q_over_epsilon"].get<double>());
  EXPECT_EQ(ratios, (std::vector<double>{1e-4, 0.01, 0.1, 1, 10, 100, 1e4}));
  EXPECT_TRUE(report["max_attenuation"].is_null());
  EXPECT_TRUE(report["least_q_over_epsilon"].is_null());
}

TEST(Attenuation, ARowOfZerosStaysZero) {
  const std::vector<std::string> words = {"attenuation", "--epsilon", "1e-6", "--versus", "1e-5",
                                          "--q",         "0",         "--q",  "-0"};
  expect_contains(output_of(words), {"0.000000", "both 0"});
  const ordered_json report = report_of(words);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report["table"][i]["attenuation"].get<double>(), 0);
    EXPECT_EQ(report["table"][i]["loss"].get<double>(), 1);
    EXPECT_TRUE(report["versus"]["table"][i]["ratio"].is_null());
  }
}

TEST(Attenuation, WhatEpsilonBecomes) {
  const ordered_json one = report_of({"attenuation", "--epsilon", "1e-6"})["epsilon"];
  EXPECT_EQ(one["text"], "1e-6");
  EXPECT_EQ(one["binary64"].get<double>(), 1e-6);
  EXPECT_EQ(one["hex"], "0x1.0c6f7a0b5ed8dp-20");
  EXPECT_EQ(one["as"]["fp32"].get<double>(), static_cast<double>(1e-6F));
  EXPECT_EQ(one["as"]["bf16"].get<double>(), 0x1.0cp-20);
  EXPECT_EQ(one["as"]["fp16"].get<double>(), 0x1.1p-20);  // 17 x 2^-24, 1.01328e-6
  EXPECT_EQ(one["as"]["fp16_flushed"].get<double>(), 0);
  const ordered_json two = report_of({"attenuation", "--epsilon", "1e-8"})["epsilon"];
  EXPECT_EQ(two["as"]["fp16"].get<double>(), 0);
  const ordered_json huge = report_of({"attenuation", "--epsilon", "1e300", "--q", "1"})["epsilon"];
  EXPECT_EQ(huge["as"]["fp32"], "inf");
  const ordered_json hex = report_of({"attenuation", "--epsilon", "0x1p-20"})["epsilon"];
  EXPECT_EQ(hex["text"], "0x1p-20");
  EXPECT_EQ(hex["as"]["fp16"].get<double>(), 0x1p-20);
}

TEST(Attenuation, TheFarEnds) {
  const ordered_json report =
      report_of({"attenuation", "--epsilon", "4e-320", "--q", "1e300", "--q", "1e-323"});
  EXPECT_EQ(report["table"][0]["attenuation"].get<double>(), 1);
  EXPECT_EQ(report["table"][0]["q_over_epsilon"], "inf");
  EXPECT_EQ(report["table"][0]["loss"].get<double>(), 0);
  EXPECT_GT(report["table"][1]["attenuation"].get<double>(), 0);
  output_of({"attenuation", "--epsilon", "4e-320", "--q", "1e300"});
}

TEST(Attenuation, TinyAndNearlyWhole) {
  expect_contains(output_of({"attenuation", "--epsilon", "1e-6", "--q-over-epsilon", "1e-10",
                             "--q-over-epsilon", "1e10"}),
                  {"1.00000e-05", "1.000000", "5.00e-11"});
}

TEST(Attenuation, LongNumbersAreExactAndCheap) {
  std::string ones = "0.";
  ones.append(5000, '1');
  const ordered_json report =
      report_of({"attenuation", "--epsilon", ones, "--q", ones, "--max-attenuation", ones});
  EXPECT_EQ(report["table"][0]["attenuation"].get<double>(), 0.7071067811865476);
  EXPECT_EQ(report["epsilon"]["text"], ones);
}

TEST(Attenuation, SharedOptionsStandAnywhere) {
  const std::string expected =
      output_of({"attenuation", "--epsilon", "1e-6", "--format", "json", "--reproducible"});
  const std::vector<std::vector<std::string>> orders = {
      {"--format", "json", "--reproducible", "attenuation", "--epsilon", "1e-6"},
      {"--format=json", "attenuation", "--reproducible", "--epsilon=1e-6"},
      {"--reproducible", "attenuation", "--epsilon", "1e-6", "--format", "json"}};
  for (const auto& words : orders) EXPECT_EQ(output_of(words), expected);
}

TEST(Attenuation, TheRerunLineGivesTheSameReport) {
  std::vector<std::string> words = kLadder;
  words.insert(words.end(), {"--versus", "1e-5", "--format", "json", "--reproducible"});
  const std::string first = output_of(words);
  const std::string rerun = ordered_json::parse(first)["rerun"].get<std::string>();
  EXPECT_EQ(rerun,
            "normcert attenuation --epsilon 1e-6 --versus 1e-5 --q-over-epsilon 0.01 "
            "--q-over-epsilon 0.1 --q-over-epsilon 1 --q-over-epsilon 10 --q-over-epsilon 100 "
            "--max-attenuation 0.01");
  std::vector<std::string> again;
  for (std::size_t at = rerun.find(' '); at != std::string::npos;) {
    const std::size_t next = rerun.find(' ', at + 1);
    again.push_back(rerun.substr(at + 1, next - at - 1));
    at = next;
  }
  again.insert(again.end(), {"--format", "json", "--reproducible"});
  EXPECT_EQ(output_of(again), first);
}

}  // namespace
}  // namespace normcert
