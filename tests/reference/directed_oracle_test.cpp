// Rows chosen by hand, all elements, and long rows: integers, 256 bits, MPFR and Arb agree.
#include <gtest/gtest.h>

#include <iostream>

#include "reference/directed_rows.hpp"
#include "reference/oracle_check.hpp"

namespace normcert {
namespace {

TEST(ExactRowDirected, EveryRow) {
  Tally tally;
  std::size_t count = 0;
  for (const auto& [name, numbers] : directed_rows()) {
    SCOPED_TRACE(name);
    const Case row = built_case(numbers);
    OracleCheck(row, tally).all_elements();
    ++count;
  }
  std::cout << count << " rows, ";
  tally.print(std::cout);
  EXPECT_GE(count, 400U);
  EXPECT_GT(tally.zeros, 100U);
  for (const FormatTally& format : tally.format) EXPECT_GT(format.exact, 50U);
}

TEST(ExactRowDirected, WidthsFrom1To16384) {
  Tally tally;
  std::size_t rows = 0;
  for (const FloatFormat* const format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (std::size_t power = 1; power <= 16384; power *= 2) {
      for (const std::size_t width : {power - 1, power, power + 1}) {
        if (width == 0 || width > 16384) continue;
        const Case row = built_case(long_row(*format, width));
        OracleCheck check(row, tally);
        // First, last and at most 30 between.
        const std::size_t step = width / 31 + 1;
        for (std::size_t i = 0; i < width; i += step) check.element(i);
        if ((width - 1) % step != 0) check.element(width - 1);
        ++rows;
      }
    }
  }
  EXPECT_EQ(rows, 4U * (3 * 15 - 2));
  EXPECT_GT(tally.elements, 2000U);
}

}  // namespace
}  // namespace normcert
