// Captures with the mistakes that people make: each is named, and what a defective kernel does to a
// right capture is no such mistake.
#include "inference/capture_health.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "inference/row_direction.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kRows = 24;
constexpr std::size_t kWidth = 64;

TensorView made(const FloatFormat& format, std::size_t rows, std::size_t width,
                const std::function<double(std::size_t, std::size_t)>& element) {
  Tensor tensor(format, rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      tensor.set(row, i, round(dyadic_of(element(row, i)), format));
    }
  }
  return std::move(tensor).share();
}

TensorView normal_rows(const FloatFormat& format, std::uint64_t seed, double scale = 0.3) {
  const RandomStream random(seed, "x");
  return made(format, kRows, kWidth, [&](std::size_t row, std::size_t i) {
    return scale * random.normal(row * kWidth + i);
  });
}

double value_at(const TensorView& tensor, std::size_t row, std::size_t i) {
  return to_binary64(tensor.at(row, i));
}

struct Site {
  Case value;
  TensorView y;
  std::optional<TensorView> residual_out;

  Site(std::string id, TensorView x, const FloatFormat& format) {
    value.id = std::move(id);
    value.x = std::move(x);
    const RandomStream random(99, "weight");
    value.weight = made(format, 1, kWidth,
                        [&](std::size_t, std::size_t i) { return 1 + 0.3 * random.normal(i); });
  }

  // The gain times what `element` makes of (row, index), divided by the RMS of the inputs.
  void compute(
      const std::function<double(std::size_t, std::size_t)>& element,
      const std::function<double(double)>& gain = [](double w) { return w; }) {
    y = made(*value.x.format, kRows, kWidth, [&](std::size_t row, std::size_t i) {
      double sum = 1e-5;
      for (std::size_t k = 0; k < kWidth; ++k) sum += element(row, k) * element(row, k) / kWidth;
      return gain(value_at(*value.weight, 0, i)) * element(row, i) / std::sqrt(sum);
    });
  }

  [[nodiscard]] CapturedSite captured() const {
    return {&value, &y, residual_out ? &*residual_out : nullptr, false};
  }
};

Site right_site(const FloatFormat& format, std::uint64_t seed, std::string id = "site") {
  Site site(std::move(id), normal_rows(format, seed), format);
  site.compute([x = site.value.x](std::size_t row, std::size_t i) { return value_at(x, row, i); });
  return site;
}

SiteHealth health_of(const Site& site) {
  const CapturedSite captured = site.captured();
  return check_captures({&captured, 1}).front();
}

std::string code_of_problem(const SiteHealth& health) {
  return health.problems.empty() ? "" : health.problems.front().code;
}

TEST(CaptureHealth, RightPairsAreFarBelowTheLimit) {
  for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
    const SiteHealth health = health_of(right_site(*format, 1));
    EXPECT_EQ(code_of_problem(health), "") << format->name;
    ASSERT_TRUE(health.distance);
    EXPECT_LT(*health.distance, kPairLimit / 50) << format->name;
  }
}

// Most rows are made of numbers around bf16's least normal one, and those below it count as
// zero: what is left of such a row points elsewhere.
TEST(CaptureHealth, FlushedInputsAreStillPairs) {
  for (const double size : {0x1p-125, 0x1p-126, 0x1.8p-127}) {
    const RandomStream random(31, "flushed");
    const TensorView x = made(kBf16, kRows, kWidth, [&](std::size_t row, std::size_t i) {
      return (row % 3 != 0 ? size : 0.5) * random.normal(row * kWidth + i);
    });
    Site site("site", x, kBf16);
    site.value.epsilon = {"1e-6", 1e-6};
    site.y = made(kBf16, kRows, kWidth, [&](std::size_t row, std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < kWidth; ++k) sum += std::pow(value_at(x, row, k), 2);
      const double number = value_at(x, row, i);
      const double read = std::fabs(number) < 0x1p-126 ? 0 : number;
      return value_at(*site.value.weight, 0, i) * read / std::sqrt(sum / kWidth + 1e-6);
    });
    EXPECT_EQ(code_of_problem(health_of(site)), "") << size;
    // Rows that are none of this x remain so.
    site.y = made(kBf16, kRows, kWidth, [&](std::size_t row, std::size_t i) {
      const double number = value_at(x, kRows - 1 - row, kWidth - 1 - i);
      return std::fabs(number) < 0x1p-126 ? 0 : number;
    });
    EXPECT_EQ(code_of_problem(health_of(site)), "not-a-pair") << size;
  }
}

TEST(CaptureHealth, DefectiveKernelsAreStillPairs) {
  const TensorView x = normal_rows(kBf16, 2);
  const auto at = [&](std::size_t row, std::size_t i) { return value_at(x, row, i); };
  const auto mean = [&](std::size_t row) {
    double sum = 0;
    for (std::size_t i = 0; i < kWidth; ++i) sum += at(row, i) + 0.5;
    return sum / kWidth;
  };
  int kernels = 0;
  const auto expect_pair = [&](const char* what, Site site) {
    EXPECT_EQ(code_of_problem(health_of(site)), "") << what;
    ++kernels;
  };
  Site site("s", x, kBf16);
  site.compute(at, [](double w) { return 1 + w; });
  expect_pair("offset added", site);
  site.compute(at, [](double) { return 1.0; });
  expect_pair("weight ignored", site);
  site.compute(at, [](double w) { return w * w; });
  expect_pair("weight used twice", site);
  site.compute(at, [](double w) { return std::sin(40 * w); });
  expect_pair("another weight", site);
  site.compute([&](std::size_t row, std::size_t i) { return i < 56 ? at(row, i) : 0; });
  expect_pair("tail of the row never written", site);
  site.compute([&](std::size_t row, std::size_t i) { return at(row, i) * (i < 32 ? 1 : 1.5); });
  expect_pair("one factor for each half of the row", site);
  Site shifted_mean(
      "m",
      made(kBf16, kRows, kWidth, [&](std::size_t row, std::size_t i) { return at(row, i) + 0.5; }),
      kBf16);
  shifted_mean.compute(
      [&](std::size_t row, std::size_t i) { return at(row, i) + 0.5 - mean(row); });
  expect_pair("mean subtracted", shifted_mean);
  EXPECT_EQ(kernels, 7);
}

TEST(CaptureHealth, AllOutputsZeroAreNoMatterOfTheCapture) {
  Site site("s", normal_rows(kBf16, 3), kBf16);
  site.y = made(kBf16, kRows, kWidth, [](std::size_t, std::size_t) { return 0.0; });
  const SiteHealth health = health_of(site);
  EXPECT_EQ(code_of_problem(health), "");
  EXPECT_FALSE(health.distance);
}

TEST(CaptureHealth, ShiftedRowsAreNamedWithTheirShift) {
  for (const int shift : {1, -1, 5}) {
    Site site("s", normal_rows(kBf16, 4), kBf16);
    const TensorView x = site.value.x;
    site.compute([&](std::size_t row, std::size_t i) {
      const auto from = static_cast<std::size_t>(
          (static_cast<int>(row) + shift + static_cast<int>(kRows)) % static_cast<int>(kRows));
      return value_at(x, from, i);
    });
    const SiteHealth health = health_of(site);
    EXPECT_EQ(code_of_problem(health), "not-a-pair");
    ASSERT_FALSE(health.problems.empty());
    const std::string words = std::string("row i of y belongs to row i ") +
                              (shift < 0 ? "- " : "+ ") + std::to_string(std::abs(shift));
    EXPECT_NE(health.problems.front().text.find(words), std::string::npos)
        << health.problems.front().text;
  }
}

// As embedding rows of a text are: one token stands in several places.
TEST(CaptureHealth, ShiftedRowsAreNamedAlsoWhereRowsRepeat) {
  const TensorView all = normal_rows(kBf16, 17);
  const auto source = [](std::size_t row) { return row % 3 == 0 ? 0 : row; };
  Site site("s",
            made(kBf16, kRows, kWidth,
                 [&](std::size_t row, std::size_t i) { return value_at(all, source(row), i); }),
            kBf16);
  site.compute(
      [&](std::size_t row, std::size_t i) { return value_at(all, source((row + 1) % kRows), i); });
  const SiteHealth health = health_of(site);
  ASSERT_EQ(code_of_problem(health), "not-a-pair");
  EXPECT_NE(health.problems.front().text.find("belongs to row i + 1"), std::string::npos)
      << health.problems.front().text;
}

TEST(CaptureHealth, InputBeforeTheResidualIsNotAPair) {
  Site site("s", normal_rows(kBf16, 5), kBf16);
  const TensorView x = site.value.x;
  const TensorView residual = normal_rows(kBf16, 6, 0.1);
  site.compute([&](std::size_t row, std::size_t i) {
    return value_at(x, row, i) + value_at(residual, row, i);
  });
  const SiteHealth without = health_of(site);
  EXPECT_EQ(code_of_problem(without), "not-a-pair");
  ASSERT_FALSE(without.problems.empty());
  EXPECT_NE(without.problems.front().text.find("before the residual was added"), std::string::npos);
  EXPECT_GT(*without.distance, 0.01);

  site.value.residual = residual;
  EXPECT_EQ(code_of_problem(health_of(site)), "");
}

TEST(CaptureHealth, ResidualThatIsInXAlreadyIsNamed) {
  Site site = right_site(kBf16, 7);
  site.value.residual = normal_rows(kBf16, 8);
  const SiteHealth health = health_of(site);
  ASSERT_EQ(code_of_problem(health), "not-a-pair");
  EXPECT_NE(health.problems.front().text.find("x alone"), std::string::npos);
}

TEST(CaptureHealth, InputOfTheNeighbourIsNamed) {
  const Site first = right_site(kBf16, 9, "layers.0");
  const Site second = right_site(kBf16, 10, "layers.1");
  Site third = right_site(kBf16, 11, "layers.2");
  third.y = second.y;  // hooked one module too early
  const std::vector<CapturedSite> sites = {first.captured(), second.captured(), third.captured()};
  const std::vector<SiteHealth> health = check_captures(sites);
  EXPECT_EQ(code_of_problem(health[0]), "");
  EXPECT_EQ(code_of_problem(health[1]), "");
  ASSERT_EQ(code_of_problem(health[2]), "not-a-pair");
  EXPECT_NE(health[2].problems.front().text.find("the x of layers.1"), std::string::npos);
}

TEST(CaptureHealth, OverwrittenInputs) {
  Site in_place = right_site(kFp16, 12);
  in_place.value.x = in_place.y;
  EXPECT_EQ(code_of_problem(health_of(in_place)), "input-overwritten");

  Site residual = right_site(kFp16, 13);
  residual.value.residual = normal_rows(kFp16, 14);
  residual.residual_out = residual.value.residual;
  EXPECT_EQ(code_of_problem(health_of(residual)), "input-overwritten");

  // x taken behind the norm, its gain divided out.
  Site normalised = right_site(kBf16, 15);
  normalised.compute(
      [x = normalised.value.x](std::size_t r, std::size_t i) { return value_at(x, r, i) * 1000; },
      [](double) { return 1.0; });
  normalised.value.x = normalised.y;
  normalised.y = made(kBf16, kRows, kWidth, [&](std::size_t row, std::size_t i) {
    return value_at(normalised.value.x, row, i) * value_at(*normalised.value.weight, 0, i);
  });
  const SiteHealth health = health_of(normalised);
  ASSERT_EQ(code_of_problem(health), "input-overwritten");
  EXPECT_NE(health.problems.front().text.find("RMS 1"), std::string::npos);

  CapturedSite ours = normalised.captured();
  ours.inputs_are_ours = true;
  EXPECT_TRUE(check_captures({&ours, 1}).front().problems.empty());
}

TEST(CaptureHealth, OneCaptureUnderTwoNames) {
  const Site first = right_site(kBf16, 16, "a");
  Site second = first;
  second.value.id = "b";
  const std::vector<CapturedSite> sites = {first.captured(), second.captured()};
  const std::vector<SiteHealth> health = check_captures(sites);
  EXPECT_EQ(code_of_problem(health[0]), "");
  EXPECT_EQ(code_of_problem(health[1]), "same-capture-twice");
}

TEST(CaptureHealth, PaddingRowsAreCounted) {
  Site site("s",
            made(kBf16, kRows, kWidth,
                 [](std::size_t row, std::size_t i) {
                   if (row < 3) return 0.0;
                   if (row < 5) return 0.5;
                   return std::sin(static_cast<double>(row * kWidth + i * i));
                 }),
            kBf16);
  site.compute([&](std::size_t row, std::size_t i) { return value_at(site.value.x, row, i); });
  const SiteHealth health = health_of(site);
  EXPECT_EQ(health.zero_rows, 3U);
  EXPECT_EQ(health.constant_rows, 2U);
  EXPECT_TRUE(health.problems.empty());
}

// With a statistic for every 32 of 512 channels y points another way than x, also over the eighths
// of a row, but not within a group.
TEST(CaptureHealth, StatisticsOfGroupsAreStillPairs) {
  constexpr std::size_t kManyChannels = 512;
  const RandomStream random(4, "grouped");
  Site site("site", normal_rows(kBf16, 4), kBf16);
  site.value.weight.reset();
  site.value.weight_none = true;
  site.value.x = made(kBf16, kRows, kManyChannels, [&](std::size_t row, std::size_t i) {
    return 0.3 * random.normal(row * kManyChannels + i);
  });
  const auto normalised = [&](std::size_t shift) {
    return made(kBf16, kRows, kManyChannels, [&](std::size_t row, std::size_t i) {
      const std::size_t end = std::min((i + shift) / 32 * 32 + 32 - shift, kManyChannels);
      const std::size_t first = end < 32 || end == kManyChannels ? i / 32 * 32 : end - 32;
      double sum = 1e-5;
      for (std::size_t k = first; k < end; ++k) {
        sum += std::pow(value_at(site.value.x, row, k), 2) / static_cast<double>(end - first);
      }
      return value_at(site.value.x, row, i) / std::sqrt(sum);
    });
  };
  site.y = normalised(0);
  const DirectionRows rows(site.value, site.y);
  EXPECT_GT(*rows.own_input(), kPairLimit);
  EXPECT_LT(*rows.in_groups(), kPairLimit / 50);
  EXPECT_EQ(code_of_problem(health_of(site)), "");
  // Groups that begin elsewhere fit nothing.
  site.y = normalised(16);
  EXPECT_EQ(code_of_problem(health_of(site)), "not-a-pair");
}

TensorView all_nan(const FloatFormat& format) {
  Tensor tensor(format, kRows, kWidth);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kWidth; ++i) tensor.set(row, i, nan_of(format));
  }
  return std::move(tensor).share();
}

// x equals y there, and one site the other, without any having been copied.
TEST(CaptureHealth, CapturesWithoutANumberAreNotCalledCopies) {
  Site first("first", all_nan(kBf16), kBf16);
  first.y = all_nan(kBf16);
  Site second("second", all_nan(kBf16), kBf16);
  second.y = all_nan(kBf16);
  const std::vector<CapturedSite> captured = {first.captured(), second.captured()};
  for (const SiteHealth& health : check_captures(captured)) {
    EXPECT_EQ(code_of_problem(health), "non-finite-capture");
  }
}

// One number is enough for copies to be copies; NaN of numbers are the port's own doing.
TEST(CaptureHealth, SomeNumbersAreACapture) {
  Site site("site", all_nan(kFp16), kFp16);
  Tensor with_one(kFp16, kRows, kWidth);
  with_one.bytes.assign(site.value.x.bytes.begin(), site.value.x.bytes.end());
  with_one.set(3, 5, round(dyadic_of(1.5), kFp16));
  site.value.x = std::move(with_one).share();
  site.y = site.value.x;
  EXPECT_EQ(code_of_problem(health_of(site)), "input-overwritten");
  Site broken = right_site(kFp16, 3);
  broken.y = all_nan(kFp16);
  EXPECT_EQ(code_of_problem(health_of(broken)), "");
}

}  // namespace
}  // namespace normcert
