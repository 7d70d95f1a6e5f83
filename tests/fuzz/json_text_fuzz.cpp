// JSON text from hostile hands: read it and walk through all of it, or refuse it in printable
// words.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/json_text.hpp"
#include "fuzz/hostile_input.hpp"

namespace normcert {
namespace {

// Asks each value for everything; what it is not must be refused.
void walk(const JsonNode& node, const std::string& text) {
  require(node.byte_offset() < text.size());
  require(node.line() >= 1 && node.column() >= 1);
  require(is_printable(node.path()));
  int kinds = node.is_null() ? 1 : 0;
  const auto attempt = [&](auto action) {
    try {
      action();
      ++kinds;
    } catch (const InputError& error) {
      check_message(error, "f.json", 10000);
    }
  };
  attempt([&] { require(node.as_string().size() <= text.size()); });
  attempt([&] { (void)node.as_bool(); });
  attempt([&] {
    for (const JsonNode& item : node.items()) walk(item, text);
  });
  attempt([&] {
    for (const JsonMember& member : node.members()) {
      const auto found = node.member(member.name);
      require(found && found->byte_offset() == member.value.byte_offset());
      require(member.key.byte_offset() < member.value.byte_offset());
      walk(member.value, text);
    }
  });
  require(kinds == (node.is_number() ? 0 : 1));
  attempt([&] {
    const double value = node.as_double();
    require(value - value == 0);  // finite
  });
  attempt([&] { require(node.as_integer(-5, 5) <= 5); });
  attempt(
      [&] { require(text.compare(node.byte_offset(), node.token().size(), node.token()) == 0); });
}

}  // namespace
}  // namespace normcert

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto document = normcert::JsonDocument::parse("f.json", text);
    normcert::walk(document.root(), text);
  } catch (const normcert::InputError& error) {
    normcert::check_message(error, "f.json", 10000);
  }
  return 0;
}
