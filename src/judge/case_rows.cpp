#include "judge/case_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace normcert {
namespace {

using RowNumbers = std::span<const std::size_t>;

TensorView gathered(const TensorView& tensor, RowNumbers rows) {
  Tensor copy(*tensor.format, rows.size(), tensor.width);
  std::byte* target = copy.bytes.data();
  for (const std::size_t row : rows) {
    const std::span<const std::byte> bytes = tensor.row_bytes(row);
    target = std::ranges::copy(bytes, target).out;
  }
  return std::move(copy).share();
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
    if (side_by_side) return tensor.rows_from(start, count);
    return gathered(tensor, RowNumbers(*rows.chosen).subspan(first, count));
  };
  const auto part_of_any = [&](const std::optional<TensorView>& tensor) {
    return tensor ? std::optional(part_of(*tensor)) : std::nullopt;
  };
  const Case& whole = judged.value;
  rows.value.id = whole.id;
  rows.value.class_name = whole.class_name;
  rows.value.site = whole.site;
  rows.value.place = whole.place;
  rows.value.x = part_of(whole.x);
  rows.value.residual = part_of_any(whole.residual);
  rows.value.weight = whole.weight;
  rows.value.weight_none = whole.weight_none;
  rows.value.weight_offset = whole.weight_offset;
  rows.value.weight_offset_given = whole.weight_offset_given;
  rows.value.epsilon = whole.epsilon;
  rows.value.output = whole.output;
  if (judged.observed) {
    rows.observed =
        Outputs{part_of_any(judged.observed->y), part_of_any(judged.observed->residual_out)};
  }
  return rows;
}

}  // namespace normcert
