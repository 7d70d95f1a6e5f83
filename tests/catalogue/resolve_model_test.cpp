#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalogue/families.hpp"
#include "formats/safetensors.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

Model model_file(const std::string& name) {
  return resolve_model(HfConfig::read(NORMCERT_SOURCE_DIR "/tests/data/models/" + name));
}

Model resolved(const std::string& text) { return resolve_model(HfConfig::parse("c.json", text)); }

TEST(ResolveModel, Llama) {
  const Model model = model_file("llama3.1-8b.json");
  EXPECT_EQ(model.family, "llama");
  EXPECT_EQ(model.model_type, "llama");
  EXPECT_EQ(*model.dtype, kBf16);
  EXPECT_EQ(model.hidden, 4096);
  EXPECT_EQ(model.layers, 32);
  ASSERT_EQ(model.sites.size(), 65);
  EXPECT_EQ(model.sites[0].name, "model.layers.0.input_layernorm");
  EXPECT_EQ(model.sites[1].name, "model.layers.0.post_attention_layernorm");
  EXPECT_EQ(model.sites[2].name, "model.layers.1.input_layernorm");
  EXPECT_EQ(model.sites[2].group, "model.layers.{i}.input_layernorm");
  EXPECT_EQ(model.sites[63].name, "model.layers.31.post_attention_layernorm");
  EXPECT_EQ(model.sites[64].name, "model.norm");
  for (const NormSite& site : model.sites) {
    EXPECT_EQ(site.dim, 4096);
    EXPECT_EQ(site.epsilon.text, "1e-05");
    EXPECT_EQ(site.epsilon_from, "config key rms_norm_eps");
    EXPECT_EQ(site.weight_offset->text, "0");
    EXPECT_EQ(site.recipe, "hf.llama");
    EXPECT_TRUE(site.has_weight);
  }
}

TEST(ResolveModel, Families) {
  struct Entry {
    std::string file, family, recipe, offset, epsilon;
    std::size_t sites, dim;
  };
  const std::vector<Entry> table = {
      {"mistral-7b.json", "mistral", "hf.llama", "0", "1e-05", 65, 4096},
      {"gemma-2b.json", "gemma", "hf.gemma", "1", "1e-06", 37, 2048},
      {"gemma2-9b.json", "gemma2", "hf.gemma", "1", "1e-06", 4 * 42 + 1, 3584},
      {"gemma3-1b.json", "gemma3", "hf.gemma", "1", "1e-06", 6 * 26 + 1, 1152},
      {"qwen3-8b.json", "qwen3", "hf.llama", "0", "1e-06", 4 * 36 + 1, 4096},
      {"olmo2-7b.json", "olmo2", "hf.olmo2", "0", "1e-06", 4 * 32 + 1, 4096},
      {"t5-tiny.json", "t5", "hf.t5", "0", "1e-06", 12, 8},
      {"pixtral-tiny.json", "mistral", "hf.llama", "0", "1e-05", 9, 256},
  };
  for (const Entry& entry : table) {
    const Model model = model_file(entry.file);
    EXPECT_EQ(model.family, entry.family) << entry.file;
    EXPECT_EQ(model.sites.size(), entry.sites) << entry.file;
    EXPECT_EQ(model.sites.back().dim, entry.dim) << entry.file;
    for (const NormSite& site : model.sites) {
      EXPECT_EQ(site.recipe, entry.recipe);
      EXPECT_EQ(site.weight_offset->text, entry.offset);
      EXPECT_EQ(site.epsilon.text, entry.epsilon);
    }
  }
}

TEST(ResolveModel, QueriesAndKeys) {
  const Model qwen = model_file("qwen3-8b.json");
  EXPECT_EQ(qwen.sites[1].name, "model.layers.0.self_attn.q_norm");
  EXPECT_EQ(qwen.sites[1].dim, 128);
  // Over all heads together.
  const Model olmo = resolved(
      R"({"model_type": "olmo2", "hidden_size": 64, "num_attention_heads": 8,
          "num_key_value_heads": 2, "num_hidden_layers": 1, "rms_norm_eps": 1e-6})");
  ASSERT_EQ(olmo.sites.size(), 5);
  EXPECT_EQ(olmo.sites[0].name, "model.layers.0.self_attn.q_norm");
  EXPECT_EQ(olmo.sites[0].dim, 64);
  EXPECT_EQ(olmo.sites[1].name, "model.layers.0.self_attn.k_norm");
  EXPECT_EQ(olmo.sites[1].dim, 16);
  EXPECT_EQ(olmo.sites[4].dim, 64);
}

TEST(ResolveModel, AWidthThatTheFileDoesNotGiveStaysUnknown) {
  // Qwen3's class takes 128 whatever the hidden size.
  const Model qwen = resolved(
      R"({"model_type": "qwen3", "hidden_size": 64, "num_attention_heads": 8,
          "num_hidden_layers": 1, "rms_norm_eps": 1e-6})");
  EXPECT_EQ(qwen.sites[1].name, "model.layers.0.self_attn.q_norm");
  EXPECT_EQ(qwen.sites[1].dim, 0);
  EXPECT_EQ(qwen.sites[0].dim, 64);
}

// DeepSeek's latent norms are built without an epsilon: the class's own counts, not the config's.
TEST(ResolveModel, EpsilonsThatStandInTheCode) {
  const Model model = resolved(
      R"({"model_type": "kimi_k2", "hidden_size": 7168, "num_hidden_layers": 2, "q_lora_rank": 1536,
          "kv_lora_rank": 512, "rms_norm_eps": 1e-05})");
  EXPECT_EQ(model.family, "deepseek");
  struct Expected {
    std::string name;
    std::size_t dim;
    std::string epsilon, from;
  };
  const std::string key = "config key rms_norm_eps";
  const std::string literal = "literal 1e-06 in the code of kimi_k2 models";
  const std::vector<Expected> expected = {
      {"model.layers.0.input_layernorm", 7168, "1e-05", key},
      {"model.layers.0.self_attn.q_a_layernorm", 1536, "1e-06", literal},
      {"model.layers.0.self_attn.kv_a_layernorm", 512, "1e-06", literal},
      {"model.layers.0.post_attention_layernorm", 7168, "1e-05", key},
  };
  ASSERT_EQ(model.sites.size(), 9U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(model.sites[i].name, expected[i].name);
    EXPECT_EQ(model.sites[i].dim, expected[i].dim);
    EXPECT_EQ(model.sites[i].epsilon.text, expected[i].epsilon);
    EXPECT_EQ(model.sites[i].epsilon_from, expected[i].from);
  }
  EXPECT_EQ(model.sites[8].name, "model.norm");
  EXPECT_EQ(model.sites[8].epsilon.text, "1e-05");
}

TEST(ResolveModel, ANormThatTheConfigSaysIsNotThere) {
  // DeepSeek-V2-Lite projects its queries directly.
  const Model model = resolved(
      R"({"model_type": "deepseek_v2", "hidden_size": 2048, "num_hidden_layers": 1,
          "q_lora_rank": null, "kv_lora_rank": 512, "rms_norm_eps": 1e-06})");
  ASSERT_EQ(model.sites.size(), 4U);
  EXPECT_EQ(model.sites[1].name, "model.layers.0.self_attn.kv_a_layernorm");
  // Where the key is absent the class fills in a rank, which stays unknown here.
  const Model silent = resolved(
      R"({"model_type": "deepseek_v2", "hidden_size": 2048, "num_hidden_layers": 1,
          "rms_norm_eps": 1e-06})");
  ASSERT_EQ(silent.sites.size(), 5U);
  EXPECT_EQ(silent.sites[1].dim, 0U);
}

TEST(ResolveModel, AFamilyThatReadsNoKey) {
  const Model model = resolved(
      R"({"model_type": "qwen2_5_vl_vision", "hidden_size": 1280, "rms_norm_eps": 1e-05})");
  ASSERT_EQ(model.sites.size(), 1U);
  EXPECT_EQ(model.sites[0].epsilon.text, "1e-06");
  EXPECT_EQ(model.sites[0].epsilon_from, "literal 1e-06 in the code of qwen2_5_vl_vision models");
  ASSERT_EQ(model.unused_epsilons.size(), 1U);
  EXPECT_EQ(model.unused_epsilons[0].key, "rms_norm_eps");
}

TEST(ResolveModel, T5) {
  const Model model = resolved(
      R"({"model_type": "t5", "d_model": 8, "num_layers": 1, "num_decoder_layers": 2,
          "layer_norm_epsilon": 1e-06})");
  std::vector<std::string> names;
  for (const NormSite& site : model.sites) names.push_back(site.name);
  const std::vector<std::string> expected = {
      "encoder.block.0.layer.0.layer_norm", "encoder.block.0.layer.1.layer_norm",
      "encoder.final_layer_norm",           "decoder.block.0.layer.0.layer_norm",
      "decoder.block.0.layer.1.layer_norm", "decoder.block.0.layer.2.layer_norm",
      "decoder.block.1.layer.0.layer_norm", "decoder.block.1.layer.1.layer_norm",
      "decoder.block.1.layer.2.layer_norm", "decoder.final_layer_norm"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(model.sites[0].epsilon_from, "config key layer_norm_epsilon");
}

// The names are those under which published files store the weights.
TEST(ResolveModel, SitesAreNamedLikeTheTensorsOfRealModels) {
  const auto count_missing = [](const Model& model, const std::string& weights) {
    const SafetensorsFile file =
        read_safetensors(NORMCERT_SOURCE_DIR "/tests/data/models/" + weights);
    std::size_t missing = 0;
    std::size_t norms = 0;
    for (const NormSite& site : model.sites) {
      if (!file.find(site.name + ".weight")) ++missing;
    }
    for (const SafetensorsTensor& tensor : file.tensors) {
      if (tensor.name.find("norm") != std::string::npos) ++norms;
    }
    EXPECT_EQ(norms, model.sites.size());
    return missing;
  };
  EXPECT_EQ(count_missing(model_file("t5-tiny.json"), "t5-tiny.safetensors"), 0);
  EXPECT_EQ(count_missing(resolved(R"({"model_type": "llama", "hidden_size": 4,
                                       "num_hidden_layers": 2, "rms_norm_eps": 1e-5})"),
                          "nutllm-tiny.safetensors"),
            0);
}

TEST(ResolveModel, ANestedFileSaysWhereItsEpsilonStands) {
  const Model model = model_file("pixtral-tiny.json");
  EXPECT_EQ(model.section, "text_config");
  EXPECT_EQ(model.sites[0].epsilon_from, "config key text_config.rms_norm_eps");
  ASSERT_EQ(model.unused_epsilons.size(), 1);
  EXPECT_EQ(model.unused_epsilons[0].key, "text_config.norm_eps");
  EXPECT_EQ(model.unused_epsilons[0].text, "1e-05");
  EXPECT_EQ(model.other_sections, std::vector<std::string>{"vision_config"});
}

TEST(ResolveModel, TheKeyOfTheFamilyDecides) {
  const Model model = resolved(
      R"({"model_type": "llama", "norm_eps": 1e-3, "rms_norm_eps": 1e-6, "num_layers": 1})");
  EXPECT_EQ(model.sites[0].epsilon.text, "1e-6");
  ASSERT_EQ(model.unused_epsilons.size(), 1);
  EXPECT_EQ(model.unused_epsilons[0].key, "norm_eps");
  EXPECT_EQ(model.unused_epsilons[0].text, "1e-3");
  // What is not read may be anything.
  EXPECT_EQ(resolved(R"({"model_type": "llama", "norm_eps": NaN, "rms_norm_eps": 1e-6})")
                .unused_epsilons.at(0)
                .text,
            "NaN");
}

TEST(ResolveModel, WithoutLayersTheOtherSitesStand) {
  const Model model = resolved(R"({"model_type": "llama", "rms_norm_eps": 1e-6})");
  ASSERT_EQ(model.sites.size(), 1);
  EXPECT_EQ(model.sites[0].name, "model.norm");
  EXPECT_EQ(model.sites[0].dim, 0);
  const SiteMatch match = find_site(model, "model.layers.7.input_layernorm");
  EXPECT_EQ(match.kind, SiteMatchKind::kShared);
  EXPECT_EQ(match.site.epsilon.text, "1e-6");
}

TEST(ResolveModel, AFamilyWithoutSitesHasOne) {
  const Model model = resolved(
      R"({"model_type": "glm4", "rms_norm_eps": 1.5625e-07, "hidden_size": 16,
          "num_hidden_layers": 3})");
  ASSERT_EQ(model.sites.size(), 1);
  EXPECT_EQ(model.sites[0].name, "norm");
  EXPECT_EQ(model.sites[0].dim, 16);
  EXPECT_EQ(model.sites[0].recipe, "hf.llama");
  EXPECT_EQ(model.sites[0].weight_offset->text, "0");
}

TEST(ResolveModel, NormsWithoutWeights) {
  const Model model = resolved(
      R"({"model_type": "nanochat", "rms_norm_eps": 1e-6, "hidden_size": 16,
          "num_hidden_layers": 1})");
  for (const NormSite& site : model.sites) EXPECT_FALSE(site.has_weight);
}

TEST(ResolveModel, AnUnknownModelTypeGivesOneSiteAndNoOffset) {
  for (const std::string type : {R"("model_type": "brand_new", )", ""}) {
    const Model model =
        resolved("{" + type + R"("hidden_size": 64, "norm_eps": 1e-5, "torch_dtype": "float16"})");
    EXPECT_EQ(model.family, "unknown");
    ASSERT_EQ(model.sites.size(), 1);
    EXPECT_EQ(model.sites[0].name, "norm");
    EXPECT_EQ(model.sites[0].dim, 64);
    EXPECT_EQ(model.sites[0].epsilon_from, "config key norm_eps");
    EXPECT_FALSE(model.sites[0].weight_offset.has_value());
    EXPECT_EQ(model.sites[0].recipe, "");
    EXPECT_EQ(*model.dtype, kFp16);
  }
}

TEST(ResolveModel, TwoKeysOfWhichTheCodeReadsOne) {
  const Model model = model_file("nemotron-h-56b.json");
  EXPECT_EQ(model.family, "uniform.hf.llama.layer_norm_epsilon");
  EXPECT_EQ(model.sites[0].epsilon_from, "config key layer_norm_epsilon");
  ASSERT_EQ(model.unused_epsilons.size(), 1);
  EXPECT_EQ(model.unused_epsilons[0].key, "rms_norm_eps");
  EXPECT_EQ(
      resolved(R"({"model_type": "nemotron_h", "norm_eps": 1e-3, "layer_norm_epsilon": 1e-5})")
          .sites[0]
          .epsilon.text,
      "1e-5");
}

TEST(ResolveModel, TwoKeysThatAgreeAreOneEpsilon) {
  const Model model =
      resolved(R"({"layer_norm_epsilon": 1e-05, "model_type": "n", "rms_norm_eps": 1e-05})");
  EXPECT_EQ(model.family, "unknown");
  EXPECT_EQ(model.sites[0].epsilon_from, "config key layer_norm_epsilon");
  ASSERT_EQ(model.unused_epsilons.size(), 1);
  EXPECT_EQ(model.unused_epsilons[0].key, "rms_norm_eps");
  EXPECT_EQ(resolved(R"({"norm_eps": 1e-5, "rms_norm_eps": 0.00001})").sites[0].epsilon.text,
            "1e-5");
}

struct Refused {
  std::string text, code, message;
};

TEST(ResolveModel, NothingIsGuessed) {
  const std::vector<Refused> table = {
      {R"({})", "missing_epsilon",
       "found no epsilon, expected one of rms_norm_eps, layer_norm_eps, layer_norm_epsilon, "
       "norm_eps, layernorm_epsilon, norm_epsilon, block_norm_eps, rms_norm_epsilon, "
       "layernorm_eps, normalization_layer_epsilon (or --epsilon)"},
      {R"({"model_type": "llama"})", "missing_epsilon",
       "found no rms_norm_eps, expected the key that llama models read (transformers fills in "
       "1e-06; --epsilon 1e-06 declares that)"},
      {R"({"model_type": "llama", "norm_eps": 1e-5})", "missing_epsilon",
       "found no rms_norm_eps (the file holds norm_eps), expected the key that llama models read "
       "(transformers fills in 1e-06; --epsilon 1e-06 declares that)"},
      {R"({"model_type": "llama", "rms_norm_eps": null})", "missing_epsilon",
       "rms_norm_eps, line 1: found null, expected a number (null declares no epsilon)"},
      {R"({"model_type": "llama", "rms_norm_eps": "1e-5"})", "epsilon_unreadable",
       "rms_norm_eps, line 1: found \"1e-5\", expected a number without quotation marks (programs "
       "that read this file cannot add a text)"},
      {R"({"rms_norm_eps": 1e-5, "text_config": {"model_type": "gemma3_text"}})", "missing_epsilon",
       "text_config: found no text_config.rms_norm_eps (the file holds rms_norm_eps), expected the "
       "key that gemma3 models read (transformers fills in 1e-06; --epsilon 1e-06 declares that)"},
      {R"({"vision_config": {"layer_norm_eps": 1e-6}, "text_config": {}})", "missing_epsilon",
       "text_config: found no epsilon (the file holds vision_config.layer_norm_eps), expected one "
       "of rms_norm_eps, layer_norm_eps, layer_norm_epsilon, norm_eps, layernorm_epsilon, "
       "norm_epsilon, block_norm_eps, rms_norm_epsilon, layernorm_eps, normalization_layer_epsilon "
       "(or --epsilon)"},
      {R"({"norm_eps": 1e-5, "rms_norm_eps": 1e-6})", "ambiguous_epsilon",
       "found norm_eps = 1e-5, rms_norm_eps = 1e-6, expected one epsilon (nothing says which of "
       "them a model reads; --epsilon decides)"},
      {R"({"norm_eps": 1e-5, "rms_norm_eps": "x"})", "epsilon_unreadable",
       "rms_norm_eps, line 1: found \"x\", expected a number without quotation marks (programs "
       "that read this file cannot add a text)"},
      {R"({"model_type": "bert", "layer_norm_eps": 1e-12})", "not_rmsnorm",
       "found the model_type \"bert\", whose norms are LayerNorm, expected a model with RMSNorm"},
      {R"({"model_type": "qwen3", "rms_norm_eps": 1e-6, "num_hidden_layers": 1, "head_dim": 0})",
       "", "head_dim, line 1: found 0, expected an integer from 1 to 2147483648"},
  };
  for (const auto& [text, code, message] : table) {
    EXPECT_EQ(thrown_message([wanted = text] { (void)resolved(wanted); }), "c.json: " + message);
    try {
      (void)resolved(text);
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, code) << text;
    }
  }
  EXPECT_EQ(thrown_message([] { (void)model_file("orion-14b.json"); }), NORMCERT_SOURCE_DIR
            "/tests/data/models/orion-14b.json: found the model_type \"orion\", whose norms are "
            "LayerNorm, expected a model with RMSNorm");
  EXPECT_EQ(thrown_message([] { (void)model_file("gemma3-nested-without-epsilon.json"); }),
            NORMCERT_SOURCE_DIR
            "/tests/data/models/gemma3-nested-without-epsilon.json: text_config: found no "
            "text_config.rms_norm_eps, expected the key that gemma3 models read (transformers "
            "fills in 1e-06; --epsilon 1e-06 declares that)");
}

TEST(ResolveModel, AnEpsilonFromElsewhereFillsAGapOnly) {
  const EpsilonFromElsewhere option{Epsilon{"2e-6", 2e-6}, "option --epsilon"};
  const auto epsilon = [&](const std::string& text) {
    const NormSite site = resolve_model(HfConfig::parse("c.json", text), option).sites.front();
    return site.epsilon.text + " from " + site.epsilon_from;
  };
  EXPECT_EQ(epsilon("{}"), "2e-6 from option --epsilon");
  EXPECT_EQ(epsilon(R"({"model_type": "llama"})"), "2e-6 from option --epsilon");
  EXPECT_EQ(epsilon(R"({"model_type": "llama", "rms_norm_eps": null})"),
            "2e-6 from option --epsilon");
  EXPECT_EQ(epsilon(R"({"model_type": "llama", "rms_norm_eps": 1e-6})"),
            "1e-6 from config key rms_norm_eps");
  EXPECT_EQ(epsilon(R"({"norm_eps": 1e-6})"), "1e-6 from config key norm_eps");
  EXPECT_EQ(epsilon(R"({"norm_eps": 1e-6, "rms_norm_eps": 1e-5})"), "2e-6 from option --epsilon");
}

TEST(ResolveModel, AFamilyOfTheUser) {
  const Model model = resolve_model(
      HfConfig::parse("c.json", R"({"model_type": "mine", "rms_norm_eps": 1e-6, "n_layers": 2})"),
      *find_family("gemma"));
  EXPECT_EQ(model.sites.size(), 5);
  EXPECT_EQ(model.sites[0].weight_offset->text, "1");
}

}  // namespace
}  // namespace normcert
