// Sums of squares in binary64 that are said to be exact are.
#include "numeric/square_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd_target.hpp"

namespace normcert {
namespace {

class Row {
 public:
  Row(const FloatFormat& format, const std::vector<double>& numbers)
      : format_(format), bytes_(numbers.size() * sizeof(std::uint16_t)) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Code code = convert(code_of(numbers[i]), format);
      const auto bits = static_cast<std::uint16_t>(code.bits);
      std::memcpy(bytes_.data() + i * sizeof bits, &bits, sizeof bits);
      const BigDyadic number(decode(code));
      exact_ += number * number;
    }
  }

  [[nodiscard]] bool is_said_to_be_exact() const {
    return square_sum_is_exact(format_, bytes_.data(), bytes_.size() / sizeof(std::uint16_t));
  }
  [[nodiscard]] bool is_exact() const {
    const double sum = square_sum(format_, bytes_.data(), bytes_.size() / sizeof(std::uint16_t));
    return compare(BigDyadic(sum), exact_) == 0;
  }

 private:
  const FloatFormat& format_;
  std::vector<std::byte> bytes_;
  BigDyadic exact_;
};

TEST(SquareSumIsExact, NeverSaidOfASumThatIsNot) {
  const RandomStream random(1, "exact square sum");
  std::uint64_t place = 0;
  int said = 0;
  int not_said = 0;
  int wrongly_doubted = 0;
  int inexact = 0;
  for (const FloatFormat* format : {&kBf16, &kFp16}) {
    for (const std::size_t width : {1U, 5U, 31U, 32U, 33U, 100U, 4096U, 5000U}) {
      for (int spread = 0; spread < 24; ++spread) {
        std::vector<double> numbers(width);
        for (double& number : numbers) {
          const auto below =
              static_cast<int>(random.bits(place) % static_cast<unsigned>(spread + 1));
          number = std::ldexp(1 + random.uniform(place + 1), -below);
          if (random.bits(place + 2) % 8 == 0) number = 0;
          place += 3;
        }
        const Row row(*format, numbers);
        bool said_first = false;
        for (const std::string_view target : simd_targets()) {
          ASSERT_TRUE(force_simd_target(target));
          const bool says = row.is_said_to_be_exact();
          if (target == simd_targets()[0]) said_first = says;
          EXPECT_EQ(says, said_first) << target;
        }
        release_simd_target();
        if (said_first) {
          EXPECT_TRUE(row.is_exact()) << format->name << ' ' << width;
        }
        ++(said_first ? said : not_said);
        if (!said_first && row.is_exact()) ++wrongly_doubted;
        if (!row.is_exact()) ++inexact;
      }
    }
  }
  EXPECT_EQ(said + not_said, 2 * 8 * 24);
  EXPECT_GT(said, 150);
  EXPECT_GT(inexact, 50);
  EXPECT_LT(wrongly_doubted, 100);
}

// Two terms below 2^6 are below 2^8 together, and multiples of the square of the last digit, 2^-7
// of the least element: 2^-44 for 2^-15, 2^-46 for 2^-16.
TEST(SquareSumIsExact, AtItsLimit) {
  const auto says = [](const FloatFormat& format, const std::vector<double>& numbers) {
    return Row(format, numbers).is_said_to_be_exact();
  };
  EXPECT_TRUE(says(kBf16, {4, 0x1p-15}));
  EXPECT_FALSE(says(kBf16, {4, 0x1p-16}));
  EXPECT_TRUE(says(kBf16, {0, -0.0}));
  EXPECT_TRUE(says(kBf16, {0x1p-133, 0x1p-130}));
  EXPECT_FALSE(says(kFp16, {0x1p-24, 1}));
  EXPECT_TRUE(says(kFp16, {0x1p-24, 0x1p-20}));
}

}  // namespace
}  // namespace normcert
