// Elimination that keeps few rows, held against the twin that keeps them all, byte for byte, on all
// shipped captures.
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "captures/shipped_captures.hpp"
#include "captures/trained_norms.hpp"
#include "inference/elimination.hpp"
#include "inference/elimination_text.hpp"

namespace normcert {
namespace {

std::string judged_with(const std::vector<ObservedNorm>& norms, std::size_t kept) {
  return text_of(eliminate(norms, {.recipes = {}, .threads = 2, .kept_rows = kept}));
}

// How many judgements were held against the twin.
std::size_t expect_same(const std::vector<ObservedNorm>& norms,
                        const std::vector<std::size_t>& keeps) {
  const std::string all = judged_with(norms, std::numeric_limits<std::size_t>::max());
  for (const std::size_t kept : keeps) EXPECT_EQ(judged_with(norms, kept), all) << kept;
  return keeps.size();
}

TEST(KeptRowsCaptures, OfFrameworks) {
  std::set<std::string> names;
  for (const RecipeClaim& claim : claims_without_gate()) names.insert(claim.capture);
  std::size_t cases = 0;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Capture capture = read_capture(name);
    Case value;
    value.x = capture.input.x;
    value.residual = capture.input.residual;
    value.weight = capture.input.weight;
    value.weight_offset.binary64 = capture.input.weight_offset;
    value.epsilon = {"declared", capture.input.epsilon};
    cases += expect_same({{"norm", &value, capture.y}}, {1, 4});
  }
  std::printf("%zu judgements of %zu captures\n", cases, names.size());
  EXPECT_GE(names.size(), 60U);
}

TEST(KeptRowsCaptures, OfATrainedModelJointly) {
  for (const char* const name : {"right", "wrong_epsilon"}) {
    SCOPED_TRACE(name);
    const TrainedNorms model = trained_norms(name);
    ASSERT_EQ(model.norms.size(), 11U);
    (void)expect_same(model.norms, {11, 330});
  }
}

}  // namespace
}  // namespace normcert
