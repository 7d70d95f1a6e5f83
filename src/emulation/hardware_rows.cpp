// HardwareMachine: from the bytes of a tensor to its rows and back.
#include <bit>
#include <cstdint>
#include <cstring>

#include "emulation/hardware_machine.hpp"
#include "emulation/hardware_rounding.hpp"

namespace normcert {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little endian");

template <typename Element>
Element element(const std::byte* bytes, std::size_t index) {
  Element value;
  std::memcpy(&value, bytes + index * sizeof(Element), sizeof(Element));
  return value;
}

template <typename Element>
void set_element(std::byte* bytes, std::size_t index, Element value) {
  std::memcpy(bytes + index * sizeof(Element), &value, sizeof(Element));
}

template <typename Bits>
void decode_all(const RowView& row, std::vector<double>& values) {
  const HardwareCoder coder(*row.format);
  const std::byte* bytes = row.bytes.data();
  // tf32 lies in the upper bits of its word.
  const int unused = 8 * row.format->storage_bytes - row.format->code_bits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = coder.decode(static_cast<std::uint64_t>(element<Bits>(bytes, i)) >> unused);
  }
}

template <typename Bits>
void encode_all(const std::vector<double>& values, const FloatFormat& format, bool truncate,
                std::byte* bytes) {
  const HardwareCoder coder(format);
  const int unused = 8 * format.storage_bytes - format.code_bits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    set_element(bytes, i, static_cast<Bits>(coder.encode(values[i], truncate) << unused));
  }
}

}  // namespace

HardwareMachine::Row HardwareMachine::load(const RowView& row) const {
  Row loaded{row.format, std::vector<double>(row.size())};
  std::vector<double>& values = loaded.values;
  const std::byte* bytes = row.bytes.data();
  if (*row.format == kFp64) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = element<double>(bytes, i);
  } else if (*row.format == kFp32) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = element<float>(bytes, i);
  } else if (*row.format == kBf16) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto upper_half = std::uint32_t{element<std::uint16_t>(bytes, i)};
      values[i] = std::bit_cast<float>(upper_half << 16);
    }
  } else if (row.format->storage_bytes == 4) {
    decode_all<std::uint32_t>(row, values);
  } else if (row.format->storage_bytes == 2) {
    decode_all<std::uint16_t>(row, values);
  } else {
    decode_all<std::uint8_t>(row, values);
  }
  return loaded;
}

void HardwareMachine::store(const Row& row, const FloatFormat& format, StoreRounding rounding,
                            std::byte* bytes) const {
  const std::vector<double>& values = row.values;
  const bool truncate = rounding == StoreRounding::kTruncate;
  if (format == kFp64) {
    for (std::size_t i = 0; i < values.size(); ++i) set_element(bytes, i, values[i]);
  } else if (format == kFp32 && !truncate) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      set_element(bytes, i, static_cast<float>(values[i]));
    }
  } else if (format == kBf16 && !truncate) {
    const NarrowRounder rounded(format);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(rounded(values[i])));
      set_element(bytes, i, static_cast<std::uint16_t>(word >> 16));
    }
  } else if (format.storage_bytes == 4) {
    encode_all<std::uint32_t>(values, format, truncate, bytes);
  } else if (format.storage_bytes == 2) {
    encode_all<std::uint16_t>(values, format, truncate, bytes);
  } else {
    encode_all<std::uint8_t>(values, format, truncate, bytes);
  }
}

}  // namespace normcert
