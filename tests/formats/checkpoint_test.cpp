#include "formats/checkpoint.hpp"

#include <gtest/gtest.h>

#include <string>

#include "formats/safetensors_writer.hpp"
#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

SafetensorsEntry filled(const std::string& name, std::size_t width, double value) {
  Tensor tensor(kFp32, 1, width);
  for (std::size_t i = 0; i < width; ++i) {
    tensor.set(0, i, code_of(static_cast<float>(value)));
  }
  TensorView view = std::move(tensor).share();
  view.shape = {width};
  return {name, view};
}

// A folder of two shards.
void put_shards(const TemporaryFolder& folder) {
  write_safetensors(folder / "model-1.safetensors", {}, {filled("a.norm.weight", 4, 1)});
  write_safetensors(folder / "model-2.safetensors", {}, {filled("b.norm.weight", 4, 2)});
}

std::string index_of(const std::string& map) { return R"({"weight_map": )" + map + "}"; }

TEST(Checkpoint, FindsTheWeightOfASiteInAFile) {
  auto checkpoint =
      Checkpoint::open(NORMCERT_SOURCE_DIR "/tests/data/models/nutllm-tiny.safetensors");
  ASSERT_TRUE(checkpoint.has_value());
  const auto weight = checkpoint->norm_weight("model.layers.1.input_layernorm");
  ASSERT_TRUE(weight.has_value());
  EXPECT_EQ(weight->rows, 1);
  EXPECT_EQ(weight->width, 4);
  EXPECT_FALSE(checkpoint->norm_weight("model.layers.2.input_layernorm").has_value());
  EXPECT_EQ(checkpoint->file_of("model.norm.weight"),
            NORMCERT_SOURCE_DIR "/tests/data/models/nutllm-tiny.safetensors");
  EXPECT_EQ(checkpoint->file_of("nothing"), "");
}

TEST(Checkpoint, AFolderWithOneFile) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Checkpoint::open(folder.path()).has_value());
  write_safetensors(folder / "any.safetensors", {}, {filled("n.weight", 2, 3)});
  put_file(folder / "config.json", "{}");
  auto checkpoint = Checkpoint::open(folder.path());
  EXPECT_EQ(to_binary64(checkpoint->norm_weight("n")->at(0, 1)), 3);
}

TEST(Checkpoint, ShardsAreOpenedWhenTheyAreNeeded) {
  const TemporaryFolder folder;
  put_shards(folder);
  put_file(folder / "model.safetensors.index.json",
           index_of(R"({"a.norm.weight": "model-1.safetensors",
                        "b.norm.weight": "model-2.safetensors",
                        "c.norm.weight": "model-3.safetensors"})"));
  auto checkpoint = Checkpoint::open(folder.path());
  ASSERT_TRUE(checkpoint.has_value());
  EXPECT_EQ(to_binary64(checkpoint->norm_weight("b.norm")->at(0, 0)), 2);
  EXPECT_EQ(to_binary64(checkpoint->norm_weight("a.norm")->at(0, 0)), 1);
  EXPECT_EQ(thrown_message([&] { (void)checkpoint->norm_weight("c.norm"); }),
            (folder / "model.safetensors.index.json").string() +
                ": tensor c.norm.weight: found the shard model-3.safetensors, which is missing, "
                "expected all shards beside the index");
}

TEST(Checkpoint, WhatDoesNotFitIsRefused) {
  const TemporaryFolder folder;
  put_shards(folder);
  const std::string path = folder.path().string();
  const auto open_message = [&] {
    return thrown_message([&] { (void)Checkpoint::open(folder.path()); });
  };
  EXPECT_EQ(open_message(),
            path +
                ": found 2 .safetensors files without model.safetensors.index.json, expected "
                "one file, or an index that says which tensors lie where");

  const std::string index = (folder / "model.safetensors.index.json").string();
  put_file(index, "{}");
  EXPECT_EQ(open_message(), index +
                                ": line 1: found an empty object, expected a member "
                                "\"weight_map\"");
  for (const std::string name : {"../model-1.safetensors", "/model-1.safetensors", "", "..",
                                 "a\\\\b.safetensors", "a\\u0000"}) {
    put_file(index, index_of(R"({"a.norm.weight": ")" + name + "\"}"));
    EXPECT_NE(open_message().find("weight_map[\"a.norm.weight\"], line 1: found \"" + name +
                                  "\", expected the name of a file beside the index"),
              std::string::npos)
        << name;
  }
  put_file(index, index_of(R"({"a.norm.weight": "model-2.safetensors"})"));
  EXPECT_EQ(thrown_message([&] { (void)Checkpoint::open(folder.path())->norm_weight("a.norm"); }),
            path +
                "/model-2.safetensors: found a shard without a.norm.weight, expected the "
                "tensors that " +
                index + " names");
}

TEST(Checkpoint, AWeightIsOneRowOfNumbers) {
  const TemporaryFolder folder;
  const std::string path = (folder / "m.safetensors").string();
  TensorView matrix = Tensor(kBf16, 2, 2).share();
  TensorView none = Tensor(kBf16, 1, 0).share();
  none.shape = {0};
  write_safetensors(path, {}, {{"matrix.weight", matrix}, {"none.weight", none}});
  const auto message = [&](const std::string& site) {
    return thrown_message([&] { (void)Checkpoint::open(path)->norm_weight(site); });
  };
  EXPECT_EQ(message("matrix"),
            path +
                ": tensor matrix.weight: found a shape of 2 dimensions, expected the weight of a "
                "norm: one dimension, at least one element");
  EXPECT_EQ(message("none"),
            path +
                ": tensor none.weight: found a shape of 1 dimensions, expected the weight of a "
                "norm: one dimension, at least one element");
}

}  // namespace
}  // namespace normcert
