#include "formats/look_alike.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "problem/error.hpp"

namespace normcert {
namespace {

using namespace std::string_literals;

std::optional<std::string> look_alike_of(const std::string& head) {
  return look_alike(std::as_bytes(std::span(head)));
}

// The beginning of a local header of a zip archive: 26 bytes before the length of the name.
std::string zip(const std::string& name) {
  return "PK\3\4"s + std::string(22, '\0') + static_cast<char>(name.size()) + "\0\0\0"s + name +
         "x";
}

TEST(LookAlike, RecognisesFilesThatPeopleMistake) {
  struct Entry {
    std::string head;
    std::string what;
  };
  const std::vector<Entry> table = {
      {"", "an empty file"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
       "a Git LFS pointer (run git lfs pull)"},
      {"<!DOCTYPE html>\n", "an HTML page (a web page was saved in place of the file)"},
      {"\xEF\xBB\xBF\r\n <HTML lang=en>",
       "an HTML page (a web page was saved in place of the file)"},
      {zip("x.npy"), "an .npz archive"},
      {"PK\5\6"s + std::string(18, '\0'), "an empty zip archive"},
      {"\x1F\x8B\x08", "a gzip archive (unpack it first)"},
      {"GGUF\3\0\0\0"s, "a GGUF file"},
      {"FUGG", "a big-endian GGUF file"},
      {"lmgg", "a GGML file from before GGUF (convert it to GGUF)"},
      {"tjgg\3\0\0\0"s, "a GGML file from before GGUF (convert it to GGUF)"},
      {"\x93NUMPY\1\0"s, "a .npy array"},
      {"\x89PNG\r\n\x1A\n", "a PNG picture"},
      {"%PDF-1.7", "a PDF document"},
      {"\x7F"
       "ELF\2",
       "an ELF program or library"},
      {std::string(257, 'a') + "ustar\0"s, "a tar archive (unpack it first)"},
      {"\xFF\xFE{\0"s, "a text in UTF-16 (save it as UTF-8)"},
      {"\2\0\0\0\0\0\0\0{}"s, "a safetensors file"},
  };
  for (const auto& [head, what] : table) EXPECT_EQ(look_alike_of(head), what) << head;
}

TEST(LookAlike, TellsHowToConvertPyTorchCheckpoints) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {zip("archive/data.pkl"), "a PyTorch checkpoint (convert it"},
      {zip("pytorch_model/data.pkl"), "a PyTorch checkpoint (convert it"},
      {zip("other.txt"), "a zip archive (if it is a PyTorch checkpoint, convert it"},
      {"\x80\2\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.",
       "an old PyTorch checkpoint (conv"},
      {"\x80\4\x95\1\0"s, "a Python pickle, which can run programs and is not read here (if"},
      {"\x80\2}q\0"s, "a Python pickle, which can run programs and is not read here (if"},
  };
  for (const auto& [head, beginning] : table) {
    const auto what = look_alike_of(head);
    ASSERT_TRUE(what) << head;
    EXPECT_TRUE(what->starts_with(beginning)) << *what;
    EXPECT_NE(what->find("safetensors.torch"), std::string::npos);
    EXPECT_NE(what->find("weights_only=True"), std::string::npos);
  }
}

TEST(LookAlike, SaysNothingAboutTheRest) {
  for (const std::string& head :
       {"{\"a\": 1}"s, "hello"s, "\0\0\0\0"s, "PK"s, "\x80"s, "\x80\7}"s, "\x80\2\0"s, "<svg>"s,
        "version 2"s, std::string(600, ' '), "\2\0\0\0\0\0\0\1{}"s}) {
    EXPECT_EQ(look_alike_of(head), std::nullopt) << head;
  }
}

TEST(LookAlike, ReadsNoFurtherThanTheHead) {
  // Exact allocations, so that a sanitizer sees a read behind the end.
  std::mt19937 random(3);
  const std::vector<std::string> seeds = {zip("archive/data.pkl"), "\x80\2\x8A\x0A\x6C\xFC\x9C\x46",
                                          "<!doctype html", "\2\0\0\0\0\0\0\0{}"s,
                                          std::string(257, ' ') + "ustar"};
  int checked = 0;
  for (const std::string& seed : seeds) {
    for (std::size_t length = 0; length <= seed.size(); ++length) {
      std::vector<std::byte> head(length);
      for (std::size_t i = 0; i < length; ++i) head[i] = static_cast<std::byte>(seed[i]);
      if (length > 27 && random() % 2 == 0) head[27] = std::byte{0xFF};
      const auto what = look_alike(head);
      if (what) {
        EXPECT_EQ(printable(*what, 1000), *what);
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 300);
}

}  // namespace
}  // namespace normcert
