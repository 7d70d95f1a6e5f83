// Orders of summation as texts: each case shows the whole expression.
#include "emulation/order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace normcert {
namespace {

// Sums as expressions; an empty one is not shown, for adding it changes nothing.
struct TextPolicy {
  using Value = std::string;
  [[nodiscard]] std::string zero() const { return ""; }
  [[nodiscard]] std::string include(const std::string& sum, std::size_t i) const {
    return add(sum, i < 26 ? std::string(1, static_cast<char>('a' + i)) : std::to_string(i));
  }
  [[nodiscard]] std::string add(const std::string& a, const std::string& b) const {
    if (a.empty() || b.empty()) return a + b;
    return '(' + a + '+' + b + ')';
  }
};

std::string text_of(const SummationOrder& order, std::size_t count) {
  const TextPolicy policy;
  return OrderedSum(policy, order, false).sum(count);
}

SummationOrder order_of(OrderKind kind) {
  SummationOrder order;
  order.kind = kind;
  return order;
}

TEST(Order, Sequential) {
  const SummationOrder order = order_of(OrderKind::kSequential);
  EXPECT_EQ(text_of(order, 4), "(((a+b)+c)+d)");
  EXPECT_EQ(text_of(order, 1), "a");
  EXPECT_EQ(text_of(order, 0), "");
}

TEST(Order, Pairwise) {
  SummationOrder order = order_of(OrderKind::kPairwise);
  order.base = 2;
  EXPECT_EQ(text_of(order, 5), "((a+b)+(c+(d+e)))");
  order.base = 1;
  EXPECT_EQ(text_of(order, 4), "((a+b)+(c+d))");
  order.base = 8;
  EXPECT_EQ(text_of(order, 3), "((a+b)+c)");
}

TEST(Order, AnyIsPairwiseWithBaseEight) {
  SummationOrder pairwise = order_of(OrderKind::kPairwise);
  pairwise.base = 8;
  const SummationOrder any = order_of(OrderKind::kAny);
  for (std::size_t n = 0; n < 26; ++n) EXPECT_EQ(text_of(any, n), text_of(pairwise, n));
}

TEST(Order, LanesByHalvesAndPairs) {
  SummationOrder order = order_of(OrderKind::kLanes);
  order.lanes = 4;
  EXPECT_EQ(text_of(order, 8), "(((a+e)+(c+g))+((b+f)+(d+h)))");
  order.combine = LaneCombine::kPairs;
  EXPECT_EQ(text_of(order, 8), "(((a+e)+(b+f))+((c+g)+(d+h)))");
  order.combine = LaneCombine::kSequential;
  EXPECT_EQ(text_of(order, 8), "((((a+e)+(b+f))+(c+g))+(d+h))");
}

TEST(Order, LanesWithAccumulators) {
  SummationOrder order = order_of(OrderKind::kLanes);
  order.lanes = 2;
  order.accumulators = 2;
  EXPECT_EQ(text_of(order, 10), "((((a+e)+i)+(c+g))+(((b+f)+j)+(d+h)))");
  EXPECT_EQ(text_of(order, 2), "(a+b)");
}

TEST(Order, LanesWithTail) {
  SummationOrder order = order_of(OrderKind::kLanes);
  order.lanes = 2;
  EXPECT_EQ(text_of(order, 5), "(((a+c)+(b+d))+e)");
  order.tail = LaneTail::kFirst;
  EXPECT_EQ(text_of(order, 5), "(e+((a+c)+(b+d)))");
  order.lanes = 4;
  order.combine = LaneCombine::kSequential;
  EXPECT_EQ(text_of(order, 6), "(((((e+f)+a)+b)+c)+d)");
  order.tail = LaneTail::kLast;
  EXPECT_EQ(text_of(order, 6), "(((((a+b)+c)+d)+e)+f)");
  EXPECT_EQ(text_of(order, 3), "((a+b)+c)");
}

TEST(Order, BlockTreeInOneWarp) {
  SummationOrder order = order_of(OrderKind::kBlockTree);
  order.threads = 4;
  EXPECT_EQ(text_of(order, 8), "(((a+e)+(c+g))+((b+f)+(d+h)))");
  order.vector = 2;
  EXPECT_EQ(text_of(order, 12), "(((((a+b)+i)+j)+(e+f))+((((c+d)+k)+l)+(g+h)))");
  EXPECT_EQ(text_of(order, 7), "(((a+b)+(e+f))+((c+d)+g))");
  order.per_element = true;
  EXPECT_EQ(text_of(order, 12), "((((a+i)+(b+j))+(e+f))+(((c+k)+(d+l))+(g+h)))");
}

// A block larger than the row needs is as one that just fits it.
TEST(Order, IdleThreadsChangeNothing) {
  SummationOrder large = order_of(OrderKind::kBlockTree);
  large.threads = 1024;
  large.vector = 2;
  SummationOrder small = large;
  small.threads = 8;
  EXPECT_EQ(text_of(large, 16), text_of(small, 16));
  small.threads = 2;
  EXPECT_EQ(text_of(large, 3), text_of(small, 3));
  EXPECT_EQ(text_of(large, 0), "");
}

// The lanes of one warp, added as a butterfly does.
std::string butterfly(std::vector<std::string> lanes) {
  const TextPolicy policy;
  while (lanes.size() > 1) {
    const std::size_t half = lanes.size() / 2;
    for (std::size_t i = 0; i < half; ++i) lanes[i] = policy.add(lanes[i], lanes[i + half]);
    lanes.resize(half);
  }
  return lanes[0];
}

TEST(Order, BlockTreeAcrossWarps) {
  const TextPolicy policy;
  std::vector<std::string> warps(4);
  for (std::size_t warp = 0; warp < 4; ++warp) {
    std::vector<std::string> lanes;
    for (std::size_t i = 0; i < 32; ++i) lanes.push_back(policy.include("", 32 * warp + i));
    warps[warp] = butterfly(lanes);
  }
  SummationOrder order = order_of(OrderKind::kBlockTree);
  order.threads = 128;
  for (const WarpReduction warp : {WarpReduction::kXor, WarpReduction::kDown}) {
    order.warp = warp;
    order.across = AcrossWarps::kSequential;
    EXPECT_EQ(text_of(order, 128),
              "(((" + warps[0] + '+' + warps[1] + ")+" + warps[2] + ")+" + warps[3] + ')');
    for (const AcrossWarps across : {AcrossWarps::kXor, AcrossWarps::kHalving}) {
      order.across = across;
      EXPECT_EQ(text_of(order, 128), butterfly(warps));
    }
  }
}

// Below 128 elements single ones, from there on vectors of 4 with a sum for each place.
TEST(Order, TorchsMeanOnAGpu) {
  SummationOrder order = order_of(OrderKind::kTorchCudaMean);
  order.threads = 32;
  SummationOrder block = order_of(OrderKind::kBlockTree);
  block.threads = 32;
  for (const std::size_t width : {1U, 64U, 127U}) {
    EXPECT_EQ(text_of(order, width), text_of(block, width)) << width;
  }
  block.vector = 4;
  EXPECT_NE(text_of(order, 1000), text_of(block, 1000));
  block.per_element = true;
  for (const std::size_t width : {128U, 256U, 1000U, 4096U}) {
    EXPECT_EQ(text_of(order, width), text_of(block, width)) << width;
  }
  order.threads = 64;
  block.threads = 64;
  block.across = AcrossWarps::kHalving;
  EXPECT_EQ(text_of(order, 1000), text_of(block, 1000));
}

TEST(Order, TritonStartsWithAThreadsSecondElement) {
  SummationOrder order = order_of(OrderKind::kTriton);
  order.threads = 2;
  order.vector = 4;
  EXPECT_EQ(text_of(order, 2), "(a+b)");
  EXPECT_EQ(text_of(order, 4), "((b+a)+(d+c))");
  EXPECT_EQ(text_of(order, 3), "((b+a)+c)");
  EXPECT_EQ(text_of(order, 8), "((((b+a)+c)+d)+(((f+e)+g)+h))");
  // Two vectors for each thread, the last of them cut off.
  EXPECT_EQ(text_of(order, 14), "((((((((b+a)+c)+d)+i)+j)+k)+l)+(((((f+e)+g)+h)+m)+n))");
  order.vector = 1;
  EXPECT_EQ(text_of(order, 6), "(((c+a)+e)+((d+b)+f))");
}

TEST(Depth, CountsTheAdditionsOfTheLongestPath) {
  SummationOrder order = order_of(OrderKind::kSequential);
  EXPECT_EQ(reduction_depth(order, 0), 0U);
  EXPECT_EQ(reduction_depth(order, 1), 0U);
  EXPECT_EQ(reduction_depth(order, 100), 99U);
  order = order_of(OrderKind::kPairwise);
  order.base = 1;
  EXPECT_EQ(reduction_depth(order, 1024), 10U);
  EXPECT_EQ(reduction_depth(order, 1025), 11U);
  order = order_of(OrderKind::kLanes);
  order.lanes = 8;
  EXPECT_EQ(reduction_depth(order, 64), 7U + 3U);
  EXPECT_EQ(reduction_depth(order, 67), 7U + 3U + 3U);
  order = order_of(OrderKind::kBlockTree);
  order.threads = 256;
  order.vector = 4;
  EXPECT_EQ(reduction_depth(order, 4096), 15U + 8U);
  order = order_of(OrderKind::kTorchCudaMean);
  order.threads = 32;
  EXPECT_EQ(reduction_depth(order, 1024), 7U + 3U + 5U);  // a place, the four of a lane, the warp
  EXPECT_EQ(reduction_depth(order, 96), 2U + 5U);
  order = order_of(OrderKind::kTriton);
  order.threads = 128;
  order.vector = 4;
  EXPECT_EQ(reduction_depth(order, 1024), 7U + 5U + 2U);
}

TEST(Depth, OfAnUnknownOrderIsTheGreatestUnlessGiven) {
  SummationOrder order = order_of(OrderKind::kAny);
  EXPECT_EQ(reduction_depth(order, 4096), 4095U);
  order.depth = 40;
  EXPECT_EQ(reduction_depth(order, 4096), 40U);
}

}  // namespace
}  // namespace normcert
