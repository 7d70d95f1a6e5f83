// What case files expect of the exact result: each kind, holding and failing.
#include "judge/expectation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "judge/hand_case.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

ExpectedNumber printed(const std::string& text) { return {text, false, "at " + text}; }
ExpectedNumber as_code(const std::string& text) { return {text, true, "at " + text}; }

std::vector<std::vector<ExpectedNumber>> one_row(const std::vector<std::string>& texts) {
  std::vector<std::vector<ExpectedNumber>> rows(1);
  for (const std::string& text : texts) rows[0].push_back(printed(text));
  return rows;
}

struct Found {
  std::size_t checked;
  std::size_t failed;
  friend bool operator==(const Found&, const Found&) = default;
};

Found check(const Case& value) {
  const ExpectationOutcome outcome = check_expectation(value, "hand.json");
  return {outcome.checked, outcome.failures.size()};
}

// sqrt(25 + 11) = 6: y = (1/6, 7/6), attenuation 5/6.
Case sixths() { return case_of({.x = {{"1", "7"}}, .epsilon = "11"}); }

TEST(Expectation, DecimalsHoldWithinHalfAUnitOfTheirLastDigit) {
  Case value = sixths();
  value.expect.y = one_row({"0.1667", "1.17"});
  EXPECT_EQ(check(value), (Found{2, 0}));
  value.expect.y = one_row({"0.1666", "1.166666666666666666666666666667"});
  EXPECT_EQ(check(value), (Found{2, 1}));
  value.expect.y = one_row({"0.1667", "1.166666666666666666666666666666"});
  EXPECT_EQ(check(value), (Found{2, 1}));
  // Ends included: 7/8 is half a unit from 0.87 and 0.88.
  Case exact = case_of(eighths(kFp32));
  for (const char* text : {"0.87", "0.88", "0.875", "0.9", "0x1.cp-1"}) {
    exact.expect.y = one_row({"0.125", text});
    EXPECT_EQ(check(exact), (Found{2, 0})) << text;
  }
  for (const char* text : {"0.86", "0.8", "-0.875", "0.8750001", "0x1.c000001p-1"}) {
    exact.expect.y = one_row({"0.125", text});
    EXPECT_EQ(check(exact), (Found{2, 1})) << text;
  }
}

TEST(Expectation, AFailureSaysWhatWasExpectedWhereAndWhatIsTrue) {
  Case value = sixths();
  value.expect.y = one_row({"0.16", "1.166666666666666666667"});
  const ExpectationOutcome outcome = check_expectation(value, "hand.json");
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_EQ(outcome.failures[0].expected, "0.16");
  EXPECT_EQ(outcome.failures[0].place, "at 0.16");
  EXPECT_EQ(outcome.failures[0].found, "1.6666666666666667e-01");
}

TEST(Expectation, NumbersAreComparedAfterRounding) {
  Case value = sixths();
  value.expect.y = {{as_code("0.16666667"), as_code("1.1666666")}};
  EXPECT_EQ(check(value), (Found{2, 0}));
  value.expect.y = {{as_code("0.16666667"), as_code("1.16667")}};
  EXPECT_EQ(check(value), (Found{2, 1}));
  Case overflow =
      case_of({.x = {{"1", "7"}}, .epsilon = "39", .format = &kFp16, .weight = {"1", "0x1p+17"}});
  overflow.expect.y = {{as_code("0.125"), as_code("inf")}};
  EXPECT_EQ(check(overflow), (Found{2, 0}));
  overflow.expect.y = {{as_code("0.125"), as_code("65504")}};
  EXPECT_EQ(check(overflow), (Found{2, 1}));
}

TEST(Expectation, OneNumberStandsForAll) {
  Case value = case_of({.x = {{"2", "2"}, {"-2", "-2"}}, .epsilon = "12"});
  value.expect.y = one_row({"0.5"});
  EXPECT_EQ(check(value), (Found{4, 2}));
  value.expect.attenuation = {printed("0.5")};
  EXPECT_EQ(check(value), (Found{6, 2}));
}

TEST(Expectation, Attenuation) {
  Case value = case_of({.x = {{"1", "7"}, {"0", "0"}}, .epsilon = "11"});
  value.expect.attenuation = {printed("0.8333333333"), printed("0")};
  EXPECT_EQ(check(value), (Found{2, 0}));
  value.expect.attenuation = {printed("0.8333333334"), printed("0")};
  EXPECT_EQ(check(value), (Found{2, 1}));
}

TEST(Expectation, OutputRms) {
  // y = (3/6, 14/6): RMS sqrt((9 + 196) / 72).
  Case value = case_of({.x = {{"1", "7"}}, .epsilon = "11", .weight = {"3", "2"}});
  value.expect.output_rms = {printed("1.68737139")};
  EXPECT_EQ(check(value), (Found{1, 0}));
  value.expect.output_rms = {printed("0.83333333")};  // the attenuation is something else
  EXPECT_EQ(check(value), (Found{1, 1}));
}

TEST(Expectation, Squares) {
  Case value = case_of({.x = {{"0.001", "3"}}, .epsilon = "1", .format = &kFp16});
  value.expect.square = one_row({"0x1.1p-20", "9"});
  EXPECT_EQ(check(value), (Found{2, 0}));
  value.expect.square = one_row({"0x1p-20", "9"});
  EXPECT_EQ(check(value), (Found{2, 1}));
}

TEST(Expectation, OtherPlacements) {
  // x / (rms + epsilon): 1/(5 + 11), 7/(5 + 11).
  Case value = sixths();
  value.expect.y_with_placement["outside"] = one_row({"0.0625", "0.4375"});
  EXPECT_EQ(check(value), (Found{2, 0}));
  value.expect.y_with_placement["inside"] = one_row({"0.0625", "1.16667"});
  EXPECT_EQ(check(value), (Found{4, 1}));
  value.expect.y_with_placement.clear();
  value.expect.y_with_placement["elsewhere"] = one_row({"1", "1"});
  EXPECT_THROW(check(value), InputError);
}

TEST(Expectation, ShapesMustFit) {
  const auto expect_refused = [](const Case& value) {
    try {
      static_cast<void>(check_expectation(value, "hand.json"));
      ADD_FAILURE() << "not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, "shape_mismatch");
      EXPECT_EQ(error.parts().file, "hand.json");
    }
  };
  Case value = sixths();
  value.expect.y = one_row({"1", "2", "3"});
  expect_refused(value);
  value.expect.y = {{printed("1"), printed("2")}, {printed("1"), printed("2")}};
  expect_refused(value);
  value.expect.y.clear();
  value.expect.attenuation = {printed("1"), printed("1")};
  expect_refused(value);
}

TEST(Expectation, NothingExpectedIsNothingChecked) { EXPECT_EQ(check(sixths()), (Found{0, 0})); }

}  // namespace
}  // namespace normcert
