#include "report/markdown_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "report/table.hpp"

namespace normcert {
namespace {

TEST(MarkdownText, PlainTextStays) {
  EXPECT_EQ(markdown_escaped("epsilon 1e-06, 0.5 % of 7"), "epsilon 1e-06, 0.5 % of 7");
  EXPECT_EQ(markdown_escaped("größer"), "größer");
}

TEST(MarkdownText, MarkupIsShown) {
  EXPECT_EQ(markdown_escaped("*a* _b_ `c`"), "&#42;a&#42; &#95;b&#95; &#96;c&#96;");
  EXPECT_EQ(markdown_escaped("<img src=x>"), "&#60;img src=x&#62;");
  EXPECT_EQ(markdown_escaped("[a](b)"), "&#91;a&#93;(b)");
  EXPECT_EQ(markdown_escaped("a|b\\|c"), "a&#124;b&#92;&#124;c");
  EXPECT_EQ(markdown_escaped("&lt;"), "&#38;lt;");
  EXPECT_EQ(markdown_escaped("https://x.y"), "https&#58;//x&#46;y");
  EXPECT_EQ(markdown_escaped("www.x.y"), "www&#46;x&#46;y");
  EXPECT_EQ(markdown_escaped("@all #1"), "&#64;<!-- -->all &#35;<!-- -->1");
  EXPECT_EQ(markdown_escaped("- a"), "&#45; a");
  EXPECT_EQ(markdown_escaped("+1"), "&#43;1");
  EXPECT_EQ(markdown_escaped("1. a"), "1&#46; a");
  EXPECT_EQ(markdown_escaped("~~a~~ $b$ {c}!"),
            "&#126;&#126;a&#126;&#126; &#36;b&#36; &#123;c&#125;&#33;");
}

TEST(MarkdownText, ControlCharactersAndForeignBytes) {
  EXPECT_EQ(markdown_escaped("a\n# b\x1b\xff"), "a&#92;x0A&#35;<!-- --> b&#92;x1B&#92;xFF");
  EXPECT_EQ(markdown_code("a\nb"), "`a\\x0Ab`");
}

TEST(MarkdownText, CodeSpans) {
  EXPECT_EQ(markdown_code("model.norm_*"), "`model.norm_*`");
  EXPECT_EQ(markdown_code("a`b"), "<code>a&#96;b</code>");
  EXPECT_EQ(markdown_code("a|b"), "<code>a&#124;b</code>");
  EXPECT_EQ(markdown_code(" a"), "<code> a</code>");
  EXPECT_EQ(markdown_code(""), "<code></code>");
  EXPECT_EQ(markdown_code("</code><script>`"), "<code>&#60;/code&#62;&#60;script&#62;&#96;</code>");
}

TEST(MarkdownText, CodeBlocks) {
  EXPECT_EQ(markdown_code_block("a\nb"), "```\na\nb\n```\n");
  EXPECT_EQ(markdown_code_block("```\nx\x1b"), "````\n```\nx\\x1B\n````\n");
}

TEST(Tables, Text) {
  const Table table{{"q", "A"}, {{"1e-08", "0.1"}, {"größe", ""}, {"\x1b", "2"}}};
  EXPECT_EQ(text_table(table, 2),
            "  q      A\n"
            "  1e-08  0.1\n"
            "  größe\n"
            "  \\x1B   2\n");
}

TEST(Tables, Markdown) {
  EXPECT_EQ(markdown_table({{"q", "A"}, {{"1", "`2`"}}}),
            "| q | A |\n| --- | --- |\n| 1 | `2` |\n");
}

}  // namespace
}  // namespace normcert
