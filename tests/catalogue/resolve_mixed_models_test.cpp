// Families whose norms differ from one another: by the key of the epsilon, the offset, the recipe.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalogue/families.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

Model resolved(const std::string& text) { return resolve_model(HfConfig::parse("c.json", text)); }

struct ExpectedSite {
  std::string name;
  std::size_t dim;
  std::string epsilon, from, offset, recipe;
  bool has_weight;
};

void expect_sites(const Model& model, const std::vector<ExpectedSite>& expected) {
  ASSERT_EQ(model.sites.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(expected[i].name);
    EXPECT_EQ(model.sites[i].name, expected[i].name);
    EXPECT_EQ(model.sites[i].dim, expected[i].dim);
    EXPECT_EQ(model.sites[i].epsilon.text, expected[i].epsilon);
    EXPECT_EQ(model.sites[i].epsilon_from, expected[i].from);
    EXPECT_EQ(model.sites[i].weight_offset->text, expected[i].offset);
    EXPECT_EQ(model.sites[i].recipe, expected[i].recipe);
    EXPECT_EQ(model.sites[i].has_weight, expected[i].has_weight);
  }
}

TEST(ResolveMixedModel, SitesWithAKeyAnOffsetAndARecipeOfTheirOwn) {
  const std::string text =
      R"({"model_type": "muse_glimmer_text", "hidden_size": 6656, "num_hidden_layers": 1,
          "head_dim": 128, "rms_norm_eps": 1e-05, "post_norm_eps": 1e-08})";
  const std::string key = "config key rms_norm_eps";
  const std::string post = "config key post_norm_eps";
  const Model model = resolved(text);
  EXPECT_EQ(model.family, "muse_glimmer");
  expect_sites(model,
               {{"embed_tokens.embed_norm", 6656, "1e-05", key, "0", "hf.weightless", false},
                {"layers.0.input_layernorm", 6656, "1e-05", key, "1", "hf.gemma", true},
                {"layers.0.self_attn.qk_norm", 128, "1e-05", key, "0", "hf.weightless", false},
                {"layers.0.post_attention_layernorm", 6656, "1e-08", post, "1", "hf.gemma", true},
                {"layers.0.pre_feedforward_layernorm", 6656, "1e-05", key, "1", "hf.gemma", true},
                {"layers.0.post_feedforward_layernorm", 6656, "1e-08", post, "1", "hf.gemma", true},
                {"norm", 6656, "1e-05", key, "0", "hf.olmo2", true}});
  // Under the names of the whole model.
  const SiteMatch match =
      find_site(model, "model.language_model.layers.0.post_attention_layernorm");
  EXPECT_EQ(match.kind, SiteMatchKind::kSuffix);
  EXPECT_EQ(match.site.epsilon.text, "1e-08");
  EXPECT_EQ(find_site(model, "model.language_model.norm").site.recipe, "hf.olmo2");
}

TEST(ResolveMixedModel, NormsInAMixerReadAnotherKey) {
  const Model model = resolved(
      R"({"model_type": "falcon_mamba", "hidden_size": 4096, "num_hidden_layers": 1,
          "layer_norm_epsilon": 1e-05, "mixer_rms_eps": 1e-06})");
  const std::string key = "config key layer_norm_epsilon";
  const std::string mixer = "config key mixer_rms_eps";
  expect_sites(model,
               {{"layers.0.norm", 4096, "1e-05", key, "0", "hf.llama", true},
                {"layers.0.mixer.dt_layernorm", 0, "1e-06", mixer, "0", "hf.weightless", false},
                {"layers.0.mixer.b_layernorm", 0, "1e-06", mixer, "0", "hf.weightless", false},
                {"layers.0.mixer.c_layernorm", 0, "1e-06", mixer, "0", "hf.weightless", false},
                {"norm_f", 4096, "1e-05", key, "0", "hf.llama", true}});
}

TEST(ResolveMixedModel, KeysThatOnlyFamiliesReadAreSearchedForNowhereElse) {
  const Model model = resolved(R"({"model_type": "cpmant", "eps": 1e-06, "num_hidden_layers": 1})");
  ASSERT_EQ(model.sites.size(), 3U);
  EXPECT_EQ(model.sites[1].name, "encoder.layers.0.ffn.layernorm_before_ffn");
  EXPECT_EQ(model.sites[1].epsilon_from, "config key eps");
  EXPECT_EQ(thrown_message([] {
              (void)resolved(R"({"model_type": "other", "eps": 1e-6})");
            }).find("c.json: found no epsilon, expected one of rms_norm_eps"),
            0U);
  // What a config declares comes before what is said elsewhere, also under such a key.
  const EpsilonFromElsewhere option{read_epsilon("1e-3", "", ""), "option --epsilon"};
  const auto epsilon_of = [&](const std::string& text) {
    return resolve_model(HfConfig::parse("c.json", text), option).sites.at(0).epsilon.text;
  };
  EXPECT_EQ(epsilon_of(R"({"model_type": "cpmant", "eps": 1e-06})"), "1e-06");
  EXPECT_EQ(epsilon_of(R"({"model_type": "cpmant", "eps": null})"), "1e-3");
  EXPECT_EQ(epsilon_of(R"({"model_type": "cpmant"})"), "1e-3");
}

TEST(ResolveMixedModel, AFamilyWhosePublishedCodeReadsAnotherKey) {
  const Model model =
      resolve_model(HfConfig::read(NORMCERT_SOURCE_DIR "/tests/data/models/mimo-v2-flash.json"));
  EXPECT_EQ(model.family, "mimo_v2_flash");
  ASSERT_EQ(model.sites.size(), 2U * 48 + 1);
  EXPECT_EQ(model.sites[0].name, "model.layers.0.input_layernorm");
  EXPECT_EQ(model.sites[0].epsilon_from, "config key layernorm_epsilon");
  EXPECT_EQ(model.sites[0].recipe, "hf.llama");
  EXPECT_EQ(
      resolved(R"({"model_type": "mimo_v2_flash", "rms_norm_eps": 1e-6})").sites[0].epsilon_from,
      "config key rms_norm_eps");
  EXPECT_NE(thrown_message([] {
              (void)resolved(R"({"model_type": "mimo_v2_flash", "rms_norm_eps": 1e-6,
                                 "layernorm_epsilon": 1e-5})");
            }).find("expected one epsilon"),
            std::string::npos);
}

TEST(ResolveMixedModel, RMSNormOnlyWhereTheKeyIsStated) {
  EXPECT_EQ(resolved(R"({"model_type": "cohere2_moe", "rms_norm_eps": 1e-6,
                         "layer_norm_eps": 1e-5, "num_hidden_layers": 1})")
                .sites[0]
                .epsilon.text,
            "1e-6");
  EXPECT_EQ(thrown_message(
                [] { (void)resolved(R"({"model_type": "cohere2_moe", "layer_norm_eps": 1e-5})"); }),
            "c.json: found no rms_norm_eps (the file holds layer_norm_eps), expected the key that "
            "cohere2_moe models read");
}

TEST(ResolveMixedModel, TwoOfEachNormInALayer) {
  const Model model = resolved(
      R"({"model_type": "longcat_flash", "hidden_size": 6144, "num_layers": 1,
          "q_lora_rank": 1536, "kv_lora_rank": 512, "rms_norm_eps": 1e-05})");
  ASSERT_EQ(model.sites.size(), 9U);
  EXPECT_EQ(model.sites[4].name, "model.layers.0.input_layernorm.1");
  EXPECT_EQ(model.sites[4].epsilon.text, "1e-05");
  EXPECT_EQ(model.sites[5].name, "model.layers.0.self_attn.1.q_a_layernorm");
  EXPECT_EQ(model.sites[5].epsilon.text, "1e-06");
  EXPECT_EQ(model.sites[5].dim, 1536U);
}

}  // namespace
}  // namespace normcert
