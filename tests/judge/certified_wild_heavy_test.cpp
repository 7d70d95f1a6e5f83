// Ten thousand files for each output format that attack the fast comparison.
#include <gtest/gtest.h>

#include "judge/wild_comparison.hpp"

namespace normcert {
namespace {

class CertifiedWildHeavy : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(CertifiedWildHeavy, AgreesWithTheExactComparisonInEveryWay) {
  expect_wild_agreement(20260713, *GetParam(), 10000);
}

INSTANTIATE_TEST_SUITE_P(Outputs, CertifiedWildHeavy, testing::ValuesIn(kWildOutputs),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace normcert
