// Which dumps hold numbers of a narrower format.
#include "inference/stored_format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

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

TEST(StoredFormat, OnlyBinary32IsAskedAndTheConversionIsExact) {
  const Tensor wide = dump(kBf16, 1);
  const TensorView narrow = stored_as(wide.view(), kBf16);
  EXPECT_EQ(narrower_format_of(narrow), nullptr);
  ASSERT_EQ(narrow.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(convert(narrow.at(0, i), kFp32), wide.at(0, i));
  }
}

}  // namespace
}  // namespace normcert
