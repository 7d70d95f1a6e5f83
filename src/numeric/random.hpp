// A counter-based random generator: the value is a pure function of (seed, stream, index), so the
// same bits come out on every machine, in any order and on any number of threads.
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011); checked against the known answers published with it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace normcert {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key);

class RandomStream {
 public:
  // Streams with different names (or seeds) are independent.
  RandomStream(std::uint64_t seed, std::string_view name);

  // 64 uniform bits at a position; any position, in any order.
  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const;
  // Uniform on [0, 1): a multiple of 2^-53.
  [[nodiscard]] double uniform(std::uint64_t index) const;
  // Standard normal deviate (Marsaglia's polar method). Uses only IEEE 754 basic operations and a
  // logarithm made of them, so its bits are the same everywhere. A measured property of the
  // distribution, not of each value, is what tests check.
  [[nodiscard]] double normal(std::uint64_t index) const;

 private:
  [[nodiscard]] PhiloxCounter block(std::uint64_t index, std::uint32_t attempt) const;

  PhiloxKey key_;
  std::uint32_t stream_;
};

}  // namespace normcert
