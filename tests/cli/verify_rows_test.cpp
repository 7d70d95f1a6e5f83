// verify --rows, --no-hash, and what does not depend on threads.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/progress.hpp"
#include "cli/row_options.hpp"
#include "cli/verify_run.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

// Rows (s, 7 s) with s = 1, 2, ..., the outputs right for s = 1 alone.
class ChosenRows : public testing::Test {
 protected:
  ChosenRows() {
    std::vector<std::vector<double>> x;
    std::vector<std::vector<double>> y;
    for (int row = 0; row < 100; ++row) {
      const double s = row == 42 ? 1 : 2 + row;
      x.push_back({s, 7 * s});
      y.push_back(row == 42 ? kRight.front() : std::vector<double>{0.125, 0.9});
    }
    write_capture(folder_.path() / "c.safetensors", complete_metadata(),
                  {{"x", numbers(x)}, {"y", numbers(y)}});
  }

  [[nodiscard]] VerifyReportResult report(const Words& more) const {
    Words words = {"c.safetensors", "--max-ulp", "0.5", "--reproducible"};
    words.insert(words.end(), more.begin(), more.end());
    return report_of(words, folder_.path());
  }

  EmptyFolder folder_;
};

TEST_F(ChosenRows, EachWayOfChoosing) {
  struct Expected {
    const char* text;
    const char* how;
    int rows;
    int status;
  };
  const Expected all[] = {
      {"all", "all", 100, 1},       {"7:all", "all", 100, 1},     {"1:low-q", "low-q", 1, 0},
      {"2:low-q", "low-q", 2, 1},   {"42:first", "first", 42, 1}, {"7", "spread", 7, 1},
      {"7:spread", "spread", 7, 1}, {"100:low-q", "all", 100, 1}, {"1000:first", "all", 100, 1}};
  for (const Expected& expected : all) {
    SCOPED_TRACE(expected.text);
    const VerifyReportResult result = report({"--rows", expected.text});
    EXPECT_EQ(result.status, expected.status);
    const auto& c = result.json.at("cases").at(0);
    EXPECT_EQ(c.at("rows"), expected.rows);
    EXPECT_EQ(c.at("rows_in_file"), 100);
    EXPECT_EQ(c.at("rows_chosen"), expected.how);
    EXPECT_EQ(result.json.at("results").at(0).at("expected"), 2 * expected.rows);
    const std::string said = std::to_string(expected.rows) + " of 100 rows (" + expected.how + ")";
    const bool some = std::string(expected.how) != "all";
    const std::string headline = result.json.at("headline");
    EXPECT_EQ(headline.find(said) != std::string::npos, some) << headline;
    EXPECT_EQ(result.json.at("not_tested").dump().find(said) != std::string::npos, some);
  }
}

TEST_F(ChosenRows, WitnessesHaveTheNumbersOfTheFile) {
  const auto result = report({"--rows", "1:low-q"}).json.at("results").at(0);
  EXPECT_EQ(result.at("max_abs_error").at("row"), 42);
  EXPECT_EQ(result.at("max_abs_error").at("value"), 0);
}

TEST_F(ChosenRows, OfOutputsInAnotherFileToo) {
  std::vector<std::vector<double>> y(100, {0, 0});
  y[42] = kRight.front();
  write_capture(folder_.path() / "o.safetensors", {}, {{"y", numbers(y)}});
  std::vector<std::vector<double>> x(100, {3, 3});
  x[42] = {1, 7};
  x[41] = {1, 7};
  write_capture(folder_.path() / "i.safetensors", complete_metadata(), {{"x", numbers(x)}});
  const Words words = {"--cases", "i.safetensors", "--observed", "o.safetensors", "--max-ulp", "1"};
  for (const auto& [rows, status] : {std::pair("98:low-q", 1), std::pair("100", 1)}) {
    Words more = words;
    more.insert(more.end(), {"--rows", rows});
    EXPECT_EQ(report_of(more, folder_.path()).status, status);
  }
  // The first row of the spread pair (0, 99) is wrong; row 42 alone would be right.
  Words more = words;
  more.insert(more.end(), {"--rows", "2:spread"});
  const auto result = report_of(more, folder_.path()).json.at("results").at(0);
  EXPECT_EQ(result.at("max_abs_error").at("row"), 0);
}

TEST_F(ChosenRows, TheSameBytesForEveryNumberOfThreads) {
  const std::string expected = report({"--threads", "1", "--rows", "50:low-q"}).json.dump();
  for (const char* threads : {"2", "7"}) {
    EXPECT_EQ(report({"--threads", threads, "--rows", "50:low-q"}).json.dump(), expected);
  }
}

TEST_F(ChosenRows, WithoutHashesNothingElseChanges) {
  auto hashed = report({}).json;
  auto bare = report({"--no-hash"}).json;
  EXPECT_TRUE(hashed.at("inputs").at(0).at("sha256").is_string());
  EXPECT_TRUE(hashed.at("cases").at(0).at("sha256").is_string());
  EXPECT_EQ(bare.at("inputs").at(0).at("sha256"), nullptr);
  EXPECT_EQ(bare.at("inputs").at(0).at("what_was_hashed"), "nothing: --no-hash");
  EXPECT_EQ(bare.at("cases").at(0).at("sha256"), nullptr);
  EXPECT_NE(bare.at("not_tested").dump().find("--no-hash"), std::string::npos);
  EXPECT_EQ(bare.at("results"), hashed.at("results"));
  EXPECT_EQ(bare.at("verdict"), hashed.at("verdict"));
}

TEST(RowOptions, WhatTheyRead) {
  EXPECT_EQ(read_row_choice("all").order, RowOrder::kAll);
  EXPECT_EQ(read_row_choice("12").order, RowOrder::kSpread);
  EXPECT_EQ(read_row_choice("12").rows, 12U);
  EXPECT_EQ(read_row_choice("12:low-q").order, RowOrder::kLowQ);
  EXPECT_EQ(read_row_choice("12:first").order, RowOrder::kFirst);
  EXPECT_EQ(read_part("2/7").index, 2U);
  EXPECT_EQ(read_part("7/7").of, 7U);
  const auto refused = [](auto read, const char* text) {
    try {
      static_cast<void>(read(text));
    } catch (const InputError& error) {
      return error.parts().found == (*text == '\0' ? "an empty value" : text);
    }
    return false;
  };
  for (const char* text : {"", "0", "-1", "1.5", "x", "5:", ":first", "5:last", "5:low-q:first",
                           "99999999999999999999", "all:first", " 5", "0x5"}) {
    EXPECT_TRUE(refused(read_row_choice, text)) << text;
  }
  for (const char* text : {"", "1", "/", "1/", "/1", "0/3", "4/3", "1/0", "a/b", "1/3/4", "-1/3",
                           "1/99999999999999999999", "1 /3"}) {
    EXPECT_TRUE(refused(read_part, text)) << text;
  }
}

TEST(Progress, DoneRateAndTimeLeft) {
  EXPECT_EQ(progress_text("elements", 150'000'000, 300'000'000, 3),
            "150 M of 300 M elements, 50 M a second, about 3 s left");
  EXPECT_EQ(progress_text("elements", 999, 1500, 2),
            "999 of 1.5 k elements, 500 a second, about 1 s left");
}

}  // namespace
}  // namespace normcert
