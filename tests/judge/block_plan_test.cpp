#include "judge/block_plan.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>
#include <utility>

namespace normcert {
namespace {

TEST(BlockRows, APowerOfTwoThatDividesTheUnit) {
  EXPECT_EQ(block_rows(1), 4096U);
  EXPECT_EQ(block_rows(32), 4096U);
  EXPECT_EQ(block_rows(128), 1024U);
  EXPECT_EQ(block_rows(129), 512U);
  EXPECT_EQ(block_rows(4096), 32U);
  EXPECT_EQ(block_rows(5000), 16U);
  EXPECT_EQ(block_rows(std::size_t{1} << 17), 1U);
  EXPECT_EQ(block_rows(std::size_t{1} << 24), 1U);
  for (std::size_t width = 1; width < 100000; width += 7) {
    EXPECT_EQ(kUnitRows % block_rows(width), 0U);
  }
}

const std::vector<CaseExtent>& extents() {
  static const std::vector<CaseExtent> kExtents = {{1, 8},
                                                   {4095, 300},
                                                   {4096, 300},
                                                   {4097, 300},
                                                   {0, 8},
                                                   {20000, 4096},
                                                   {3, std::size_t{1} << 20}};
  return kExtents;
}

// Every row stands in exactly one block of exactly one part, in order, within its unit.
TEST(BlockPlan, PartsTakeEveryRowOnce) {
  for (const std::size_t of : {1U, 2U, 3U, 5U, 40U}) {
    std::map<std::size_t, std::set<std::size_t>> rows;  // of each case
    std::set<std::size_t> units;
    for (std::size_t index = 1; index <= of; ++index) {
      const BlockPlan plan(extents(), {index, of});
      std::uint64_t elements = 0;
      std::pair<std::size_t, std::size_t> last{0, 0};
      for (std::size_t i = 0; i < plan.size(); ++i) {
        const RowBlock block = plan[i];
        const CaseExtent& extent = extents().at(block.case_index);
        ASSERT_GT(block.count, 0U);
        ASSERT_LE(block.first + block.count, extent.rows);
        ASSERT_EQ(block.first / kUnitRows, (block.first + block.count - 1) / kUnitRows);
        ASSERT_EQ(block.first % block_rows(extent.width), 0U);
        ASSERT_EQ(block.unit % of, index - 1);
        const std::pair now{block.case_index, block.first};
        ASSERT_TRUE(i == 0 || last < now);
        last = now;
        units.insert(block.unit);
        elements += block.count * extent.width;
        for (std::size_t row = block.first; row < block.first + block.count; ++row) {
          ASSERT_TRUE(rows[block.case_index].insert(row).second);
        }
      }
      EXPECT_EQ(elements, plan.elements());
    }
    EXPECT_EQ(units.size(), 11U) << of;  // 1 + 1 + 1 + 2 + 0 + 5 + 1
    EXPECT_EQ(*units.rbegin(), 10U);
    for (std::size_t i = 0; i < extents().size(); ++i) {
      EXPECT_EQ(rows[i].size(), extents()[i].rows) << "case " << i << " of " << of << " parts";
    }
  }
}

TEST(BlockPlan, MorePartsThanUnits) {
  EXPECT_EQ(BlockPlan({{10, 8}}, {2, 3}).size(), 0U);
  EXPECT_EQ(BlockPlan({}, {1, 1}).size(), 0U);
}

}  // namespace
}  // namespace normcert
