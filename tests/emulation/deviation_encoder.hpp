// The writer of cases/rsqrt/*: the range coder that src/emulation/deviation_table.cpp decodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "emulation/deviation_coding.hpp"

namespace normcert {

class RangeEncoder {
 public:
  void encode(std::uint16_t probability, bool yes) {
    const std::uint32_t bound = (range_ >> DeviationModel::kProbabilityBits) * probability;
    if (yes) {
      range_ = bound;
    } else {
      low_ += bound;
      range_ -= bound;
    }
    while (range_ < (std::uint32_t{1} << 24)) {
      range_ <<= 8;
      shift_low();
    }
  }

  std::string finish() {
    for (int i = 0; i < 5; ++i) shift_low();
    return bytes_;
  }

 private:
  // The top byte goes out once it is known whether a carry will reach it.
  void shift_low() {
    constexpr std::uint64_t kCarry = std::uint64_t{1} << 32;
    if (low_ < 0xFF000000U || low_ >= kCarry) {
      const bool carry = low_ >= kCarry;
      for (; pending_ > 0; --pending_) {
        bytes_ += static_cast<char>(static_cast<unsigned char>(held_ + (carry ? 1U : 0U)));
        held_ = 0xFF;
      }
      held_ = static_cast<unsigned char>(low_ >> 24);
    }
    ++pending_;
    low_ = (low_ & 0x00FFFFFFU) << 8;
  }

  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFU;
  unsigned char held_ = 0;
  std::uint64_t pending_ = 1;
  std::string bytes_;
};

inline std::string encoded_deviations(std::span<const std::int8_t> entries) {
  RangeEncoder encoder;
  DeviationModel model;
  for (const std::int8_t wanted : entries) {
    (void)model.next([&](std::uint16_t probability, int meaning) {
      const bool yes = wanted == meaning;
      encoder.encode(probability, yes);
      return yes;
    });
  }
  return encoder.finish();
}

}  // namespace normcert
