#include "judge/case_rows.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "judge/block_memory.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

using RowNumbers = std::span<const std::size_t>;

TensorView gathered(const TensorView& tensor, RowNumbers rows) {
  Tensor copy(*tensor.format, rows.size(), tensor.width);
  std::byte* target = copy.bytes.data();
  RowReader reader(tensor);
  for (const std::size_t row : rows) target = std::ranges::copy(reader.row(row), target).out;
  return std::move(copy).share();
}

// A copy of a block's rows, where the file can be read faster than it can be touched.
TensorView at_hand(TensorView view) {
  constexpr std::size_t kWorthReading = 1 << 16;
  if (!view.source || view.bytes.size() < kWorthReading) return view;
  auto memory = block_memory(view.bytes.size());
  const std::span<std::byte> copy(memory.get(), view.bytes.size());
  if (!view.source->read(view.source_offset, copy)) return view;
  view.bytes = copy;
  view.owner = std::move(memory);
  view.source.reset();
  return view;
}

// What `part_of` takes of every tensor that has rows.
template <typename PartOf>
void take_parts(const Case& whole, const std::optional<Outputs>& observed, PartOf part_of,
                CaseRows& rows) {
  const auto part_of_any = [&](const std::optional<TensorView>& tensor) {
    return tensor ? std::optional(part_of(*tensor)) : std::nullopt;
  };
  rows.value.id = whole.id;
  rows.value.class_name = whole.class_name;
  rows.value.site = whole.site;
  rows.value.place = whole.place;
  rows.value.x = part_of(whole.x);
  rows.value.residual = part_of_any(whole.residual);
  if (whole.gate) {
    rows.value.gate = whole.gate;
    rows.value.gate->values = part_of(whole.gate->values);
  }
  rows.value.weight = whole.weight;
  rows.value.weight_none = whole.weight_none;
  rows.value.weight_offset = whole.weight_offset;
  rows.value.weight_offset_given = whole.weight_offset_given;
  rows.value.epsilon = whole.epsilon;
  rows.value.output = whole.output;
  if (observed) {
    rows.observed = Outputs{part_of_any(observed->y), part_of_any(observed->residual_out)};
  }
}

}  // namespace

std::size_t rows_judged(const JudgedCase& judged) {
  return judged.chosen_rows ? judged.chosen_rows->size() : judged.value.x.rows;
}

CaseRows rows_of(const JudgedCase& judged, std::size_t first, std::size_t count) {
  CaseRows rows;
  rows.first = first;
  rows.chosen = judged.chosen_rows ? &*judged.chosen_rows : nullptr;
  const std::size_t start = rows.row_in_file(0);
  const bool side_by_side = rows.row_in_file(count - 1) == start + count - 1;
  const auto part_of = [&](const TensorView& tensor) {
    if (side_by_side) return at_hand(tensor.rows_from(start, count));
    return gathered(tensor, RowNumbers(*rows.chosen).subspan(first, count));
  };
  take_parts(judged.value, judged.observed, part_of, rows);
  return rows;
}

CaseRows rows_after_another(const JudgedCase& judged, std::size_t first, std::size_t count) {
  const CaseRows all = rows_of(judged, first - 1, count + 1);
  const auto cut = [&](std::size_t from, std::size_t rows_taken) {
    CaseRows rows;
    rows.first = first - 1 + from;
    const auto part_of = [&](const TensorView& t) { return t.rows_from(from, rows_taken); };
    take_parts(all.value, all.observed, part_of, rows);
    return rows;
  };
  CaseRows rows = cut(1, count);
  rows.before = std::make_unique<CaseRows>(cut(0, 1));
  return rows;
}

JudgedCase rows_alone(const JudgedCase& judged, std::optional<std::vector<std::size_t>> rows) {
  JudgedCase some = judged;
  some.chosen_rows = std::move(rows);
  CaseRows part = rows_of(some, 0, rows_judged(some));
  some.chosen_rows.reset();
  some.value = std::move(part.value);
  some.observed = std::move(part.observed);
  return some;
}

}  // namespace normcert
