#include "formats/sha256.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace normcert {
namespace {

// FIPS 180-4 examples, as published by NIST.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(std::string_view()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(std::string_view("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      sha256_hex(std::string_view("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, PartsGiveTheDigestOfTheWhole) {
  Sha256 hash;
  for (int i = 0; i < 1000000; i += 1000) hash.update(std::string(1000, 'a'));
  EXPECT_EQ(hash.hex_digest(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Bytes that can be read up to some place, and differ from those of the view.
class Readable : public ByteSource {
 public:
  Readable(std::vector<std::byte> bytes, std::size_t end) : bytes_(std::move(bytes)), end_(end) {}
  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into) const override {
    if (offset + into.size() > end_) return false;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t end_;
};

TEST(Sha256, IsOfWhatTheSourceReadsAsFarAsItReads) {
  constexpr std::size_t kStretch = std::size_t{1} << 18;
  for (const std::size_t size : {std::size_t{1}, kStretch, 3 * kStretch + 5}) {
    std::vector<std::byte> file(size + 7);
    for (std::size_t i = 0; i < file.size(); ++i) file[i] = static_cast<std::byte>(i * i >> 3U);
    const auto of_view = std::vector<std::byte>(size, std::byte{1});
    for (const std::size_t end : {std::size_t{0}, kStretch + 7, file.size()}) {
      const std::size_t whole = (end - std::min(end, std::size_t{7})) / kStretch * kStretch;
      const std::size_t read = end == file.size() ? size : std::min(whole, size);
      std::vector<std::byte> expected = of_view;
      std::copy_n(file.begin() + 7, read, expected.begin());
      Sha256 hash;
      const Readable source(file, end);
      hash.update(of_view, &source, 7);
      EXPECT_EQ(hash.hex_digest(), sha256_hex(std::span<const std::byte>(expected)))
          << size << " " << end;
    }
  }
}

}  // namespace
}  // namespace normcert
