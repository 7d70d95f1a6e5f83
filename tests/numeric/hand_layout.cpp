#include "numeric/hand_layout.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace normcert {
namespace {

// IEEE 754-2019, table 3.5; bfloat16 and TF32 are binary32 with a shorter fraction; OFP8 1.0,
// table 1.
constexpr std::array<HandLayout, 7> kLayouts{{
    {&kFp64, 11, 52, 1023, 0x7fefffffffffffff, 0x7ff0000000000000},
    {&kFp32, 8, 23, 127, 0x7f7fffff, 0x7f800000},
    {&kTf32, 8, 10, 127, 0x3fbff, 0x3fc00},
    {&kBf16, 8, 7, 127, 0x7f7f, 0x7f80},
    {&kFp16, 5, 10, 15, 0x7bff, 0x7c00},
    {&kFp8E4m3fn, 4, 3, 7, 0x7e, 0x7f},
    {&kFp8E5m2, 5, 2, 15, 0x7b, 0x7c},
}};

constexpr std::array<const FloatFormat*, 4> kSmall{&kFp8E4m3fn, &kFp8E5m2, &kFp16, &kBf16};

}  // namespace

const HandLayout& hand_layout(const FloatFormat& format) {
  for (const HandLayout& layout : kLayouts) {
    if (layout.format == &format) return layout;
  }
  throw std::logic_error("no hand layout");
}

HandValue hand_decode(const HandLayout& layout, std::uint64_t magnitude) {
  const std::uint64_t fraction = magnitude % (std::uint64_t{1} << layout.fraction_bits);
  const int field = static_cast<int>(magnitude >> layout.fraction_bits);
  if (field == 0) return {fraction, 1 - layout.bias - layout.fraction_bits};
  return {fraction + (std::uint64_t{1} << layout.fraction_bits),
          field - layout.bias - layout.fraction_bits};
}

double hand_binary64(const HandLayout& layout, std::uint64_t code) {
  const bool negative = (code & layout.sign()) != 0;
  const HandValue value = hand_decode(layout, code % layout.sign());
  const double magnitude = std::ldexp(static_cast<double>(value.significand), value.exponent);
  return negative ? -magnitude : magnitude;
}

std::span<const FloatFormat* const> small_formats() { return kSmall; }

}  // namespace normcert
