// Rows that are dropped change nothing: held against the twin that keeps them all, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "emulation/emulate.hpp"
#include "inference/elimination.hpp"
#include "inference/elimination_text.hpp"
#include "inference/kept_rows.hpp"
#include "inference/synthetic_ports.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

std::string judged_with(const std::vector<ObservedNorm>& norms, std::size_t kept,
                        unsigned threads = 1) {
  return text_of(eliminate(norms, {.recipes = {}, .threads = threads, .kept_rows = kept}));
}

// Rows of sizes within `octaves` binary orders of magnitude, by the recipe.
struct Made {
  Case value;
  TensorView y;
};

Made made(const Recipe& recipe, const FloatFormat& format, std::size_t rows, std::size_t width,
          double octaves, std::uint64_t seed) {
  const RandomStream random(seed, "kept rows");
  Tensor x(format, rows, width);
  Tensor weight(format, 1, width);
  for (std::size_t row = 0; row < rows; ++row) {
    const double size = std::exp2(-octaves * random.uniform((std::uint64_t{1} << 40) + row));
    for (std::size_t i = 0; i < width; ++i) {
      x.set(row, i, convert(code_of(size * random.normal(row * width + i)), format));
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    const double number = 1 + 0.25 * random.normal((std::uint64_t{1} << 41) + i);
    weight.set(0, i, convert(code_of(number), format));
  }
  Made port;
  port.value.x = std::move(x).share();
  port.value.weight = std::move(weight).share();
  port.value.epsilon = {"1e-6", 1e-6};
  port.value.weight_offset_given = true;
  port.value.weight_offset.text = "0";
  port.y = emulate_block(recipe, {.x = port.value.x,
                                  .residual = {},
                                  .weight = port.value.weight,
                                  .weight_offset = 0,
                                  .epsilon = 1e-6})
               .y.share();
  return port;
}

Recipe plain(CastPoint cast) {
  Recipe recipe;
  recipe.cast = cast;
  return recipe;
}

void set_next_up(TensorView& y, std::size_t row, std::size_t index) {
  Tensor copy(*y.format, y.rows, y.width);
  std::ranges::copy(y.bytes, copy.bytes.begin());
  copy.set(row, index, next_up(y.at(row, index)));
  y = std::move(copy).share();
}

TEST(KeptRows, SyntheticPortsAndTheirMistakes) {
  std::size_t cases = 0;
  std::size_t strays = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    for (const bool defective : {false, true}) {
      const SyntheticPort port = synthetic_port(i, 256, defective);
      const std::vector<ObservedNorm> norms = {{"norm", &port.value, port.y}};
      const std::string all = judged_with(norms, kAll);
      for (const std::size_t kept : {std::size_t{1}, std::size_t{3}}) {
        if (kept >= port.value.x.rows) continue;
        ASSERT_EQ(judged_with(norms, kept), all) << kept << " of " << described(i, port);
        ++cases;
      }
      strays += eliminate(norms, {}).joint.with_strays ? 1 : 0;
    }
  }
  std::printf("%zu judgements, %zu ports with strays\n", cases, strays);
  EXPECT_GE(cases, 200U);
}

TEST(KeptRows, ManyRowsOfAllFormats) {
  std::size_t cases = 0;
  for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
    for (const CastPoint cast : {CastPoint::kAfterWeight, CastPoint::kBeforeWeight}) {
      for (const double octaves : {0.0, 12.0}) {
        const Made port = made(plain(cast), *format, 700, 48, octaves, cases);
        const std::vector<ObservedNorm> norms = {{"norm", &port.value, port.y}};
        const std::string all = judged_with(norms, kAll);
        for (const std::size_t kept : {std::size_t{2}, std::size_t{40}, std::size_t{300}}) {
          ASSERT_EQ(judged_with(norms, kept, 2), all) << format->name << ' ' << kept;
          ++cases;
        }
      }
    }
  }
  std::printf("%zu judgements of 700 rows\n", cases);
  EXPECT_EQ(cases, 36U);
}

// An order in which every row exceeds all before it, and rows that are there many times.
TEST(KeptRows, SortedAndRepeatedRows) {
  Made port = made(plain(CastPoint::kBeforeWeight), kBf16, 400, 32, 10, 77);
  std::vector<std::size_t> order(port.value.x.rows);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto size = [&](std::size_t row) {
    double sum = 0;
    for (std::size_t i = 0; i < port.value.x.width; ++i) {
      sum += std::pow(to_binary64(port.value.x.at(row, i)), 2);
    }
    return sum;
  };
  const auto with_rows = [&](const std::vector<std::size_t>& rows) {
    Made other = port;
    const auto gather = [&](const TensorView& from) {
      Tensor to(*from.format, rows.size(), from.width);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < from.width; ++k) to.set(i, k, from.at(rows[i], k));
      }
      return std::move(to).share();
    };
    other.value.x = gather(port.value.x);
    other.y = gather(port.y);
    return other;
  };
  std::ranges::sort(order, {}, size);
  std::vector<std::size_t> falling(order.rbegin(), order.rend());
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < 600; ++i) repeated.push_back(order[i % 7]);
  const std::vector<std::size_t> equal(500, 3);
  for (const auto& rows : {order, falling, repeated, equal}) {
    const Made other = with_rows(rows);
    const std::vector<ObservedNorm> norms = {{"norm", &other.value, other.y}};
    const std::string all = judged_with(norms, kAll);
    for (const std::size_t kept : {std::size_t{1}, std::size_t{20}}) {
      EXPECT_EQ(judged_with(norms, kept), all);
    }
  }
}

// A stray that contradicts its own row, and one that contradicts others only.
TEST(KeptRows, Strays) {
  std::size_t with_strays = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Made port = made(plain(CastPoint::kAfterWeight), kBf16, 120, 32, 10, 100 + seed);
    for (std::uint64_t i = 0; i <= seed % 3; ++i) set_next_up(port.y, 17 * (i + 1), 5 + seed);
    const std::vector<ObservedNorm> norms = {{"norm", &port.value, port.y}};
    const std::string all = judged_with(norms, kAll);
    with_strays += eliminate(norms, {}).joint.with_strays ? 1 : 0;
    for (const std::size_t kept : {std::size_t{1}, std::size_t{30}}) {
      EXPECT_EQ(judged_with(norms, kept), all) << seed << ' ' << kept;
    }
  }
  EXPECT_GE(with_strays, 4U);
}

TEST(KeptRows, SitesOfAGroup) {
  for (const bool stray : {false, true}) {
    std::vector<Made> ports;
    for (std::uint64_t i = 0; i < 4; ++i) {
      ports.push_back(made(plain(CastPoint::kBeforeWeight), kBf16, 150 + 60 * i, 40,
                           4 * static_cast<double>(i), 200 + i));
    }
    if (stray) set_next_up(ports[2].y, 100, 7);
    std::vector<ObservedNorm> norms;
    for (const Made& port : ports) norms.push_back({"site", &port.value, port.y});
    const std::string all = judged_with(norms, kAll);
    for (const std::size_t kept : {std::size_t{4}, std::size_t{100}, std::size_t{700}}) {
      EXPECT_EQ(judged_with(norms, kept, 2), all) << kept;
    }
  }
}

// Numbers of binary32 for which x is converted first, and a statistic for each group of channels.
TEST(KeptRows, Views) {
  std::size_t views = 0;
  for (const bool grouped : {false, true}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      Recipe recipe = plain(CastPoint::kAfterWeight);
      if (grouped) recipe.statistic.group = 16;
      if (!grouped) recipe.convert_inputs = InputConversion::kBfloat16;
      std::vector<Made> ports;
      for (std::uint64_t i = 0; i < 2; ++i) {
        ports.push_back(made(recipe, kFp32, 90 + 30 * i, 64, 12, 300 + 2 * seed + i));
      }
      std::vector<ObservedNorm> norms;
      for (const Made& port : ports) norms.push_back({"site", &port.value, port.y});
      const EliminationResult judged = eliminate(norms, {});
      for (const EliminatedHypothesis& one : judged.joint.hypotheses) {
        const bool viewed = one.hypothesis.rounding.find(", x as ") != std::string::npos ||
                            one.hypothesis.statistic.find("_per_group_") != std::string::npos;
        views += viewed && one.status == HypothesisStatus::kSurvives ? 1 : 0;
      }
      const std::string all = judged_with(norms, kAll);
      for (const std::size_t kept : {std::size_t{2}, std::size_t{50}}) {
        EXPECT_EQ(judged_with(norms, kept, 2), all) << grouped << ' ' << seed << ' ' << kept;
      }
    }
  }
  EXPECT_GE(views, 4U);
}

// Few rows are kept of many.
TEST(KeptRows, TheyAreFew) {
  const Made port = made(plain(CastPoint::kBeforeWeight), kBf16, 6000, 16, 12, 5);
  const SiteScan scan = scan_site_in_part({"norm", &port.value, port.y}, false, 256, 2);
  EXPECT_FALSE(scan.complete);
  EXPECT_EQ(scan.counts.judged, 6000U);
  EXPECT_LE(scan.facts.size(), 1200U);
  std::printf("%zu of 6000 rows are kept\n", scan.facts.size());
}

}  // namespace
}  // namespace normcert
