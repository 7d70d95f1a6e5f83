// The comparison by enclosures against the one by integers, element by element: whatever it counts
// must be counted alike, and it must answer nearly everything.
#include "judge/interval_comparer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "judge/element_comparer.hpp"
#include "judge/exact_compare.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "reference/exact_row.hpp"
#include "reference/precise_row.hpp"

namespace normcert {
namespace {

// Rows of random numbers of different kinds; outputs of every kind of code.
class WildRows {
 public:
  enum class Kind { kOrdinary, kAnyCode, kConstant, kExactRoot };

  explicit WildRows(std::uint64_t seed) : random_(seed, "interval_comparer") {}

  Case make(Kind kind, bool residual, const FloatFormat& output) {
    const FloatFormat& format = any_format();
    const std::size_t width = kind == Kind::kExactRoot ? 4 : 2 + below(20);
    Case value;
    value.output = &output;
    value.epsilon = read_epsilon(pick({"1e-6", "1e-5", "1e-12", "0.5", "1e-3"}), "", "");
    if (kind == Kind::kExactRoot) value.epsilon = read_epsilon("0x1p-40", "", "");
    value.x = row(kind, format, width);
    if (residual) value.residual = row(kind, any_format(), width);
    if (below(5) != 0) {
      const FloatFormat& weight_format = any_format();
      const int range = below(3) == 0 ? std::min(weight_format.emax, 1020) : 1;
      Tensor weight(weight_format, 1, width);
      for (std::size_t i = 0; i < width; ++i) {
        const double scale =
            std::ldexp(1.0, static_cast<int>(bits() % 2048) % (2 * range + 1) - range);
        weight.set(0, i, finite(round(dyadic_of(scale * (1 + 0.25 * normal())), weight_format)));
        if (below(12) == 0) weight.set(0, i, zero_of(weight_format, below(2) == 0));
        if (below(12) == 0) weight.set(0, i, finite(round(dyadic_of(-1.0), weight_format)));
      }
      value.weight = std::move(weight).share();
      value.weight_offset.binary64 = below(3) == 0 ? 1 : (below(6) == 0 ? 0.2 : 0);
    }
    return value;
  }

  Criteria criteria() {
    Criteria result;
    if (below(2) == 0) {
      const std::array<double, 8> limits{0,    0,   1e-3 * uniform(),      1e-2 * uniform(), 1,
                                         1e-7, 1e9, std::ldexp(1.0, -1000)};
      result.tolerance = Tolerance{limits[below(8)], limits[below(8)]};
    }
    if (below(2) == 0) {
      const std::array<double, 5> limits{0.5, 0.5 + uniform(), 3 * uniform(), 1e6, 0x1p1000};
      result.max_ulp = limits[below(5)];
    }
    return result;
  }

  // A code near the correctly rounded one, one of the special ones, or any.
  Code output(Code rounded) {
    const FloatFormat& format = *rounded.format;
    switch (below(16)) {
      case 0:
      case 1:
        return next_up(rounded);
      case 2:
      case 3:
        return next_down(rounded);
      case 4:
        return next_up(next_up(rounded));
      case 5:
        return {rounded.bits ^ format.sign_mask(), &format};
      case 6:
        return zero_of(format, below(2) == 0);
      case 7:
        return infinity_of(format, below(2) == 0);
      case 8:
        return below(2) == 0 ? nan_of(format) : max_finite_of(format, below(2) == 0);
      case 9:
        return code_of_rank(static_cast<std::int64_t>(below(3)) - 1, format);
      case 10:
      case 11:
        return {bits() & (format.sign_mask() | format.magnitude_mask()), &format};
      default:
        return rounded;
    }
  }

  const FloatFormat& any_format() { return *all_formats()[below(all_formats().size())]; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }

 private:
  std::uint64_t bits() { return random_.bits(index_++); }
  double uniform() { return random_.uniform(index_++); }
  double normal() { return random_.normal(index_++); }
  std::string pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  static Code finite(Code code) {
    return is_finite(code) ? code : max_finite_of(*code.format, code.negative());
  }

  TensorView row(Kind kind, const FloatFormat& format, std::size_t width) {
    Tensor x(format, 1, width);
    const Code constant = finite(round(dyadic_of(normal()), format));
    for (std::size_t i = 0; i < width; ++i) {
      Code code = finite(round(dyadic_of(normal()), format));
      if (kind == Kind::kAnyCode) {
        code = {bits() & (format.sign_mask() | format.magnitude_mask()), &format};
        // Keeps sums with a residual inside what double-doubles hold.
        if (!is_finite(code) || (format == kFp64 && std::fabs(to_binary64(code)) >= 0x1p1021)) {
          code = zero_of(format, code.negative());
        }
      }
      if (kind == Kind::kConstant) code = constant;
      if (kind == Kind::kExactRoot)
        code = finite(round(dyadic_of(i % 2 == 0 ? 1.0 : -1.0), format));
      x.set(0, i, code);
    }
    return std::move(x).share();
  }

  RandomStream random_;
  std::uint64_t index_ = 0;
};

void expect_same_counts(const Comparison& fast, const Comparison& exact) {
  EXPECT_EQ(fast.non_finite.reference, exact.non_finite.reference);
  EXPECT_EQ(fast.non_finite.got, exact.non_finite.got);
  EXPECT_EQ(fast.non_finite.disagree, exact.non_finite.disagree);
  EXPECT_EQ(fast.below_normal, exact.below_normal);
  EXPECT_EQ(fast.correctly_rounded, exact.correctly_rounded);
  EXPECT_EQ(fast.faithful, exact.faithful);
  EXPECT_EQ(fast.zero_sign_differs, exact.zero_sign_differs);
  EXPECT_EQ(fast.outside_tolerance, exact.outside_tolerance);
  EXPECT_EQ(fast.unattainable, exact.unattainable);
  EXPECT_EQ(fast.beyond_max_ulp, exact.beyond_max_ulp);
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    EXPECT_EQ(fast.code_distance.count(i), exact.code_distance.count(i)) << "class " << i;
  }
}

int order(double a, const Wide& b) {
  if (std::isinf(a)) return a < 0 ? -1 : 1;
  return compare(Wide(a), b);
}

void expect_bounds(const MeasureBounds& bounds, const ErrorMaximum& exact) {
  ASSERT_TRUE(exact.any ? bounds.high >= 0 : bounds.low < 0);
  if (!exact.any) return;
  EXPECT_LE(order(bounds.low, exact.value), 0) << bounds.low;
  EXPECT_GE(order(bounds.high, exact.value), 0) << bounds.high;
}

struct Tally {
  std::uint64_t elements = 0;
  std::uint64_t left = 0;  // not decided
};

class Differential {
 public:
  explicit Differential(std::uint64_t seed) : rows_(seed) {}

  void run(WildRows::Kind kind, OutputTensor tensor, std::uint64_t elements, Tally& tally) {
    for (std::size_t i = 0; tally.elements < elements; ++i) {
      const FloatFormat& format = *all_formats()[i % all_formats().size()];
      const bool residual = tensor == OutputTensor::kResidualOut || rows_.below(4) == 0;
      const Case value = rows_.make(kind, residual, format);
      compare_row(value, tensor, tally);
      ASSERT_FALSE(testing::Test::HasFailure()) << "row " << i << " " << format.name;
    }
  }

 private:
  void compare_row(const Case& value, OutputTensor tensor, Tally& tally) {
    const ExactRow exact_row(value, 0);
    const auto precise = PreciseRow::of(value, 0);
    ASSERT_TRUE(precise.has_value());
    Tensor got(*value.output, 1, value.x.width);
    std::vector<RootOfRatio> exact;
    for (std::size_t i = 0; i < got.width; ++i) {
      exact.push_back(exact_output(exact_row, tensor, i));
      got.set(0, i, rows_.output(exact.back().rounded(*value.output)));
    }
    const TensorView view = got.view();
    const Criteria criteria = rows_.criteria();
    const ElementComparer slow(value, view, criteria);
    const IntervalComparer fast(view, criteria);
    for (std::size_t i = 0; i < got.width; ++i) {
      Comparison expected;
      slow.compare(exact[i], 0, i, expected);
      const auto enclosure = enclosed(value, *precise, tensor, i);
      ASSERT_TRUE(enclosure.has_value());
      Comparison found;
      if (fast.decide(*enclosure, 0, i, found)) {
        expect_same_counts(found, expected);
      } else {
        ++tally.left;
        expect_same_counts(found, {});
      }
      const ErrorBounds bounds = fast.bounds(*enclosure, 0, i);
      expect_bounds(bounds.absolute, expected.absolute);
      expect_bounds(bounds.relative, expected.relative);
      expect_bounds(bounds.ulp, expected.ulp);
      ++tally.elements;
    }
  }

  static std::optional<Enclosure> enclosed(const Case& value, const PreciseRow& precise,
                                           OutputTensor tensor, std::size_t index) {
    if (tensor == OutputTensor::kY) return precise.enclosure(index);
    const auto sum = precise_sum(value, 0, index);
    return sum ? std::optional(Enclosure{*sum, 0}) : std::nullopt;
  }

  WildRows rows_;
};

TEST(IntervalComparer, DecidesEveryElementOfOrdinaryRows) {
  Tally tally;
  Differential(1).run(WildRows::Kind::kOrdinary, OutputTensor::kY, 150000, tally);
  EXPECT_GE(tally.elements, 150000U);
  EXPECT_EQ(tally.left, 0U);
}

// What is left: rows whose root is a power of two up to 2^-99 (one huge element, or a large
// constant), so that results lie on numbers of the output format.
TEST(IntervalComparer, DecidesNearlyAllOfRowsOfAnyCodes) {
  Tally tally;
  Differential(2).run(WildRows::Kind::kAnyCode, OutputTensor::kY, 150000, tally);
  EXPECT_GE(tally.elements, 150000U);
  EXPECT_LT(tally.left, tally.elements / 500);
}

// What is left: errors that are next to a limit but not on it, closer than binary64 tells apart.
TEST(IntervalComparer, DecidesNearlyAllExactSums) {
  Tally tally;
  Differential(3).run(WildRows::Kind::kOrdinary, OutputTensor::kResidualOut, 60000, tally);
  Differential(4).run(WildRows::Kind::kAnyCode, OutputTensor::kResidualOut, 120000, tally);
  EXPECT_GE(tally.elements, 120000U);
  EXPECT_LT(tally.left, tally.elements / 500);
}

TEST(IntervalComparer, IsNeverWrongOnRepeatedRowsAndTies) {
  Tally constant;
  Differential(5).run(WildRows::Kind::kConstant, OutputTensor::kY, 60000, constant);
  Tally ties;
  Differential(6).run(WildRows::Kind::kExactRoot, OutputTensor::kY, 60000, ties);
  EXPECT_GE(constant.elements + ties.elements, 120000U);
  EXPECT_LT(constant.left, constant.elements / 100);
  EXPECT_LT(ties.left, ties.elements / 100);
}

// sqrt(3/4 + 1/4) = 1: results are the gains, and those are ties or numbers of the output format.
TEST(IntervalComparer, LeavesTiesToTheIntegers) {
  Case value;
  value.epsilon = read_epsilon("0.25", "", "");
  Tensor x(kFp32, 1, 4);
  for (std::size_t i = 0; i < 3; ++i) x.set(0, i, code_of(1.0F));
  value.x = std::move(x).share();
  Tensor weight(kFp32, 1, 4);
  for (std::size_t i = 0; i < 4; ++i) weight.set(0, i, code_of(1.0F + 0x1p-8F));
  value.weight = std::move(weight).share();
  const auto precise = PreciseRow::of(value, 0);
  ASSERT_TRUE(precise.has_value());
  Tensor got(kBf16, 1, 4);
  for (std::size_t i = 0; i < 4; ++i) got.set(0, i, round(dyadic_of(1.0), kBf16));
  const TensorView view = got.view();
  const IntervalComparer comparer(view, {});
  Comparison into;
  EXPECT_FALSE(comparer.decide(*precise->enclosure(0), 0, 0, into));
  EXPECT_EQ(into.correctly_rounded, 0U);
  EXPECT_TRUE(comparer.decide(*precise->enclosure(3), 0, 3, into));  // a zero
  EXPECT_EQ(into.code_distance.count(9 + 10), 1U);                   // 1.0 has rank 16256
}

}  // namespace
}  // namespace normcert
