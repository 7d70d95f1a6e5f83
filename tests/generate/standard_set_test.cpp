// The standard set as a whole: what is in it, what is left out and why, for every format, widths
// from 1 on and several epsilons. Single classes are in directed_rows_test.cpp,
// random_rows_test.cpp and midpoint_rows_test.cpp.
#include "generate/standard_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "generate/standard_rows.hpp"
#include "numeric/rounding.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

using Texts = std::vector<std::string>;

bool same_bytes(const TensorView& a, const TensorView& b) {
  return a.rows == b.rows && a.width == b.width && *a.format == *b.format &&
         std::ranges::equal(a.bytes, b.bytes);
}

class StandardSetOf : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(StandardSetOf, EveryClassIsThereOrExplained) {
  const FloatFormat& format = *GetParam();
  int sets = 0;
  for (const std::size_t width : {1U, 2U, 3U, 4U, 5U, 12U, 64U, 257U}) {
    for (const char* epsilon : {"1e-5", "1e-6", "1e-12", "0.015"}) {
      SCOPED_TRACE(std::to_string(width) + " " + epsilon);
      ++sets;
      const StandardSet set = standard_set(standard_spec(format, width, epsilon));
      Texts ids;
      for (const Case& value : set.cases) {
        EXPECT_EQ(value.id, value.class_name);
        EXPECT_EQ(*value.x.format, format);
        EXPECT_EQ(*value.output, format);
        EXPECT_EQ(value.x.width, width);
        EXPECT_EQ(value.epsilon.text, epsilon);
        EXPECT_NO_THROW(validate(value, "", value.place));
        ids.push_back(value.id);
      }
      Texts expected;
      for (const std::string_view name : standard_classes()) {
        const Texts reasons = omissions_of(set, std::string(name));
        const bool all = std::ranges::any_of(
            reasons, [](const std::string& text) { return text.starts_with("all: "); });
        if (find_case(set, std::string(name)) != nullptr) {
          EXPECT_FALSE(all) << name;
          expected.emplace_back(name);
        } else {
          EXPECT_FALSE(reasons.empty()) << name;
        }
      }
      EXPECT_EQ(ids, expected) << "in the order of the classes";
    }
  }
  EXPECT_EQ(sets, 32);
}

TEST_P(StandardSetOf, IsAFunctionOfItsDescription) {
  StandardSpec spec = standard_spec(*GetParam(), 33, "1e-6");
  const StandardSet one = standard_set(spec);
  const StandardSet two = standard_set(spec);
  spec.seed = 1;
  const StandardSet other = standard_set(spec);
  ASSERT_EQ(one.cases.size(), two.cases.size());
  int differ = 0;
  for (std::size_t i = 0; i < one.cases.size(); ++i) {
    EXPECT_TRUE(same_bytes(one.cases[i].x, two.cases[i].x)) << one.cases[i].id;
    EXPECT_TRUE(same_bytes(*one.cases[i].weight, *two.cases[i].weight));
    EXPECT_FALSE(same_bytes(*one.cases[i].weight, *other.cases[i].weight));
    differ += same_bytes(one.cases[i].x, other.cases[i].x) ? 0 : 1;
  }
  // tiny, small, ordinary, large, mixed_scale, outlier_channel, subnormal, exact_rms, midpoint,
  // amplitude.
  EXPECT_EQ(differ, 10);
}

INSTANTIATE_TEST_SUITE_P(Formats, StandardSetOf, testing::Values(&kFp64, &kFp32, &kBf16, &kFp16),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST(StandardSet, NothingIsOmittedWithoutNeed) {
  for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16}) {
    for (const char* epsilon : {"1e-5", "1e-6"}) {
      const StandardSet set = standard_set(standard_spec(*format, 64, epsilon));
      EXPECT_EQ(set.cases.size(), kStandardClassCount) << format->name;
      EXPECT_TRUE(set.omitted.empty()) << set.omitted.front().reason;
    }
  }
}

TEST(StandardSet, SaysWhatBinary16CannotHold) {
  const StandardSet set = standard_set(standard_spec(kFp16, 64, "1e-6"));
  EXPECT_EQ(set.cases.size(), kStandardClassCount - 1);
  EXPECT_EQ(omissions_of(set, "beyond_range"),
            (Texts{"all: no sum of 64 squares of finite fp16 numbers leaves binary32"}));
  const Texts amplitudes = omissions_of(set, "amplitude");
  EXPECT_EQ(amplitudes.front(), "RMS 10^-12: every element rounds to zero in fp16");
  EXPECT_EQ(amplitudes.back(), "RMS 10^12: an element lies beyond the greatest finite fp16 number");
  EXPECT_EQ(find_case(set, "amplitude")->x.rows + amplitudes.size(), 25U);

  const StandardSet minute = standard_set(standard_spec(kFp16, 64, "1e-18"));
  EXPECT_EQ(find_case(minute, "tiny"), nullptr);
  EXPECT_EQ(omissions_of(minute, "tiny").front(),
            "q/epsilon = 0x1p-20: every element rounds to zero in fp16");
  EXPECT_EQ(find_case(minute, "constant")->x.rows, 2U);
}

TEST(StandardSet, AHugeEpsilonLeavesFewRows) {
  const StandardSet set = standard_set(standard_spec(kFp16, 8, "1e30"));
  EXPECT_EQ(find_case(set, "ordinary"), nullptr);
  EXPECT_EQ(find_case(set, "midpoint"), nullptr);
  EXPECT_NE(find_case(set, "large"), nullptr);
  EXPECT_NO_THROW((void)standard_set(standard_spec(kFp64, 8, "1e308")));
  EXPECT_NO_THROW((void)standard_set(standard_spec(kFp64, 8, "5e-324")));
}

TEST(StandardSet, AGivenWeightIsUsedButForMidpoints) {
  StandardSpec spec = standard_spec(kBf16, 16, "1e-6");
  Tensor weight(kFp32, 1, 16);
  for (std::size_t i = 0; i < 16; ++i) weight.set(0, i, convert(code_of(0.5), kFp32));
  spec.weight = std::move(weight).share();
  const StandardSet set = standard_set(spec);
  EXPECT_EQ(set.cases.size(), kStandardClassCount);
  for (const Case& value : set.cases) {
    EXPECT_EQ(same_bytes(*value.weight, *spec.weight), value.id != "midpoint") << value.id;
  }
  spec.weight = spec.weight->rows_from(0, 1);
  spec.width = 15;
  EXPECT_NE(thrown_message([&] { (void)standard_set(spec); }).find("one row of 15 elements"),
            std::string::npos);
}

TEST(StandardSet, RefusesNoWidthAndNoEpsilon) {
  EXPECT_EQ(thrown_message([] { (void)standard_set(standard_spec(kFp32, 0, "1e-6")); }),
            "standard cases: found width 0, expected rows of at least one element");
  StandardSpec spec = standard_spec(kFp32, 4, "1e-6");
  spec.epsilon = {};
  EXPECT_NE(thrown_message([&] { (void)standard_set(spec); }).find("without epsilon"),
            std::string::npos);
}

TEST(StandardSet, ZeroEpsilonLeavesOutWhatItCannotHave) {
  StandardSpec spec = standard_spec(kFp32, 8, "1e-6");
  spec.epsilon = read_epsilon("0", "", "", ZeroEpsilon::kAllowed);
  const StandardSet set = standard_set(spec);
  for (const char* id : {"zero", "tiny", "small", "q_over_epsilon"}) {
    EXPECT_EQ(find_case(set, id), nullptr) << id;
    EXPECT_FALSE(omissions_of(set, id).empty()) << id;
  }
  EXPECT_EQ(find_case(set, "constant")->x.rows, 2U);
}

}  // namespace
}  // namespace normcert
