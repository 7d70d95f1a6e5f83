// Vectors of binary32 against exact arithmetic, under every target.
#include "emulation/float_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "emulation/each_target.hpp"
#include "emulation/number_samples.hpp"
#include "numeric/rounding.hpp"
#include "problem/tensor.hpp"

namespace normcert {
namespace {

constexpr const FloatFormat* kFormats[] = {&kFp32, &kBf16, &kFp16};

TEST(FloatRows, NoOtherFormatIsPartOfBinary32ForThem) {
  for (const FloatFormat* format : all_formats()) {
    const bool expected = *format == kFp32 || *format == kBf16 || *format == kFp16;
    EXPECT_EQ(float_storage(*format).has_value(), expected) << format->name;
  }
}

// All 65 536 codes, from any alignment and with any rest.
TEST(FloatRows, LoadsEveryNarrowCode) {
  for_each_target([] {
    for (const FloatFormat* format : {&kBf16, &kFp16}) {
      Tensor codes(*format, 1, 65536);
      for (std::size_t i = 0; i < codes.width; ++i) codes.set(0, i, {i, format});
      for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{65521}}) {
        std::vector<float> values(codes.width - first);
        load_floats(*float_storage(*format), codes.bytes.data() + 2 * first, values.size(),
                    values.data());
        for (std::size_t i = 0; i < values.size(); ++i) {
          const Code expected = convert(codes.at(0, first + i), kFp32);
          ASSERT_TRUE(same_bits(code_of(values[i]), expected)) << format->name << ' ' << first + i;
        }
      }
    }
  });
}

// Numbers that rounding to the format goes wrong on: each code's value, both midpoints next to it
// and what is nearest to those, and codes of binary32 at random.
std::vector<float> hard_floats(const FloatFormat& format) {
  std::vector<float> values;
  const RandomStream random(20260907, "floats");
  for (std::uint64_t i = 0; i < 200000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(i))));
  }
  for (const Code code : special_codes(kFp32)) {
    values.push_back(static_cast<float>(to_binary64(code)));
  }
  if (format == kFp32) return values;
  for (std::uint64_t magnitude = 0; magnitude <= format.max_finite_magnitude(); ++magnitude) {
    const auto low = static_cast<float>(to_binary64({magnitude, &format}));
    const auto field = std::bit_cast<std::uint32_t>(low);
    // Half a spacing above, as bits of a normal number; of a subnormal one the spacing is added.
    const double spacing = std::ldexp(1.0, format.quantum_exponent());
    const float middle =
        magnitude < (std::uint64_t{1} << format.fraction_bits())
            ? static_cast<float>(static_cast<double>(low) + spacing / 2)
            : std::bit_cast<float>(field +
                                   (std::uint32_t{1} << (23 - format.fraction_bits()) >> 1));
    for (const float value :
         {low, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e38F)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

TEST(FloatRows, RoundsAndStoresAsExactArithmeticDoes) {
  std::size_t compared = 0;
  for (const FloatFormat* format : kFormats) {
    const FloatStorage storage = *float_storage(*format);
    const std::vector<float> values = hard_floats(*format);
    std::vector<Code> expected;
    for (const float value : values) expected.push_back(convert(code_of(value), *format));
    for_each_target([&] {
      Tensor stored(*format, 1, values.size());
      store_floats(storage, values.data(), values.size(), stored.bytes.data());
      std::vector<float> rounded = values;
      round_floats(storage, rounded.data(), rounded.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Code code = stored.at(0, i);
        ASSERT_TRUE(same_bits(code, expected[i])) << format->name << ' ' << values[i];
        ASSERT_TRUE(same_bits(code_of(rounded[i]), convert(expected[i], kFp32)))
            << format->name << ' ' << values[i];
        ASSERT_TRUE(!is_nan(code) || code.bits == format->nan_magnitude());
        ++compared;
      }
    });
  }
  EXPECT_GT(compared, simd_targets().size() * 1000000);
}

TEST(FloatRows, CountsSameCodes) {
  for_each_target([] {
    for (const FloatFormat* format : kFormats) {
      const RandomStream random(3, "codes");
      const std::vector<Code> special = special_codes(*format);
      for (const std::size_t count : {0U, 1U, 7U, 31U, 64U, 100U, 1000U}) {
        Tensor a(*format, 1, count);
        Tensor b(*format, 1, count);
        std::size_t expected = 0;
        for (std::size_t i = 0; i < count; ++i) {
          a.set(0, i, special[random.bits(3 * i) % special.size()]);
          b.set(0, i,
                random.bits(3 * i + 1) % 2 == 0 ? a.at(0, i)
                                                : special[random.bits(3 * i + 2) % special.size()]);
          if (is_nan(b.at(0, i))) b.set(0, i, {b.at(0, i).bits | 1, format});
          expected += same_bits(a.at(0, i), b.at(0, i)) ? 1 : 0;
        }
        EXPECT_EQ(count_same_codes(*float_storage(*format), a.bytes.data(), b.bytes.data(), count),
                  expected);
      }
    }
  });
}

}  // namespace
}  // namespace normcert
