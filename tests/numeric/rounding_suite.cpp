#include "numeric/rounding_suite.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "numeric/hand_layout.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

constexpr std::array<RoundingRule, 6> kRules{{
    {RoundingMode::kNearestEven, OverflowRule::kFormat},
    {RoundingMode::kTowardZero, OverflowRule::kFormat},
    {RoundingMode::kAwayFromZero, OverflowRule::kFormat},
    {RoundingMode::kNearestEven, OverflowRule::kSaturate},
    {RoundingMode::kTowardZero, OverflowRule::kSaturate},
    {RoundingMode::kAwayFromZero, OverflowRule::kSaturate},
}};

// A point j / 2^s of the way from one number of the format to the next greater magnitude.
struct Point {
  Uint128 j;
  int s;
};

constexpr Uint128 kWhole = Uint128{1} << 64;
// Fine ones reach beyond the 64 leading bits of a number; coarse ones are as short as can be.
constexpr std::array<Point, 16> kPoints{{
    {0, 64},
    {1, 64},
    {kWhole / 4 - 1, 64},
    {kWhole / 4, 64},
    {kWhole / 4 + 1, 64},
    {kWhole / 2 - 1, 64},
    {kWhole / 2, 64},
    {kWhole / 2 + 1, 64},
    {3 * (kWhole / 4) - 1, 64},
    {3 * (kWhole / 4), 64},
    {3 * (kWhole / 4) + 1, 64},
    {kWhole - 1, 64},
    {0, 0},
    {1, 2},
    {1, 1},
    {3, 2},
}};

bool rounds_to_upper(std::uint64_t lower, Point point, RoundingMode mode) {
  const Uint128 twice = 2 * point.j;
  const Uint128 whole = Uint128{1} << point.s;
  switch (mode) {
    case RoundingMode::kTowardZero:
      return false;
    case RoundingMode::kAwayFromZero:
      return point.j != 0;
    case RoundingMode::kNearestEven:
      return twice > whole || (twice == whole && lower % 2 == 1);
  }
  return false;
}

class Cases {
 public:
  Cases(const FloatFormat& format, const std::function<bool(const RoundingCase&)>& visit)
      : format_(format), layout_(hand_layout(format)), visit_(visit) {}

  // What lies `point` above the number with magnitude field `lower`, with every sign and rule.
  bool interval(std::uint64_t lower, Point point) {
    const HandValue start = hand_decode(layout_, lower);
    const Uint128 magnitude = (Uint128{start.significand} << point.s) + point.j;
    return both_signs(magnitude, start.exponent - point.s, [&](RoundingMode mode) {
      return lower + (rounds_to_upper(lower, point, mode) ? 1 : 0);
    });
  }

  // A nonzero value of less than a quarter of the least number.
  bool tiny(Uint128 magnitude, int exponent) {
    return both_signs(magnitude, exponent, [](RoundingMode mode) -> std::uint64_t {
      return mode == RoundingMode::kAwayFromZero ? 1 : 0;
    });
  }

  // A value beyond every rounding of the greatest number.
  bool huge(Uint128 magnitude, int exponent) {
    return both_signs(magnitude, exponent, [&](RoundingMode mode) {
      return layout_.greatest_finite + (mode == RoundingMode::kTowardZero ? 0 : 1);
    });
  }

 private:
  template <class Expected>
  bool both_signs(Uint128 magnitude, int exponent, const Expected& expected_magnitude) {
    for (const bool negative : {false, true}) {
      for (const RoundingRule rule : kRules) {
        std::uint64_t code = expected_magnitude(rule.mode);
        if (code > layout_.greatest_finite) {
          code =
              rule.overflow == OverflowRule::kSaturate ? layout_.greatest_finite : layout_.overflow;
        }
        if (negative) code += layout_.sign();
        if (!visit_({{negative, magnitude, exponent}, rule, {code, &format_}})) return false;
      }
    }
    return true;
  }

  const FloatFormat& format_;
  const HandLayout& layout_;
  const std::function<bool(const RoundingCase&)>& visit_;
};

std::vector<std::uint64_t> chosen_intervals(const HandLayout& layout) {
  std::vector<std::uint64_t> chosen;
  if (layout.exponent_bits + layout.fraction_bits < 16) {
    for (std::uint64_t lower = 0; lower <= layout.greatest_finite; ++lower) chosen.push_back(lower);
    return chosen;
  }
  const std::uint64_t binade = std::uint64_t{1} << layout.fraction_bits;
  for (std::uint64_t start = 0; start <= layout.greatest_finite; start += binade) {
    for (const std::uint64_t fraction :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, binade / 3, binade / 2 - 1,
          binade / 2, binade - 2, binade - 1}) {
      chosen.push_back(start + fraction);
    }
  }
  const RandomStream random(1, "rounding suite");
  for (std::uint64_t i = 0; i < 2000; ++i) {
    chosen.push_back(random.bits(i) % (layout.greatest_finite + 1));
  }
  return chosen;
}

bool visit_outside(Cases& cases, const HandLayout& layout) {
  const int quantum = hand_decode(layout, 0).exponent;
  const int top = hand_decode(layout, layout.greatest_finite).exponent + layout.fraction_bits;
  for (const int below : {3, 63, 64, 65, 66, 127, 128, 129, 5000, 1000000}) {
    if (!cases.tiny(1, quantum - below)) return false;
    if (!cases.tiny(~Uint128{0}, quantum - 127 - below)) return false;
  }
  for (const int above : {1, 2, 3, 63, 64, 65, 128, 5000, 1000000}) {
    if (!cases.huge(1, top + above)) return false;
    if (!cases.huge(~Uint128{0}, top - 127 + above)) return false;
  }
  return true;
}

std::string describe(const RoundingCase& at, Code got) {
  std::ostringstream text;
  text << at.expected.format->name << ": " << (at.value.negative ? "-" : "") << std::hex << "0x"
       << static_cast<std::uint64_t>(at.value.magnitude >> 64) << ":"
       << static_cast<std::uint64_t>(at.value.magnitude) << std::dec << " x 2^" << at.value.exponent
       << ", mode " << static_cast<int>(at.rule.mode) << ", overflow rule "
       << static_cast<int>(at.rule.overflow) << std::hex << ": expected code 0x" << at.expected.bits
       << ", got 0x" << got.bits;
  return text.str();
}

}  // namespace

void for_each_rounding_case(const FloatFormat& format,
                            const std::function<bool(const RoundingCase&)>& visit) {
  const HandLayout& layout = hand_layout(format);
  Cases cases(format, visit);
  for (const int exponent : {0, -5000, 5000}) {
    for (const bool negative : {false, true}) {
      for (const RoundingRule rule : kRules) {
        const Code zero{negative ? layout.sign() : 0, &format};
        if (!visit({{negative, 0, exponent}, rule, zero})) return;
      }
    }
  }
  if (!visit_outside(cases, layout)) return;
  for (const std::uint64_t lower : chosen_intervals(layout)) {
    const bool all_visited = std::ranges::all_of(
        kPoints, [&](const Point& point) { return cases.interval(lower, point); });
    if (!all_visited) return;
  }
}

SuiteOutcome run_rounding_suite(const FloatFormat& format, const Rounder& rounder) {
  SuiteOutcome outcome;
  for_each_rounding_case(format, [&](const RoundingCase& at) {
    ++outcome.cases;
    const Code got = rounder(at.value, format, at.rule);
    if (got == at.expected) return true;
    outcome.failure = describe(at, got);
    return false;
  });
  return outcome;
}

}  // namespace normcert
