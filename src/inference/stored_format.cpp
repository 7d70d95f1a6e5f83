#include "inference/stored_format.hpp"

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <utility>

#include "numeric/packed_codes.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::uint32_t kFraction = 0x007fffffU;
constexpr int kFp16Dropped = 13;  // fraction bits of binary32 that binary16 lacks
constexpr int kBf16Dropped = 16;

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

}  // namespace

const FloatFormat* narrower_format_of(const TensorView& tensor) {
  if (!(*tensor.format == kFp32)) return nullptr;
  bool bf16 = true;
  bool fp16 = true;
  std::bitset<std::size_t{1} << (23 - kBf16Dropped)> seen_bf16;
  std::bitset<std::size_t{1} << (23 - kFp16Dropped)> seen_fp16;
  for (std::size_t i = 0; i < tensor.size() && (bf16 || fp16); ++i) {
    const auto bits = static_cast<std::uint32_t>(load_code(kFp32, tensor.bytes.data(), i).bits);
    if ((bits & 0x7f800000U) == 0x7f800000U) continue;  // infinities and NaN are in every format
    bf16 = bf16 && fits_bf16(bits);
    fp16 = fp16 && fits_fp16(bits);
    if ((bits & 0x7fffffffU) == 0) continue;
    seen_bf16.set((bits & kFraction) >> static_cast<unsigned>(kBf16Dropped));
    seen_fp16.set((bits & kFraction) >> static_cast<unsigned>(kFp16Dropped));
  }
  if (bf16 && seen_bf16.count() >= kLeastSignificands) return &kBf16;
  if (fp16 && seen_fp16.count() >= kLeastSignificands) return &kFp16;
  return nullptr;
}

TensorView stored_as(const TensorView& tensor, const FloatFormat& format) {
  Tensor converted(format, tensor.rows, tensor.width);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    store_code(convert(load_code(*tensor.format, tensor.bytes.data(), i), format),
               converted.bytes.data(), i);
  }
  TensorView view = std::move(converted).share();
  view.shape = tensor.shape;
  return view;
}

}  // namespace normcert
