#include "formats/hf_config.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

using Names = std::vector<std::string>;

HfConfig model_file(const std::string& name) {
  return HfConfig::read(NORMCERT_SOURCE_DIR "/tests/data/models/" + name);
}

HfConfig parsed(const std::string& text) { return HfConfig::parse("c.json", text); }

TEST(HfConfig, ReadsAFlatFile) {
  const HfConfig config = model_file("qwen3-8b.json");
  EXPECT_EQ(config.section(), "");
  EXPECT_EQ(config.model_type(), "qwen3");
  EXPECT_EQ(*config.dtype(), kBf16);
  EXPECT_EQ(config.hidden(), 4096);
  EXPECT_EQ(config.layers(), 36);
  EXPECT_EQ(config.count({"head_dim"}), 128);
  EXPECT_EQ(config.count({"n_heads", "num_attention_heads"}), 32);
  EXPECT_EQ(config.count({"n_heads"}), std::nullopt);
  EXPECT_EQ(config.present_epsilon_keys(), Names{"rms_norm_eps"});
  EXPECT_EQ(config.epsilon("rms_norm_eps")->text, "1e-06");
  EXPECT_EQ(config.epsilon("rms_norm_eps")->binary64, 1e-6);
  EXPECT_EQ(config.epsilon("layer_norm_eps"), std::nullopt);
  EXPECT_EQ(config.other_sections(), Names{});
}

TEST(HfConfig, ReadsTheTextModelOfANestedFile) {
  const HfConfig config = model_file("pixtral-tiny.json");
  EXPECT_EQ(config.section(), "text_config");
  EXPECT_EQ(config.model_type(), "mistral");
  EXPECT_EQ(config.hidden(), 256);
  EXPECT_EQ(*config.dtype(), kBf16);  // stands at the top of the file only
  EXPECT_EQ(config.present_epsilon_keys(), (Names{"norm_eps", "rms_norm_eps"}));
  EXPECT_EQ(config.other_sections(), Names{"vision_config"});
  EXPECT_EQ(config.path_of("norm_eps"), "text_config.norm_eps");
}

TEST(HfConfig, AnotherPartOfTheSameFile) {
  const HfConfig config = HfConfig::parse("c.json", R"({"model_type": "m", "dtype": "float16",
      "text_config": {"model_type": "t", "hidden_size": 8},
      "vision_config": {"model_type": "v", "hidden_size": 4, "dtype": null}, "other": 1})");
  EXPECT_EQ(config.model_type(), "t");
  EXPECT_EQ(config.composite_type(), "m");
  const HfConfig vision = config.part("vision_config").value();
  EXPECT_EQ(vision.section(), "vision_config");
  EXPECT_EQ(vision.model_type(), "v");
  EXPECT_EQ(vision.hidden(), 4U);
  EXPECT_EQ(*vision.dtype(), kFp16);
  EXPECT_EQ(vision.path_of("eps"), "vision_config.eps");
  EXPECT_EQ(vision.other_sections(), std::vector<std::string>{"text_config"});
  EXPECT_FALSE(config.part("audio_config").has_value());
  EXPECT_THROW((void)config.part("other"), InputError);
  EXPECT_EQ(HfConfig::parse("c.json", R"({"model_type": "m"})").composite_type(), "");
}

TEST(HfConfig, WordsOfAKey) {
  const HfConfig config = HfConfig::parse("c.json", R"({"list": ["a", 2, true, null, {}],
      "word": "w", "flag": false, "number": 2.0, "none": null, "object": {}})");
  using Words = std::vector<std::string>;
  EXPECT_EQ(config.words("list"), (Words{"a", "2", "true", "", ""}));
  EXPECT_EQ(config.words("word"), Words{"w"});
  EXPECT_EQ(config.words("flag"), Words{"false"});
  EXPECT_EQ(config.words("number"), Words{"2.0"});
  EXPECT_EQ(config.words("object"), Words{""});
  EXPECT_TRUE(config.words("none").empty());
  EXPECT_TRUE(config.words("absent").empty());
  EXPECT_TRUE(config.is_list("list"));
  EXPECT_FALSE(config.is_list("word"));
  EXPECT_FALSE(config.is_list("absent"));
}

TEST(HfConfig, ReadsTheThinkerOfAnOmniModel) {
  const HfConfig config = parsed(
      R"({"model_type": "omni", "dtype": "float32", "talker_config": {"rms_norm_eps": 1e-3},
          "thinker_config": {"audio_config": {"d_model": 8},
                             "text_config": {"model_type": "t", "rms_norm_eps": 1e-6}}})");
  EXPECT_EQ(config.section(), "thinker_config.text_config");
  EXPECT_EQ(config.model_type(), "t");
  EXPECT_EQ(config.epsilon("rms_norm_eps")->text, "1e-6");
  EXPECT_EQ(config.other_sections(), Names{"talker_config"});
  EXPECT_EQ(config.epsilon_paths_elsewhere(), Names{"talker_config.rms_norm_eps"});
}

TEST(HfConfig, NamesEpsilonsOfOtherParts) {
  const HfConfig config = parsed(
      R"({"rms_norm_eps": 1e-5, "text_config": {"hidden_size": 4},
          "vision_config": {"layer_norm_eps": 1e-6, "norm_eps": null}, "quantization_config": {}})");
  EXPECT_EQ(config.present_epsilon_keys(), Names{});
  EXPECT_EQ(config.epsilon_paths_elsewhere(),
            (Names{"rms_norm_eps", "vision_config.layer_norm_eps"}));
}

TEST(HfConfig, ReadsAParamsFile) {
  const HfConfig config = model_file("llama-params-demo.json");
  EXPECT_EQ(config.model_type(), "");
  EXPECT_EQ(config.dtype(), nullptr);
  EXPECT_EQ(config.hidden(), 64);
  EXPECT_EQ(config.layers(), 5);
  EXPECT_EQ(config.present_epsilon_keys(), Names{"norm_eps"});
}

TEST(HfConfig, ReadsT5) {
  const HfConfig config = model_file("t5-tiny.json");
  EXPECT_EQ(config.hidden(), 8);
  EXPECT_EQ(config.layers(), 2);
  EXPECT_EQ(config.decoder_layers(), 2);
  EXPECT_EQ(parsed(R"({"num_layers": 6, "num_decoder_layers": 3})").decoder_layers(), 3);
  EXPECT_EQ(parsed(R"({"num_layers": 6})").decoder_layers(), 6);
}

// json.dump of Python writes numbers that JSON does not have.
TEST(HfConfig, InfinityInAnotherKeyDoesNoHarm) {
  const HfConfig config = model_file("nemotron-h-56b.json");
  EXPECT_EQ(config.present_epsilon_keys(), (Names{"layer_norm_epsilon", "rms_norm_eps"}));
  EXPECT_EQ(config.epsilon("layer_norm_epsilon")->text, "1e-05");
  EXPECT_EQ(parsed(R"({"a": [NaN, -Infinity, "NaN \" Infinity"], "hidden_size": 7})").hidden(), 7);
}

TEST(HfConfig, TheDtypeOfThePartComesFirst) {
  struct Entry {
    std::string text;
    const FloatFormat* dtype;
  };
  const std::vector<Entry> table = {
      {R"({})", nullptr},
      {R"({"dtype": null, "torch_dtype": "float16"})", &kFp16},
      {R"({"dtype": "auto"})", nullptr},
      {R"({"dtype": "bfloat16", "torch_dtype": "float32"})", &kBf16},
      {R"({"torch_dtype": "torch.float64"})", &kFp64},
      {R"({"torch_dtype": "half"})", &kFp16},
      {R"({"dtype": "float8_e4m3fn"})", &kFp8E4m3fn},
      {R"({"dtype": "float16", "text_config": {"torch_dtype": "float32"}})", &kFp32},
      {R"({"dtype": "float16", "text_config": {"hidden_size": 2}})", &kFp16},
  };
  for (const auto& [text, dtype] : table) EXPECT_EQ(parsed(text).dtype(), dtype) << text;
}

TEST(HfConfig, KeepsTheTokenOfAnEpsilon) {
  for (const std::string token :
       {"1e-05", "1e-5", "0.00001", "1.5625e-07", "1E-6", "1", "1e-300"}) {
    const auto epsilon = parsed(R"({"rms_norm_eps": )" + token + "}").epsilon("rms_norm_eps");
    ASSERT_TRUE(epsilon.has_value());
    EXPECT_EQ(epsilon->text, token);
    EXPECT_EQ(epsilon->binary64, std::stod(token));
  }
}

struct Refused {
  std::string text;
  std::string code;
  std::string message;  // behind "c.json: "
};

void expect_refused(const std::vector<Refused>& table) {
  for (const auto& [text, code, message] : table) {
    const auto read = [&, wanted = text] { (void)parsed(wanted).epsilon("rms_norm_eps"); };
    EXPECT_EQ(thrown_message(read), "c.json: " + message);
    try {
      read();
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, code) << text;
    }
  }
}

TEST(HfConfig, AnEpsilonMustBeAPositiveNumber) {
  expect_refused({
      {R"({"rms_norm_eps": null})", "missing_epsilon",
       "rms_norm_eps, line 1: found null, expected a number (null declares no epsilon)"},
      {R"({"rms_norm_eps": "1e-5"})", "epsilon_unreadable",
       "rms_norm_eps, line 1: found \"1e-5\", expected a number without quotation marks (programs "
       "that read this file cannot add a text)"},
      {R"({"rms_norm_eps": [1e-5]})", "epsilon_unreadable",
       "rms_norm_eps, line 1: found an array of 1, expected a number"},
      {R"({"rms_norm_eps": true})", "epsilon_unreadable",
       "rms_norm_eps, line 1: found true, expected a number"},
      {R"({"rms_norm_eps": {"__float__": "Infinity"}})", "epsilon_unreadable",
       "rms_norm_eps, line 1: found an object, expected a number"},
      {R"({"rms_norm_eps": 0})", "epsilon_not_positive",
       "rms_norm_eps, line 1: found 0, expected an epsilon above 0 (as binary64)"},
      {R"({"rms_norm_eps": -1e-6})", "epsilon_not_positive",
       "rms_norm_eps, line 1: found -1e-6, expected an epsilon above 0"},
      {R"({"rms_norm_eps": -0.0})", "epsilon_not_positive",
       "rms_norm_eps, line 1: found -0.0, expected an epsilon above 0"},
      {R"({"rms_norm_eps": 1e-400})", "epsilon_not_positive",
       "rms_norm_eps, line 1: found 1e-400, expected an epsilon above 0 (as binary64)"},
      {R"({"rms_norm_eps": 1e400})", "epsilon_not_finite",
       "rms_norm_eps, line 1: found 1e400, expected an epsilon that is a finite number"},
      {R"({"rms_norm_eps": NaN})", "epsilon_not_finite",
       "rms_norm_eps, line 1: found NaN, expected a finite number"},
      {R"({"rms_norm_eps": -Infinity})", "epsilon_not_finite",
       "rms_norm_eps, line 1: found -Infinity, expected a finite number"},
      {R"({"text_config": {"rms_norm_eps": ""}})", "epsilon_unreadable",
       "text_config.rms_norm_eps, line 1: found \"\", expected a number without quotation marks "
       "(programs that read this file cannot add a text)"},
      {R"({"rms_norm_eps": 1e-6, "rms_norm_eps": 1e-5})", "",
       "rms_norm_eps, line 1, column 24 (byte 23): found a second member of this name, expected "
       "one (the first is on line 1, column 2)"},
      {R"({"rms_norm_eps": .1})", "",
       "line 1, column 18 (byte 17): found \".1\", expected a JSON value (a number begins with a "
       "digit or a minus sign)"},
  });
}

TEST(HfConfig, OtherKeysAreCheckedToo) {
  expect_refused({
      {R"([])", "", "line 1: found [], expected an object: the config.json of a model"},
      {R"("rms_norm_eps")", "",
       "line 1: found \"rms_norm_eps\", expected an object: the config.json of a model"},
      {R"({"model_type": 7})", "", "model_type, line 1: found 7, expected a string"},
      {R"({"model_type": NaN})", "", "model_type, line 1: found NaN, expected a finite number"},
      {R"({"text_config": "flat"})", "", "text_config, line 1: found \"flat\", expected an object"},
      {R"({"hidden_size": 0})", "",
       "hidden_size, line 1: found 0, expected an integer from 1 to 2147483648"},
      {R"({"hidden_size": -4096})", "",
       "hidden_size, line 1: found -4096, expected an integer from 1 to 2147483648"},
      {R"({"hidden_size": 4096.0})", "",
       "hidden_size, line 1: found 4096.0, expected an integer from 1 to 2147483648"},
      {R"({"hidden_size": Infinity})", "",
       "hidden_size, line 1: found Infinity, expected a finite number"},
      {R"({"hidden_size": "4096"})", "",
       "hidden_size, line 1: found \"4096\", expected an integer from 1 to 2147483648"},
      {R"({"hidden_size": 1000000000000000000000})", "",
       "hidden_size, line 1: found 1000000000000000000000, expected an integer from 1 to "
       "2147483648"},
      {R"({"num_hidden_layers": 1000000})", "",
       "num_hidden_layers, line 1: found 1000000, expected an integer from 1 to 4096"},
      {R"({"torch_dtype": "bfloat61"})", "unknown_dtype",
       "torch_dtype, line 1: found \"bfloat61\", expected one of bfloat16, float16, float32, "
       "float64, float8_e4m3fn, float8_e5m2 (did you mean \"bfloat16\"?)"},
      {R"({"dtype": 16})", "", "dtype, line 1: found 16, expected a string"},
      {R"({"per_layer_config": {"3": {"rms_norm_eps": 1e-5}}})", "",
       "per_layer_config[\"3\"], line 1: found an epsilon of a single layer, expected one epsilon "
       "for all layers (per_layer_config cannot change it here)"},
  });
}

TEST(HfConfig, PerLayerSettingsWithoutEpsilonDoNoHarm) {
  const HfConfig config =
      parsed(R"({"rms_norm_eps": 1e-6, "per_layer_config": {"3": {"sliding_window": 4}}})");
  EXPECT_EQ(config.epsilon("rms_norm_eps")->text, "1e-6");
}

TEST(HfConfig, AFolderStandsForTheConfigInIt) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(thrown_message([&] { (void)HfConfig::read(folder.path()); }),
            path +
                ": found a folder without config.json, expected a config.json, or a folder that "
                "holds one");
  put_file(folder / "config.json", R"({"rms_norm_eps": 1e-6})");
  const HfConfig config = HfConfig::read(folder.path());
  EXPECT_EQ(config.file(), path + "/config.json");
  EXPECT_EQ(config.epsilon("rms_norm_eps")->text, "1e-6");
}

// The name says nothing, the content does.
TEST(HfConfig, WhatIsNoConfigIsNamed) {
  const TemporaryFolder folder;
  const std::string path = (folder / "config.json").string();
  const auto message = [&](const std::string& content) {
    put_file(path, content);
    return thrown_message([&] { (void)HfConfig::read(path); });
  };
  EXPECT_EQ(message("<!DOCTYPE html>"),
            path +
                ": found an HTML page, expected JSON text (a web page was saved in place of the "
                "file)");
  EXPECT_EQ(message(std::string("GGUF\3\0\0\0", 8)),
            path + ": found a GGUF file, expected JSON text");
  EXPECT_EQ(message(""), path + ": found an empty file, expected JSON text");
}

}  // namespace
}  // namespace normcert
