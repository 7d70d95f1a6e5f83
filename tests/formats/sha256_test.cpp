#include "formats/sha256.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace normcert
