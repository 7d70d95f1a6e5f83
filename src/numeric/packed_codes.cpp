#include "numeric/packed_codes.hpp"

namespace normcert {
namespace {

std::size_t element_bytes(const FloatFormat& format) {
  return static_cast<std::size_t>(format.storage_bytes);
}

// A tf32 number lives in the upper bits of a binary32 word.
int storage_shift(const FloatFormat& format) { return 8 * format.storage_bytes - format.code_bits; }

}  // namespace

Code load_code(const FloatFormat& format, const std::byte* bytes, std::size_t index) {
  const std::size_t size = element_bytes(format);
  const std::byte* element = bytes + index * size;
  std::uint64_t bits = 0;
  for (std::size_t i = size; i > 0; --i) {
    bits = bits << 8 | std::to_integer<std::uint64_t>(element[i - 1]);
  }
  return {bits >> storage_shift(format), &format};
}

void store_code(Code code, std::byte* bytes, std::size_t index) {
  const std::size_t size = element_bytes(*code.format);
  std::byte* element = bytes + index * size;
  std::uint64_t bits = code.bits << storage_shift(*code.format);
  for (std::size_t i = 0; i < size; ++i, bits >>= 8) element[i] = static_cast<std::byte>(bits);
}

}  // namespace normcert
