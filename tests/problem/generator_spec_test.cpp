// The table of generators and their parameters.
#include "problem/generator_spec.hpp"

#include <gtest/gtest.h>

#include <set>

#include "problem/case.hpp"

namespace normcert {
namespace {

TEST(GeneratorSpec, EveryStandardClassHasAGenerator) {
  for (const std::string_view name : standard_classes()) {
    ASSERT_NE(find_generator(name), nullptr) << name;
    EXPECT_EQ(find_generator(name)->name, name);
  }
  EXPECT_EQ(generators().size(), kStandardClassCount + 1);
  EXPECT_NE(find_generator("normal"), nullptr);
  EXPECT_EQ(find_generator("Normal"), nullptr);
}

TEST(GeneratorSpec, DefaultsFitTheirKind) {
  std::size_t texts = 0;
  for (const GeneratorDescription& generator : generators()) {
    EXPECT_FALSE(generator.summary.empty());
    std::set<std::string_view> names;
    for (const ParameterDescription& parameter : generator.parameters) {
      names.insert(parameter.name);
      EXPECT_FALSE(parameter.defaults.empty()) << generator.name << ' ' << parameter.name;
      EXPECT_TRUE(parameter.is_list || parameter.defaults.size() == 1) << parameter.name;
      for (const std::string_view text : parameter.defaults) {
        ++texts;
        EXPECT_TRUE(fits(text, parameter.kind)) << generator.name << ' ' << text;
      }
    }
    EXPECT_EQ(names.size(), generator.parameters.size());
  }
  EXPECT_GE(texts, 45U);
}

TEST(GeneratorSpec, Kinds) {
  EXPECT_TRUE(fits("-1e300", ParameterKind::kReal));
  EXPECT_FALSE(fits("1e309", ParameterKind::kReal));
  EXPECT_FALSE(fits("nan", ParameterKind::kReal));
  EXPECT_FALSE(fits("one", ParameterKind::kReal));
  EXPECT_TRUE(fits("5e-324", ParameterKind::kPositive));
  EXPECT_FALSE(fits("1e-400", ParameterKind::kPositive));
  EXPECT_FALSE(fits("-1", ParameterKind::kPositive));
  EXPECT_TRUE(fits("-400", ParameterKind::kExponent));
  EXPECT_TRUE(fits("1e2", ParameterKind::kExponent));
  EXPECT_FALSE(fits("401", ParameterKind::kExponent));
  EXPECT_FALSE(fits("0.5", ParameterKind::kExponent));
}

TEST(GeneratorSpec, GivenParametersReplaceDefaults) {
  GeneratorSpec spec;
  spec.name = "q_over_epsilon";
  EXPECT_EQ(parameter_of(spec, "q_over_epsilon").size(), 7U);
  EXPECT_EQ(parameter_of(spec, "q_over_epsilon").front(), "1e-4");
  spec.parameters["q_over_epsilon"] = {"3"};
  EXPECT_EQ(parameter_of(spec, "q_over_epsilon"), (std::vector<std::string>{"3"}));
}

}  // namespace
}  // namespace normcert
