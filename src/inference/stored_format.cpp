#include "inference/stored_format.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulation/float_rows.hpp"
#include "numeric/packed_codes.hpp"
#include "numeric/rounding.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::uint32_t kFraction = 0x007fffffU;
constexpr std::uint32_t kInfinite = 0x7f800000U;  // exponent of infinities and NaN
constexpr int kFp16Dropped = 13;                  // fraction bits of binary32 that binary16 lacks

bool fits_bf16(std::uint32_t bits) { return (bits & 0xffffU) == 0; }

// A finite binary32 number as binary16: its last digit is 2^(e - 10), from 2^-24 on.
bool fits_fp16(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 23U) & 0xffU) - 127;
  if ((bits & 0x7fffffffU) == 0) return true;
  if (exponent > kFp16.emax || exponent < kFp16.quantum_exponent()) return false;
  const int below_normal = exponent < kFp16.emin ? kFp16.emin - exponent : 0;
  const int dropped = kFp16Dropped + below_normal;
  return (bits & ((std::uint32_t{1} << static_cast<unsigned>(dropped)) - 1) & kFraction) == 0;
}

// Some at a time, since the bytes of a file need not lie as floats do.
void round_and_store(std::span<const std::byte> bytes, FloatStorage storage, std::size_t size,
                     std::span<std::byte> into) {
  std::array<float, 256> numbers;
  const std::size_t count = bytes.size() / sizeof(float);
  for (std::size_t first = 0; first < count; first += numbers.size()) {
    const std::size_t some = std::min(numbers.size(), count - first);
    load_floats(FloatStorage::kBinary32, bytes.data() + first * sizeof(float), some,
                numbers.data());
    store_floats(storage, numbers.data(), some, into.data() + first * size);
  }
}

class ConvertedBytes : public ByteSource {
 public:
  ConvertedBytes(TensorView from, const FloatFormat& to) : from_(std::move(from)), to_(to) {}

  // Any whole elements.
  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into) const override {
    const auto size = static_cast<std::size_t>(to_.storage_bytes);
    const auto from_size = static_cast<std::size_t>(from_.format->storage_bytes);
    const std::size_t first = offset / size * from_size;
    const std::size_t count = into.size() / size * from_size;
    if (!is_made(from_)) {
      convert_elements(*from_.format, from_.bytes.subspan(first, count), to_, into);
      return true;
    }
    std::vector<std::byte> made(count);
    if (!from_.source->read(from_.source_offset + first, made)) return false;
    convert_elements(*from_.format, made, to_, into);
    return true;
  }

 private:
  TensorView from_;
  const FloatFormat& to_;
};

}  // namespace

NarrowerFormats narrower_formats_of(const TensorView& tensor) {
  if (!(*tensor.format == kFp32)) return {};
  NarrowerFormats formats{.bf16 = true, .fp16 = true};
  // As many digits as the longer of the two significands has.
  std::bitset<std::size_t{1} << (23 - kFp16Dropped)> seen;
  RowReader rows(tensor);
  std::span<const std::byte> row;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (i % tensor.width == 0) row = rows.row(i / tensor.width);
    const auto bits =
        static_cast<std::uint32_t>(load_code(kFp32, row.data(), i % tensor.width).bits);
    if ((bits & kInfinite) == kInfinite) continue;  // infinities and NaN are in every format
    formats.bf16 = formats.bf16 && fits_bf16(bits);
    formats.fp16 = formats.fp16 && fits_fp16(bits);
    if (!formats.any()) return {};
    if ((bits & 0x7fffffffU) == 0) continue;
    seen.set((bits & kFraction) >> static_cast<unsigned>(kFp16Dropped));
  }
  formats.significands = seen.count();
  return formats;
}

const FloatFormat* narrower_format_of(const TensorView& tensor) {
  const NarrowerFormats formats = narrower_formats_of(tensor);
  if (!formats.shows()) return nullptr;
  return formats.bf16 ? &kBf16 : &kFp16;
}

void convert_elements(const FloatFormat& from, std::span<const std::byte> bytes,
                      const FloatFormat& to, std::span<std::byte> into) {
  if (from == to) {
    std::ranges::copy(bytes, into.begin());
    return;
  }
  const std::size_t count = bytes.size() / static_cast<std::size_t>(from.storage_bytes);
  const std::optional<FloatStorage> storage = float_storage(to);
  if (from == kFp32 && storage) {
    round_and_store(bytes, *storage, static_cast<std::size_t>(to.storage_bytes), into);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    store_code(convert(load_code(from, bytes.data(), i), to), into.data(), i);
  }
}

TensorView stored_as(const TensorView& tensor, const FloatFormat& format) {
  TensorView view;
  view.format = &format;
  view.rows = tensor.rows;
  view.width = tensor.width;
  view.shape = tensor.shape;
  if (tensor.size() > 0) view.source = std::make_shared<const ConvertedBytes>(tensor, format);
  return view;
}

}  // namespace normcert
