#include "cli/row_options.hpp"

#include <array>
#include <cstdint>

#include "cli/option_values.hpp"

namespace normcert {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostParts = 1'000'000;

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

RowChoice read_row_choice(const std::string& text) {
  constexpr std::array<std::string_view, 4> kOrders = {"low-q", "spread", "first", "all"};
  if (text == "all") return {};
  const std::size_t colon = text.find(':');
  const std::string count = text.substr(0, colon);
  if (!all_digits(count)) {
    throw value_error("--rows", text, "all, or N:low-q, N:spread, N:first with a number of rows");
  }
  RowChoice choice{read_integer("--rows", count, 1, kMostRows), RowOrder::kSpread};
  if (colon == std::string::npos) return choice;
  choice.order = static_cast<RowOrder>(read_choice("--rows", text.substr(colon + 1), kOrders));
  return choice;
}

Part read_part(const std::string& text) {
  const std::size_t slash = text.find('/');
  const bool two_numbers = slash != std::string::npos && all_digits(text.substr(0, slash)) &&
                           all_digits(text.substr(slash + 1));
  if (!two_numbers) throw value_error("--part", text, "I/N, part I of N, such as 1/4");
  const std::size_t of = read_integer("--part", text.substr(slash + 1), 1, kMostParts);
  return {read_integer("--part", text.substr(0, slash), 1, of), of};
}

}  // namespace normcert
