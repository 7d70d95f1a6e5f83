#include "cli/row_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/option_values.hpp"

namespace normcert {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostParts = 1'000'000;

// Digits alone, from 1 to `greatest`.
std::optional<std::size_t> count_in(std::string_view text, std::uint64_t greatest) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || read != end || number < 1 || number > greatest) return std::nullopt;
  return static_cast<std::size_t>(number);
}

}  // namespace

RowChoice read_row_choice(const std::string& text) {
  constexpr std::array kOrders = {RowOrder::kLowQ, RowOrder::kSpread, RowOrder::kFirst,
                                  RowOrder::kAll};
  if (text == "all") return {};
  const std::size_t colon = text.find(':');
  const auto rows = count_in(std::string_view(text).substr(0, colon), kMostRows);
  if (rows && colon == std::string::npos) return {*rows, RowOrder::kSpread};
  for (const RowOrder order : kOrders) {
    if (rows && text.substr(colon + 1) == name_of(order)) return {*rows, order};
  }
  throw value_error("--rows", text,
                    "all, or N:low-q, N:spread, N:first with a number N of rows from 1");
}

Part read_part(const std::string& text) {
  const std::string_view view(text);
  const std::size_t slash = std::min(view.find('/'), view.size());
  const auto index = count_in(view.substr(0, slash), kMostParts);
  const auto of = count_in(view.substr(std::min(slash + 1, view.size())), kMostParts);
  if (index && of && *index <= *of) return {*index, *of};
  throw value_error("--part", text, "I/N, part I of N, from 1/N to N/N and N up to 1000000");
}

}  // namespace normcert
