#include "formats/safetensors_writer.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "formats/safetensors_text.hpp"
#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

TensorView row(const FloatFormat& format, std::size_t width) {
  return Tensor(format, 1, width).share();
}

TEST(SafetensorsWriter, WritesWhatTheReferenceImplementationWrites) {
  // Saved by Python's safetensors; its tensors lie in the order of the header.
  const std::string path = NORMCERT_SOURCE_DIR "/tests/data/models/t5-tiny.safetensors";
  const SafetensorsFile file = read_safetensors(path);
  std::vector<SafetensorsEntry> entries;
  for (const SafetensorsTensor& tensor : file.tensors) {
    entries.push_back({tensor.name, file.view(tensor)});
  }
  EXPECT_EQ(safetensors_bytes(file.metadata, entries), file_content(path));
}

TEST(SafetensorsWriter, BytesOfASmallFile) {
  Tensor tensor(kBf16, 2, 3);
  for (std::size_t i = 0; i < 6; ++i) tensor.set(i / 3, i % 3, {0x3F80 + i, &kBf16});
  const std::string bytes = safetensors_bytes({{"epsilon", "1e-6"}, {"a\"b", "\n\xC3\xA9"}},
                                              {{"x", std::move(tensor).share()}});
  const std::string header = R"({"__metadata__":{"epsilon":"1e-6","a\"b":"\n)"
                             "\xC3\xA9"
                             R"("},"x":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  const std::string data("\x80\x3F\x81\x3F\x82\x3F\x83\x3F\x84\x3F\x85\x3F", 12);
  EXPECT_EQ(bytes, safetensors_text(header + padding, data));
  EXPECT_EQ(bytes.find("\x80\x3F") % 8, 0);
}

TEST(SafetensorsWriter, TheHeaderAlwaysFillsWholeWords) {
  for (std::size_t length = 1; length < 20; ++length) {
    const std::string bytes = safetensors_bytes({}, {{std::string(length, 'n'), row(kFp32, 1)}});
    EXPECT_EQ(bytes.size() % 8, 4) << length;  // 4 bytes of data
    EXPECT_EQ(parse_text(bytes).tensors.at(0).name, std::string(length, 'n'));
  }
  EXPECT_EQ(safetensors_bytes({}, {}), safetensors_text("{}      "));
}

TEST(SafetensorsWriter, KeepsOrderShapeAndFormat) {
  TensorView shaped = row(kFp8E4m3fn, 24);
  shaped.shape = {2, 3, 4};
  const std::vector<SafetensorsEntry> entries = {
      {"z", shaped}, {"a", row(kFp64, 2)}, {"m", row(kFp16, 0)}};
  const SafetensorsFile file = parse_text(safetensors_bytes({}, entries));
  ASSERT_EQ(file.tensors.size(), 3);
  EXPECT_EQ(file.tensors[0].name, "z");
  EXPECT_EQ(file.tensors[0].dtype, "F8_E4M3");
  EXPECT_EQ(file.tensors[0].shape, shaped.shape);
  EXPECT_EQ(file.tensors[1].name, "a");
  EXPECT_EQ(*file.tensors[1].format, kFp64);
  EXPECT_EQ(file.tensors[2].bytes.size(), 0);
}

TEST(SafetensorsWriter, WritesAFile) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a.safetensors", {{"k", "v"}}, {{"x", row(kFp32, 3)}});
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.safetensors"});
  EXPECT_EQ(read_safetensors(folder / "a.safetensors").metadata, (TextPairs{{"k", "v"}}));
}

TEST(SafetensorsWriter, RefusesNamesThatCannotStandInAFile) {
  const auto message = [](const TextPairs& metadata, const std::vector<SafetensorsEntry>& entries) {
    return thrown_message([&] { (void)safetensors_bytes(metadata, entries); });
  };
  EXPECT_EQ(message({}, {{"x", row(kFp32, 1)}, {"x", row(kFp32, 1)}}),
            "tensor x: found a name that is taken, expected names that differ");
  EXPECT_EQ(message({}, {{"__metadata__", row(kFp32, 1)}}),
            "tensor __metadata__: found a name that is taken, expected names that differ");
  EXPECT_EQ(message({}, {{"\xFF", row(kFp32, 1)}}),
            "the text \\xFF: found bytes that are no UTF-8, expected UTF-8");
  EXPECT_EQ(message({{"k", "\xC3"}}, {}),
            "the text \\xC3: found bytes that are no UTF-8, expected UTF-8");
  EXPECT_EQ(message({{"k", ""}, {"k", ""}}, {}),
            "metadata k: found a key that is given twice, expected one value");
  EXPECT_EQ(message({}, {{"x", row(kTf32, 1)}}),
            "tensor x: found tf32, expected a format that safetensors files can hold");
}

TEST(SafetensorsWriter, ATensorWhoseSizeAndBytesDifferIsAMistakeOfTheProgram) {
  TensorView view = row(kFp32, 4);
  view.shape = {5};
  EXPECT_THROW((void)safetensors_bytes({}, {{"x", view}}), std::logic_error);
  view = row(kFp32, 4);
  view.width = 5;
  view.shape.clear();
  EXPECT_THROW((void)safetensors_bytes({}, {{"x", view}}), std::logic_error);
}

}  // namespace
}  // namespace normcert
