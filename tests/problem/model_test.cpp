#include "problem/model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

NormSite site(const std::string& name, const std::string& group, std::size_t dim, double epsilon) {
  NormSite made;
  made.name = name;
  made.group = group;
  made.dim = dim;
  made.epsilon = {std::to_string(epsilon), epsilon};
  made.epsilon_from = "config key rms_norm_eps";
  made.weight_offset = WeightOffset{};
  made.recipe = "hf.llama";
  return made;
}

// Two layers with two block norms and a norm on queries, and a final norm.
Model small_model() {
  Model model;
  model.source = "config.json";
  for (const std::string layer : {"0", "1"}) {
    for (const std::string norm : {"input_layernorm", "post_attention_layernorm"}) {
      model.sites.push_back(
          site("model.layers." + layer + "." + norm, "model.layers.{i}." + norm, 64, 0.25));
    }
    model.sites.push_back(site("model.layers." + layer + ".self_attn.q_norm",
                               "model.layers.{i}.self_attn.q_norm", 8, 0.25));
  }
  model.sites.push_back(site("model.norm", "model.norm", 64, 0.25));
  return model;
}

TEST(FindSite, TheSameName) {
  const SiteMatch match = find_site(small_model(), "model.layers.1.input_layernorm");
  EXPECT_EQ(match.kind, SiteMatchKind::kSameName);
  EXPECT_EQ(match.site.name, "model.layers.1.input_layernorm");
}

TEST(FindSite, TheOnlyNameThatEndsInIt) {
  for (const std::string name : {"layers.1.input_layernorm", "1.input_layernorm"}) {
    const SiteMatch match = find_site(small_model(), name);
    EXPECT_EQ(match.kind, SiteMatchKind::kSuffix) << name;
    EXPECT_EQ(match.site.name, "model.layers.1.input_layernorm");
  }
  EXPECT_EQ(find_site(small_model(), "norm").site.name, "model.norm");
}

TEST(FindSite, TheLongestNameThatItEndsIn) {
  const SiteMatch match =
      find_site(small_model(), "language_model.model.layers.0.self_attn.q_norm");
  EXPECT_EQ(match.kind, SiteMatchKind::kSuffix);
  EXPECT_EQ(match.site.name, "model.layers.0.self_attn.q_norm");
  EXPECT_EQ(match.site.dim, 8);
}

TEST(FindSite, NamesEndAtADot) {
  // "post_attention_layernorm" ends in "layernorm" as text, but not as a name.
  const SiteMatch match = find_site(small_model(), "layernorm");
  EXPECT_EQ(match.kind, SiteMatchKind::kShared);
  EXPECT_EQ(match.site.name, "layernorm");
}

TEST(FindSite, WhatTheSitesShare) {
  const SiteMatch any = find_site(small_model(), "blk.0.attn_norm");
  EXPECT_EQ(any.kind, SiteMatchKind::kShared);
  EXPECT_EQ(any.site.name, "blk.0.attn_norm");
  EXPECT_EQ(any.site.epsilon.binary64, 0.25);
  EXPECT_EQ(any.site.dim, 0);  // 64 or 8
  EXPECT_EQ(any.site.recipe, "hf.llama");
  EXPECT_TRUE(any.site.weight_offset.has_value());
  // Several that end in the name: what those share.
  EXPECT_EQ(find_site(small_model(), "q_norm").site.dim, 8);
  EXPECT_EQ(find_site(small_model(), "").site.epsilon.binary64, 0.25);
}

TEST(FindSite, WhatTheyDoNotShareIsUnset) {
  Model model = small_model();
  model.sites[0].weight_offset = WeightOffset{"1", 1};
  model.sites[1].recipe = "hf.gemma";
  const NormSite shared = find_site(model, "").site;
  EXPECT_FALSE(shared.weight_offset.has_value());
  EXPECT_EQ(shared.recipe, "");
}

TEST(FindSite, DifferentEpsilonsNeedAName) {
  Model model = small_model();
  for (std::size_t i : {2u, 5u}) model.sites[i].epsilon = {"0.5", 0.5};
  EXPECT_EQ(find_site(model, "q_norm").site.epsilon.binary64, 0.5);
  EXPECT_EQ(find_site(model, "norm").site.epsilon.binary64, 0.25);
  const std::string sites =
      ", expected one of these sites, whose epsilons differ: model.layers.{i}.input_layernorm "
      "(epsilon 0.250000), model.layers.{i}.post_attention_layernorm (epsilon 0.250000), "
      "model.layers.{i}.self_attn.q_norm (epsilon 0.5), model.norm (epsilon 0.250000)";
  EXPECT_EQ(thrown_message([&] { (void)find_site(model, ""); }),
            "config.json: found a capture that names no site" + sites);
  EXPECT_EQ(thrown_message([&] { (void)find_site(model, "model.layers.0.inputlayernorm"); }),
            "config.json: found the site \"model.layers.0.inputlayernorm\"" + sites +
                " (did you mean \"model.layers.0.input_layernorm\"?)");
}

TEST(FindSite, OneSiteStandsForAll) {
  const Model model = model_of_one_norm(512, kBf16, Epsilon{"1e-6", 1e-6});
  EXPECT_EQ(*model.dtype, kBf16);
  const SiteMatch unnamed = find_site(model, "");
  EXPECT_EQ(unnamed.kind, SiteMatchKind::kSameName);
  EXPECT_EQ(unnamed.site.name, "norm");
  EXPECT_EQ(unnamed.site.dim, 512);
  EXPECT_EQ(unnamed.site.weight_offset->binary64, 0);
  EXPECT_EQ(unnamed.site.epsilon_from, "option --epsilon");
  // A norm with another name may have another width.
  for (const std::string name : {"model.layers.0.self_attn.q_norm", "model.norm"}) {
    const SiteMatch named = find_site(model, name);
    EXPECT_EQ(named.kind, SiteMatchKind::kShared);
    EXPECT_EQ(named.site.name, name);
    EXPECT_EQ(named.site.dim, 0);
    EXPECT_EQ(named.site.epsilon.text, "1e-6");
  }
}

TEST(FindSite, AModelWithoutSites) {
  EXPECT_EQ(thrown_message([] { (void)find_site(Model{}, "norm"); }),
            "found a model without RMSNorm sites, expected at least one");
}

}  // namespace
}  // namespace normcert
