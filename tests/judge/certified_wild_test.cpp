// The fast comparison on files that attack it; many more of them in certified_wild_heavy_test.cpp.
#include <gtest/gtest.h>

#include "judge/wild_comparison.hpp"

namespace normcert {
namespace {

class CertifiedWild : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(CertifiedWild, AgreesWithTheExactComparisonInEveryWay) {
  expect_wild_agreement(20260712, *GetParam(), 300);
}

INSTANTIATE_TEST_SUITE_P(Outputs, CertifiedWild, testing::ValuesIn(kWildOutputs),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace normcert
