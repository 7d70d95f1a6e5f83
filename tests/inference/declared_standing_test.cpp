// The declared function alone: possible where it made the outputs, impossible where another did.
#include "inference/declared_standing.hpp"

#include <gtest/gtest.h>

#include "inference/elimination.hpp"
#include "inference/synthetic_ports.hpp"

namespace normcert {
namespace {

ObservedNorm norm_of(SyntheticPort& port) {
  if (port.value.weight_offset.binary64 == 0) port.value.weight_offset.text = "0";
  if (port.value.weight_offset.binary64 == 1) port.value.weight_offset.text = "1";
  port.value.weight_offset_given = true;
  if (!port.value.weight) port.value.weight_none = true;
  return {.site = "norm", .value = &port.value, .y = port.y};
}

// It says what the whole elimination says of the declared function, strays aside.
TEST(DeclaredStanding, AgreesWithTheWholeElimination) {
  int impossible = 0;
  int possible = 0;
  for (std::uint64_t number = 0; number < 150; ++number) {
    SyntheticPort port = synthetic_port(number, 256, number % 3 != 0);
    const ObservedNorm norm = norm_of(port);
    const Elimination whole = eliminate({&norm, 1}, {}).joint;
    if (whole.with_strays || whole.rows.judged == 0) continue;
    const DeclaredStanding standing = declared_standing({&norm, 1}, 1);
    EXPECT_EQ(standing.rows, whole.rows.judged);
    if (whole.declared == DeclaredOutcome::kFits && whole.declared_as != "") {
      EXPECT_TRUE(standing.possible) << described(number, port);
      ++possible;
    }
    if (whole.declared == DeclaredOutcome::kImpossible) {
      EXPECT_FALSE(standing.possible) << described(number, port);
      EXPECT_FALSE(standing.plausible);
      ++impossible;
    }
  }
  EXPECT_GE(possible, 30);
  EXPECT_GE(impossible, 30);
}

TEST(DeclaredStanding, RightPortsArePlausible) {
  for (std::uint64_t number = 0; number < 100; ++number) {
    SyntheticPort port = synthetic_port(number, 256, false);
    const ObservedNorm norm = norm_of(port);
    EXPECT_TRUE(declared_standing({&norm, 1}, 1).plausible) << described(number, port);
  }
}

}  // namespace
}  // namespace normcert
