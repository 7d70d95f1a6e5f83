// Files that lie: every one is refused with an InputError that says where and what, word for word.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <string>
#include <vector>

#include "formats/safetensors.hpp"
#include "formats/safetensors_text.hpp"
#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

using namespace std::string_literals;

struct Hostile {
  std::string content;
  std::string message;  // behind "f.safetensors: "
};

void expect_messages(const std::vector<Hostile>& table) {
  for (const auto& [content, message] : table) {
    EXPECT_EQ(thrown_message([&] { (void)parse_text(content); }), "f.safetensors: " + message);
  }
}

// One tensor `t`, with eight bytes of data.
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return safetensors_text(
      R"({"t":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
      "\0\0\0\0\0\0\0\0"s);
}

TEST(HostileSafetensors, HeaderLength) {
  expect_messages({
      {"", "byte 0: found an empty file, expected a safetensors file"},
      {"\x01\0\0"s,
       "byte 0: found 3 bytes, expected a safetensors file: 8 bytes of header length, then the "
       "header"},
      {length_bytes(0),
       "byte 0: found a header length of 0, expected a JSON header of at least 2 bytes"},
      {length_bytes(1) + "{",
       "byte 0: found a header length of 1, expected a JSON header of at least 2 bytes"},
      {length_bytes(std::uint64_t{1} << 63) + "{}",
       "byte 0: found a header length of 9223372036854775808, expected at most the 2 bytes that "
       "follow it (a safetensors file begins with the length of its header; is it cut off?)"},
      {length_bytes(~std::uint64_t{0}) + "{}",
       "byte 0: found a header length of 18446744073709551615, expected at most the 2 bytes that "
       "follow it (a safetensors file begins with the length of its header; is it cut off?)"},
      {length_bytes(3) + "{}",
       "byte 0: found a header length of 3, expected at most the 2 bytes that follow it (a "
       "safetensors file begins with the length of its header; is it cut off?)"},
      {length_bytes(2) + "[]", "byte 8: found \"[\", expected the \"{\" of the JSON header"},
      {length_bytes(3) + " {}", "byte 8: found \" \", expected the \"{\" of the JSON header"},
  });
}

TEST(HostileSafetensors, HeaderText) {
  expect_messages({
      {safetensors_text("{"),
       "byte 0: found a header length of 1, expected a JSON header of at least 2 bytes"},
      {safetensors_text("{}x"), "line 1, column 3 (byte 10): found \"x\", expected nothing more"},
      {safetensors_text("{\"a\":1}"),
       "a, line 1: found 1, expected an object with dtype, shape and data_offsets"},
      {safetensors_text("{\"\xFF\":{}}"),
       "line 1, column 3 (byte 10): found the byte 0xFF, expected text in UTF-8"},
      {safetensors_text(R"({"t":{},"t":{}})"),
       "t, line 1, column 9 (byte 16): found a second member of this name, expected one (the first "
       "is on line 1, column 2)"},
      {safetensors_text(R"({"__metadata__":{"a":"","a":""}})"),
       "__metadata__.a, line 1, column 25 (byte 32): found a second member of this name, expected "
       "one (the first is on line 1, column 18)"},
      {safetensors_text(R"({"__metadata__":{"epsilon":1e-6}})"),
       "__metadata__.epsilon, line 1: found 1e-6, expected a string"},
      {safetensors_text(R"({"__metadata__":"text"})"),
       "__metadata__, line 1: found \"text\", expected an object"},
      {safetensors_text("{\"a\0b\":{}}"s),
       "line 1, column 4 (byte 11): found the byte 0x00, expected an escape (\\n, \\t, \\u0000 to "
       "\\u001F) for a control character"},
      {safetensors_text(R"({"t":{}})"),
       "t, line 1: found an empty object, expected a member \"dtype\""},
      {safetensors_text(R"({"t":{"dtype":"F32","shape":[2]}})"),
       "t, line 1: found an object without \"data_offsets\", expected a member \"data_offsets\""},
      {safetensors_text(R"({"t":{"dtype":"F32","shap":[2],"data_offsets":[0,8]}})"),
       "t.shap, line 1: found an unknown member \"shap\", expected one of \"dtype\", \"shape\", "
       "\"data_offsets\" (did you mean \"shape\"?)"},
      {safetensors_text(std::string(200000, '[')),
       "byte 8: found \"[\", expected the \"{\" of the JSON header"},
      {safetensors_text("{\"a\":" + std::string(200000, '[')),
       "a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
       "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]["
       "0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]["
       "0][0][0][0][0][0][0][0], line 1, column 105 (byte 112): found more nested arrays and "
       "objects, expected at most 100 levels"},
  });
}

TEST(HostileSafetensors, Shape) {
  expect_messages({
      {tensor("16", "[2]", "[0,8]"), "t.dtype, line 1: found 16, expected a string"},
      {tensor(R"("F32")", "2", "[0,8]"), "t.shape, line 1: found 2, expected an array"},
      {tensor(R"("F32")", "[-2]", "[0,8]"),
       "t.shape[0], line 1: found -2, expected an integer of at least 0"},
      {tensor(R"("F32")", "[2.0]", "[0,8]"),
       "t.shape[0], line 1: found 2.0, expected an integer of at least 0"},
      {tensor(R"("F32")", "[2e0]", "[0,8]"),
       "t.shape[0], line 1: found 2e0, expected an integer of at least 0"},
      {tensor(R"("F32")", R"(["2"])", "[0,8]"),
       "t.shape[0], line 1: found \"2\", expected an integer of at least 0"},
      {tensor(R"("F32")", "[9223372036854775808]", "[0,8]"),
       "t.shape[0], line 1: found 9223372036854775808, expected an integer of at least 0"},
      {tensor(R"("F32")", "[4294967296,4294967296]", "[0,8]"),
       "t.shape, line 1: found [4294967296, 4294967296], expected a shape whose product is below "
       "2^64"},
      {tensor(R"("F32")", "[4611686018427387906]", "[0,8]"),
       "t.shape, line 1: found [4611686018427387906], expected a shape of fewer than 2^64 bits"},
      {tensor(R"("F32")", "[4294967296,4294967296,0]", "[0,0]"),
       "t.shape, line 1: found [4294967296, 4294967296, 0], expected a shape whose product is "
       "below 2^64"},
      {tensor(R"("F4")", "[3]", "[0,8]"),
       "t.shape, line 1: found [3], expected a number of F4 elements that fills whole bytes"},
      {tensor(R"("F6_E2M3")", "[2]", "[0,8]"),
       "t.shape, line 1: found [2], expected a number of F6_E2M3 elements that fills whole bytes"},
      {tensor(R"("F32")", "[3]", "[0,8]"),
       "t.data_offsets, line 1: found [0, 8], 8 bytes, expected 12 bytes for [3] F32"},
      {tensor(R"("F32")", "[2,0]", "[0,8]"),
       "t.data_offsets, line 1: found [0, 8], 8 bytes, expected 0 bytes for [2, 0] F32"},
  });
}

TEST(HostileSafetensors, Offsets) {
  expect_messages({
      {tensor(R"("F32")", "[2]", "[-8,0]"),
       "t.data_offsets[0], line 1: found -8, expected an integer of at least 0"},
      {tensor(R"("F32")", "[2]", "[8,0]"),
       "t.data_offsets, line 1: found [8, 0], expected [begin, end] with begin <= end"},
      {tensor(R"("F32")", "[2]", "[0]"),
       "t.data_offsets, line 1: found [0], expected [begin, end] with begin <= end"},
      {tensor(R"("F32")", "[2]", "[0,8,8]"),
       "t.data_offsets, line 1: found [0, 8, 8], expected [begin, end] with begin <= end"},
      {tensor(R"("F32")", "[2]", "{}"), "t.data_offsets, line 1: found {}, expected an array"},
      {tensor(R"("F32")", "[2]", "[0.5,8]"),
       "t.data_offsets[0], line 1: found 0.5, expected an integer of at least 0"},
      {tensor(R"("F32")", "[2]", "[0,18446744073709551624]"),
       "t.data_offsets[1], line 1: found 18446744073709551624, expected an integer of at least 0"},
      {tensor(R"("F32")", "[2]", "[9223372036854775800,9223372036854775807]"),
       "t.data_offsets, line 1: found [9223372036854775800, 9223372036854775807], expected an end "
       "within the 8 bytes behind the header (is the file cut off?)"},
      {tensor(R"("F32")", "[2]", "[4,12]"),
       "t.data_offsets, line 1: found [4, 12], expected an end within the 8 bytes behind the "
       "header (is the file cut off?)"},
      {tensor(R"("F32")", "[3]", "[0,12]"),
       "t.data_offsets, line 1: found [0, 12], expected an end within the 8 bytes behind the "
       "header (is the file cut off?)"},
      {tensor(R"("F32")", "[1]", "[0,4]"),
       "byte 66: found 4 bytes behind the last tensor, expected the end of the file"},
      {tensor(R"("F32")", "[1]", "[4,8]"),
       "byte 62: found 4 bytes of no tensor before \"t\", expected tensors that follow one another "
       "without holes"},
      {tensor(R"("F32")", "[0]", "[0,0]"),
       "byte 62: found 8 bytes behind the last tensor, expected the end of the file"},
      {safetensors_text("{}", "\0"s),
       "byte 10: found 1 byte behind the last tensor, expected the end of the file"},
  });
}

TEST(HostileSafetensors, HolesAndOverlaps) {
  const auto two = [](const std::string& first, const std::string& second) {
    return safetensors_text(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                                R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second +
                                "}}",
                            std::string(9, '\0'));
  };
  expect_messages({
      {two("[0,4]", "[0,4]"),
       "byte 113: found the tensor \"b\", which begins within \"a\", expected tensors that do not "
       "overlap"},
      {two("[0,4]", "[3,7]"),
       "byte 116: found the tensor \"b\", which begins within \"a\", expected tensors that do not "
       "overlap"},
      {two("[4,8]", "[2,6]"),
       "byte 113: found 2 bytes of no tensor before \"b\", expected tensors that follow one "
       "another without holes"},
      {two("[0,4]", "[5,9]"),
       "byte 117: found 1 byte of no tensor before \"b\", expected tensors that follow one another "
       "without holes"},
      {two("[1,5]", "[5,9]"),
       "byte 113: found 1 byte of no tensor before \"a\", expected tensors that follow one another "
       "without holes"},
      {two("[4,8]", "[0,4]"),
       "byte 121: found 1 byte behind the last tensor, expected the end of the file"},
  });
}

TEST(HostileSafetensors, NamesAreShownHarmlessly) {
  expect_messages({
      {safetensors_text("{\"\\u001b[31m\\u202e\\n\":0}"),
       "[\"\\x1B[31m\\u{202E}\\x0A\"], line 1: found 0, expected an object with dtype, shape and "
       "data_offsets"},
      {safetensors_text("{\"" + std::string(3000, 'n') + "\":0}"),
       "[\"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
       "nnnnnnnnnnnn...\"], line 1: found 0, expected an object with dtype, shape and "
       "data_offsets"},
  });
}

TEST(HostileSafetensors, SomethingElse) {
  expect_messages({
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
       "byte 0: found a Git LFS pointer, expected a safetensors file (run git lfs pull)"},
      {"<!DOCTYPE html>\n<html></html>",
       "byte 0: found an HTML page, expected a safetensors file (a web page was saved in place of "
       "the file)"},
      {"PK\3\4"s + std::string(22, '\0') + "\x10\0\0\0"s + "archive/data.pkl",
       "byte 0: found a PyTorch checkpoint, expected a safetensors file (convert it with python: "
       "import torch, safetensors.torch as st; st.save_file({k: v.contiguous() for k, v in "
       "torch.load(\"IN\", map_location=\"cpu\", weights_only=True).items()}, "
       "\"OUT.safetensors\"))"},
      {"\x80\x02}q\0."s + "padding",
       "byte 0: found a Python pickle, which can run programs and is not read here, expected a "
       "safetensors file (if it is a PyTorch checkpoint, convert it with python: import torch, "
       "safetensors.torch as st; st.save_file({k: v.contiguous() for k, v in torch.load(\"IN\", "
       "map_location=\"cpu\", weights_only=True).items()}, \"OUT.safetensors\"))"},
      {"GGUF\3\0\0\0\0\0\0\0"s, "byte 0: found a GGUF file, expected a safetensors file"},
      {R"({"x": [1, 2]})",
       "byte 0: found a header length of 3556471764797629051, expected at most the 5 bytes that "
       "follow it (a safetensors file begins with the length of its header; is it cut off?)"},
      {"x,y\n1,2\n",
       "byte 0: found a header length of 734698278355545208, expected at most the 0 bytes that "
       "follow it (a safetensors file begins with the length of its header; is it cut off?)"},
  });
}

TEST(HostileSafetensors, TheHeaderHasALimit) {
  const std::string content = safetensors_text("{                    }");
  EXPECT_EQ(parse_text(content, "f", 22).tensors.size(), 0);
  EXPECT_EQ(thrown_message([&] { (void)parse_text(content, "f", 21); }),
            "f: byte 0: found a header length of 22, expected at most 21");
}

TEST(HostileSafetensors, WhatIsNoRegularFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  put_file(folder / "empty", "");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto message = [&](const std::string& name) {
    return thrown_message([&] { (void)read_safetensors(folder / name); });
  };
  EXPECT_EQ(message("empty"), path + "/empty: found an empty file, expected a file with content");
  EXPECT_EQ(message("pipe"), path + "/pipe: found a pipe, expected a regular file");
  EXPECT_EQ(message("."), path + "/.: found a folder, expected a regular file");
  EXPECT_EQ(message("missing"),
            path + "/missing: found no file of this name, expected a readable file");
}

// Truncations and changed bytes: refused with a message, or read with every view inside the file.
TEST(HostileSafetensors, DamagedFiles) {
  const std::string good =
      file_content(NORMCERT_SOURCE_DIR "/tests/data/captures/bf16-n64/kernel.vl_fused.safetensors");
  ASSERT_EQ(good.size(), 10888);
  std::mt19937_64 random(20240711);
  std::size_t refused = 0;
  std::size_t read = 0;
  const auto try_to_read = [&](const std::string& content) {
    try {
      const SafetensorsFile file = parse_text(content);
      for (const SafetensorsTensor& tensor : file.tensors) {
        EXPECT_LE(tensor.file_offset + tensor.bytes.size(), content.size());
        if (tensor.format) {
          const TensorView view = file.view(tensor);
          EXPECT_EQ(view.bytes.size(),
                    view.size() * static_cast<std::size_t>(view.format->storage_bytes));
        }
      }
      ++read;
    } catch (const InputError& error) {
      EXPECT_TRUE(is_utf8(error.what()));
      ++refused;
    }
  };
  for (std::size_t length = 0; length < 600; ++length) try_to_read(good.substr(0, length));
  EXPECT_EQ(read, 0);
  for (int trial = 0; trial < 4000; ++trial) {
    std::string content = good;
    const std::size_t changes = 1 + random() % 3;
    for (std::size_t i = 0; i < changes; ++i) {
      content[random() % 520] = static_cast<char>(random() % 256);
    }
    try_to_read(content);
  }
  for (int trial = 0; trial < 4000; ++trial) {  // digits for digits reach deeper
    std::string content = good;
    std::size_t at = 8 + random() % 512;
    while (content[at] < '0' || content[at] > '9') at = 8 + random() % 512;
    content[at] = static_cast<char>('0' + random() % 10);
    try_to_read(content);
  }
  EXPECT_EQ(refused + read, 8600);
  EXPECT_GT(refused, 5000);
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace normcert
