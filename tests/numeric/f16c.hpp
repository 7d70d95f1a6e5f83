// The conversions between binary16 and binary32 that x86 processors with F16C do themselves: an
// oracle that shares nothing with this program.
#pragma once

#include <cstdint>
#include <span>

namespace normcert {

bool has_f16c();  // of this processor

// Both require has_f16c().
// To nearest even; as many codes as values, a multiple of 8.
void f16c_from_binary32(std::span<const float> values, std::span<std::uint16_t> codes);
float f16c_to_binary32(std::uint16_t code);

}  // namespace normcert
