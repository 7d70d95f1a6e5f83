// All norms of a trained model as a GPU computed them (cases/captures/stories260K), bit for bit.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "catalogue/recipes.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors.hpp"

namespace normcert {
namespace {

std::size_t differing_elements(const Recipe& recipe, const std::string& name) {
  const SafetensorsFile file =
      read_safetensors(std::filesystem::path(NORMCERT_SOURCE_DIR) /
                       ("cases/captures/stories260K/" + name + ".safetensors"));
  std::size_t differing = 0;
  std::size_t sites = 0;
  for (const SafetensorsTensor& tensor : file.tensors) {
    if (!tensor.name.ends_with(".x")) continue;
    const std::string site = tensor.name.substr(0, tensor.name.size() - 1);
    const TensorView y = file.view(*file.find(site + "y"));
    const EmulatedBlock block =
        emulate_block(recipe, {.x = file.view(tensor),
                               .residual = {},
                               .weight = file.view(*file.find(site + "weight")),
                               .weight_offset = 0,
                               .epsilon = 1e-5});
    for (std::size_t row = 0; row < y.rows; ++row) {
      for (std::size_t i = 0; i < y.width; ++i) {
        differing += same_bits(block.y.at(row, i), y.at(row, i)) ? 0 : 1;
      }
    }
    ++sites;
  }
  EXPECT_EQ(sites, 11U);
  return differing;
}

TEST(TrainedModel, EveryElementOfEveryNorm) {
  EXPECT_EQ(differing_elements(*find_recipe("hf.llama.sm_90"), "right"), 0U);
  // One element tells the CPU's order and root from the device's.
  EXPECT_EQ(differing_elements(*find_recipe("hf.llama"), "right"), 1U);
  EXPECT_GT(differing_elements(*find_recipe("hf.llama.sm_90"), "wrong_epsilon"), 100U);
}

}  // namespace
}  // namespace normcert
