// The cascade against a second program of the same algorithm, written after its description for
// one lane at a time, in plain binary32.
#include "emulation/torch_cascade.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "emulation/order.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

struct FloatPolicy {
  using Value = float;
  const std::vector<float>& terms;
  [[nodiscard]] float zero() const { return 0; }
  [[nodiscard]] float include(float sum, std::size_t i) const { return sum + terms[i]; }
  [[nodiscard]] float add(float a, float b) const { return a + b; }
};

// A number in base 2^digits that counts the vectors: each carry moves one level up.
float one_accumulator(const std::vector<float>& terms, std::size_t first, std::size_t stride,
                      std::size_t count) {
  std::size_t log2 = 1;
  while ((std::size_t{1} << log2) < count) ++log2;
  const std::size_t step = std::size_t{1} << (log2 / 4 > 4 ? log2 / 4 : 4);
  float levels[4] = {0, 0, 0, 0};
  for (std::size_t i = 1; i <= count; ++i) {
    levels[0] += terms[first + (i - 1) * stride];
    std::size_t rest = i;
    for (int level = 1; level < 4 && rest % step == 0; ++level, rest /= step) {
      levels[level] += levels[level - 1];
      levels[level - 1] = 0;
    }
  }
  return ((levels[0] + levels[1]) + levels[2]) + levels[3];
}

float one_lane(const std::vector<float>& terms, std::size_t lane, std::size_t lanes,
               std::size_t vectors) {
  float sums[4];
  const std::size_t groups = vectors / 4;
  for (std::size_t a = 0; a < 4; ++a) {
    sums[a] = one_accumulator(terms, lane + a * lanes, 4 * lanes, groups);
  }
  for (std::size_t v = 4 * groups; v < vectors; ++v) sums[0] += terms[lane + v * lanes];
  return ((sums[0] + sums[1]) + sums[2]) + sums[3];
}

float whole_row(const std::vector<float>& terms, std::size_t lanes) {
  const std::size_t count = terms.size();
  if (count < lanes) return one_lane(terms, 0, 1, count);
  const std::size_t vectors = count / lanes;
  float total = 0;
  for (std::size_t i = vectors * lanes; i < count; ++i) total += terms[i];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    total += one_lane(terms, lane, lanes, vectors);
  }
  return total;
}

std::vector<float> squares(std::size_t count) {
  const RandomStream random(20260905, "cascade");
  std::vector<float> terms(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(random.normal(i));
    terms[i] = x * x;
  }
  return terms;
}

void check(std::size_t count, std::size_t lanes) {
  const std::vector<float> terms = squares(count);
  const FloatPolicy policy{terms};
  EXPECT_EQ(TorchCascade(policy, lanes).sum(count), whole_row(terms, lanes))
      << count << " terms, " << lanes << " lanes";
}

TEST(TorchCascade, EveryWidthUpTo2500) {
  for (std::size_t count = 0; count <= 2500; ++count) check(count, 8);
}

TEST(TorchCascade, WidthsOfModels) {
  constexpr std::size_t kWidths[] = {2880, 4096, 5120, 7168, 8192, 11008, 16384, 20011};
  constexpr std::size_t kLanes[] = {4, 8, 16};
  for (const std::size_t count : kWidths) {
    for (const std::size_t lanes : kLanes) check(count, lanes);
  }
}

// Long enough for the third level, and for steps of 32.
TEST(TorchCascade, LongRows) {
  check(std::size_t{1} << 21, 8);
  check((std::size_t{1} << 21) + 12345, 1);
  check((std::size_t{5} << 20) + 77, 1);
}

// The order matters: on one of these widths at least it differs from the plain sum.
TEST(TorchCascade, IsNotThePlainSum) {
  int different = 0;
  for (std::size_t count = 100; count < 200; ++count) {
    const std::vector<float> terms = squares(count);
    float plain = 0;
    for (const float term : terms) plain += term;
    different += plain != whole_row(terms, 8) ? 1 : 0;
  }
  EXPECT_GT(different, 50);
}

TEST(TorchCascade, IsWhatTheOrderNames) {
  const std::vector<float> terms = squares(1000);
  const FloatPolicy policy{terms};
  SummationOrder order;
  order.kind = OrderKind::kTorchCascade;
  order.lanes = 8;
  EXPECT_EQ(OrderedSum(policy, order, false).sum(1000), whole_row(terms, 8));
  EXPECT_EQ(OrderedSum(policy, order, true).sum(1000), whole_row(terms, 4));
}

}  // namespace
}  // namespace normcert
