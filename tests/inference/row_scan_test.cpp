// What one row allows of its scalar, on rows of a few elements in bf16, where the numbers beside 1
// are 1 - 2^-8 and 1 + 2^-7.
#include "inference/row_scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Binary32 rounds before the narrow format does: half a unit of it, and what binary64 loses.
constexpr double kAround = 0x1p-22;

Tensor row_of(const std::vector<double>& values) {
  Tensor tensor(kBf16, 1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.set(0, i, convert(code_of(values[i]), kBf16));
  }
  return tensor;
}

// A norm of one row, and its scanner with that row loaded.
class OneRow {
 public:
  OneRow(const std::vector<double>& x, const std::vector<double>& weight,
         const std::vector<double>& y) {
    value_.x = row_of(x).share();
    value_.weight_offset_given = true;
    if (weight.empty()) {
      value_.weight_none = true;
    } else {
      value_.weight = row_of(weight).share();
    }
    norm_ = {.site = "norm", .value = &value_, .y = row_of(y).share()};
    list_ = tail_list(norm_);
    scanner_.emplace(norm_, list_);
    scanner_->load(0, counts_);
  }

  RowScanner& scanner() { return *scanner_; }
  [[nodiscard]] const RowCounts& counts() const { return counts_; }

  // Of the weight as it is, or of none.
  [[nodiscard]] const Tail& tail(const std::string& rounding) const {
    const auto found = std::ranges::find_if(list_.tails, [&](const Tail& one) {
      const std::string& use = list_.gains[one.gain].use;
      return one.rounding == rounding && one.numerator == Numerator::kInput &&
             list_.gains[one.gain].offset != "1" && (use == "used" || use == "none");
    });
    EXPECT_NE(found, list_.tails.end()) << rounding;
    return *found;
  }

 private:
  Case value_;
  ObservedNorm norm_;
  TailList list_;
  RowCounts counts_;
  std::optional<RowScanner> scanner_;
};

void expect_interval(const ScalarInterval& found, double low, double high) {
  EXPECT_LE(found.low, low);
  EXPECT_GE(found.high, high);
  EXPECT_NEAR(found.low, low, kAround);
  EXPECT_NEAR(found.high, high, kAround);
}

// 1 stays 1 from 1 - 2^-9 to 1 + 2^-8, 3 stays 3 from 3 - 2^-7 to 3 + 2^-7.
TEST(RowScan, TheElementsOfARowMeet) {
  OneRow row({1, 2, -3, 0.5}, {}, {1, 2, -3, 0.5});
  const Tail& tail = row.tail("after_weight");
  expect_interval(row.scanner().element(tail, 0), 1 - 0x1p-9, 1 + 0x1p-8);
  expect_interval(row.scanner().element(tail, 2), 1 - 0x1p-7 / 3, 1 + 0x1p-7 / 3);
  expect_interval(row.scanner().scan(tail), 1 - 0x1p-9, 1 + 0x1p-7 / 3);
  EXPECT_EQ(row.counts().judged, 1U);
}

TEST(RowScan, NoScalarChangesASign) {
  OneRow row({1, 2}, {}, {1, -2});
  const Tail& tail = row.tail("after_weight");
  EXPECT_FALSE(row.scanner().element(tail, 0).empty());
  EXPECT_TRUE(row.scanner().element(tail, 1).empty());
  EXPECT_TRUE(row.scanner().scan(tail).empty());
}

// Of the numbers beside 1 none gives 1.5 with the weight 1.5: 1.5117 is a tie that goes up, 1.4941
// rounds to 1.4922. So x r must round to 1. Without the cast 1.5 r must round to 1.5.
TEST(RowScan, ACastBeforeTheWeightIsNarrower) {
  OneRow row({1, 1}, {1.5, 1.5}, {1.5, 1.5});
  expect_interval(row.scanner().scan(row.tail("before_weight")), 1 - 0x1p-9, 1 + 0x1p-8);
  expect_interval(row.scanner().scan(row.tail("after_weight")), 1 - 0x1p-8 / 1.5, 1 + 0x1p-8 / 1.5);
}

// 1.0078125 times 1.5 is 1.51171875, a tie between 1.5078125 and 1.515625; so 1.5078125 has no
// number before the weight.
TEST(RowScan, SomeOutputsHaveNoNumberBeforeTheWeight) {
  OneRow row({1, 1}, {1.5, 1.5}, {1.5078125, 1.5078125});
  EXPECT_TRUE(row.scanner().scan(row.tail("before_weight")).empty());
  EXPECT_FALSE(row.scanner().scan(row.tail("after_weight")).empty());
}

// From the number itself to the next.
TEST(RowScan, DroppedDigits) {
  OneRow row({1, 2}, {}, {1, 2});
  expect_interval(row.scanner().scan(row.tail("after_weight, truncated")), 1, 1 + 0x1p-7);
}

TEST(RowScan, WhatSaysNothing) {
  // A weight of 0, a subnormal x, an infinite output.
  OneRow row({1, 1, 0x1p-130, 1}, {1, 0, 1, 1}, {1, 0, 0, kInfinity});
  for (const std::size_t silent : {1U, 2U, 3U}) {
    const ScalarInterval found = row.scanner().element(row.tail("after_weight"), silent);
    EXPECT_EQ(found.low, 0) << silent;
    EXPECT_EQ(found.high, kInfinity) << silent;
  }
  EXPECT_EQ(row.counts().infinite_outputs, 1U);
  // But a weight of 0 gives nothing else than 0.
  OneRow other({1, 1}, {1, 0}, {1, 1});
  EXPECT_TRUE(other.scanner().element(other.tail("after_weight"), 1).empty());
}

TEST(RowScan, RowsThatAreNotUsed) {
  EXPECT_EQ(OneRow({0, 0}, {}, {0, 0}).counts().zero, 1U);
  EXPECT_EQ(OneRow({kInfinity, 1}, {}, {1, 1}).counts().non_finite_input, 1U);
  EXPECT_EQ(OneRow({0x1p70, 1}, {}, {1, 1}).counts().out_of_range, 1U);
  EXPECT_EQ(OneRow({1, 1}, {}, {0, 0}).counts().no_number, 1U);
}

// Element 3 asks for about 2, all others for 1.
TEST(RowScan, AStrayIsFoundByVotes) {
  OneRow row({1, 1, 1, 1, 1, 1}, {}, {1, 1, 1, 2, 1, 1});
  const Tail& tail = row.tail("after_weight");
  EXPECT_TRUE(row.scanner().scan(tail).empty());
  std::vector<std::size_t> strays;
  const ScalarInterval found = row.scanner().scan_with_strays(tail, 4, &strays);
  EXPECT_EQ(found.strays, 1U);
  EXPECT_EQ(strays, std::vector<std::size_t>{3});
  EXPECT_LE(found.low, 1);
  EXPECT_GE(found.high, 1);
  EXPECT_TRUE(row.scanner().scan_with_strays(tail, 0, nullptr).empty());
  expect_interval(row.scanner().scan_without(tail, {3}), 1 - 0x1p-9, 1 + 0x1p-8);
  EXPECT_TRUE(row.scanner().scan_without(tail, {2}).empty());
}

// 1 - 2^-8 ends at 1 - 2^-9, where 1 begins: the row is left one point, and other rows may ask for
// another.
TEST(RowScan, AnElementThatNarrowsItsRow) {
  OneRow row({1, 3, 1, 1}, {}, {1, 3, 1 - 0x1p-8, 1});
  const Tail& tail = row.tail("after_weight");
  expect_interval(row.scanner().scan(tail), 1 - 0x1p-9, 1 - 0x1p-9);
  EXPECT_EQ(row.scanner().binding_index(tail, true, {}), 0U);
  EXPECT_EQ(row.scanner().binding_index(tail, false, {}), 2U);
  EXPECT_EQ(row.scanner().binding_index(tail, false, {2}), 1U);
  const ScalarInterval without = row.scanner().scan_without(tail, {2});
  expect_interval(without, 1 - 0x1p-9, 1 + 0x1p-7 / 3);
  EXPECT_EQ(without.strays, 1U);
}

// The tie is the midpoint at the end that is asked about, the other output the one beyond it.
TEST(RowScan, WitnessesShowTheTie) {
  OneRow row({1, -3}, {}, {1, -3});
  const Tail& tail = row.tail("after_weight");
  const ElementWitness low = row.scanner().witness(tail, 0, true);
  EXPECT_EQ(low.tie, 1 - 0x1p-9);
  EXPECT_EQ(low.other, 1 - 0x1p-8);
  const ElementWitness high = row.scanner().witness(tail, 1, false);
  EXPECT_EQ(high.x, -3);
  EXPECT_EQ(high.tie, -3 - 0x1p-7);
  EXPECT_EQ(high.other, -3 - 0x1p-6);
}

}  // namespace
}  // namespace normcert
