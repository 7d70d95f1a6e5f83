// Models with gated norms in some of their layers, and composite files with norms beside those of
// the text model.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalogue/families.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

Model resolved(const std::string& text) { return resolve_model(HfConfig::parse("c.json", text)); }

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const NormSite& site : model.sites) names.push_back(site.name);
  return names;
}

const NormSite& site_named(const Model& model, const std::string& name) {
  const auto found = std::ranges::find(model.sites, name, &NormSite::name);
  if (found == model.sites.end()) throw std::invalid_argument("no site " + name);
  return *found;
}

void expect_gated(const NormSite& site, std::size_t dim, const std::string& epsilon,
                  const std::string& recipe) {
  EXPECT_EQ(site.dim, dim) << site.name;
  EXPECT_EQ(site.epsilon.text, epsilon) << site.name;
  EXPECT_EQ(site.weight_offset->text, "0") << site.name;
  EXPECT_EQ(site.recipe, recipe) << site.name;
  EXPECT_TRUE(site.has_weight) << site.name;
}

TEST(ResolveHybridModel, TheTypeOfALayerSaysWhichNormsItHas) {
  const std::string head = R"({"model_type": "qwen3_next", "hidden_size": 2048, "head_dim": 256,
      "num_hidden_layers": 2, "linear_value_head_dim": 128, "rms_norm_eps": 1e-06)";
  const Model model =
      resolved(head + R"(, "layer_types": ["linear_attention", "full_attention"]})");
  EXPECT_EQ(names_of(model),
            (std::vector<std::string>{
                "model.layers.0.input_layernorm", "model.layers.0.linear_attn.norm",
                "model.layers.0.post_attention_layernorm", "model.layers.1.input_layernorm",
                "model.layers.1.self_attn.q_norm", "model.layers.1.self_attn.k_norm",
                "model.layers.1.post_attention_layernorm", "model.norm"}));
  expect_gated(model.sites[1], 128, "1e-06", "hf.qwen3_next_gated");
  EXPECT_EQ(model.sites[4].recipe, "hf.gemma");
  EXPECT_EQ(model.sites[4].weight_offset->text, "1");
  // Where the config does not say, every layer is listed with all.
  EXPECT_EQ(resolved(head + "}").sites.size(), 2U * 5 + 1);
  EXPECT_EQ(resolved(head + R"(, "layer_types": null})").sites.size(), 2U * 5 + 1);
  // A list that is too short, or that names another type, gives no norm of either kind.
  EXPECT_EQ(resolved(head + R"(, "layer_types": ["full_attention"]})").sites.size(), 4U + 2 + 1);
}

TEST(ResolveHybridModel, LayersThatStandInALanguageModel) {
  const Model model = resolved(R"({"model_type": "qwen3_5", "text_config": {
      "model_type": "qwen3_5_text", "hidden_size": 5120, "num_hidden_layers": 1,
      "layer_types": ["linear_attention"], "rms_norm_eps": 1e-06}})");
  const SiteMatch match = find_site(model, "model.language_model.layers.0.linear_attn.norm");
  EXPECT_EQ(match.kind, SiteMatchKind::kSuffix);
  EXPECT_EQ(match.site.recipe, "hf.qwen3_next_gated");
  EXPECT_EQ(find_site(model, "model.language_model.norm").site.recipe, "hf.gemma");
}

TEST(ResolveHybridModel, NormsOfMixers) {
  const Model mamba = resolved(R"({"model_type": "mamba2", "hidden_size": 2560, "expand": 2,
      "n_groups": 8, "num_hidden_layers": 1, "layer_norm_epsilon": 1e-05})");
  EXPECT_EQ(names_of(mamba),
            (std::vector<std::string>{"backbone.layers.0.norm", "backbone.layers.0.mixer.norm",
                                      "backbone.norm_f"}));
  expect_gated(mamba.sites[1], 5120, "1e-05", "hf.mamba2_gated");

  const Model bamba = resolved(R"({"model_type": "bamba", "hidden_size": 4096, "mamba_expand": 2,
      "num_hidden_layers": 1, "rms_norm_eps": 1e-05})");
  expect_gated(site_named(bamba, "model.layers.0.mamba.norm"), 8192, "1e-05", "hf.mamba2_gated");
  EXPECT_EQ(bamba.sites.back().name, "model.final_layernorm");

  const Model granite = resolved(R"({"model_type": "granitemoehybrid", "hidden_size": 1536,
      "mamba_expand": 2, "layer_types": ["mamba", "attention"], "num_hidden_layers": 2,
      "rms_norm_eps": 1e-05})");
  EXPECT_EQ(granite.sites.size(), 2U * 2 + 1 + 1);
  expect_gated(site_named(granite, "model.layers.0.mamba.norm"), 3072, "1e-05", "hf.mamba2_gated");
}

TEST(ResolveHybridModel, StatisticsOfGroups) {
  const std::string head = R"({"model_type": "zamba2", "hidden_size": 3584, "mamba_expand": 2,
      "mamba_ngroups": 2, "num_hidden_layers": 2, "rms_norm_eps": 1e-06)";
  const Model model = resolved(head + R"(, "layers_block_type": ["mamba", "hybrid"]})");
  EXPECT_EQ(names_of(model),
            (std::vector<std::string>{"model.layers.0.input_layernorm", "model.layers.0.mamba.norm",
                                      "model.layers.1.shared_transformer.input_layernorm",
                                      "model.layers.1.shared_transformer.pre_ff_layernorm",
                                      "model.layers.1.mamba_decoder.input_layernorm",
                                      "model.layers.1.mamba_decoder.mamba.norm",
                                      "model.final_layernorm"}));
  // An epsilon in the code, whatever the config says.
  expect_gated(model.sites[1], 3584, "1e-05", "hf.mamba2_gated");
  expect_gated(model.sites[5], 3584, "1e-05", "hf.mamba2_gated");
  EXPECT_EQ(model.sites[4].epsilon.text, "1e-06");
  EXPECT_EQ(names_of(resolved(head + "}")).at(3), "model.layers.1.mamba.norm");
}

TEST(ResolveHybridModel, AFlagDecidesWhereTheGateIs) {
  const auto norm_of = [](const std::string& flags) {
    const Model model = resolved(R"({"model_type": "falcon_h1", "hidden_size": 2048,
        "mamba_d_ssm": 4096, "mamba_n_groups": 1, "num_hidden_layers": 1, "rms_norm_eps": 1e-05)" +
                                 flags + "}");
    const auto found = std::ranges::find(model.sites, "model.layers.0.mamba.norm", &NormSite::name);
    if (found == model.sites.end()) return std::string("none");
    expect_gated(*found, 4096, "1e-05", found->recipe);
    return found->recipe;
  };
  EXPECT_EQ(norm_of(""), "none");
  EXPECT_EQ(norm_of(R"(, "mamba_rms_norm": false, "mamba_norm_before_gate": true)"), "none");
  EXPECT_EQ(norm_of(R"(, "mamba_rms_norm": true)"), "hf.falcon_h1_gated");
  EXPECT_EQ(norm_of(R"(, "mamba_rms_norm": true, "mamba_norm_before_gate": true)"),
            "hf.falcon_h1_gated");
  EXPECT_EQ(norm_of(R"(, "mamba_rms_norm": true, "mamba_norm_before_gate": false)"),
            "hf.falcon_h1_gated.before");
}

TEST(ResolveHybridModel, OlmoHybrid) {
  const Model model = resolved(R"({"model_type": "olmo_hybrid", "hidden_size": 3840,
      "num_attention_heads": 30, "num_hidden_layers": 2, "rms_norm_eps": 1e-06,
      "linear_value_head_dim": 192, "layer_types": ["linear_attention", "full_attention"]})");
  ASSERT_EQ(model.sites.size(), 3U + 4 + 1);
  expect_gated(model.sites[1], 192, "1e-05", "hf.qwen3_next_gated");
  EXPECT_EQ(model.sites[3].name, "model.layers.1.self_attn.q_norm");
  EXPECT_EQ(model.sites[3].dim, 3840U);
  EXPECT_EQ(model.sites[3].recipe, "hf.olmo2");
}

TEST(ResolveHybridModel, AGatedNormAndTheOneInsideIt) {
  const std::string head = R"({"model_type": "axk2", "hidden_size": 2048, "num_hidden_layers": 2,
      "rms_norm_eps": 1e-06)";
  const Model model = resolved(head + R"(, "mlp_layer_types": ["dense", "sparse"]})");
  expect_gated(site_named(model, "model.layers.0.input_layernorm"), 2048, "1e-06", "hf.axk2_gated");
  EXPECT_EQ(site_named(model, "model.layers.0.input_layernorm.norm").recipe, "hf.llama");
  EXPECT_EQ(site_named(model, "model.layers.0.post_attention_layernorm").recipe, "hf.llama");
  EXPECT_EQ(site_named(model, "model.layers.1.post_attention_layernorm").recipe, "hf.axk2_gated");
  EXPECT_EQ(model.sites.size(), 5U + 6 + 1);
  // Where nothing says which layers have experts, only the norm inside is certain.
  const std::vector<std::string> names = names_of(resolved(head + "}"));
  EXPECT_EQ(std::ranges::count(names, "model.layers.1.post_attention_layernorm"), 0);
  EXPECT_EQ(std::ranges::count(names, "model.layers.1.post_attention_layernorm.norm"), 1);
}

const char* const kTextOfInternVl = R"("text_config": {"model_type": "qwen2", "hidden_size": 896,
    "num_hidden_layers": 1, "rms_norm_eps": 1e-05})";

std::string internvl(const std::string& vision) {
  return R"({"model_type": "internvl", )" + std::string(kTextOfInternVl) +
         R"(, "vision_config": {"model_type": "internvl_vision", "hidden_size": 3200,
             "num_hidden_layers": 1)" +
         vision + "}}";
}

TEST(ResolveCompositeModel, NormsOfTheVisionPartStandBesideThoseOfTheText) {
  const Model model = resolved(
      internvl(R"(, "layer_norm_eps": 2e-06, "norm_type": "rms_norm", "use_qk_norm": true)"));
  EXPECT_EQ(model.family, "qwen2");
  EXPECT_EQ(names_of(model),
            (std::vector<std::string>{
                "layers.0.input_layernorm", "layers.0.post_attention_layernorm", "norm",
                "encoder.layer.0.attention.q_norm", "encoder.layer.0.attention.k_norm",
                "encoder.layer.0.layernorm_before", "encoder.layer.0.layernorm_after"}));
  EXPECT_EQ(model.sites[0].epsilon.text, "1e-05");
  EXPECT_EQ(model.sites[3].epsilon.text, "1e-06");
  EXPECT_EQ(model.sites[5].epsilon.text, "2e-06");
  EXPECT_EQ(model.sites[5].epsilon_from, "config key vision_config.layer_norm_eps");
  EXPECT_EQ(model.sites[5].dim, 3200U);
  EXPECT_TRUE(model.other_sections.empty());
  const SiteMatch match = find_site(model, "model.vision_tower.encoder.layer.0.layernorm_before");
  EXPECT_EQ(match.kind, SiteMatchKind::kSuffix);
  EXPECT_EQ(match.site.epsilon.text, "2e-06");
  // The text model's under the names of this release and of earlier ones.
  for (const std::string name :
       {"model.language_model.layers.0.input_layernorm", "language_model.model.norm"}) {
    EXPECT_EQ(find_site(model, name).kind, SiteMatchKind::kSuffix) << name;
    EXPECT_EQ(find_site(model, name).site.epsilon.text, "1e-05") << name;
  }
}

TEST(ResolveCompositeModel, LayerNormsOfTheVisionPartAreNotListed) {
  EXPECT_EQ(
      resolved(internvl(R"(, "layer_norm_eps": 1e-06, "norm_type": "layer_norm")")).sites.size(),
      3U);
  EXPECT_EQ(resolved(internvl(R"(, "layer_norm_eps": 1e-06)")).sites.size(), 3U);
  // Nothing declares an epsilon there: the part is not read, and named as such.
  const Model model = resolved(internvl(R"(, "norm_type": "rms_norm")"));
  EXPECT_EQ(model.sites.size(), 3U);
  EXPECT_EQ(model.other_sections, std::vector<std::string>{"vision_config"});
}

TEST(ResolveCompositeModel, AVisionPartByItself) {
  const std::string head = R"({"model_type": "qianfan_ocr_vision", "hidden_size": 1024,
      "num_hidden_layers": 1, "layer_norm_eps": 1e-06)";
  const Model model = resolved(head + R"(, "norm_type": "rms_norm"})");
  EXPECT_EQ(names_of(model), (std::vector<std::string>{"vision_tower.layers.0.layernorm_before",
                                                       "vision_tower.layers.0.layernorm_after"}));
  EXPECT_EQ(thrown_message([&] { (void)resolved(head + R"(, "norm_type": "layer_norm"})"); }),
            "c.json: found a config that leaves out every RMSNorm of qianfan_ocr_vision models, "
            "expected a model with RMSNorm");
}

TEST(ResolveCompositeModel, APartWithoutAModelType) {
  const Model model = resolved(R"({"model_type": "ovis2", "hidden_size": 1536, "text_config": {
      "model_type": "qwen2", "hidden_size": 1536, "num_hidden_layers": 1, "rms_norm_eps": 1e-06},
      "vision_config": {"hidden_size": 1024, "num_hidden_layers": 1, "rms_norm_eps": 1e-05}})");
  ASSERT_EQ(model.sites.size(), 3U + 4);
  EXPECT_EQ(model.sites[3].name, "transformer.embeddings.rms_norm");
  const NormSite& site = find_site(model, "model.vision_tower.transformer.rms_norm").site;
  EXPECT_EQ(site.epsilon.text, "1e-05");
  EXPECT_EQ(site.dim, 1024U);
  EXPECT_EQ(site.recipe, "hf.llama");
}

TEST(ResolveCompositeModel, ANormBetweenTheParts) {
  const auto projector = [](const std::string& type, const std::string& text,
                            const std::string& name) {
    const Model model =
        resolved(R"({"model_type": ")" + type + R"(", "text_config": {"model_type": ")" + text +
                 R"(", "hidden_size": 5120, "num_hidden_layers": 1,
        "rms_norm_eps": 1e-05}, "vision_config": {"model_type": "pixtral", "hidden_size": 1024}})");
    EXPECT_EQ(model.other_sections, std::vector<std::string>{"vision_config"});
    const SiteMatch match = find_site(model, name);
    EXPECT_EQ(match.kind, SiteMatchKind::kSuffix) << type;
    EXPECT_EQ(match.site.dim, 1024U) << type;
    EXPECT_EQ(match.site.epsilon.text, "1e-05") << type;
    EXPECT_EQ(match.site.epsilon_from, "config key text_config.rms_norm_eps");
    return model.sites.size();
  };
  EXPECT_EQ(projector("mistral3", "mistral", "model.multi_modal_projector.norm"), 4U);
  EXPECT_EQ(projector("mistral3", "ministral3", "model.multi_modal_projector.norm"), 4U);
  EXPECT_EQ(projector("lighton_ocr", "qwen3", "model.vision_projection.norm"), 6U);
}

TEST(ResolveCompositeModel, OnlyBesideATextModelWhoseNormsAreListed) {
  const Model model =
      resolved(R"({"model_type": "mistral3", "text_config": {"model_type": "granitemoe",
      "hidden_size": 64, "num_hidden_layers": 1, "rms_norm_eps": 1e-05},
      "vision_config": {"hidden_size": 32}})");
  EXPECT_EQ(names_of(model), std::vector<std::string>{"norm"});
  // Without a text model it is a config like any other.
  EXPECT_EQ(resolved(R"({"model_type": "mistral3", "rms_norm_eps": 1e-05})").family, "unknown");
}

}  // namespace
}  // namespace normcert
