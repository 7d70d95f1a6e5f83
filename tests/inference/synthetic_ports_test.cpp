// The first law of elimination: what a port computed is never called impossible. The second: what
// it did not compute is not called the declared function. tests/search/elimination_evidence runs
// the same on ten thousand ports.
#include "inference/synthetic_ports.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace normcert {
namespace {

constexpr std::uint64_t kPorts = 300;
constexpr std::size_t kMostWidth = 512;

TEST(SyntheticPorts, WhatWasComputedIsNeverImpossible) {
  std::uint64_t named = 0;
  std::uint64_t fits = 0;
  for (std::uint64_t i = 0; i < kPorts; ++i) {
    const SyntheticPort port = synthetic_port(i, kMostWidth, false);
    const PortVerdict verdict = judged(port);
    EXPECT_NE(verdict.declared, DeclaredOutcome::kImpossible) << described(i, port);
    fits += verdict.declared == DeclaredOutcome::kFits ? 1 : 0;
    if (!verdict.truth) continue;
    ++named;
    EXPECT_NE(*verdict.truth, HypothesisStatus::kRefuted)
        << described(i, port) << " needs " << verdict.slack_of_truth;
  }
  EXPECT_GE(named, 280U);
  EXPECT_GE(fits, 280U);
}

// Sums from first to last of some thousand squares: at the bound of the known orders another
// epsilon fits, the declared one does only beside the sum as it was formed.
TEST(SyntheticPorts, ALongSumFromFirstToLast) {
  for (const std::uint64_t number : {2030U, 2935U}) {
    const SyntheticPort port = synthetic_port(number, 8192, false);
    ASSERT_EQ(port.recipe.statistic.order.kind, OrderKind::kSequential);
    EXPECT_EQ(judged(port).declared, DeclaredOutcome::kFits) << described(number, port);
  }
}

TEST(SyntheticPorts, AMistakeIsNeverTheDeclaredFunction) {
  std::uint64_t impossible = 0;
  for (std::uint64_t i = 0; i < kPorts; ++i) {
    const SyntheticPort port = synthetic_port(i, kMostWidth, true);
    const PortVerdict verdict = judged(port);
    EXPECT_NE(verdict.declared, DeclaredOutcome::kFits) << described(i, port);
    impossible += verdict.declared == DeclaredOutcome::kImpossible ? 1 : 0;
    if (!verdict.truth) continue;
    EXPECT_NE(*verdict.truth, HypothesisStatus::kRefuted)
        << described(i, port) << " needs " << verdict.slack_of_truth;
  }
  EXPECT_GE(impossible, 280U);
}

}  // namespace
}  // namespace normcert
