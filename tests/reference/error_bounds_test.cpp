// The bounds against their proofs (each number must be the one that Gappa proves) and against
// exact evaluations of the computation that they bound.
#include "reference/error_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"
#include "numeric/wide.hpp"

namespace normcert {
namespace {

// The number behind the last "<=" of a proof.
double proven(const std::string& name) {
  std::ifstream stream(std::string(NORMCERT_SOURCE_DIR) + "/tests/proofs/" + name + ".gappa");
  std::ostringstream text;
  text << stream.rdbuf();
  const std::string script = text.str();
  const std::size_t at = script.rfind("<= ");
  if (at == std::string::npos) return HUGE_VAL;
  return std::strtod(script.c_str() + at + 3, nullptr);
}

TEST(ErrorBounds, AreNotBelowWhatIsProven) {
  EXPECT_GE(kBinary32ScreenBound, proven("binary32_screen"));
  EXPECT_GE(kLimitScreenBound, proven("limit_screen"));
  EXPECT_GE(kErrorScreenBound, proven("error_screen"));
  EXPECT_GE(binary64_screen_bound(0), proven("binary64_screen"));
  EXPECT_GE(binary64_screen_bound(0x1p-26), proven("binary64_screen_long_row"));
  EXPECT_GE(row_scalar_bound(0), proven("row_scalar"));
  EXPECT_GE(row_scalar_bound(0x1p-26), proven("row_scalar_long_row"));
  // And nearly what is proven.
  EXPECT_LE(binary64_screen_bound(0), proven("binary64_screen") * 1.01);
  EXPECT_LE(row_scalar_bound(0), proven("row_scalar") * 1.01);
}

TEST(ErrorBounds, OfASumGrowWithItsDepth) {
  EXPECT_EQ(sum_bound(0), 0);
  EXPECT_GE(sum_bound(1), kUnit64);
  EXPECT_LE(sum_bound(1), kUnit64 * (1 + 0x1p-40));
  EXPECT_LT(sum_bound(kGreatestDepth), 0x1p-26);
  EXPECT_GT(sum_bound(kGreatestDepth), 1e8 * kUnit64);
}

double relative_error(double found, const Wide& exact) {
  return ((Wide(found) - exact).magnitude() / exact).to_binary64();
}

// One running sum over n squares, the scalar, one element in binary64 and binary32: every error is
// within its bound, and some come near enough to show that the bounds are not idle.
TEST(ErrorBounds, HoldForRandomRows) {
  const RandomStream random(31, "error_bounds");
  double greatest64 = 0;
  double greatest32 = 0;
  constexpr std::uint64_t kRows = 4000;
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const std::size_t n = 1 + row % 64;
    const double epsilon = row % 2 == 0 ? 1e-6 : 0.37;
    std::vector<float> x(n);
    double sum = 0;
    BigDyadic exact_sum;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(random.normal(row * 64 + i));
      const auto wide = static_cast<double>(x[i]);
      sum += wide * wide;
      exact_sum += BigDyadic(wide) * BigDyadic(wide);
    }
    const double of_sum = sum_bound(n - 1);
    ASSERT_LE(relative_error(sum, Wide(exact_sum)), of_sum);
    const double r = 1 / std::sqrt(sum / static_cast<double>(n) + epsilon);
    const Wide square = Wide(exact_sum) / Wide(static_cast<double>(n)) + Wide(epsilon);
    const Wide exact_r = Wide(1.0) / sqrt(square);
    const double of_row = row_scalar_bound(of_sum);
    ASSERT_LE(relative_error(r, exact_r), of_row);

    const double weight = 0.25 * random.normal(row + kRows * 64);
    const Wide gain = Wide(BigDyadic(weight) + BigDyadic::integer(1));
    const Wide y = Wide(static_cast<double>(std::fabs(x[0]))) * gain.magnitude() * exact_r;
    if (y.sign() == 0) continue;
    const double y64 = std::fabs(static_cast<double>(x[0]) * (1 + weight) * r);
    const double of_element = binary64_screen_bound(of_row);
    const double error64 = relative_error(y64, y);
    ASSERT_LE(error64, of_element);
    greatest64 = std::max(greatest64, error64 / of_element);
    const float p = std::fabs(x[0]) * std::fabs(static_cast<float>(1 + weight));
    const float y32 = p * static_cast<float>(r);
    // RN32(1 + weight) was rounded twice here: 2^-53 more than the bound's one rounding.
    const double error32 = relative_error(static_cast<double>(y32), y);
    ASSERT_LE(error32, kBinary32ScreenBound + 2 * kUnit64);
    greatest32 = std::max(greatest32, error32 / kBinary32ScreenBound);
  }
  EXPECT_GT(greatest64, 0.1);
  EXPECT_GT(greatest32, 0.4);
}

}  // namespace
}  // namespace normcert
