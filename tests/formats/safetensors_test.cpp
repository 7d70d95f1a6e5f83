#include "formats/safetensors.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "formats/safetensors_text.hpp"
#include "formats/temporary_folder.hpp"

namespace normcert {
namespace {

using Sizes = std::vector<std::size_t>;

std::filesystem::path data(const char* name) {
  return std::filesystem::path(NORMCERT_SOURCE_DIR) / "tests/data" / name;
}

TEST(Safetensors, ReadsACaptureWrittenByTorch) {
  const SafetensorsFile file =
      read_safetensors(data("captures/bf16-n64/hf.LlamaRMSNorm.cpu.safetensors"));
  ASSERT_EQ(file.tensors.size(), 3);
  EXPECT_EQ(file.tensors[0].name, "x");
  EXPECT_EQ(file.tensors[1].name, "weight");
  EXPECT_EQ(file.tensors[2].name, "y");
  ASSERT_EQ(file.metadata.size(), 7);
  EXPECT_EQ(file.metadata[0], TextPairs::value_type("implementation", "hf.LlamaRMSNorm.cpu"));
  EXPECT_EQ(file.metadata[1], TextPairs::value_type("epsilon", "1e-6"));
  EXPECT_EQ(*find_text(file.metadata, "gpu"), "NVIDIA H200");
  EXPECT_EQ(find_text(file.metadata, "nothing"), nullptr);

  const SafetensorsTensor& x = file.tensors[0];
  EXPECT_EQ(x.dtype, "BF16");
  EXPECT_EQ(*x.format, kBf16);
  EXPECT_EQ(x.shape, (Sizes{20, 64}));
  EXPECT_EQ(x.file_offset, 8 + 408);
  const TensorView view = file.view(x);
  EXPECT_EQ(view.rows, 20);
  EXPECT_EQ(view.width, 64);
  EXPECT_EQ(view.bytes.size(), 20 * 64 * 2);
  // As Python's struct module reads them from the file.
  EXPECT_EQ(view.at(0, 0).bits, 0xBEADu);
  EXPECT_EQ(view.at(0, 1).bits, 0x3F97u);
  EXPECT_EQ(view.at(19, 3).bits, 0xBB24u);
  EXPECT_EQ(file.view(file.tensors[1]).at(0, 2).bits, 0x3F50u);
  EXPECT_EQ(file.view(file.tensors[2]).at(19, 63).bits, 0xBF5Au);
}

TEST(Safetensors, ReadsAModelWrittenByTheReferenceImplementation) {
  const SafetensorsFile file = read_safetensors(data("models/t5-tiny.safetensors"));
  EXPECT_EQ(file.tensors.size(), 47);
  EXPECT_EQ(file.metadata, (TextPairs{{"format", "pt"}}));
  ASSERT_NE(file.find("encoder.block.1.layer.0.layer_norm.weight"), nullptr);
  EXPECT_EQ(file.find("encoder.block.1.layer.0.layer_norm.weight")->shape, Sizes{8});
  EXPECT_EQ(file.find("encoder.block.2.layer.0.layer_norm.weight"), nullptr);
}

TEST(Safetensors, OffsetsNeedNotFollowTheOrderOfTheHeader) {
  // lm_head.weight stands first in the header and last in the data.
  const SafetensorsFile file = read_safetensors(data("models/nutllm-tiny.safetensors"));
  EXPECT_EQ(file.tensors.front().name, "lm_head.weight");
  EXPECT_EQ(file.tensors.front().file_offset, 8 + 2132 + 1040);
  EXPECT_EQ(file.find("model.norm.weight")->file_offset, 8 + 2132 + 1024);
}

TEST(Safetensors, TheViewKeepsTheFileMapped) {
  TensorView view;
  {
    const TemporaryFolder folder;
    put_file(folder / "a.safetensors",
             safetensors_text(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                              std::string("\0\0\x80\x3F\0\0\0\xC0", 8)));
    const SafetensorsFile file = read_safetensors(folder / "a.safetensors");
    view = file.view(file.tensors[0]);
  }
  EXPECT_EQ(to_binary64(view.at(0, 0)), 1.0);
  EXPECT_EQ(to_binary64(view.at(0, 1)), -2.0);
}

TEST(Safetensors, RowsAndWidthOfAnyShape) {
  struct Entry {
    std::string shape;
    std::size_t bytes, rows, width;
  };
  const std::vector<Entry> table = {
      {"[]", 2, 1, 1},
      {"[3]", 6, 1, 3},
      {"[2,3]", 12, 2, 3},
      {"[2,3,4]", 48, 6, 4},
      {"[0]", 0, 1, 0},
      {"[0,3]", 0, 0, 3},
      {"[3,0]", 0, 3, 0},
      {"[2,0,4]", 0, 0, 4},
      {"[0,4611686018427387904,16]", 0, 0, 16},
      {"[1,1,1,1,1,1]", 2, 1, 1},
  };
  for (const auto& [shape, bytes, rows, width] : table) {
    const SafetensorsFile file =
        parse_header(R"({"t":{"dtype":"BF16","shape":)" + shape + R"(,"data_offsets":[0,)" +
                         std::to_string(bytes) + "]}}",
                     bytes);
    const TensorView view = file.view(file.tensors.at(0));
    EXPECT_EQ(view.rows, rows) << shape;
    EXPECT_EQ(view.width, width) << shape;
    EXPECT_EQ(view.bytes.size(), bytes) << shape;
  }
}

TEST(Safetensors, KnowsTheFormatsItComputesWithAndKeepsTheOthersAsBytes) {
  struct Entry {
    std::string dtype;
    std::size_t bits;
    const FloatFormat* format;
  };
  const std::vector<Entry> table = {
      {"F64", 64, &kFp64},         {"F32", 32, &kFp32},         {"F16", 16, &kFp16},
      {"BF16", 16, &kBf16},        {"F8_E4M3", 8, &kFp8E4m3fn}, {"F8_E5M2", 8, &kFp8E5m2},
      {"BOOL", 8, nullptr},        {"U8", 8, nullptr},          {"I8", 8, nullptr},
      {"U16", 16, nullptr},        {"I16", 16, nullptr},        {"U32", 32, nullptr},
      {"I32", 32, nullptr},        {"U64", 64, nullptr},        {"I64", 64, nullptr},
      {"C64", 64, nullptr},        {"F8_E8M0", 8, nullptr},     {"F4", 4, nullptr},
      {"F6_E2M3", 6, nullptr},     {"F6_E3M2", 6, nullptr},     {"F8_E4M3FNUZ", 8, nullptr},
      {"F8_E5M2FNUZ", 8, nullptr},
  };
  for (const auto& [dtype, bits, format] : table) {
    EXPECT_EQ(safetensors_dtype_bits(dtype), bits) << dtype;
    const std::string bytes = std::to_string(4 * bits / 8);
    const SafetensorsFile file = parse_header(
        R"({"t":{"dtype":")" + dtype + R"(","shape":[4],"data_offsets":[0,)" + bytes + "]}}",
        4 * bits / 8);
    EXPECT_EQ(file.tensors.at(0).format, format) << dtype;
    EXPECT_EQ(file.tensors.at(0).bytes.size(), 4 * bits / 8) << dtype;
    if (format) {
      EXPECT_EQ(safetensors_dtype(*format), dtype);
    }
  }
  EXPECT_EQ(safetensors_dtype(kTf32), std::nullopt);
  EXPECT_EQ(safetensors_dtype_bits("F128"), std::nullopt);
}

TEST(Safetensors, AnUnknownDtypeIsAsLongAsItSays) {
  const SafetensorsFile file =
      parse_header(R"({"t":{"dtype":"Q4_K","shape":[256],"data_offsets":[0,144]}})", 144);
  EXPECT_EQ(file.tensors.at(0).format, nullptr);
  EXPECT_EQ(file.tensors.at(0).dtype, "Q4_K");
  EXPECT_EQ(file.tensors.at(0).bytes.size(), 144);
}

TEST(Safetensors, TensorsWithoutElementsMayStandAnywhere) {
  const SafetensorsFile file =
      parse_header(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[4,4]},)"
                   R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                   R"("c":{"dtype":"F32","shape":[3,0],"data_offsets":[0,0]},)"
                   R"("d":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                   8);
  EXPECT_EQ(file.tensors.size(), 4);
}

TEST(Safetensors, AFileWithoutTensorsIsOne) {
  EXPECT_TRUE(parse_header("{}", 0).tensors.empty());
  EXPECT_TRUE(parse_header(R"({"__metadata__":{}}   )", 0).metadata.empty());
}

TEST(Safetensors, MetadataKeepsItsOrderAndItsText) {
  const SafetensorsFile file =
      parse_header(R"({"__metadata__":{"z":"1e-6","a":"\u00e9\n","":""}})", 0);
  EXPECT_EQ(file.metadata, (TextPairs{{"z", "1e-6"}, {"a", "\xC3\xA9\n"}, {"", ""}}));
}

}  // namespace
}  // namespace normcert
