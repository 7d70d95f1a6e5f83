// Rows next to rounding midpoints, checked against the exact rows of `reference`.
#include "generate/midpoint_rows.hpp"

#include <gtest/gtest.h>

#include "generate/generate.hpp"
#include "generate/standard_rows.hpp"
#include "reference/exact_row.hpp"

namespace normcert {
namespace {

// The distance of |y| from the nearest rounding midpoint of a format, relative to it.
struct Distance {
  bool on_it = false;
  bool within = false;  // at most 2^-closeness
};

Distance distance_from_midpoint(const RootOfRatio& y, const FloatFormat& format, int closeness) {
  // Numbers of the format have their last bit at 2^ulp; midpoints are odd multiples of half of it.
  const LeadingBits bits = y.leading();
  const std::int64_t half = ulp_exponent(bits, format) - 1;
  const std::uint64_t floor = bits.top >> (half - bits.exponent);
  const std::uint64_t odd = floor | 1;
  BigDyadic midpoint = BigDyadic::integer(odd).times_power_of_two(half);
  if (y.negative()) midpoint = BigDyadic() - midpoint;
  const BigDyadic margin = midpoint.magnitude().times_power_of_two(-closeness);
  return {.on_it = y.compare_to(midpoint) == 0,
          .within = y.compare_to(midpoint - margin) >= 0 && y.compare_to(midpoint + margin) <= 0};
}

struct Found {
  std::size_t within = 0;
  std::size_t on_it = 0;
};

Found midpoints_of_row(const Case& value, std::size_t row) {
  const ExactRow exact(value, row);
  Found found;
  for (std::size_t i = 0; i < value.x.width; ++i) {
    const RootOfRatio y = exact.element(i);
    if (y.is_zero()) continue;
    const Distance distance =
        distance_from_midpoint(y, *value.output, midpoint_closeness(value.output->precision));
    found.within += distance.within ? 1 : 0;
    found.on_it += distance.on_it ? 1 : 0;
  }
  return found;
}

StandardSet set_of(const FloatFormat& format, const FloatFormat& weight_format, std::size_t width,
                   const std::string& epsilon, const std::string& offset) {
  StandardSpec spec = standard_spec(format, width, epsilon);
  spec.weight_format = &weight_format;
  spec.weight_offset = {offset, std::stod(offset)};
  return standard_set(spec);
}

TEST(MidpointRows, ClosenessIsFarBelowAnUlp) {
  EXPECT_EQ(midpoint_closeness(8), 40);
  EXPECT_EQ(midpoint_closeness(24), 40);
  EXPECT_EQ(midpoint_closeness(53), 69);
}

TEST(MidpointRows, ExactRowsConfirmThem) {
  int cases = 0;
  for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (const std::size_t width : {2U, 3U, 4U, 5U, 11U, 12U, 13U, 31U, 32U, 33U, 64U, 100U}) {
      for (const char* epsilon : {"1e-5", "1e-6", "1e-12"}) {
        for (const char* offset : {"0", "1"}) {
          SCOPED_TRACE(std::string(format->name) + ' ' + std::to_string(width) + ' ' + epsilon +
                       " offset " + offset);
          ++cases;
          const StandardSet set = set_of(*format, *format, width, epsilon, offset);
          const Case* value = find_case(set, "midpoint");
          ASSERT_NE(value, nullptr);
          ASSERT_EQ(value->x.rows, 2U);
          const Found sevens = midpoints_of_row(*value, 0);
          EXPECT_GE(sevens.within, width / 2);
          EXPECT_EQ(sevens.on_it, 0U);
          // Blocks of 32 have 16 targets, the one without gain apart; shorter rows fewer.
          const Found other = midpoints_of_row(*value, 1);
          EXPECT_GE(other.within, width < 12 ? width / 2 : width < 32 ? 1 : width / 32 * 16 - 1);
          EXPECT_EQ(other.on_it, 0U);
        }
      }
    }
  }
  EXPECT_EQ(cases, 288);
}

TEST(MidpointRows, WeightsOfOtherFormats) {
  for (const FloatFormat* weight_format : {&kFp32, &kBf16, &kFp16}) {
    for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
      SCOPED_TRACE(std::string(format->name) + " weight " + std::string(weight_format->name));
      const StandardSet set = set_of(*format, *weight_format, 64, "1e-6", "0");
      const Case* value = find_case(set, "midpoint");
      ASSERT_NE(value, nullptr);
      EXPECT_EQ(*value->weight->format, *weight_format);
      for (const std::size_t row : {0U, 1U}) EXPECT_GE(midpoints_of_row(*value, row).within, 31U);
    }
  }
}

TEST(MidpointRows, KeepTheZeroAndTheNegativeWeight) {
  for (const char* offset : {"0", "1"}) {
    const StandardSet set = set_of(kBf16, kBf16, 16, "1e-6", offset);
    const TensorView& weight = *find_case(set, "midpoint")->weight;
    EXPECT_EQ(weight.at(0, 2).bits, 0U);
    EXPECT_TRUE(weight.at(0, 3).negative());
  }
}

TEST(MidpointRows, SayWhyThereAreNone) {
  const auto reason = [](const StandardSet& set) {
    EXPECT_EQ(find_case(set, "midpoint"), nullptr);
    const auto texts = omissions_of(set, "midpoint");
    return texts.empty() ? "" : texts.front();
  };
  EXPECT_EQ(reason(set_of(kBf16, kBf16, 1, "1e-6", "0")),
            "all: a row of one element has no result near a midpoint: x/sqrt(x^2 + epsilon)");
  EXPECT_EQ(reason(set_of(kFp32, kBf16, 8, "1e-6", "0")),
            "all: the weight's format holds no gain of enough digits for so few elements");
  EXPECT_EQ(reason(set_of(kBf16, kBf16, 64, "1e-6", "0.1")),
            "all: offset + weight cannot be an exact gain of few digits");
  EXPECT_EQ(reason(set_of(kFp64, kFp64, 64, "1e20", "0")),
            "all: rows far above epsilon leave binary32");
  EXPECT_EQ(reason(set_of(kFp16, kFp16, 64, "1", "0")),
            "row 0: an element lies beyond the greatest finite fp16 number");
}

}  // namespace
}  // namespace normcert
