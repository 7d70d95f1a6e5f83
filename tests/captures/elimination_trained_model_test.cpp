// Eleven norms of a trained model, judged together: the right port, and one that ran with epsilon
// 1e-6 where 1e-5 is declared. No tolerance tells the two apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "captures/trained_norms.hpp"
#include "catalogue/recipes.hpp"
#include "formats/safetensors.hpp"
#include "inference/elimination.hpp"

namespace normcert {
namespace {

EliminationResult eliminated(const std::string& name, unsigned threads) {
  const TrainedNorms model = trained_norms(name);
  EXPECT_EQ(model.norms.size(), 11U);
  std::vector<const Recipe*> recipes;
  for (const Recipe& recipe : catalogue_recipes()) recipes.push_back(&recipe);
  return eliminate(model.norms, {recipes, threads});
}

const EliminatedHypothesis& hypothesis(const Elimination& result, const std::string& placement) {
  const auto found = std::ranges::find_if(result.hypotheses, [&](const auto& one) {
    return one.hypothesis.statistic == "mean_square" && one.hypothesis.placement == placement &&
           one.hypothesis.rounding == "before_weight" && one.hypothesis.weight_use == "used" &&
           one.hypothesis.weight_offset == "0";
  });
  EXPECT_NE(found, result.hypotheses.end());
  return *found;
}

double slack_of(const EliminatedHypothesis& one, const std::string& name) {
  const auto found = std::ranges::find(one.slack_of, name, &SlackOfEpsilon::name);
  EXPECT_NE(found, one.slack_of.end());
  return found->slack;
}

TEST(EliminationTrainedModel, TheRightPort) {
  const Elimination joint = eliminated("right", 2).joint;
  EXPECT_EQ(joint.outcome, EliminationOutcome::kExplained);
  EXPECT_EQ(joint.declared, DeclaredOutcome::kFits);
  EXPECT_EQ(joint.rows.judged, 1408U);
  const auto& inside = hypothesis(joint, "inside");
  EXPECT_EQ(inside.status, HypothesisStatus::kSurvives);
  EXPECT_LE(inside.least_slack, 3);
  EXPECT_TRUE(inside.epsilon.contains(1e-5));
  EXPECT_TRUE(inside.epsilon_any_order.contains(1e-5));
  EXPECT_FALSE(inside.epsilon_any_order.contains(1e-6));
  EXPECT_NE(std::ranges::find(inside.recipes, "hf.llama"), inside.recipes.end());
  const auto& outside = hypothesis(joint, "outside");
  EXPECT_EQ(outside.status, HypothesisStatus::kRefuted);
  EXPECT_GT(outside.least_slack, joint.any_order);
  EXPECT_EQ(outside.refutation.kind, RefutationKind::kRows);
  EXPECT_GT(outside.refutation.low_asked, outside.refutation.high_asked);
}

TEST(EliminationTrainedModel, TheWrongEpsilon) {
  const Elimination joint = eliminated("wrong_epsilon", 2).joint;
  EXPECT_EQ(joint.declared, DeclaredOutcome::kImpossible);
  const auto& inside = hypothesis(joint, "inside");
  EXPECT_EQ(inside.status, HypothesisStatus::kSurvives);
  EXPECT_TRUE(inside.epsilon.contains(1e-6));
  EXPECT_FALSE(inside.epsilon_any_order.contains(1e-5));
  EXPECT_LE(slack_of(inside, "1e-6"), 3);
  EXPECT_NEAR(slack_of(inside, "declared"), 1170, 10);
  EXPECT_EQ(joint.any_order, inside.any_order);
  EXPECT_NEAR(joint.any_order, 38, 0.01);
  // Needs a sum formed worse than by any order that is known.
  const auto& outside = hypothesis(joint, "outside");
  EXPECT_EQ(outside.status, HypothesisStatus::kImplausible);
  EXPECT_NEAR(outside.least_slack, 18.9, 0.6);
}

TEST(EliminationTrainedModel, TheProofOfTheWrongEpsilonAddsUp) {
  const Elimination joint = eliminated("wrong_epsilon", 2).joint;
  const Refutation& proof = hypothesis(joint, "inside").declared_refutation;
  ASSERT_EQ(proof.kind, RefutationKind::kElement);
  EXPECT_GT(proof.low_asked, proof.high_asked);
  const ElementWitness& element = proof.first;
  // With 1e-5 the product x r falls on one side of the tie, what the port wrote on the other.
  const double declared = std::fabs(element.x) / std::sqrt(element.mean_square + 1e-5);
  const double right = std::fabs(element.x) / std::sqrt(element.mean_square + 1e-6);
  const double tie = std::fabs(element.tie);
  EXPECT_NE(declared > tie, right > tie);
  EXPECT_NE(element.got, element.other);
}

// One code further, the element still agrees with its row: it narrows what the row allows to
// scalars that no epsilon gives together with the other rows. Sums in bf16 would have the freedom
// for that, but an element that is set apart comes first.
TEST(EliminationTrainedModel, AStrayThatContradictsOtherRowsOnly) {
  const SafetensorsFile file = read_safetensors(std::filesystem::path(NORMCERT_SOURCE_DIR) /
                                                "cases/captures/stories260K/right.safetensors");
  const std::string site = "layers.0.input_layernorm";
  const auto tensor = [&](const std::string& name) {
    const auto found = std::ranges::find_if(
        file.tensors, [&](const auto& one) { return one.name.ends_with(site + name); });
    EXPECT_NE(found, file.tensors.end());
    return file.view(*found);
  };
  Case value;
  value.x = tensor(".x");
  value.weight = tensor(".weight");
  value.epsilon = {"1e-5", 1e-5};
  const TensorView written = tensor(".y");
  const auto survivors = [&](const TensorView& y) {
    const ObservedNorm norm{site, &value, y};
    const Elimination result = eliminate({&norm, 1}, {}).joint;
    std::vector<EliminatedHypothesis> list = result.hypotheses;
    std::erase_if(list, [](const auto& one) { return one.status != HypothesisStatus::kSurvives; });
    return list;
  };
  const std::vector<EliminatedHypothesis> before = survivors(written);
  constexpr std::size_t kRow = 54;
  constexpr std::size_t kIndex = 45;
  for (const int step : {1, -1}) {
    SCOPED_TRACE(step);
    Tensor y(*written.format, written.rows, written.width);
    std::ranges::copy(written.bytes, y.bytes.begin());
    Code changed = y.at(kRow, kIndex);
    changed.bits += static_cast<std::uint64_t>(step);
    y.set(kRow, kIndex, changed);
    const std::vector<EliminatedHypothesis> after = survivors(y.view());
    ASSERT_EQ(after.size(), before.size());
    for (const EliminatedHypothesis& one : after) {
      EXPECT_TRUE(std::ranges::any_of(
          before, [&](const auto& other) { return other.hypothesis == one.hypothesis; }));
      ASSERT_EQ(one.stray_count, 1U);
      EXPECT_EQ(one.strays.front().row, kRow);
      EXPECT_EQ(one.strays.front().index, kIndex);
      EXPECT_TRUE(one.epsilon.contains(1e-5));
    }
  }
}

TEST(EliminationTrainedModel, ThreadsChangeNothing) {
  const EliminationResult one = eliminated("wrong_epsilon", 1);
  const EliminationResult two = eliminated("wrong_epsilon", 2);
  ASSERT_EQ(one.joint.hypotheses.size(), two.joint.hypotheses.size());
  for (std::size_t i = 0; i < one.joint.hypotheses.size(); ++i) {
    const auto& a = one.joint.hypotheses[i];
    const auto& b = two.joint.hypotheses[i];
    EXPECT_EQ(a.hypothesis, b.hypothesis);
    EXPECT_EQ(a.least_slack, b.least_slack);
    EXPECT_EQ(a.epsilon.low, b.epsilon.low);
    EXPECT_EQ(a.epsilon.high, b.epsilon.high);
    EXPECT_EQ(a.refutation.first.row, b.refutation.first.row);
    EXPECT_EQ(a.refutation.first.index, b.refutation.first.index);
  }
  EXPECT_EQ(one.alone.size(), 11U);
}

}  // namespace
}  // namespace normcert
