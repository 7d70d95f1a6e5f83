#include "numeric/rounding_mutants.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "numeric/hand_layout.hpp"

namespace normcert {
namespace {

bool is_rejected(const RoundingMutant& mutant, const FloatFormat& format) {
  return run_rounding_suite(format, mutant.round).failure.has_value();
}

bool can_show(std::string_view mutant, const FloatFormat& format) {
  return !mutant.starts_with("fn_") || !format.has_infinity();
}

// Each in each format that can show it, so that no format's checks stand in for another's.
TEST(RoundingMutants, TheSuiteRejectsEveryOneInEverySmallFormat) {
  int pairs = 0;
  for (const RoundingMutant& mutant : rounding_mutants()) {
    for (const FloatFormat* format : small_formats()) {
      if (!can_show(mutant.name, *format)) continue;
      ++pairs;
      EXPECT_TRUE(is_rejected(mutant, *format))
          << "accepted in " << format->name << ": " << mutant.name;
    }
  }
  EXPECT_EQ(pairs, 24 * 4 + 3);
}

// The intervals chosen from the wide formats are as sharp. What goes wrong only through a wider
// format is no defect in fp64.
TEST(RoundingMutants, TheSuiteRejectsThemInWideFormats) {
  int pairs = 0;
  for (const FloatFormat* format : {&kTf32, &kFp32, &kFp64}) {
    for (const RoundingMutant& mutant : rounding_mutants()) {
      const bool is_harmless =
          (mutant.name == "twice_through_binary32" && format->precision >= 24) ||
          (mutant.name == "twice_through_binary64" && format->precision >= 53);
      if (is_harmless || !can_show(mutant.name, *format)) continue;
      ++pairs;
      EXPECT_TRUE(is_rejected(mutant, *format))
          << "accepted in " << format->name << ": " << mutant.name;
    }
  }
  EXPECT_EQ(pairs, 24 * 3 - 3);
}

}  // namespace
}  // namespace normcert
