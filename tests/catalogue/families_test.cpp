#include "catalogue/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catalogue/embedded_data.hpp"
#include "catalogue/norm_classes.hpp"
#include "catalogue/recipes.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

TEST(Families, EveryFileIsRead) {
  // One of the files lists the models with LayerNorm.
  EXPECT_EQ(families().size() + 1, embedded_families().size());
  EXPECT_GE(families().size(), 40);
}

TEST(Families, NamesAndModelTypesAreUnique) {
  std::set<std::string> names;
  std::set<std::string> types;
  for (const Family& family : families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    for (const Family::ModelType& type : family.model_types) {
      EXPECT_TRUE(types.insert(type.name).second) << type.name;
      EXPECT_FALSE(is_layernorm_model(type.name)) << type.name;
      EXPECT_EQ(find_family(type.name), &family);
    }
  }
  EXPECT_GT(types.size(), 90);
}

TEST(Families, TheFileOfAFamilyCarriesItsName) {
  std::set<std::string> files;
  for (const EmbeddedFile& file : embedded_families()) files.emplace(file.name);
  for (const Family& family : families()) EXPECT_TRUE(files.contains(family.name + ".json"));
}

TEST(Families, SayWhatTheyRestOn) {
  constexpr std::array<std::string_view, 5> kRecipes = {"hf.llama", "hf.gemma", "hf.olmo2", "hf.t5",
                                                        "hf.weightless"};
  for (const Family& family : families()) {
    EXPECT_FALSE(family.source.empty()) << family.name;
    EXPECT_FALSE(family.note.empty()) << family.name;
    EXPECT_FALSE(family.model_types.empty()) << family.name;
    EXPECT_NE(std::find(kRecipes.begin(), kRecipes.end(), family.recipe), kRecipes.end())
        << family.recipe;
    // Gemma's gain is 1 + w, the others' is w.
    EXPECT_EQ(family.weight_offset.binary64, family.recipe == "hf.gemma" ? 1 : 0) << family.name;
    EXPECT_EQ(family.has_weight, family.recipe != "hf.weightless") << family.name;
    for (const Family::ModelType& type : family.model_types) {
      if (type.class_default.empty()) {
        // Null is what the class fills in: then the norms are LayerNorms. A composite reads the key
        // of its text model.
        EXPECT_TRUE(type.name == "cohere2_moe" || family.composite) << type.name;
        continue;
      }
      const Epsilon epsilon = read_epsilon(type.class_default, family.name, type.name);
      EXPECT_GE(epsilon.binary64, 1e-8) << type.name;
      EXPECT_LE(epsilon.binary64, 1e-5) << type.name;
    }
  }
}

TEST(Families, TheNamesOfKeysDoNotTellTheKindOfNorm) {
  EXPECT_TRUE(is_layernorm_model("orion"));   // rms_norm_eps
  EXPECT_TRUE(is_layernorm_model("phimoe"));  // rms_norm_eps
  EXPECT_TRUE(is_layernorm_model("gpt2"));
  EXPECT_FALSE(is_layernorm_model("t5"));  // layer_norm_epsilon
  EXPECT_FALSE(is_layernorm_model(""));
  EXPECT_EQ(find_family("t5")->epsilon_key, "layer_norm_epsilon");
  EXPECT_EQ(find_family("lfm2")->epsilon_key, "norm_eps");
  EXPECT_EQ(find_family(""), nullptr);
}

// What sites have of their own obeys the same rules, and is not what the family says anyway.
TEST(Families, SitesThatDifferFromTheirFamily) {
  std::size_t with_recipe = 0;
  std::size_t with_key = 0;
  for (const Family& family : families()) {
    for (const Family::Site& site : family.sites) {
      SCOPED_TRACE(family.name + " " + site.name);
      const std::string& recipe = site.recipe.value_or(family.recipe);
      const WeightOffset offset = site.weight_offset.value_or(family.weight_offset);
      EXPECT_NE(find_recipe(recipe), nullptr) << recipe;
      EXPECT_EQ(offset.binary64, recipe == "hf.gemma" ? 1 : 0);
      EXPECT_EQ(site.has_weight.value_or(family.has_weight),
                recipe != "hf.weightless" && recipe != "hf.deepseek_v4_unweighted");
      if (site.recipe) {
        ++with_recipe;
        EXPECT_NE(*site.recipe, family.recipe);
      }
      if (site.epsilon_key) {
        ++with_key;
        EXPECT_NE(*site.epsilon_key, family.epsilon_key);
      }
    }
  }
  // axk2 2, bamba 1, deepseek_v4 1, falcon_h1 2, falcon_mamba 3, granitemoehybrid 1, llama4 1,
  // mamba2 1, muse_glimmer 3, olmo_hybrid 1, qwen3_5 1, qwen3_next 1, zamba2 2
  EXPECT_EQ(with_recipe, 20U);
  EXPECT_EQ(with_key, 5U);  // falcon_mamba 3, muse_glimmer 2
}

// The recipe of the family, of one of its sites or of one of its parts.
bool computes(const Family& family, const std::string& recipe) {
  return family.recipe == recipe ||
         std::ranges::any_of(family.sites,
                             [&](const Family::Site& site) { return site.recipe == recipe; });
}

// Every norm class of transformers that the survey of implementations names: the catalogue has the
// recipe that it computes, and the families of its model types say so, or why none does.
TEST(Families, CoverTheClassesOfTransformers) {
  std::ifstream file(NORMCERT_SOURCE_DIR "/tests/data/model_classes.tsv");
  std::string line;
  std::getline(file, line);
  std::size_t classes = 0;
  std::size_t covered = 0;
  std::set<std::string> without_family;
  while (std::getline(file, line)) {
    SCOPED_TRACE(line);
    std::istringstream columns(line);
    std::string name;
    std::string types;
    std::string why_not;
    std::getline(columns, name, '\t');
    std::getline(columns, types, '\t');
    std::getline(columns, why_not, '\t');
    ++classes;
    const NormClass* const norm = find_norm_class(name);
    ASSERT_NE(norm, nullptr);
    EXPECT_EQ(norm->name, name);
    EXPECT_EQ(types == "-", why_not != "-");
    if (types == "-") {
      without_family.insert(name);
      continue;
    }
    std::istringstream list(types);
    for (std::string type; list >> type;) {
      const Family* const family = find_family(type);
      ASSERT_NE(family, nullptr) << type;
      EXPECT_TRUE(computes(*family, norm->recipe)) << type;
    }
    ++covered;
  }
  EXPECT_EQ(classes, 189U);
  EXPECT_EQ(norm_classes().size(), classes);
  EXPECT_EQ(covered, 179U);
  // No RMSNorms, but for the class of an earlier release and one that no model uses.
  const std::set<std::string> expected = {"cohere/CohereLayerNorm",
                                          "cohere2/Cohere2LayerNorm",
                                          "cohere2_moe/Cohere2MoeLayerNorm",
                                          "cohere_compass/CohereCompassLayerNorm",
                                          "gemma3n (functional)",
                                          "gemma3n/Gemma3nRMSNorm of transformers 4",
                                          "idefics3/Idefics3RMSNorm",
                                          "nemotron/NemotronLayerNorm1P",
                                          "videoprism (weight+1.0)",
                                          "zaya/ZayaQKNorm"};
  EXPECT_EQ(without_family, expected);
}

// What a family certifies is an RMSNorm, so that no site has a recipe that is none.
TEST(Families, HaveRecipesOfRmsNormsOnly) {
  for (const Family& family : families()) {
    std::vector<std::string> recipes = {family.recipe};
    for (const Family::Site& site : family.sites) recipes.push_back(site.recipe.value_or(""));
    for (const std::string& name : recipes) {
      if (name.empty()) continue;
      const Recipe* const recipe = find_recipe(name);
      ASSERT_NE(recipe, nullptr) << name;
      EXPECT_EQ(recipe->statistic.kind, StatisticKind::kMeanSquare) << family.name << ' ' << name;
      EXPECT_EQ(recipe->epsilon.position, EpsilonPosition::kInside) << family.name << ' ' << name;
    }
  }
}

TEST(Families, PartsOfCompositesAreFamilies) {
  std::size_t composites = 0;
  for (const Family& family : families()) {
    if (!family.composite) continue;
    ++composites;
    EXPECT_EQ(family.sites.empty(), !family.parts.empty()) << family.name;
    for (const Family::Part& part : family.parts) {
      const Family* const named = find_family_named(part.family);
      ASSERT_NE(named, nullptr) << part.family;
      EXPECT_FALSE(named->composite);
      EXPECT_FALSE(named->sites.empty());
    }
  }
  EXPECT_EQ(composites, 5U);
  EXPECT_EQ(find_family_named("internvl_visoin"), nullptr);
}

// A family file with one change, from a good one.
Family changed(const std::string& from, const std::string& to) {
  std::string text = R"({
  "schema": "normcert/family/1", "name": "n", "model_types": {"m": "1e-06"},
  "epsilon_key": "rms_norm_eps", "weight_offset": "0.2", "recipe": "r",
  "sites": [{"name": "a.{i}.b", "repeat": "layers", "width": "head_dim"}],
  "note": "", "source": ""})";
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return parse_family(JsonDocument::parse("n.json", text));
}

TEST(FamilyFile, IsRead) {
  const Family family = changed(R"("note": "")", R"("note": "", "has_weight": false)");
  EXPECT_EQ(family.weight_offset.text, "0.2");
  EXPECT_EQ(family.weight_offset.binary64, 0.2);
  EXPECT_FALSE(family.has_weight);
  EXPECT_EQ(family.sites.at(0).repeat, Family::Site::Repeat::kLayers);
  EXPECT_EQ(family.sites.at(0).width, Family::Site::Width::kHeadDim);
}

TEST(FamilyFile, EpsilonsThatStandInTheCode) {
  const Family site =
      changed(R"("head_dim"})", R"("q_lora_rank", "epsilon": "1e-6", "epsilon_from": "literal"})");
  EXPECT_EQ(site.sites.at(0).width, Family::Site::Width::kQueryRank);
  EXPECT_EQ(site.sites.at(0).literal_epsilon.value().binary64, 1e-6);
  EXPECT_FALSE(site.literal_epsilon.has_value());
  const Family whole = changed(R"("epsilon_key": "rms_norm_eps")",
                               R"("epsilon": "1e-5", "epsilon_from": "literal")");
  EXPECT_EQ(whole.literal_epsilon.value().text, "1e-5");
  EXPECT_EQ(whole.epsilon_key, "");
  EXPECT_FALSE(whole.sites.at(0).literal_epsilon.has_value());
}

TEST(FamilyFile, WhatASiteHasOfItsOwn) {
  const Family family =
      changed(R"("head_dim"})", R"("unstated", "epsilon_key": "eps", "weight_offset": "1",
              "recipe": "s", "has_weight": false})");
  const Family::Site& site = family.sites.at(0);
  EXPECT_EQ(site.width, Family::Site::Width::kUnstated);
  EXPECT_EQ(site.epsilon_key, "eps");
  EXPECT_EQ(site.weight_offset.value().text, "1");
  EXPECT_EQ(site.recipe, "s");
  EXPECT_EQ(site.has_weight, false);
  const Family plain = changed("head_dim", "hidden");
  EXPECT_FALSE(plain.sites.at(0).epsilon_key || plain.sites.at(0).weight_offset ||
               plain.sites.at(0).recipe || plain.sites.at(0).has_weight);
}

TEST(FamilyFile, NormsThatAreOnlyThereWhereTheConfigSaysSo) {
  const Family family = changed(R"("head_dim"})", R"("head_dim", "where": [
                {"key": "layer_types", "is": ["mamba", "hybrid"], "absent": true},
                {"key": "use_norm", "is": ["true"], "absent": false}]})");
  const std::vector<Family::Site::Condition>& where = family.sites.at(0).where;
  ASSERT_EQ(where.size(), 2U);
  EXPECT_EQ(where[0].key, "layer_types");
  EXPECT_EQ(where[0].words, (std::vector<std::string>{"mamba", "hybrid"}));
  EXPECT_TRUE(where[0].listed_if_absent);
  EXPECT_FALSE(where[1].listed_if_absent);
  EXPECT_FALSE(family.composite);
}

TEST(FamilyFile, Parts) {
  const Family family = changed(R"("note": "")", R"("note": "", "parts": {"vision_config": "v"})");
  EXPECT_TRUE(family.composite);
  ASSERT_EQ(family.parts.size(), 1U);
  EXPECT_EQ(family.parts[0].section, "vision_config");
  EXPECT_EQ(family.parts[0].family, "v");
}

TEST(FamilyFile, IsStrict) {
  struct Entry {
    std::string from, to, message;
  };
  const std::vector<Entry> table = {
      {R"("note")", R"("notes")",
       "notes, line 5: found an unknown member \"notes\", expected one of \"schema\", \"name\", "
       "\"model_types\", \"epsilon_key\", \"epsilon\", \"epsilon_from\", \"weight_offset\", "
       "\"recipe\", \"has_weight\", \"sites\", \"parts\", \"note\", \"source\" (did you mean "
       "\"note\"?)"},
      {"family/1", "family/2",
       "schema, line 2: found \"normcert/family/2\", expected normcert/family/1"},
      {R"("name": "n", )", "",
       "line 1: found an object without \"name\", expected a member \"name\""},
      {R"("rms_norm_eps")", R"("rms_norm_esp")",
       "epsilon_key, line 3: found \"rms_norm_esp\", expected a known epsilon key (did you mean "
       "\"rms_norm_eps\"?)"},
      {R"("0.2")", R"(0.2)", "weight_offset, line 3: found 0.2, expected a string"},
      {R"("0.2")", R"("one")",
       "weight_offset, line 3: found \"one\", expected a number in quotes, such as \"1\""},
      {R"("0.2")", R"("inf")",
       "weight_offset, line 3: found \"inf\", expected a number in quotes, such as \"1\""},
      {R"("layers")", R"("layer")",
       "sites[0].repeat, line 4: found \"layer\", expected one of once, layers, decoder_layers "
       "(did you mean \"layers\"?)"},
      {R"("head_dim")", R"("head_dims")",
       "sites[0].width, line 4: found \"head_dims\", expected one of hidden, head_dim, "
       "all_query_heads, all_key_heads, q_lora_rank, kv_lora_rank, vision_hidden, "
       "linear_value_head_dim, mixer, mixer_group, unstated (did you mean \"head_dim\"?)"},
      {"a.{i}.b", "a.b",
       "sites[0].name, line 4: found \"a.b\", expected {i} where the norm is repeated, and only "
       "there"},
      {R"("layers")", R"("once")",
       "sites[0].name, line 4: found \"a.{i}.b\", expected {i} where the norm is repeated, and "
       "only there"},
      {R"("width")", R"("widht")",
       "sites[0].widht, line 4: found an unknown member \"widht\", expected one of \"name\", "
       "\"repeat\", \"width\", \"where\", \"epsilon\", \"epsilon_from\", \"epsilon_key\", "
       "\"weight_offset\", \"recipe\", \"has_weight\" (did you mean \"width\"?)"},
      {R"("head_dim"})", R"("head_dim", "where": [{"key": "k", "is": ["a"]}]})",
       "sites[0].where[0], line 4: found an object without \"absent\", expected a member "
       "\"absent\""},
      {R"("head_dim"})", R"("head_dim", "where": {"key": "k"}})",
       "sites[0].where, line 4: found an object, expected an array"},
      {R"("head_dim"})",
       R"("head_dim", "epsilon": "1e-6", "epsilon_from": "literal", "epsilon_key": "eps"})",
       "sites[0].epsilon_key, line 4: found a key beside a literal epsilon, expected one of the "
       "two"},
      {R"("head_dim"})", R"("head_dim", "epsilon_key": "post_norm_esp"})",
       "sites[0].epsilon_key, line 4: found \"post_norm_esp\", expected a known epsilon key (did "
       "you mean \"post_norm_eps\"?)"},
      {R"("head_dim"})", R"("head_dim", "epsilon": "1e-6"})",
       "sites[0], line 4: found an object without \"epsilon_from\", expected a member "
       "\"epsilon_from\""},
      {R"("head_dim"})", R"("head_dim", "epsilon": "1e-6", "epsilon_from": "litteral"})",
       "sites[0].epsilon_from, line 4: found \"litteral\", expected literal"},
      {R"("epsilon_key": "rms_norm_eps")",
       R"("epsilon_key": "rms_norm_eps", "epsilon": "1e-6", "epsilon_from": "literal")",
       "epsilon_key, line 3: found a key beside a literal epsilon, expected one of the two"},
      {R"({"m": "1e-06"})", R"(["m"])",
       "model_types, line 2: found an array of 1, expected an object"},
      {R"({"m": "1e-06"})", R"({"m": 1e-06})",
       "model_types.m, line 2: found 1e-06, expected a string"},
  };
  for (const auto& [from, to, message] : table) {
    EXPECT_EQ(thrown_message([&, f = from, t = to] { (void)changed(f, t); }), "n.json: " + message);
  }
}

}  // namespace
}  // namespace normcert
