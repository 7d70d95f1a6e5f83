// Classes whose elements are chosen.
#include "generate/directed_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "generate/standard_rows.hpp"
#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

const std::vector<const FloatFormat*> kFormats = {&kFp64, &kFp32, &kBf16, &kFp16};
const std::vector<std::size_t> kWidths = {1, 2, 3, 4, 5, 7, 64, 100, 1024};

double rounded(double value, const FloatFormat& format) {
  return to_binary64(convert(code_of(value), format));
}

// Calls check(case, format, width) for all formats and widths; the class must be there.
template <typename Check>
void for_each_case(const std::string& id, Check check) {
  for (const FloatFormat* format : kFormats) {
    for (const std::size_t width : kWidths) {
      SCOPED_TRACE(std::string(format->name) + ' ' + std::to_string(width));
      const StandardSet set = standard_set(standard_spec(*format, width, "1e-6"));
      const Case* value = find_case(set, id);
      ASSERT_NE(value, nullptr);
      check(*value, *format, width);
    }
  }
}

TEST(DirectedRows, Zero) {
  for_each_case("zero", [](const Case& value, const FloatFormat& format, std::size_t width) {
    ASSERT_EQ(value.x.rows, 2U);
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_EQ(value.x.at(0, i), zero_of(format, false));
      EXPECT_EQ(value.x.at(1, i), zero_of(format, true));
    }
  });
}

TEST(DirectedRows, Constant) {
  for_each_case("constant", [](const Case& value, const FloatFormat& format, std::size_t width) {
    ASSERT_EQ(value.x.rows, 3U);
    const double root = rounded(std::sqrt(1e-6), format);
    EXPECT_EQ(row_numbers(value.x, 0), std::vector<double>(width, root));
    EXPECT_EQ(row_numbers(value.x, 1), std::vector<double>(width, 1));
    EXPECT_EQ(row_numbers(value.x, 2), std::vector<double>(width, -0.75));
  });
}

TEST(DirectedRows, Alternating) {
  for_each_case("alternating", [](const Case& value, const FloatFormat& format, std::size_t width) {
    ASSERT_EQ(value.x.rows, 1U);
    const double v = rounded(2.5e-3, format);
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_EQ(to_binary64(value.x.at(0, i)), i % 2 == 0 ? v : -v);
    }
  });
}

TEST(DirectedRows, OneHot) {
  for_each_case("one_hot", [](const Case& value, const FloatFormat&, std::size_t width) {
    ASSERT_EQ(value.x.rows, 2U);
    std::vector<double> one(width, 0);
    std::vector<double> thirty_three(width, 0);
    one[width / 3] = 1;
    thirty_three.back() = 33;
    EXPECT_EQ(row_numbers(value.x, 0), one);
    EXPECT_EQ(row_numbers(value.x, 1), thirty_three);
  });
}

TEST(DirectedRows, QOverEpsilon) {
  const double ratios[] = {1e-4, 0.01, 0.1, 1, 10, 100, 1e4};
  for_each_case("q_over_epsilon",
                [&](const Case& value, const FloatFormat& format, std::size_t width) {
                  ASSERT_EQ(value.x.rows, 7U);
                  for (std::size_t row = 0; row < 7; ++row) {
                    const double x = rounded(std::sqrt(ratios[row] * 1e-6), format);
                    EXPECT_EQ(row_numbers(value.x, row), std::vector<double>(width, x));
                    // The ladder survives the rounding: 1e-5 has 7 bits in binary16.
                    EXPECT_NEAR(x * x / 1e-6 / ratios[row], 1, 0.02);
                  }
                });
}

TEST(DirectedRows, NearOverflow) {
  for_each_case(
      "near_overflow", [](const Case& value, const FloatFormat& format, std::size_t width) {
        ASSERT_EQ(value.x.rows, 2U);
        const double s = to_binary64(value.x.at(0, 0));
        EXPECT_EQ(row_numbers(value.x, 0), std::vector<double>(width, s));
        for (std::size_t i = 0; i < width; ++i) {
          EXPECT_EQ(to_binary64(value.x.at(1, i)), i % 2 == 0 ? s : -s);
        }
        int exponent = 0;
        EXPECT_EQ(std::frexp(s, &exponent), 0.5) << "a power of two";
        const BigDyadic limit = BigDyadic::power_of_two(127);
        const BigDyadic sum = sum_of_squares(value.x, 0);
        const double half_of_greatest = to_binary64(max_finite_of(format, false)) / 2;
        EXPECT_LT(compare(sum, limit), 0);
        EXPECT_LE(s, half_of_greatest);
        EXPECT_TRUE(compare(sum.times_power_of_two(2), limit) >= 0 || 2 * s > half_of_greatest)
            << "the greatest one";
      });
}

TEST(DirectedRows, BeyondRange) {
  int sets = 0;
  for (const FloatFormat* format : kFormats) {
    for (const std::size_t width : kWidths) {
      SCOPED_TRACE(std::string(format->name) + ' ' + std::to_string(width));
      const StandardSet set = standard_set(standard_spec(*format, width, "1e-6"));
      const Case* value = find_case(set, "beyond_range");
      if (format == &kFp16) {
        EXPECT_EQ(value, nullptr);
        continue;
      }
      ++sets;
      ASSERT_NE(value, nullptr);
      EXPECT_EQ(value->x.rows, format == &kFp64 ? 3U : 2U);
      const BigDyadic limit = BigDyadic::power_of_two(128);
      for (std::size_t row = 0; row < value->x.rows; ++row) {
        EXPECT_GE(compare(sum_of_squares(value->x, row), limit), 0);
      }
      EXPECT_LT(compare(sum_of_squares(value->x, 0).times_power_of_two(-2), limit), 0)
          << "the least power of two";
      if (format == &kFp64) {
        EXPECT_EQ(to_binary64(value->x.at(2, 0)), 1e200);
      }
    }
  }
  EXPECT_EQ(sets, 27);
}

TEST(DirectedRows, Subnormal) {
  for_each_case("subnormal", [](const Case& value, const FloatFormat& format, std::size_t width) {
    ASSERT_EQ(value.x.rows, 2U);
    std::set<std::uint64_t> magnitudes;
    for (std::size_t i = 0; i < width; ++i) {
      for (const std::size_t row : {0U, 1U}) {
        EXPECT_EQ(classify(value.x.at(row, i)), FloatClass::kSubnormal);
        EXPECT_EQ(value.x.at(row, i).negative(), i % 2 == 1);
      }
      magnitudes.insert(value.x.at(0, i).magnitude());
    }
    const std::uint64_t greatest = format.fraction_mask();
    EXPECT_EQ(*magnitudes.rbegin(), greatest);
    EXPECT_EQ(*magnitudes.begin(), width > 1 ? 1U : greatest);
    EXPECT_EQ(magnitudes.size(), std::min<std::uint64_t>(width, greatest));
    // Evenly: no gap is more than one longer than another.
    if (width < 2 || width > greatest) return;
    std::set<std::uint64_t> gaps;
    for (auto it = magnitudes.begin(); std::next(it) != magnitudes.end(); ++it) {
      gaps.insert(*std::next(it) - *it);
    }
    EXPECT_LE(*gaps.rbegin() - *gaps.begin(), 1U);
  });
}

TEST(DirectedRows, ExactRms) {
  for_each_case("exact_rms", [](const Case& value, const FloatFormat&, std::size_t width) {
    ASSERT_EQ(value.x.rows, 3U);
    const int exponents[] = {0, -4, 5};
    for (std::size_t row = 0; row < 3; ++row) {
      const BigDyadic expected = BigDyadic::integer(width).times_power_of_two(2 * exponents[row]);
      EXPECT_EQ(compare(sum_of_squares(value.x, row), expected), 0);
    }
    if (width < 100) return;
    std::set<double> magnitudes;
    for (const double x : row_numbers(value.x, 0)) magnitudes.insert(std::abs(x));
    EXPECT_EQ(magnitudes, (std::set<double>{0, 0.5, 1, 1.5, 2}));
  });
}

}  // namespace
}  // namespace normcert
