// The fast comparison of gated norms on files that attack it.
#include <gtest/gtest.h>

#include "judge/wild_comparison.hpp"

namespace normcert {
namespace {

class CertifiedGated : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(CertifiedGated, AgreesWithTheExactComparisonInEveryWay) {
  WildCounts counts;
  constexpr std::uint64_t kFiles = 150;
  for (std::uint64_t number = 0; number < kFiles; ++number) {
    const WildFile file = wild_gated_file(20261201, *GetParam(), number);
    ASSERT_EQ(wild_difference(file, number, counts), "") << "file " << number;
  }
  EXPECT_EQ(counts.files, kFiles);
  EXPECT_GT(counts.elements, 15 * kFiles);
  // The comparison would prove nothing if the fast path never answered, nor if it always did.
  EXPECT_GT(counts.by_bound, counts.elements * 3 / 4);
  EXPECT_LT(counts.by_bound, counts.elements);
}

INSTANTIATE_TEST_SUITE_P(Outputs, CertifiedGated, testing::ValuesIn(kWildOutputs),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace normcert
