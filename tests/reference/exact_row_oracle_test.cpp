// The integer decision, the 256-bit value, MPFR and Arb agree on a million outputs per format.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <string>
#include <tuple>

#include "reference/oracle_check.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

// Names, not pointers: the parameter is part of what ctest calls the test.
const std::array<std::string, 4> kInputFormats{"fp64", "fp32", "bf16", "fp16"};
constexpr std::uint64_t kElementsPerInput = 250'000;
static_assert(std::tuple_size_v<decltype(kInputFormats)> * kElementsPerInput == 1'000'000);
constexpr std::uint64_t kSeed = 20250101;

class MillionOutputs : public testing::TestWithParam<std::string> {};

// Every element is rounded to every output format, so each format sees all of them.
TEST_P(MillionOutputs, FourAnswersAgree) {
  const FloatFormat& input = *find_format(GetParam());
  RowSource source(kSeed, input.name);
  Tally tally;
  while (tally.elements < kElementsPerInput && !HasFailure()) {
    const Case row = built_case(source.any(input));
    OracleCheck(row, tally).all_elements();
  }
  std::cout << "seed " << kSeed << ", x in " << input.name << ": ";
  tally.print(std::cout);
  ASSERT_GE(tally.elements, kElementsPerInput);
  EXPECT_GT(tally.wide_undecided, 1000U);
  EXPECT_GT(tally.wide_beyond, 0U);
  EXPECT_GT(tally.arb_never, 1000U);
  for (std::size_t f = 0; f < kOutputFormats; ++f) {
    const FormatTally& counts = tally.format[f];
    SCOPED_TRACE(all_formats()[f]->name);
    EXPECT_EQ(counts.outputs, tally.elements);
    EXPECT_GT(counts.exact, 100U);
    EXPECT_GT(counts.ties, 100U);
    EXPECT_GT(counts.subnormal, 100U);
    EXPECT_GT(counts.underflow, 50U);
    EXPECT_GT(counts.overflow, 100U);
  }
}

INSTANTIATE_TEST_SUITE_P(ExactRow, MillionOutputs, testing::ValuesIn(kInputFormats),
                         [](const auto& format) { return format.param; });

}  // namespace
}  // namespace normcert
