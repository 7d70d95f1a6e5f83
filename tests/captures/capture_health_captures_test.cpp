// Every shipped capture is one, its epsilon and order of rounding whatever they are; the same
// captures with the mistakes that people make are told apart from it.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "captures/shipped_captures.hpp"
#include "inference/capture_health.hpp"
#include "inference/row_direction.hpp"
#include "inference/stored_format.hpp"

namespace normcert {
namespace {

struct Shipped {
  Capture capture;
  Case value;
};

Shipped shipped(const std::string& name) {
  Shipped shipped{read_capture(name), {}};
  const BlockInput& input = shipped.capture.input;
  shipped.value.id = name;
  shipped.value.x = input.x;
  shipped.value.residual = input.residual;
  shipped.value.weight = input.weight;
  shipped.value.weight_offset = {"", input.weight_offset};
  return shipped;
}

std::set<std::string> capture_names() {
  std::set<std::string> names;
  for (const RecipeClaim& claim : claims_without_gate()) names.insert(claim.capture);
  return names;
}

SiteHealth health_of(const Case& value, const TensorView& y) {
  const CapturedSite site{&value, &y, nullptr, false};
  return check_captures({&site, 1}).front();
}

// x with its rows turned by one.
TensorView turned(const TensorView& x) {
  Tensor tensor(*x.format, x.rows, x.width);
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (std::size_t i = 0; i < x.width; ++i) {
      tensor.set(row, i, x.at((row + 1) % x.rows, i));
    }
  }
  return std::move(tensor).share();
}

TEST(ShippedCaptures, AreCaptures) {
  std::size_t captures = 0;
  for (const std::string& name : capture_names()) {
    const Shipped one = shipped(name);
    const SiteHealth health = health_of(one.value, one.capture.y);
    EXPECT_TRUE(health.problems.empty()) << name << ": " << health.problems.front().text;
    ASSERT_TRUE(health.distance) << name;
    EXPECT_LT(*health.distance, kPairLimit / 10) << name;
    EXPECT_EQ(narrower_format_of(one.value.x), nullptr) << name;
    ++captures;
  }
  EXPECT_GE(captures, 40U);
}

TEST(ShippedCaptures, WithShiftedRowsAreNone) {
  std::size_t captures = 0;
  for (const std::string& name : capture_names()) {
    Shipped one = shipped(name);
    one.value.x = turned(one.value.x);
    if (one.value.residual) one.value.residual = turned(*one.value.residual);
    const SiteHealth health = health_of(one.value, one.capture.y);
    ASSERT_EQ(health.problems.size(), 1U) << name;
    EXPECT_EQ(health.problems.front().code, "not-a-pair") << name;
    EXPECT_NE(health.problems.front().text.find("belongs to row i - 1 of x"), std::string::npos)
        << name << ": " << health.problems.front().text;
    ++captures;
  }
  EXPECT_GE(captures, 40U);
}

TEST(ShippedCaptures, OfFusedKernelsWithoutTheirResidualAreNone) {
  std::size_t captures = 0;
  for (const std::string& name : capture_names()) {
    Shipped one = shipped(name);
    if (!one.value.residual) continue;
    one.value.residual.reset();
    const SiteHealth health = health_of(one.value, one.capture.y);
    ASSERT_EQ(health.problems.size(), 1U) << name;
    EXPECT_NE(health.problems.front().text.find("before the residual was added"), std::string::npos)
        << name;
    ++captures;
  }
  EXPECT_GE(captures, 3U);
}

TEST(ShippedCaptures, StoredAsFloat32AreSeenInTheirFormat) {
  std::size_t captures = 0;
  for (const std::string& name : capture_names()) {
    const Shipped one = shipped(name);
    for (const TensorView& tensor : {one.value.x, one.capture.y}) {
      if (*tensor.format == kFp32 || *tensor.format == kFp64) continue;
      const FloatFormat* const seen = narrower_format_of(stored_as(tensor, kFp32));
      ASSERT_NE(seen, nullptr) << name;
      EXPECT_EQ(seen->name, tensor.format->name) << name;
    }
    ++captures;
  }
  EXPECT_GE(captures, 40U);
}

}  // namespace
}  // namespace normcert
