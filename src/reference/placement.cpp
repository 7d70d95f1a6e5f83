#include "reference/placement.hpp"

#include <algorithm>
#include <array>

namespace normcert {
namespace {

constexpr std::array<std::string_view, 8> kNames{"inside",    "outside", "after_rsqrt",   "clamp_q",
                                                 "clamp_rms", "on_sum",  "scaled_by_max", "none"};

Wide larger(const Wide& a, const Wide& b) { return compare(a, b) < 0 ? b : a; }

Wide largest_input(const ExactRow& row) {
  BigDyadic largest;
  for (std::size_t i = 0; i < row.width(); ++i) {
    const BigDyadic magnitude = row.normalised(i).magnitude();
    if (compare(magnitude, largest) > 0) largest = magnitude;
  }
  return {largest};
}

// 1/r: every form is the reciprocal of something except after_rsqrt.
Wide reciprocal_scale(const ExactRow& row, Placement placement, const Wide& q, const Wide& e) {
  switch (placement) {
    case Placement::kOutside:
      return sqrt(q) + e;
    case Placement::kClampQ:
      return sqrt(larger(q, e));
    case Placement::kClampRms:
      return larger(sqrt(q), e);
    case Placement::kOnSum:
      return sqrt(q + e / Wide(BigDyadic::integer(row.width())));
    case Placement::kScaledByMax: {
      const Wide m = largest_input(row);
      return sqrt(q + e * m * m);
    }
    case Placement::kNone:
      return sqrt(q);
    default:
      return sqrt(q + e);
  }
}

}  // namespace

std::span<const std::string_view> placement_names() { return kNames; }

std::optional<Placement> find_placement(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Placement>(found - kNames.begin());
}

std::optional<Wide> value_with_placement(const ExactRow& row, std::size_t index,
                                         Placement placement, double epsilon) {
  const Wide q = row.mean_square();
  const Wide e(epsilon);
  const Wide product(row.normalised(index) * row.factor(index));
  if (placement == Placement::kAfterRsqrt) {
    if (q.sign() == 0) return std::nullopt;
    return product * (Wide(1.0) / sqrt(q) + e);
  }
  const Wide scale = reciprocal_scale(row, placement, q, e);
  if (scale.sign() == 0) return std::nullopt;
  return product / scale;
}

}  // namespace normcert
