// The integer decision, the 256-bit value, MPFR and Arb agree on a million outputs per format.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <tuple>

#include "reference/oracle_check.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

// In parts, so that each stays short under sanitizers too.
constexpr std::uint64_t kInputFormats = 4;
constexpr int kParts = 4;
constexpr std::uint64_t kElementsPerPart = 62'500;
static_assert(kInputFormats * kParts * kElementsPerPart == 1'000'000);
constexpr std::uint64_t kSeed = 20250101;

// The format of x by its name, which becomes part of what ctest calls the test; the part from 1.
class MillionOutputs : public testing::TestWithParam<std::tuple<std::string, int>> {};

// Every element is rounded to every output format, so each format sees all of them.
TEST_P(MillionOutputs, FourAnswersAgree) {
  const auto& [name, part] = GetParam();
  const FloatFormat& input = *find_format(name);
  RowSource source(kSeed, name + " " + std::to_string(part));
  Tally tally;
  while (tally.elements < kElementsPerPart && !HasFailure()) {
    const Case row = built_case(source.any(input));
    OracleCheck(row, tally).all_elements();
  }
  std::cout << "seed " << kSeed << ", x in " << name << ", part " << part << ": ";
  tally.print(std::cout);
  ASSERT_GE(tally.elements, kElementsPerPart);
  EXPECT_GT(tally.wide_undecided, 500U);
  EXPECT_GT(tally.wide_beyond, 0U);
  EXPECT_GT(tally.arb_never, 100U);
  for (std::size_t f = 0; f < kOutputFormats; ++f) {
    const FormatTally& counts = tally.format[f];
    SCOPED_TRACE(all_formats()[f]->name);
    EXPECT_EQ(counts.outputs, tally.elements);
    EXPECT_GT(counts.exact, 20U);
    EXPECT_GT(counts.ties, 20U);
    EXPECT_GT(counts.subnormal, 100U);
    EXPECT_GT(counts.underflow, 5U);
    EXPECT_GT(counts.overflow, 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(ExactRow, MillionOutputs,
                         testing::Combine(testing::Values("fp64", "fp32", "bf16", "fp16"),
                                          testing::Range(1, kParts + 1)),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) + "_" +
                                  std::to_string(std::get<1>(parameters.param));
                         });

}  // namespace
}  // namespace normcert
