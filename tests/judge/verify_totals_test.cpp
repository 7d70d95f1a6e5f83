#include "judge/verify_totals.hpp"

#include <gtest/gtest.h>

#include <string>

namespace normcert {
namespace {

// Rows as letters: s conforms, u is undecided, d differs. Two units of four rows each.
ConformityTotals of(const std::string& rows, std::size_t unit, std::size_t first) {
  ConformityTotals totals;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Tristate conforms = rows[i] == 's'   ? Tristate::kSame
                              : rows[i] == 'u' ? Tristate::kUndecided
                                               : Tristate::kDiffers;
    if (!totals.add(unit, first + i, conforms)) break;
  }
  return totals;
}

std::string shown(const ConformityTotals& totals) {
  const auto row = totals.first_other_row();
  return std::string(name_of(totals.value())) + " " + std::to_string(totals.rows_by_conformity()) +
         " " + (row ? std::to_string(*row) : "-");
}

TEST(ConformityTotals, RowsBeforeTheFirstThatDiffers) {
  EXPECT_EQ(shown({}), "same 0 -");
  EXPECT_EQ(shown(of("sss", 0, 0)), "same 3 -");
  EXPECT_EQ(shown(of("suus", 0, 0)), "undecided 2 1");
  EXPECT_EQ(shown(of("susds", 0, 0)), "differs 2 3");
}

TEST(ConformityTotals, UnitsMergeInAnyOrder) {
  struct Expected {
    const char* first;
    const char* second;
    const char* shown;
  };
  const Expected all[] = {
      {"ssss", "sssd", "differs 7 7"}, {"sdss", "ssss", "differs 1 1"},
      {"sdss", "dsss", "differs 1 1"}, {"ssss", "usus", "undecided 6 4"},
      {"ssud", "ssss", "differs 2 3"}, {"ssss", "ssss", "same 8 -"},
      {"ussu", "ssds", "differs 4 6"},
  };
  for (const Expected& expected : all) {
    ConformityTotals forwards = of(expected.first, 0, 0);
    forwards.merge(of(expected.second, 1, 4));
    EXPECT_EQ(shown(forwards), expected.shown);
    ConformityTotals backwards = of(expected.second, 1, 4);
    backwards.merge(of(expected.first, 0, 0));
    EXPECT_EQ(shown(backwards), expected.shown);
  }
}

TEST(ConformityTotals, BlocksOfAUnitMergeInOrder) {
  ConformityTotals unit = of("ss", 0, 0);
  unit.merge(of("sd", 0, 2));
  unit.merge(of("ss", 0, 4));  // the next block does not know of row 3
  unit.merge(of("dd", 0, 6));
  EXPECT_EQ(shown(unit), "differs 3 3");
  unit.merge(of("ss", 1, 8));
  EXPECT_EQ(shown(unit), "differs 3 3");
}

}  // namespace
}  // namespace normcert
