// Values worked by hand: perfect squares make A rational, known digits check the rest.
#include "reference/attenuation.hpp"

#include <gtest/gtest.h>

#include <string>

namespace normcert {
namespace {

ExactRatio ratio(const char* text) { return magnitude_of(*read_number(text)); }

TEST(ReferenceAttenuation, RationalRows) {
  // q = 9, epsilon = 7: A = 3/4.
  const AttenuationRow row = attenuation_of(ratio("9"), ratio("7"));
  EXPECT_EQ(row.q, 9);
  EXPECT_EQ(row.attenuation.binary64, 0.75);
  EXPECT_EQ(row.attenuation.digits, "7.5" + std::string(38, '0') + "e-01");
  EXPECT_EQ(row.loss, 0.25);
  // q = 0.0001, epsilon = 0.9999: A = 0.01.
  EXPECT_EQ(attenuation_of(ratio("0.0001"), ratio("0.9999")).attenuation.binary64, 0.01);
  // epsilon = 3q: A = 1/2 whatever the scale.
  for (const char* q : {"1e-300", "1e-6", "7", "1e300"}) {
    const ExactRatio value = ratio(q);
    EXPECT_EQ(attenuation_of(value, value * ratio("3")).attenuation.binary64, 0.5) << q;
  }
}

TEST(ReferenceAttenuation, TiesOfSixDecimalsStayTies) {
  // A = 0.0999995 exactly: q = A^2, epsilon = 1 - A^2.
  const ExactRatio a = ratio("0.0999995");
  const AttenuationRow row = attenuation_of(a * a, ratio("0.99000009999975"));
  EXPECT_EQ(row.attenuation.digits, "9.99995" + std::string(34, '0') + "e-02");
}

TEST(ReferenceAttenuation, ZeroRow) {
  const AttenuationRow row = attenuation_of(ratio("0"), ratio("1e-6"));
  EXPECT_EQ(row.attenuation.binary64, 0);
  EXPECT_EQ(row.attenuation.digits, "0");
  EXPECT_EQ(row.loss, 1);
  EXPECT_FALSE(output_ratio(ratio("0"), ratio("1"), ratio("2")).has_value());
}

TEST(ReferenceAttenuation, SmallLossesDoNotCancel) {
  // 1 - A = 1/(2 q/epsilon) - ... for large q: 5e-31 - 3.75e-61 + ...
  EXPECT_EQ(attenuation_of(ratio("1e30"), ratio("1")).loss, 5e-31);
  EXPECT_EQ(attenuation_of(ratio("1e300"), ratio("1e-300")).loss, 0);  // 5e-601
}

TEST(ReferenceAttenuation, OutputRatio) {
  // (q + e1) / (q + e2) = 25 / 100.
  EXPECT_EQ(output_ratio(ratio("16"), ratio("9"), ratio("84"))->binary64, 0.5);
  EXPECT_EQ(output_ratio(ratio("16"), ratio("84"), ratio("9"))->binary64, 2);
  EXPECT_EQ(output_ratio(ratio("1"), ratio("1e-6"), ratio("1e-6"))->binary64, 1);
}

TEST(ReferenceAttenuation, LeastQOverEpsilon) {
  // 9801/199.
  const RoundedReal one_percent = rounded(least_q_over_epsilon(ratio("0.01")));
  EXPECT_EQ(one_percent.binary64, 9801.0 / 199.0);
  EXPECT_EQ(one_percent.digits, "4.925125628140703517587939698492462311558e+01");
  EXPECT_EQ(rounded(least_q_over_epsilon(ratio("0.5"))).binary64, 1.0 / 3.0);
  // There the loss is what was allowed.
  for (const char* loss : {"1e-12", "0.001", "0.3", "0.999"}) {
    const ExactRatio least = least_q_over_epsilon(ratio(loss));
    EXPECT_EQ(attenuation_of(least, ratio("1")).loss, to_binary64(ratio(loss))) << loss;
  }
}

}  // namespace
}  // namespace normcert
