#include "numeric/nth_number.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "numeric/random.hpp"

namespace normcert {
namespace {

NumberSource source_of(const std::vector<double>& numbers, std::size_t* calls = nullptr) {
  return [&numbers, calls](const std::function<void(double)>& take) {
    if (calls != nullptr) ++*calls;
    for (const double number : numbers) take(number);
  };
}

TEST(NthNumber, ByHand) {
  const std::vector<double> numbers = {3, 0, 0x1p-1074, 1e300, 3, 0.5};
  const std::vector<double> sorted = {0, 0x1p-1074, 0.5, 3, 3, 1e300};
  for (std::size_t n = 0; n < sorted.size(); ++n) {
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}, std::size_t{100}}) {
      EXPECT_EQ(nth_number(n, source_of(numbers), at_once), sorted[n]) << n << ' ' << at_once;
    }
  }
}

TEST(NthNumber, EqualNumbersNeedNoMemory) {
  const std::vector<double> numbers(1000, 0.1);
  EXPECT_EQ(nth_number(0, source_of(numbers), 10), 0.1);
  EXPECT_EQ(nth_number(999, source_of(numbers), 10), 0.1);
}

TEST(NthNumber, IsReadOnceWhereAllAreHeld) {
  const std::vector<double> numbers(1000, 0.1);
  std::size_t calls = 0;
  EXPECT_EQ(nth_number(5, source_of(numbers, &calls), 1000), 0.1);
  EXPECT_EQ(calls, 1U);
}

TEST(NthNumber, AsSorted) {
  const RandomStream random(1, "nth number");
  std::size_t cases = 0;
  for (std::uint64_t list = 0; list < 60; ++list) {
    std::vector<double> numbers;
    const std::uint64_t size = 1 + random.bits(list) % 2000;
    for (std::uint64_t i = 0; i < size; ++i) {
      const double number = std::fabs(random.normal(list << 20 | i));
      // Some lists within one octave, some over hundreds, some of few values.
      numbers.push_back(list % 3 == 0   ? number
                        : list % 3 == 1 ? std::exp2(200 * number - 300)
                                        : std::floor(4 * number));
    }
    std::vector<double> sorted = numbers;
    std::ranges::sort(sorted);
    for (const std::size_t n : {std::size_t{0}, sorted.size() / 3, sorted.size() - 1}) {
      ASSERT_EQ(nth_number(n, source_of(numbers), 16), sorted[n]) << list << ' ' << n;
      ++cases;
    }
  }
  std::printf("%zu cases\n", cases);
}

}  // namespace
}  // namespace normcert
