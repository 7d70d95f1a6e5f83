#include "emulation/tail_demand.hpp"

namespace normcert {
namespace {

void name_first(std::optional<std::size_t>& first, std::size_t index) {
  if (!first) first = index;
}

}  // namespace

Demand demand_of(const RowView& got, const RowView& y) {
  Demand demand;
  for (std::size_t i = 0; i < got.size(); ++i) {
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

}  // namespace normcert
