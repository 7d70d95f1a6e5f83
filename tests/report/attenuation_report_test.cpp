#include "report/attenuation_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/json_writer.hpp"

namespace normcert {
namespace {

ExactRatio ratio(const char* text) { return magnitude_of(*read_number(text)); }

nlohmann::ordered_json report() {
  const ExactRatio epsilon = ratio("1e-6");
  const ExactRatio other = ratio("1e-4");
  AttenuationReport report;
  report.epsilon = read_epsilon("1e-6", "", "");
  report.table = {attenuation_of(ratio("1e-6"), epsilon), attenuation_of(ratio("0"), epsilon)};
  report.limit = AttenuationLimit{0.01, rounded(least_q_over_epsilon(ratio("0.01")))};
  report.versus = AttenuationVersus{
      read_epsilon("1e-4", "", ""),
      {{attenuation_of(ratio("1e-6"), other), output_ratio(ratio("1e-6"), epsilon, other)},
       {attenuation_of(ratio("0"), other), output_ratio(ratio("0"), epsilon, other)}}};
  Envelope envelope;
  envelope.kind = "attenuation";
  envelope.rerun = "normcert attenuation --epsilon 1e-6";
  envelope.reproducible = true;
  return attenuation_json(envelope, report);
}

TEST(AttenuationReport, Json) {
  const std::string text = json_text(report());
  EXPECT_NE(text.find("    {\n"
                      "      \"q\": 1e-06,\n"
                      "      \"q_over_epsilon\": 1,\n"
                      "      \"attenuation\": 0.7071067811865476,\n"
                      "      \"exact\": \"7.071067811865475244008443621048490392848e-01\",\n"
                      "      \"loss\": 0.2928932188134525\n"
                      "    },\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  \"max_attenuation\": 0.01,\n"
                      "  \"least_q_over_epsilon\": 49.25125628140704,\n"
                      "  \"least_q_over_epsilon_exact\": "
                      "\"4.925125628140703517587939698492462311558e+01\""),
            std::string::npos)
      << text;
}

TEST(AttenuationReport, Text) {
  EXPECT_EQ(
      kAttenuationViews.text(report(), {}),
      "attenuation by epsilon 1e-6, before the gain\n"
      "  A = sqrt(q / (q + epsilon)), before the gain; q is the mean square of a row, A the RMS "
      "of the normalised row\n"
      "\n"
      "  q      q/epsilon  A (before the gain)  1 - A\n"
      "  1e-06  1          0.707107             0.293\n"
      "  0      0          0.000000             1.00\n"
      "\n"
      "  at most 0.01 is lost before the gain where q/epsilon is at least 49.2512562814\n"
      "\n"
      "  y(1e-4) / y(1e-6) = sqrt((q + 1e-6) / (q + 1e-4)), one factor for the whole row, "
      "which the cosine of a row cannot see\n"
      "\n"
      "  q      A with 1e-6  A with 1e-4  y(1e-4) / y(1e-6)\n"
      "  1e-06  0.707107     0.099504     0.140720\n"
      "  0      0.000000     0.000000     both 0\n"
      "\n"
      "  epsilon 1e-6 as           value                          change\n"
      "  binary64                  1e-06 (0x1.0c6f7a0b5ed8dp-20)\n"
      "  fp32                      9.99999997e-07                 -2.52e-07 %\n"
      "  bf16                      9.983778e-07                   -0.162 %\n"
      "  fp16                      1.01327896e-06                 +1.33 %\n"
      "  fp16, subnormals flushed  0                              -100 %\n"
      "\n"
      "  epsilon 1e-4 as           value                           change\n"
      "  binary64                  0.0001 (0x1.a36e2eb1c432dp-14)\n"
      "  fp32                      9.99999975e-05                  -2.53e-06 %\n"
      "  bf16                      0.000100135803                  +0.136 %\n"
      "  fp16                      0.000100016594                  +0.0166 %\n"
      "  fp16, subnormals flushed  0.000100016594                  +0.0166 %\n");
}

TEST(AttenuationReport, Markdown) {
  const std::string text = kAttenuationViews.markdown(report());
  for (const char* part :
       {"# Attenuation by epsilon `1e-6`, before the gain\n", "| 1e-06 | 1 | 0.707107 | 0.293 |\n",
        "Limit: at most 0.01 is lost before the gain where q/epsilon is at least 49.2512562814.\n",
        "## Against epsilon `1e-4`\n", "| 1e-06 | 0.707107 | 0.099504 | 0.140720 |\n",
        "| fp16, subnormals flushed | 0 | -100 % |\n",
        "```\nnormcert attenuation --epsilon 1e-6\n```\n", "Made by normcert "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
  // Without an environment in the value there is none in the view.
  EXPECT_EQ(text.find("| environment |"), std::string::npos);
}

}  // namespace
}  // namespace normcert
