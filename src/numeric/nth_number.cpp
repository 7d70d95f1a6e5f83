#include "numeric/nth_number.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace normcert {
namespace {

constexpr int kDigitBits = 13;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

// Codes of nonnegative numbers are ordered like the numbers; -0 is 0.
std::uint64_t code_of_number(double number) { return std::bit_cast<std::uint64_t>(number + 0.0); }

}  // namespace

double nth_number(std::size_t n, const NumberSource& source, std::size_t at_once) {
  // Of the numbers whose code begins with `front`, from `shift` on, the n-th is looked for.
  std::uint64_t front = 0;
  int shift = 64;
  const auto begins = [&](std::uint64_t code) { return shift == 64 || code >> shift == front; };
  for (;;) {
    std::vector<double> held;
    std::vector<std::size_t> counts(kDigits, 0);
    std::size_t all = 0;
    const int next = std::max(0, shift - kDigitBits);
    source([&](double number) {
      const std::uint64_t code = code_of_number(number);
      if (!begins(code)) return;
      ++counts[code >> next & (kDigits - 1)];
      if (++all <= at_once) held.push_back(number);
    });
    if (all <= at_once) {
      const auto place = held.begin() + static_cast<std::ptrdiff_t>(n);
      std::ranges::nth_element(held, place);
      return *place;
    }
    std::size_t digit = 0;
    while (n >= counts[digit]) n -= counts[digit++];
    const int bits = shift - next;
    front = shift == 64 ? digit : front << bits | digit;
    shift = next;
    if (shift == 0) return std::bit_cast<double>(front);
  }
}

}  // namespace normcert
