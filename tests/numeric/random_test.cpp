#include "numeric/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

namespace normcert {
namespace {

// Random123 1.14, tests/kat_vectors, the lines of philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// A second reading of the rules by which streams get their numbers. They are part of what files of
// cases rest on: if this fails, all generated inputs have changed.
struct Rules {
  PhiloxKey key;
  std::uint32_t stream;

  Rules(std::uint64_t seed, const char* name) {
    std::uint64_t fnv = 14695981039346656037U;
    for (; *name != 0; ++name) fnv = (fnv ^ static_cast<unsigned char>(*name)) * 1099511628211U;
    key = {static_cast<std::uint32_t>(seed ^ fnv >> 32), static_cast<std::uint32_t>(seed >> 32)};
    stream = static_cast<std::uint32_t>(fnv);
  }
  [[nodiscard]] std::array<std::uint64_t, 2> words(std::uint64_t index, std::uint32_t try_) const {
    const PhiloxCounter out = philox4x32_10(
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), stream, try_},
        key);
    return {out[0] | std::uint64_t{out[1]} << 32, out[2] | std::uint64_t{out[3]} << 32};
  }
};

long double unit(std::uint64_t word) {
  return std::ldexp(static_cast<long double>(word >> 11), -53);
}

TEST(RandomStream, BitsAndUniformFollowTheRules) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, 0xfedcba9876543210U}) {
    const RandomStream stream(seed, "ordinary");
    const Rules rules(seed, "ordinary");
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffffffff},
                                      std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
      EXPECT_EQ(stream.bits(index), rules.words(index, 0)[0]);
      EXPECT_EQ(stream.uniform(index), static_cast<double>(unit(rules.words(index, 0)[0])));
    }
  }
}

// The polar method up to s as the program has it, then in extended precision with the library's
// logarithm: what is left is the error of the program's own logarithm and four roundings.
TEST(RandomStream, NormalFollowsTheRulesWithAnAccurateLogarithm) {
  const RandomStream stream(7, "normal");
  const Rules rules(7, "normal");
  long double worst = 0;
  std::uint64_t rejected = 0;
  constexpr std::uint64_t kCount = 200000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    double u = 0;
    double s = 0;
    for (std::uint32_t attempt = 1; s <= 0 || s >= 1; ++attempt) {
      const auto words = rules.words(i, attempt);
      u = static_cast<double>(2 * unit(words[0]) - 1);
      const auto v = static_cast<double>(2 * unit(words[1]) - 1);
      s = u * u + v * v;
      rejected += attempt > 1 ? 1 : 0;
    }
    const long double wide_s = s;
    const long double expected = u * std::sqrt(-2 * std::log(wide_s) / wide_s);
    worst = std::max(worst, std::abs(stream.normal(i) / expected - 1));
  }
  EXPECT_LT(worst, 4e-16L) << worst;
  EXPECT_GT(worst, 1e-17L) << "the two computations differ in precision";
  // The square misses the circle with probability 1 - pi / 4: 0.273 more attempts per value.
  EXPECT_NEAR(static_cast<double>(rejected) / kCount, 0.2732, 0.01);
}

TEST(RandomStream, NormalIsNormal) {
  const RandomStream stream(11, "moments");
  constexpr int kCount = 1000000;
  std::array<double, 5> moment{};
  std::array<int, 5> beyond{};
  for (int i = 0; i < kCount; ++i) {
    const double z = stream.normal(static_cast<std::uint64_t>(i));
    double power = 1;
    for (double& m : moment) {
      m += power / kCount;
      power *= z;
    }
    for (int k = 0; k < 5; ++k) beyond[static_cast<std::size_t>(k)] += std::abs(z) > k ? 1 : 0;
  }
  // Limits are five standard deviations of the sampling distribution.
  EXPECT_NEAR(moment[1], 0, 5 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(moment[2], 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(moment[3], 0, 5 * std::sqrt(15.0 / kCount));
  EXPECT_NEAR(moment[4], 3, 5 * std::sqrt(96.0 / kCount));
  for (int k = 1; k < 5; ++k) {
    const double share = std::erfc(k / std::sqrt(2.0));
    EXPECT_NEAR(beyond[static_cast<std::size_t>(k)], kCount * share,
                5 * std::sqrt(kCount * share * (1 - share)))
        << "beyond " << k;
  }
}

TEST(RandomStream, UniformIsUniform) {
  const RandomStream stream(11, "uniform");
  constexpr int kCount = 1 << 18;
  std::array<int, 64> bins{};
  for (int i = 0; i < kCount; ++i) {
    const double u = stream.uniform(static_cast<std::uint64_t>(i));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_EQ(std::ldexp(u, 53), std::floor(std::ldexp(u, 53)));
    ++bins[static_cast<std::size_t>(u * 64)];
  }
  double chi_squared = 0;
  for (const int count : bins) chi_squared += std::pow(count - kCount / 64.0, 2) / (kCount / 64.0);
  EXPECT_LT(chi_squared, 63 + 5 * std::sqrt(2 * 63.0));
  EXPECT_GT(chi_squared, 63 - 5 * std::sqrt(2 * 63.0));
}

TEST(RandomStream, StreamsDoNotRepeatOneAnother) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const char* name : {"", "a", "b", "ab", "ba", "weight"}) {
      const RandomStream stream(seed, name);
      for (std::uint64_t i = 0; i < 500; ++i, ++drawn) seen.insert(stream.bits(i));
    }
  }
  EXPECT_EQ(drawn, 9000U);
  EXPECT_EQ(seen.size(), drawn);
}

// Bits as they were when the generator was written: a machine or a compiler that gives others
// would generate other inputs from the same seed.
TEST(RandomStream, SameBitsOnEveryMachine) {
  const RandomStream stream(20240607, "golden");
  const std::array<std::uint64_t, 8> golden{
      0xbfc4b55a75fbb0d2, 0x4005085bc66b7c69, 0x3fa76e55b02a5cc8, 0xbff541c0866d123a,
      0xbfed7be24bb1fc63, 0xbff620e61779be44, 0xbff81de129fd6128, 0xbff71ac95b0e5aad};
  for (std::size_t i = 0; i < golden.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(stream.normal(i)), golden[i])
        << std::hex << std::bit_cast<std::uint64_t>(stream.normal(i));
  }
  // All bits of many values in one word, so that rare differences are noticed as well.
  std::uint64_t folded = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    folded = std::rotl(folded, 1) + std::bit_cast<std::uint64_t>(stream.normal(i));
  }
  EXPECT_EQ(folded, 0x344dfdbd82174f76U) << std::hex << folded;
}

}  // namespace
}  // namespace normcert
