#include "judge/block_plan.hpp"

#include <algorithm>
#include <bit>

namespace normcert {
namespace {

constexpr std::size_t kBlockElements = std::size_t{1} << 17;

std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

std::size_t block_rows(std::size_t width) {
  const std::size_t fitting = std::max<std::size_t>(kBlockElements / width, 1);
  return std::min(std::bit_floor(fitting), kUnitRows);
}

BlockPlan::BlockPlan(const std::vector<CaseExtent>& cases, Part part) : part_(part) {
  std::size_t first_unit = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t units = divided_up(cases[i].rows, kUnitRows);
    const std::size_t taken = first_unit % part.of;  // remainder of the case's first unit
    const std::size_t own_unit = (part.index - 1 + part.of - taken) % part.of;
    if (own_unit < units) {
      const std::size_t own_units = divided_up(units - own_unit, part.of);
      const std::size_t last_unit = own_unit + (own_units - 1) * part.of;
      const std::size_t last_rows = std::min(kUnitRows, cases[i].rows - last_unit * kUnitRows);
      const std::size_t step = block_rows(cases[i].width);
      const std::size_t begin = size();
      const std::size_t blocks = (own_units - 1) * (kUnitRows / step) + divided_up(last_rows, step);
      entries_.push_back({i, cases[i], first_unit, own_unit, begin, begin + blocks});
      elements_ += ((own_units - 1) * kUnitRows + last_rows) * cases[i].width;
    }
    first_unit += units;
  }
}

RowBlock BlockPlan::operator[](std::size_t index) const {
  const auto entry = std::ranges::upper_bound(entries_, index, {}, &Entry::end);
  return block_of(*entry, index - entry->begin);
}

RowBlock BlockPlan::block_of(const Entry& entry, std::size_t within) const {
  const std::size_t step = block_rows(entry.extent.width);
  const std::size_t in_a_unit = kUnitRows / step;  // only the last unit of a case may have fewer
  const std::size_t unit = entry.own_unit + within / in_a_unit * part_.of;
  const std::size_t first = unit * kUnitRows + within % in_a_unit * step;
  return {entry.case_index, first, std::min(step, entry.extent.rows - first),
          entry.first_unit + unit};
}

}  // namespace normcert
