#include "emulation/tail_demand.hpp"

#include <algorithm>

namespace normcert {
namespace {

void name_first(std::optional<std::size_t>& first, std::size_t index) {
  if (!first) first = index;
}

}  // namespace

Demand demand_of(const RowView& got, const RowView& y) {
  Demand demand;
  // Most stretches have the same codes.
  constexpr std::size_t kStretch = 64;
  const auto stretch_is_same = [&](std::size_t first) {
    const std::size_t count = std::min(kStretch, got.size() - first);
    return std::ranges::equal(got.part(first, count).bytes, y.part(first, count).bytes);
  };
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (i % kStretch == 0) {
      if (demand.unordered || (demand.greater && demand.smaller && demand.impossible)) break;
      while (i < got.size() && stretch_is_same(i)) i += kStretch;
      if (i >= got.size()) break;
    }
    const Code wanted = got.at(i);
    const Code found = y.at(i);
    if (same_bits(wanted, found)) continue;
    if (wanted.magnitude() == 0 && found.magnitude() == 0) continue;
    if (is_nan(wanted) || is_nan(found)) {
      demand.unordered = true;
    } else if (wanted.negative() != found.negative() && wanted.magnitude() != 0 &&
               found.magnitude() != 0) {
      name_first(demand.impossible, i);
    } else if (found.magnitude() < wanted.magnitude()) {
      name_first(demand.greater, i);
    } else {
      name_first(demand.smaller, i);
    }
  }
  return demand;
}

Demand demand_between(const RowView& got, const RowView& least, const RowView& greatest) {
  Demand demand = demand_of(got, greatest);
  const Demand of_least = demand_of(got, least);
  demand.smaller = of_least.smaller;
  demand.unordered = demand.unordered || of_least.unordered;
  return demand;
}

}  // namespace normcert
