#include "generate/square_sum.hpp"

#include <algorithm>
#include <cstddef>

namespace normcert {

std::uint64_t floor_sqrt(Uint128 value) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t longer = root | std::uint64_t{1} << bit;
    if (Uint128{longer} * longer <= value) root = longer;
  }
  return root;
}

std::uint64_t floor_to_precision(std::uint64_t value, int precision) {
  const int dropped = bit_length(value) - precision;
  return dropped <= 0 ? value : value >> dropped << dropped;
}

Uint128 fill_with_squares(Uint128 sum, int precision, std::span<std::uint64_t> numbers) {
  constexpr std::size_t kGreedy = 8;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t left = numbers.size() - i;
    const Uint128 share = left > kGreedy ? sum / left : sum;
    numbers[i] = floor_to_precision(floor_sqrt(share), precision);
    sum -= Uint128{numbers[i]} * numbers[i];
  }
  return sum;
}

}  // namespace normcert
