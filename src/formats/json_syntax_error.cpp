#include "formats/json_syntax_error.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "formats/json_tree.hpp"
#include "formats/look_alike.hpp"

namespace normcert {
namespace {

constexpr std::string_view kSpace = " \t\n\r";
constexpr std::string_view kDelimiters = " \t\n\r,:[]{}\"";
constexpr std::size_t kWordLimit = 60;
constexpr std::string_view kAnyValue = "a JSON value";

// nlohmann's complaints about the inside of a token (3.11), and what should have stood there. Its
// other complaints ("unexpected ...") are about the order of tokens: see expected_token.
struct InsideToken {
  std::string_view complaint;
  std::string_view expected;
};
constexpr std::array<InsideToken, 9> kInsideToken = {{
    {"expected digit after '-'", "a digit after the minus sign"},
    {"expected digit after '.'", "a digit after the decimal point"},
    {"expected '+', '-', or digit after exponent", "digits after the exponent mark"},
    {"expected digit after exponent sign", "digits after the exponent sign"},
    {"ill-formed UTF-8 byte", "text in UTF-8"},
    {"must be escaped", "an escape (\\n, \\t, \\u0000 to \\u001F) for a control character"},
    {"must be followed by 4 hex digits", "four hexadecimal digits after \\u"},
    {"forbidden character after backslash", R"(one of \" \\ \/ \b \f \n \r \t \uXXXX)"},
    {"surrogate", "surrogates in pairs (\\uD800-\\uDBFF, then \\uDC00-\\uDFFF)"},
}};

struct Misspelling {
  std::string_view word;
  std::string_view expected;
};
constexpr std::string_view kQuotedNan =
    R"(a JSON value (not a number is written "nan", in quotes))";
constexpr std::string_view kQuotedInf =
    R"(a JSON value (infinities are written "inf" and "-inf", in quotes))";
constexpr std::array<Misspelling, 12> kMisspellings = {{
    {"True", "true"},
    {"TRUE", "true"},
    {"False", "false"},
    {"FALSE", "false"},
    {"None", "null"},
    {"NULL", "null"},
    {"undefined", "null"},
    {"nan", kQuotedNan},
    {"NaN", kQuotedNan},
    {"inf", kQuotedInf},
    {"Infinity", kQuotedInf},
    {"-Infinity", kQuotedInf},
}};

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string byte_name(char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("the byte 0x") + kHex[byte >> 4] + kHex[byte & 0xFU];
}

// The byte at `at` together with the beginning of the UTF-8 sequence that it breaks.
std::string broken_sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t before = 1; before <= 3 && before <= at && byte(at - before) >= 0x80; ++before) {
    const unsigned lead = byte(at - before);
    if (lead < 0xC0) continue;
    if ((lead >= 0xF0 ? 4U : lead >= 0xE0 ? 3U : 2U) <= before) break;  // complete
    std::string bytes = "the bytes";
    for (std::size_t i = at - before; i <= at; ++i) bytes += byte_name(text[i]).substr(8);
    return bytes;
  }
  return byte_name(text[at]);
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

// The part "ill-formed UTF-8 byte; last read: ..." of
// "[json...] parse error at ...: syntax error while parsing value - invalid string: ill-formed
// ...".
std::string_view reason_of(std::string_view complaint) {
  const std::size_t dash = complaint.find(" - ");
  return dash == std::string_view::npos ? complaint : complaint.substr(dash + 3);
}

std::string expected_token(const JsonSyntaxFault& fault) {
  if (fault.after_root) return "nothing more";
  const auto while_parsing = [&](std::string_view context) {
    const std::string phrase = "while parsing " + std::string(context) + " - ";
    return fault.complaint.find(phrase) != std::string_view::npos;
  };
  if (while_parsing("object key")) return "a member name in double quotes";
  if (while_parsing("object separator")) return "\":\" and a value";
  if (while_parsing("array")) return "\",\" or \"]\"";
  if (while_parsing("object")) return "\",\" or \"}\"";
  return std::string(kAnyValue);
}

// Where the token that was not accepted begins: behind white space and the separators before it.
std::size_t token_start(const JsonSyntaxFault& fault) {
  const std::size_t last_read = fault.bytes_read - 1;
  std::size_t at = fault.behind_last;
  const auto is_between = [&](char c) {
    return kSpace.find(c) != std::string_view::npos || ((c == ',' || c == ':') && at < last_read);
  };
  while (at < fault.text.size() && is_between(fault.text[at])) ++at;
  return at;
}

// The token at `at`, or as much of it as helps.
std::string shown_token(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the text";
  if (!is_plain(text[at])) {
    const bool utf8_lead = static_cast<unsigned char>(text[at]) >= 0xC2;
    return utf8_lead ? in_quotes(text.substr(at, text.find_first_of(kDelimiters, at) - at))
                     : byte_name(text[at]);
  }
  if (text[at] == '"') {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return std::string(text.substr(at, end + 1 - at));
  }
  const std::size_t length = text.find_first_of(kDelimiters, at) - at;
  return in_quotes(text.substr(at, std::clamp<std::size_t>(length, 1, kWordLimit)));
}

InputError not_json(const JsonSyntaxFault& fault, std::string found, std::string_view advice = "") {
  return InputError({.code = "",
                     .file = std::string(fault.file),
                     .place = "",
                     .found = std::move(found),
                     .expected = "JSON text" + std::string(advice),
                     .nearest = ""});
}

std::optional<InputError> whole_text_error(const JsonSyntaxFault& fault, std::size_t start) {
  if (!fault.before_root) return std::nullopt;
  if (fault.text.empty()) return not_json(fault, "an empty file");
  if (start >= fault.text.size()) return not_json(fault, "nothing but white space");
  if (const auto what = look_alike(std::as_bytes(std::span(fault.text)))) {
    // Advice stands in brackets; it is too long for what was found.
    const std::size_t advice = std::min(what->find(" ("), what->size());
    return not_json(fault, what->substr(0, advice), what->substr(advice));
  }
  return std::nullopt;
}

// What people mean by something that JSON does not have.
std::string_view hint(const JsonSyntaxFault& fault, std::size_t start) {
  if (start >= fault.text.size()) return "";
  const char c = fault.text[start];
  if (c == '\'') return " (strings stand in double quotes)";
  if (c == '/' || c == '#') return " (JSON has no comments)";
  if (c == '+' || c == '.') return " (a number begins with a digit or a minus sign)";
  const std::size_t before = fault.text.substr(0, start).find_last_not_of(kSpace);
  if (before == std::string_view::npos) return "";
  if ((c == ']' || c == '}') && fault.text[before] == ',') return " (no comma before a bracket)";
  const bool splits_number = fault.text[start - 1] == '0' && fault.behind_last == start;
  if (splits_number && c >= '0' && c <= '9') return " (no zero leads a number)";
  if (splits_number && c == 'x') return " (a hexadecimal number stands in double quotes)";
  return "";
}

// The last byte read is inside of the token that begins at `start`, or ended it too early.
InputError inside_token_error(const JsonSyntaxFault& fault, std::size_t start) {
  const std::string_view reason = reason_of(fault.complaint);
  const std::size_t at = std::min(fault.bytes_read - 1, fault.text.size());
  const auto says = [&](std::string_view phrase) {
    return reason.substr(0, reason.find("; last read")).find(phrase) != std::string_view::npos;
  };
  if (says("missing closing quote")) {
    return json_error_at(fault, start, "a string that does not end", "a closing '\"'");
  }
  const auto known = std::find_if(kInsideToken.begin(), kInsideToken.end(),
                                  [&](const InsideToken& entry) { return says(entry.complaint); });
  std::string expected(known == kInsideToken.end() ? "JSON text" : known->expected);
  if (at >= fault.text.size()) {
    return json_error_at(fault, at, "the end of the text", std::move(expected));
  }
  if (says("invalid number")) {
    const std::string_view number = fault.text.substr(start, at - start);
    return json_error_at(fault, start, in_quotes(number), std::move(expected));
  }
  if (says("hex digits") || says("backslash") || says("surrogate")) {
    const std::size_t escape = fault.text.rfind('\\', at);  // every such token has one
    const std::size_t end = fault.text[at] == '"' ? at : at + 1;
    return json_error_at(fault, escape, in_quotes(fault.text.substr(escape, end - escape)),
                         std::move(expected));
  }
  return json_error_at(fault, at, broken_sequence(fault.text, at), std::move(expected));
}

}  // namespace

InputError json_error_at(const JsonSyntaxFault& fault, std::size_t offset, std::string found,
                         std::string expected) {
  const TextPosition position = text_position(fault.text, offset);
  return InputError({.code = "",
                     .file = std::string(fault.file),
                     .place = json_place(fault.path, position) + ", column " +
                              std::to_string(position.column) + " (byte " +
                              std::to_string(fault.first_byte + offset) + ")",
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = ""});
}

InputError json_syntax_error(const JsonSyntaxFault& fault) {
  const std::size_t start = token_start(fault);
  if (auto error = whole_text_error(fault, start)) return *std::move(error);

  const std::string_view reason = reason_of(fault.complaint);
  const bool inside = reason.starts_with("invalid ") && !reason.starts_with("invalid literal");
  std::string found = shown_token(fault.text, start);
  const auto misspelt =
      std::find_if(kMisspellings.begin(), kMisspellings.end(),
                   [&](const Misspelling& entry) { return found == in_quotes(entry.word); });
  std::string expected = expected_token(fault);
  if (misspelt != kMisspellings.end() && expected == kAnyValue) {
    return json_error_at(fault, start, std::move(found), std::string(misspelt->expected));
  }
  if (inside) return inside_token_error(fault, start);
  return json_error_at(fault, start, std::move(found), expected.append(hint(fault, start)));
}

}  // namespace normcert
