// The search among the conforming set: which class a port's rows belong to, whatever the division.
#include "judge/rounding_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/hand_case.hpp"
#include "judge/kernel_rows.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

Recipe named(const std::string& name, CastPoint cast) {
  Recipe recipe = base_recipe(cast);
  recipe.name = name;
  return recipe;
}

Implementation implementation(const Recipe& recipe) {
  return {recipe.name,
          [recipe](const Case& value) {
            return Outputs{outputs(recipe, value), std::nullopt};
          },
          std::make_shared<const Recipe>(recipe),
          {}};
}

std::vector<std::string> names_of(const std::vector<const ClassOutcome*>& list) {
  std::vector<std::string> names;
  for (const ClassOutcome* one : list) names.push_back(one->name);
  return names;
}

// A random case of many rows: the four magnitudes over and over, other numbers each time.
Case tall_case(const FloatFormat& format, std::size_t rows, std::size_t width) {
  Case value = random_case(format, width, 1);
  Tensor x(format, rows, width);
  for (std::size_t row = 0; row < rows; row += 4) {
    const Case more = random_case(format, width, row + 1);
    for (std::size_t r = row; r < std::min(rows, row + 4); ++r) {
      for (std::size_t i = 0; i < width; ++i) x.set(r, i, more.x.at(r - row, i));
    }
  }
  value.x = std::move(x).share();
  return value;
}

// Rows of `a`, from `first` on those of `b`.
TensorView joined(const TensorView& a, const TensorView& b, std::size_t first) {
  Tensor y(*a.format, a.rows, a.width);
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t i = 0; i < a.width; ++i) y.set(row, i, (row < first ? a : b).at(row, i));
  }
  return std::move(y).share();
}

class RoundingSearchTest : public testing::Test {
 protected:
  RoundingSearchTest()
      : before_(named("before", CastPoint::kBeforeWeight)),
        after_(named("after", CastPoint::kAfterWeight)) {}

  VerifyRequest request_for(Case value, const TensorView& y) const {
    VerifyRequest request;
    request.cases.push_back(judged(std::move(value), y));
    request.cases[0].value.id = "case";
    request.cases[0].source_recipe = "before";
    request.level = Level::kRounding;
    request.find_implementation = [this](const std::string&) { return implementation(before_); };
    request.known_recipes = [this] { return std::vector<const Recipe*>{&before_, &after_}; };
    return request;
  }

  Recipe before_;
  Recipe after_;
};

constexpr const char* kBefore = "conforming: cast before_weight, (x*r)*w";
constexpr const char* kAfter = "conforming: cast after_weight, (x*r)*w";

TEST_F(RoundingSearchTest, RowsAskedFirst) {
  EXPECT_EQ(rows_searched(1), 256U);
  EXPECT_EQ(rows_searched(64), 256U);
  EXPECT_EQ(rows_searched(4096), 32U);
  EXPECT_EQ(rows_searched(16384), 8U);
}

TEST_F(RoundingSearchTest, ARowRefutesAndConfirms) {
  const Case value = random_case(kBf16, 1000, 5);
  const TensorView got = outputs(after_, value);
  RoundingSearch search(value, got, &before_);
  EXPECT_EQ(search.totals().source_class, kBefore);
  EXPECT_TRUE(search.totals().classes.empty());
  search.ask_first(4);
  const RoundingTotals& totals = search.totals();
  ASSERT_EQ(totals.classes.size(), 8U);
  EXPECT_TRUE(totals.classes[0].is_source);
  EXPECT_TRUE(totals.classes[0].refuted);
  const auto surviving = totals.surviving();
  ASSERT_FALSE(surviving.empty());
  EXPECT_EQ(surviving.front()->name, kAfter);
  EXPECT_EQ(surviving.front()->differs, "cast after_weight");
}

TEST_F(RoundingSearchTest, WithoutTheFirstRowsNothingSurvives) {
  const Case value = random_case(kBf16, 64, 6);
  const TensorView got = outputs(after_, value);
  RoundingSearch search(value, got, &before_);
  search.ask(3);
  EXPECT_TRUE(search.totals().surviving().empty());
}

// Merged totals keep what both leave.
TEST_F(RoundingSearchTest, MergingIntersects) {
  const Case value = random_case(kFp32, 64, 7);
  Recipe other = after_;
  other.association = Association::kXwThenR;
  const TensorView got = outputs(other, value);
  RoundingSearch first(value, got, &before_);
  RoundingSearch second(value, got, &before_);
  RoundingSearch both(value, got, &before_);
  first.ask_first(2);
  second.ask(2);
  both.ask_first(2);
  both.ask(2);
  RoundingTotals merged = second.totals();
  merged.merge(first.totals());
  EXPECT_EQ(names_of(merged.surviving()), names_of(both.totals().surviving()));
  EXPECT_EQ(names_of(merged.surviving()), std::vector<std::string>{"conforming: (x*w)*r"});
  RoundingTotals none;
  none.merge(merged);
  EXPECT_EQ(names_of(none.surviving()), names_of(merged.surviving()));
}

TEST_F(RoundingSearchTest, AVerdictNamesWhatExplainsThePort) {
  const Case value = random_case(kBf16, 1000, 8);
  const VerifyRequest request = request_for(value, outputs(after_, value));
  const SubjectResult result = verify(request).results.at(0);
  EXPECT_EQ(result.verdict, VerdictValue::kRejected);
  EXPECT_EQ(result.equality.explained_by, "as after rounds (cast after_weight)");
  EXPECT_EQ(result.reasons.at(0).text,
            "case: rounded as after rounds (cast after_weight), not as before: no value of row 0's "
            "inverse RMS, whatever the order of the sum, gives its outputs: no positive number "
            "gives element 0 (x 0x1.f8p-2, weight 0x1.4ep+0, got 0x1.a8p-1)");
}

TEST_F(RoundingSearchTest, NothingExplainsAnotherFunction) {
  const Case value = random_case(kBf16, 1000, 9);
  Case other = value;
  other.epsilon = read_epsilon("1e-6", "", "");
  const VerifyRequest request = request_for(value, outputs(before_, other));
  const SubjectResult result = verify(request).results.at(0);
  EXPECT_EQ(result.verdict, VerdictValue::kRejected);
  EXPECT_EQ(result.equality.explained_by, "");
  EXPECT_TRUE(result.equality.rounded_as.empty());
}

// Two kernels behind one name, the other one after the first rows: no class explains both.
TEST_F(RoundingSearchTest, NoClassExplainsTwoKernels) {
  const Case value = tall_case(kBf16, 300, 64);
  const TensorView y = joined(outputs(after_, value), outputs(before_, value), 200);
  const SubjectResult result = verify(request_for(value, y)).results.at(0);
  EXPECT_EQ(result.equality.rounding, Tristate::kDiffers);
  EXPECT_EQ(result.equality.explained_by, "");
}

TEST_F(RoundingSearchTest, ThePortsBitsNeedNoSearch) {
  const Case value = tall_case(kBf16, 20, 64);
  const SubjectResult result = verify(request_for(value, outputs(before_, value))).results.at(0);
  EXPECT_EQ(result.verdict, VerdictValue::kAccepted);
  EXPECT_EQ(result.equality.rounded_as, (std::vector<std::string>{"before", kBefore}));
}

TEST_F(RoundingSearchTest, AnotherOrderOfTheSumIsTheSameClass) {
  const Case value = tall_case(kFp32, 40, 1000);
  Recipe port = before_;
  port.statistic.order.kind = OrderKind::kSequential;
  const SubjectResult result = verify(request_for(value, outputs(port, value))).results.at(0);
  EXPECT_EQ(result.verdict, VerdictValue::kAccepted);
  EXPECT_LT(result.equality.bits.equal, result.equality.bits.of);
  EXPECT_EQ(result.equality.rounded_as, std::vector<std::string>{"conforming: (x*r)*w"});
}

// 9000 rows of width 64 are two blocks in each of three units.
TEST_F(RoundingSearchTest, TheSameForEveryDivision) {
  const Case value = tall_case(kBf16, 9000, 64);
  VerifyRequest request = request_for(value, outputs(after_, value));
  const SubjectResult whole = verify(request).results.at(0);
  EXPECT_EQ(whole.equality.explained_by, "as after rounds (cast after_weight)");
  for (const unsigned threads : {1U, 3U}) {
    for (const std::size_t of : {1U, 2U, 3U}) {
      request.threads = threads;
      VerifyTotals totals;
      for (std::size_t index = of; index >= 1; --index) {
        request.part = {index, of};
        const VerifyTotals part = measure(request);
        if (totals.empty()) {
          totals = part;
        } else {
          totals[0].merge(part[0]);
        }
      }
      const SubjectResult merged = conclude(request, totals).results.at(0);
      EXPECT_EQ(merged.equality.rounded_as, whole.equality.rounded_as) << of;
      EXPECT_EQ(merged.equality.explained_by, whole.equality.explained_by) << of;
    }
  }
}

}  // namespace
}  // namespace normcert
