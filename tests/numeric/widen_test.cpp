// Widened codes and sums of squares under every vector target.
#include "numeric/widen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numeric/packed_codes.hpp"
#include "numeric/simd_target.hpp"
#include "numeric/square_sum.hpp"

namespace normcert {
namespace {

// Every code of the formats of 16 and 8 bits, infinities and NaN among them.
TEST(Widen, IsExactForEveryCodeUnderEveryTarget) {
  for (const FloatFormat* format : {&kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2}) {
    const std::size_t count = std::size_t{1} << format->code_bits;
    const auto size = static_cast<std::size_t>(format->storage_bytes);
    std::vector<std::byte> bytes(count * size);
    for (std::size_t i = 0; i < count; ++i) store_code({i, format}, bytes.data(), i);
    for (const std::string_view target : simd_targets()) {
      ASSERT_TRUE(force_simd_target(target));
      std::vector<float> narrow(count);
      std::vector<double> wide(count);
      widen(*format, bytes.data(), count, narrow.data());
      widen(*format, bytes.data(), count, wide.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double number = to_binary64({i, format});
        const auto same = [&](double got) {
          return std::isnan(number) ? std::isnan(got)
                                    : got == number && std::signbit(got) == std::signbit(number);
        };
        if (!same(narrow[i]) || !same(wide[i])) ++wrong;
      }
      EXPECT_EQ(wrong, 0U) << format->name << ' ' << target;
    }
    release_simd_target();
  }
}

// One infinity or NaN anywhere in a row shows in its sum.
TEST(SquareSum, IsNotFiniteWhereAnElementIsNot) {
  constexpr std::size_t kWidth = 67;
  for (const FloatFormat* format : {&kFp32, &kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2}) {
    std::vector<std::byte> bytes(kWidth * static_cast<std::size_t>(format->storage_bytes));
    for (const std::string_view target : simd_targets()) {
      ASSERT_TRUE(force_simd_target(target));
      for (std::size_t i = 0; i < kWidth; ++i) {
        for (const Code special : {infinity_of(*format, true), nan_of(*format)}) {
          store_code(special, bytes.data(), i);
          EXPECT_FALSE(std::isfinite(square_sum(*format, bytes.data(), kWidth)))
              << format->name << ' ' << target << " at " << i;
          store_code(zero_of(*format, false), bytes.data(), i);
        }
      }
      EXPECT_EQ(square_sum(*format, bytes.data(), kWidth), 0) << format->name << ' ' << target;
    }
    release_simd_target();
  }
}

}  // namespace
}  // namespace normcert
