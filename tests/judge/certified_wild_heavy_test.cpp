// Ten thousand files for each output format that attack the fast comparison.
#include <gtest/gtest.h>

#include "judge/wild_comparison.hpp"

namespace normcert {
namespace {

constexpr std::uint64_t kSeed = 20260713;
constexpr std::uint64_t kFiles = 10000;

class CertifiedWildHeavy : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(CertifiedWildHeavy, AgreesWithTheExactComparisonInEveryWay) {
  WildCounts counts;
  EXPECT_EQ(first_wild_difference(kSeed, *GetParam(), kFiles, counts), "");
  EXPECT_EQ(counts.files, kFiles);
  EXPECT_GT(counts.elements, 15 * kFiles);
  RecordProperty("elements", static_cast<int>(counts.elements));
  // The comparison would prove nothing if the fast path never answered.
  EXPECT_GT(counts.by_bound, counts.elements / 2);
}

INSTANTIATE_TEST_SUITE_P(Outputs, CertifiedWildHeavy,
                         testing::Values(&kFp64, &kFp32, &kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace normcert
