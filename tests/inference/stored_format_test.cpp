// Which dumps hold numbers of a narrower format.
#include "inference/stored_format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kCount = 100;

// Normal deviates rounded to `through` and stored as binary32.
Tensor dump(const FloatFormat& through, double scale) {
  const RandomStream random(1, "dump");
  Tensor tensor(kFp32, 1, kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    tensor.set(0, i, convert(round(dyadic_of(scale * random.normal(i)), through), kFp32));
  }
  return tensor;
}

TEST(StoredFormat, DumpsOfNarrowNumbersAreSeen) {
  EXPECT_EQ(narrower_format_of(dump(kBf16, 1).view()), &kBf16);
  EXPECT_EQ(narrower_format_of(dump(kBf16, 1e-30).view()), &kBf16);
  EXPECT_EQ(narrower_format_of(dump(kFp16, 1).view()), &kFp16);
  // Subnormal numbers of binary16, down to its least.
  EXPECT_EQ(narrower_format_of(dump(kFp16, 1e-5).view()), &kFp16);
  EXPECT_EQ(narrower_format_of(dump(kFp32, 1).view()), nullptr);
}

TEST(StoredFormat, AgreesWithConversionOnEveryFp16NumberAndItsNeighbours) {
  std::size_t compared = 0;
  for (std::uint64_t bits = 0; bits < 0x7c00; ++bits) {
    const Code narrow{bits, &kFp16};
    Tensor tensor = dump(kFp16, 1);
    tensor.set(0, 7, convert(narrow, kFp32));
    if (narrower_format_of(tensor.view()) != &kFp16) ADD_FAILURE() << bits;
    tensor.set(0, 7, next_up(convert(narrow, kFp32)));
    if (narrower_format_of(tensor.view()) != nullptr) ADD_FAILURE() << bits;
    compared += 2;
  }
  EXPECT_EQ(compared, 63488U);
}

TEST(StoredFormat, BeyondTheRangeOfFp16) {
  Tensor tensor = dump(kFp16, 1);
  tensor.set(0, 0, code_of(65536.0F));
  EXPECT_EQ(narrower_format_of(tensor.view()), nullptr);
  tensor.set(0, 0, code_of(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(narrower_format_of(tensor.view()), &kFp16);
}

TEST(StoredFormat, FewSignificandsSayNothing) {
  Tensor tensor(kFp32, 1, kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    tensor.set(0, i, code_of(std::ldexp(1.0F + static_cast<float>(i % 31) / 32, 3)));
  }
  EXPECT_EQ(narrower_format_of(tensor.view()), nullptr);
  tensor.set(0, 3, code_of(1.96875F));  // the thirty-second
  EXPECT_EQ(narrower_format_of(tensor.view()), &kBf16);
}

// That every number fits is known exactly, however few they are.
TEST(StoredFormat, WhatFitsIsKnownOfFewNumbersToo) {
  const auto formats_of = [](const std::vector<float>& values) {
    Tensor tensor(kFp32, 1, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) tensor.set(0, i, code_of(values[i]));
    return narrower_formats_of(tensor.view());
  };
  const NarrowerFormats both = formats_of({0.0F, 1.0F, 2.0F, 3.0F, -0.75F});
  EXPECT_TRUE(both.fits(kBf16) && both.fits(kFp16) && both.any());
  EXPECT_EQ(both.significands, 2U);  // 1 and 1.5
  EXPECT_FALSE(both.shows() || both.fits(kFp32));
  const NarrowerFormats fp16 = formats_of({1.0F, 1.0F + 0x1p-10F});
  EXPECT_TRUE(fp16.fp16 && !fp16.bf16);
  EXPECT_EQ(fp16.significands, 2U);
  const NarrowerFormats bf16 = formats_of({1.0F, 0x1p-40F, 0x1p40F});
  EXPECT_TRUE(bf16.bf16 && !bf16.fp16);
  EXPECT_FALSE(formats_of({1.0F, 1.0F + 0x1p-11F}).any());
  EXPECT_TRUE(formats_of({std::numeric_limits<float>::quiet_NaN(), 0.0F}).any());
}

TEST(StoredFormat, OnlyBinary32IsAskedAndTheConversionIsExact) {
  const Tensor wide = dump(kBf16, 1);
  const TensorView narrow = stored_as(wide.view(), kBf16);
  EXPECT_EQ(narrower_format_of(narrow), nullptr);
  ASSERT_EQ(narrow.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(convert(narrow.at(0, i), kFp32), wide.at(0, i));
  }
}

// The quick ways against the one rounding function: binary32 numbers spread over all of them, and
// those around every number of the narrower formats and every midpoint between two of them.
TEST(StoredFormat, ConvertsAsTheOneRoundingFunctionDoes) {
  std::vector<std::uint32_t> bits;
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32); i += 4099) {
    bits.push_back(static_cast<std::uint32_t>(i));
  }
  for (const FloatFormat* const format : {&kBf16, &kFp16}) {
    for (std::uint64_t code = 0; code < 0x10000; ++code) {
      const auto wide = static_cast<std::uint32_t>(convert(Code{code, format}, kFp32).bits);
      const std::uint32_t half = *format == kBf16 ? 0x8000 : 0x1000;
      for (const std::uint32_t middle : {wide, wide + half}) {
        bits.insert(bits.end(), {middle - 1, middle, middle + 1});
      }
    }
  }
  Tensor tensor(kFp32, 1, bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) tensor.set(0, i, Code{bits[i], &kFp32});
  std::size_t compared = 0;
  for (const FloatFormat* const format : {&kBf16, &kFp16, &kFp32}) {
    Tensor converted(*format, 1, bits.size());
    convert_elements(kFp32, tensor.bytes, *format, converted.bytes);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const Code expected = *format == kFp32 ? tensor.at(0, i) : convert(tensor.at(0, i), *format);
      const Code got = converted.at(0, i);
      const bool both_nan = is_nan(got) && is_nan(expected);
      ASSERT_TRUE(both_nan || got == expected) << bits[i] << " as " << format->name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 5'000'000U);
}

// Rows are converted when they are asked for, of a tensor that is itself converted too.
TEST(StoredFormat, ConversionsOfConversions) {
  Tensor wide(kFp32, 6, 10);
  const RandomStream random(2, "dump");
  for (std::size_t k = 0; k < 60; ++k) {
    wide.set(k / 10, k % 10, convert(code_of(random.normal(k)), kFp32));
  }
  const TensorView once = stored_as(wide.view(), kFp16);
  const TensorView twice = stored_as(once, kBf16);
  EXPECT_TRUE(once.bytes.empty());
  EXPECT_TRUE(twice.bytes.empty());
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t i = 0; i < 10; ++i) {
      const Code expected = convert(convert(wide.at(row, i), kFp16), kBf16);
      EXPECT_EQ(twice.at(row, i), expected);
      EXPECT_EQ(held(twice).at(row, i), expected);
    }
  }
}

}  // namespace
}  // namespace normcert
