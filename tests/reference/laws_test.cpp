// Laws of the exact function, which hold bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reference/exact_row.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 4> kInputs{&kFp64, &kFp32, &kBf16, &kFp16};
constexpr int kRowsPerFormat = 60;

// Same magnitude, exactly: equal leading bits decide nearly always, the comparison of the values
// with one another always.
bool same_magnitude(const RootOfRatio& a, const RootOfRatio& b) {
  const LeadingBits& p = a.leading();
  const LeadingBits& q = b.leading();
  return p.top == q.top && p.exponent == q.exponent && p.sticky == q.sticky &&
         compare(a.wide().magnitude(), b.wide().magnitude()) == 0;
}

// Calls check(numbers, case) for rows of every kind in every format.
template <typename Check>
void for_rows(const char* name, Check check) {
  int rows = 0;
  for (const FloatFormat* const format : kInputs) {
    RowSource source(31, std::string(name) + std::string(format->name));
    for (int i = 0; i < kRowsPerFormat; ++i, ++rows) check(source.any(*format), source);
  }
  EXPECT_EQ(rows, 4 * kRowsPerFormat);
}

TEST(Laws, Negation) {
  for_rows("negation", [](const RowNumbers& numbers, RowSource&) {
    RowNumbers negated = numbers;
    for (double& x : negated.x) x = -x;
    for (double& r : negated.residual) r = -r;
    const Case a = built_case(numbers);
    const Case b = built_case(negated);
    const ExactRow row_a(a, 0);
    const ExactRow row_b(b, 0);
    for (std::size_t i = 0; i < row_a.width(); ++i) {
      const RootOfRatio y = row_a.element(i);
      const RootOfRatio minus_y = row_b.element(i);
      EXPECT_TRUE(same_magnitude(y, minus_y));
      if (y.is_zero() && !numbers.residual.empty()) continue;  // exact sums that vanish are +0
      EXPECT_NE(y.negative(), minus_y.negative());
      for (const FloatFormat* const format : all_formats()) {
        EXPECT_EQ(y.rounded(*format).bits ^ format->sign_mask(), minus_y.rounded(*format).bits);
      }
    }
  });
}

TEST(Laws, PowersOfTwoWithEpsilonScaled) {
  int scaled_rows = 0;
  for (const FloatFormat* const format : kInputs) {
    RowSource source(32, format->name);
    for (int i = 0; i < kRowsPerFormat; ++i) {
      RowNumbers numbers = source.ordinary(*format);
      // Nothing may become subnormal or overflow on the way.
      const bool fits = std::ranges::all_of(numbers.x, [&](double x) {
        return x == 0 || (std::fabs(x) > std::ldexp(1.0, format->emin + 6) &&
                          std::fabs(x) < std::ldexp(1.0, format->emax - 6));
      });
      if (!fits || numbers.epsilon < 0x1p-1000) continue;
      for (double& x : numbers.x) x = fitted(x, *format);
      const int k = source.dice().between(-5, 5);
      RowNumbers scaled = numbers;
      for (double& x : scaled.x) x = std::ldexp(x, k);
      scaled.epsilon = std::ldexp(numbers.epsilon, 2 * k);
      const Case a = built_case(numbers);
      const Case b = built_case(scaled);
      const ExactRow row_a(a, 0);
      const ExactRow row_b(b, 0);
      for (std::size_t e = 0; e < row_a.width(); ++e) {
        EXPECT_TRUE(same_magnitude(row_a.element(e), row_b.element(e)));
      }
      EXPECT_TRUE(same_magnitude(row_a.attenuation(), row_b.attenuation()));
      EXPECT_TRUE(same_magnitude(row_a.output_rms(), row_b.output_rms()));
      EXPECT_EQ(row_b.compare_mean_square(row_a), row_a.all_zero() ? 0 : (k > 0) - (k < 0));
      ++scaled_rows;
    }
  }
  EXPECT_GT(scaled_rows, 80);
}

// norm(c x; epsilon) = norm(x; epsilon / c^2) for any c > 0, here 3: integers below 64 keep their
// digits in every format when they are tripled, and so does epsilon nine times.
TEST(Laws, AnyScaleWithEpsilonScaled) {
  for (const FloatFormat* const format : kInputs) {
    RowSource source(33, format->name);
    for (int i = 0; i < kRowsPerFormat; ++i) {
      RowNumbers numbers{.format = format, .x = {}};
      for (std::size_t n = 1 + source.dice().below(20); n > 0; --n) {
        numbers.x.push_back(source.dice().between(-63, 63));
      }
      numbers.epsilon = std::ldexp(source.dice().between(1, 1000), -source.dice().between(0, 40));
      RowNumbers tripled = numbers;
      for (double& x : tripled.x) x *= 3;
      tripled.epsilon *= 9;
      const Case a = built_case(numbers);
      const Case b = built_case(tripled);
      for (std::size_t e = 0; e < numbers.x.size(); ++e) {
        const RootOfRatio y = ExactRow(a, 0).element(e);
        const RootOfRatio other = ExactRow(b, 0).element(e);
        const LeadingBits& p = y.leading();
        const LeadingBits& q = other.leading();
        EXPECT_TRUE(p.top == q.top && p.exponent == q.exponent && p.sticky == q.sticky);
      }
    }
  }
}

TEST(Laws, Permutation) {
  for_rows("permutation", [](const RowNumbers& numbers, RowSource& source) {
    const std::size_t n = numbers.x.size();
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[source.dice().below(i)]);
    RowNumbers permuted = numbers;
    for (std::size_t i = 0; i < n; ++i) {
      permuted.x[i] = numbers.x[order[i]];
      if (!numbers.weight.empty()) permuted.weight[i] = numbers.weight[order[i]];
      if (!numbers.residual.empty()) permuted.residual[i] = numbers.residual[order[i]];
    }
    const Case a = built_case(numbers);
    const Case b = built_case(permuted);
    const ExactRow row_a(a, 0);
    const ExactRow row_b(b, 0);
    EXPECT_EQ(row_a.compare_mean_square(row_b), 0);
    EXPECT_TRUE(same_magnitude(row_a.output_rms(), row_b.output_rms()));
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_TRUE(same_magnitude(row_b.element(i), row_a.element(order[i])));
      EXPECT_EQ(row_b.element(i).negative(), row_a.element(order[i]).negative());
    }
  });
}

// A row written twice has the same mean square.
TEST(Laws, Repetition) {
  for_rows("repetition", [](const RowNumbers& numbers, RowSource&) {
    RowNumbers twice = numbers;
    for (auto* const list : {&twice.x, &twice.residual, &twice.weight}) {
      const std::vector<double> once = *list;
      list->insert(list->end(), once.begin(), once.end());
    }
    const Case a = built_case(numbers);
    const Case b = built_case(twice);
    EXPECT_EQ(ExactRow(a, 0).compare_mean_square(ExactRow(b, 0)), 0);
    for (std::size_t i = 0; i < numbers.x.size(); i += 7) {
      const RootOfRatio y = ExactRow(a, 0).element(i);
      for (const std::size_t copy : {i, i + numbers.x.size()}) {
        EXPECT_TRUE(same_magnitude(y, ExactRow(b, 0).element(copy)));
      }
    }
  });
}

// Rounding is monotone: growing gains never give falling codes; and the value never grows
// in magnitude as epsilon does.
TEST(Laws, Monotone) {
  for_rows("monotone", [](const RowNumbers& numbers, RowSource& source) {
    RowNumbers grown = numbers;
    std::vector<double> gains;
    for (std::size_t i = 0; i < numbers.x.size(); ++i) gains.push_back(4 * source.dice().normal());
    std::ranges::sort(gains);
    grown.x.assign(gains.size(), 1.5);
    grown.residual.clear();
    grown.weight = gains;
    grown.weight_format = &kFp64;
    const Case value = built_case(grown);
    const ExactRow row(value, 0);
    grown.epsilon = std::nextafter(grown.epsilon, 1e300);
    const Case more = built_case(grown);
    const ExactRow row_more(more, 0);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      const RootOfRatio y = row.element(i);
      if (i > 0) {
        for (const FloatFormat* const format : all_formats()) {
          for (const RoundingMode mode : {RoundingMode::kNearestEven, RoundingMode::kTowardZero,
                                          RoundingMode::kAwayFromZero}) {
            EXPECT_LE(rank(row.element(i - 1).rounded(*format, {mode})),
                      rank(y.rounded(*format, {mode})));
          }
        }
      }
      if (y.is_zero()) continue;
      const Wide before = y.wide().magnitude();
      const Wide after = row_more.element(i).wide().magnitude();
      EXPECT_GE(compare(before, after), 0);
    }
    EXPECT_GE(compare(row.attenuation().wide(), row_more.attenuation().wide()), 0);
  });
}

// Constant rows come out as +-A; and without gain the root mean square of any output row is A.
TEST(Laws, Attenuation) {
  for_rows("attenuation", [](RowNumbers numbers, RowSource& source) {
    numbers.weight.clear();
    const Case bare = built_case(numbers);
    const ExactRow row(bare, 0);
    EXPECT_TRUE(same_magnitude(row.output_rms(), row.attenuation()));
    EXPECT_LE(row.attenuation().compare_to(BigDyadic(1.0)), numbers.epsilon == 0 ? 0 : -1);

    numbers.residual.clear();
    const double x = numbers.x[source.dice().below(numbers.x.size())];
    for (double& other : numbers.x) other = source.dice().one_in(2) ? x : -x;
    const Case constant = built_case(numbers);
    const ExactRow constant_row(constant, 0);
    if (constant_row.all_zero() && numbers.epsilon == 0) return;
    for (std::size_t i = 0; i < numbers.x.size(); i += 5) {
      EXPECT_TRUE(same_magnitude(constant_row.element(i), constant_row.attenuation()));
    }
  });
}

// Two epsilons differ by one factor for the whole row: y1^2 / y2^2 is the same for all elements.
TEST(Laws, OneFactorPerRow) {
  for_rows("factor", [](RowNumbers numbers, RowSource&) {
    const Case a = built_case(numbers);
    numbers.epsilon = 2 * numbers.epsilon + 1e-3;
    const Case b = built_case(numbers);
    const ExactRow row_a(a, 0);
    const ExactRow row_b(b, 0);
    if (row_a.all_zero()) return;
    const Wide factor = row_b.attenuation().wide() / row_a.attenuation().wide();
    for (std::size_t i = 0; i < row_a.width(); i += 3) {
      const Wide expected = row_a.element(i).wide() * factor;
      const Wide difference = (row_b.element(i).wide() - expected).magnitude();
      EXPECT_LE(compare(difference, expected.magnitude().times_power_of_two(-252)), 0);
    }
  });
}

// compare_to against numbers at a known distance from the value, down to the last of 256 bits.
TEST(Laws, CompareToAgreesWith256Bits) {
  int compared = 0;
  for_rows("compare", [&](const RowNumbers& numbers, RowSource& source) {
    const Case value = built_case(numbers);
    const ExactRow row(value, 0);
    const RootOfRatio y = row.element(source.dice().below(row.width()));
    const BigDyadic near = y.wide().exact();
    if (y.is_zero()) {
      EXPECT_EQ(y.compare_to(BigDyadic()), 0);
      EXPECT_LT(y.compare_to(BigDyadic(0x1p-1074)), 0);
      EXPECT_GT(y.compare_to(BigDyadic(-0x1p-1074)), 0);
      return;
    }
    for (const int exponent : {-1, -30, -53, -60, -128, -253}) {
      const BigDyadic step = near.magnitude().times_power_of_two(exponent);
      EXPECT_GT(y.compare_to(near - step), 0);
      EXPECT_LT(y.compare_to(near + step), 0);
      // The same number as a ratio.
      const BigDyadic seven = BigDyadic::integer(7);
      EXPECT_GT(y.compare_to_ratio((near - step) * seven, seven), 0);
      EXPECT_LT(y.compare_to_ratio((near + step) * seven, seven), 0);
      compared += 4;
    }
    EXPECT_EQ(y.compare_to(BigDyadic()), y.negative() ? -1 : 1);
    EXPECT_EQ(y.compare_to(BigDyadic() - near), y.negative() ? -1 : 1);
  });
  EXPECT_GT(compared, 4000);
}

}  // namespace
}  // namespace normcert
