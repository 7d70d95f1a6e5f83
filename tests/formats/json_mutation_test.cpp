// Random damage to valid text: never a crash, always a located and printable message, and the same
// judgement about what is JSON as nlohmann's own document parser.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "formats/json_text.hpp"
#include "problem/utf8_oracle.hpp"

namespace normcert {
namespace {

constexpr std::string_view kCaseFile = R"({
  "schema": "normcert/cases/1",
  "cases": [
    {"id": "small", "class": "small", "dtype": "bf16", "epsilon": 1e-6,
     "x": [[0.001, -0.002, 3e-4, -0], [1.5, "nan", "-inf", "0x1.8p-3"]],
     "weight": [1, 1.5, -2, 0], "weight_offset": 0, "note": "caf\u00e9 € \ud83d\ude00 \"q\" \\"},
    {"id": "generated", "class": "midpoint", "weight_dtype": "fp32",
     "generate": {"rows": 4, "width": 64, "seed": 18446744073709551615}, "expect":
       {"error": null, "accepted": true, "y": [[1e300, -1E-300, 123456789012345678901234567890]]}}
  ]
}
)";

std::string mutated(std::mt19937& random) {
  static constexpr std::string_view kTokens[] = {"{",          "}",
                                                 "[",          "]",
                                                 ",",          ":",
                                                 "\"",         "\\",
                                                 "\\u",        "\\ud800",
                                                 "e",          ".",
                                                 "-",          "0",
                                                 "1",          "null",
                                                 "NaN",        "\n",
                                                 "\x01",       "\xFF",
                                                 "\xC3",       "\xE2\x80\xAE",
                                                 "//",         "1e999",
                                                 "\"id\": 1,", "[[[["};
  std::string text(kCaseFile);
  for (auto edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random() % text.size();
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
        break;
      case 2:
        text.insert(at, kTokens[random() % std::size(kTokens)]);
        break;
      case 3:
        text.erase(at, 1 + random() % 20);
        break;
      default:
        text.resize(at + 1);
    }
  }
  return text;
}

// Whether nlohmann's document parser stops at a number that binary64 does not hold.
bool is_beyond_binary64(const std::string& text) {
  try {
    return nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::parse_error&) {
    return false;
  }
}

void walk(const JsonNode& node, std::size_t& values) {
  ++values;
  ASSERT_TRUE(is_utf8(node.path()));
  ASSERT_TRUE(is_utf8(node.shown()));
  switch (node.kind()) {
    case JsonKind::kArray:
      for (const JsonNode& item : node.items()) walk(item, values);
      break;
    case JsonKind::kObject:
      for (const JsonMember& member : node.members()) {
        ASSERT_TRUE(is_utf8(member.name));
        ASSERT_EQ(member.key.byte_offset() + 1 < member.value.byte_offset(), true);
        walk(member.value, values);
      }
      break;
    case JsonKind::kString:
      ASSERT_TRUE(is_utf8(node.as_string()));
      ASSERT_EQ(nlohmann::json::parse(node.token()).get<std::string>(), node.as_string());
      break;
    case JsonKind::kNumber:
      try {
        ASSERT_TRUE(std::isfinite(node.as_double()));
        ASSERT_EQ(nlohmann::json::parse(node.token()).get<double>(), node.as_double());
      } catch (const InputError&) {
        ASSERT_TRUE(is_beyond_binary64(node.token()));
      }
      break;
    default:
      ASSERT_EQ(nlohmann::json::parse(node.token()).dump(), node.token());
  }
}

TEST(JsonMutation, DamagedCaseFilesAreReadOrRefusedInWords) {
  const std::uint32_t seed = 4711;
  std::mt19937 random(seed);
  int accepted = 0;
  int refused = 0;
  constexpr int kRuns = 20000;
  for (int i = 0; i < kRuns; ++i) {
    const std::string text = mutated(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", run " + std::to_string(i) + ": " + text);
    try {
      const JsonDocument document = JsonDocument::parse("f.json", text);
      std::size_t values = 0;
      walk(document.root(), values);
      ASSERT_GT(values, 0U);
      if (!nlohmann::json::accept(text)) {
        ASSERT_TRUE(is_beyond_binary64(text));
      }
      ++accepted;
    } catch (const InputError& error) {
      const std::string message = error.what();
      ASSERT_TRUE(is_utf8(message)) << message;
      ASSERT_EQ(printable(message, 10000), message);
      ASSERT_TRUE(message.starts_with("f.json: ")) << message;
      const bool located = message.find("line ") != std::string::npos;
      ASSERT_TRUE(located || message.ends_with("expected JSON text")) << message;
      ASSERT_LT(message.size(), 700U);
      if (nlohmann::json::accept(text)) {  // which overlooks two things that are refused here
        const bool stricter = message.find("second member of this name") != std::string::npos ||
                              message.find("0x00, expected nothing more") != std::string::npos;
        ASSERT_TRUE(stricter) << message;
      }
      ++refused;
    }
  }
  EXPECT_EQ(accepted + refused, kRuns);
  EXPECT_GT(accepted, kRuns / 20);
  EXPECT_GT(refused, kRuns / 2);
}

TEST(JsonMutation, EveryPrefixIsRefusedAtItsEnd) {
  for (std::size_t length = 1; length + 2 < kCaseFile.size(); ++length) {
    try {
      (void)JsonDocument::parse("f.json", std::string(kCaseFile.substr(0, length)));
      FAIL() << "accepted a prefix of " << length << " bytes";
    } catch (const InputError& error) {
      EXPECT_TRUE(is_utf8(error.what()));
      const std::string found = error.parts().found;
      // A word or a string may be cut too.
      EXPECT_TRUE(found == "the end of the text" || found == "a string that does not end" ||
                  std::string("\"null\"\"true").find(found.substr(0, found.size() - 1)) !=
                      std::string::npos)
          << found;
    }
  }
}

}  // namespace
}  // namespace normcert
