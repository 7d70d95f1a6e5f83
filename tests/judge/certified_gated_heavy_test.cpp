// Two thousand files for each output format that attack the fast comparison of gated norms.
#include <gtest/gtest.h>

#include "judge/wild_comparison.hpp"

namespace normcert {
namespace {

class CertifiedGatedHeavy : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(CertifiedGatedHeavy, AgreesWithTheExactComparisonInEveryWay) {
  WildCounts counts;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const WildFile file = wild_gated_file(20261202, *GetParam(), number);
    ASSERT_EQ(wild_difference(file, number, counts), "") << "file " << number;
  }
  EXPECT_GT(counts.elements, 30000U);
}

INSTANTIATE_TEST_SUITE_P(Outputs, CertifiedGatedHeavy, testing::ValuesIn(kWildOutputs),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace normcert
