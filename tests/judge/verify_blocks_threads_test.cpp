// Blocks, units and parts change nothing: not the counts, not the maxima, not where they stand.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "judge/certified_compare.hpp"
#include "judge/hand_case.hpp"
#include "judge/made_rows.hpp"
#include "judge/row_choice.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

std::string shown(const ErrorMaximum& m) {
  if (!m.any) return "none";
  return m.value.hex() + "@" + std::to_string(m.witness.row) + "," +
         std::to_string(m.witness.index) + "=" + hex_text(m.witness.got);
}

// All but the certificate's counts, which tell how the work was divided.
std::string shown(const Comparison& c) {
  std::ostringstream text;
  text << c.compared << ' ' << c.expected << ' ' << c.rows_set_apart << ' ' << c.correctly_rounded
       << ' ' << c.faithful << ' ' << c.outside_tolerance << ' ' << c.beyond_max_ulp << ' '
       << shown(c.absolute) << ' ' << shown(c.relative) << ' ' << shown(c.ulp) << ' '
       << c.coherent.value << '@' << c.coherent.row << ' ' << c.incoherent.value << '@'
       << c.incoherent.row;
  if (c.first_outside) text << ' ' << c.first_outside->row << ',' << c.first_outside->index;
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    text << ' ' << c.code_distance.count(i);
  }
  return text.str();
}

std::string shown(const VerifyOutcome& outcome) {
  std::ostringstream text;
  text << name_of(outcome.verdict) << '\n';
  for (const CaseSummary& s : outcome.cases) {
    text << s.id << ' ' << s.rows << ' ' << s.q->min << ' ' << s.q->median << ' ' << s.q->max
         << '\n';
  }
  for (const SubjectResult& r : outcome.results) {
    text << r.candidate << ' ' << r.case_index << ' ' << name_of(r.verdict) << ' '
         << shown(r.comparison) << ' ' << r.comparison.decided_exactly << ' '
         << name_of(r.equality.rounding) << ' ' << r.equality.bits.equal << ' '
         << r.equality.first_other_row.value_or(0) << '\n';
    for (const auto& [name, equal] : r.bit_identical) text << name << ' ' << equal << '\n';
  }
  for (const Reason& r : outcome.reasons) text << r.code << ' ' << r.text << '\n';
  return text.str();
}

// Computes what it is given, block by block.
Implementation shaped(const std::string& name) {
  return {name, [](const Case& value) {
            Outputs outputs{made_outputs(value), std::nullopt};
            return outputs;
          }};
}

VerifyRequest borders() {
  VerifyRequest request;
  for (const std::size_t rows : {1U, 4095U, 4096U, 4097U, 8200U}) {
    Case value = made_case(rows, 2, kBf16, rows);
    const TensorView y = made_outputs(value);
    request.cases.push_back(judged(std::move(value), y));
  }
  Case wide = made_case(40, std::size_t{1} << 14, kFp16);  // blocks of 32 rows
  const TensorView y = made_outputs(wide);
  request.cases.push_back(judged(std::move(wide), y));
  request.candidates = {shaped("recipe")};
  for (JudgedCase& of : request.cases) of.source_recipe = "recipe";  // an exact one takes long
  request.criteria = within(1e-3, 1e-2);
  request.level = Level::kTolerance;
  return request;
}

TEST(VerifyBlocks, TheComparisonOfTheWholeCase) {
  VerifyRequest request = borders();
  complete(request);
  const VerifyOutcome outcome = verify(request);
  ASSERT_EQ(outcome.results.size(), 12U);
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    const JudgedCase& of = request.cases[i];
    const Comparison whole = compare_certified(of.value, OutputTensor::kY, *of.observed->y,
                                               request.criteria, 0, of.value.x.rows);
    EXPECT_EQ(shown(outcome.results[i].comparison), shown(whole)) << of.value.id;
    EXPECT_EQ(outcome.results[i].comparison.expected, of.value.x.size());
  }
}

TEST(VerifyBlocks, TheSameForEveryNumberOfThreads) {
  VerifyRequest request = borders();
  complete(request);
  const std::string expected = shown(verify(request));
  for (const unsigned threads : {2U, 7U}) {
    request.threads = threads;
    EXPECT_EQ(shown(verify(request)), expected) << threads;
  }
}

TEST(VerifyBlocks, MergedPartsAreTheWhole) {
  VerifyRequest request = borders();
  complete(request);
  request.threads = 2;
  const std::string expected = shown(verify(request));
  for (const std::size_t of : {1U, 2U, 3U, 12U}) {
    VerifyTotals totals;
    for (std::size_t index = of; index >= 1; --index) {
      request.part = {index, of};
      const VerifyTotals part = measure(request);
      if (totals.empty()) {
        totals = part;
        continue;
      }
      for (std::size_t i = 0; i < totals.size(); ++i) totals[i].merge(part[i]);
    }
    EXPECT_EQ(shown(conclude(request, totals)), expected) << of;
  }
}

// Chosen rows give what a case of these rows alone gives, with the numbers of the file.
TEST(VerifyBlocks, ChosenRowsKeepTheirNumbers) {
  VerifyRequest request = borders();
  request.cases.erase(request.cases.begin() + 5);
  for (JudgedCase& of : request.cases) choose_rows(of, {500, RowOrder::kLowQ}, 2);
  complete(request);
  const VerifyOutcome outcome = verify(request);
  for (std::size_t i = 1; i < request.cases.size(); ++i) {
    const JudgedCase& of = request.cases[i];
    ASSERT_EQ(of.chosen_rows->size(), 500U);
    Comparison expected;
    for (const std::size_t row : *of.chosen_rows) {
      expected.merge(
          compare_certified(of.value, OutputTensor::kY, *of.observed->y, request.criteria, row, 1));
    }
    EXPECT_EQ(shown(outcome.results[i].comparison), shown(expected));
    EXPECT_EQ(outcome.cases[i].rows, 500U);
    EXPECT_EQ(outcome.cases[i].rows_in_file, of.value.x.rows);
  }
}

}  // namespace
}  // namespace normcert
