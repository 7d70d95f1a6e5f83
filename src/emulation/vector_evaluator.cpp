#include "emulation/vector_evaluator.hpp"

#include <algorithm>

namespace normcert {
namespace {

// Elements of the tail at a time, and of rows that are kept until their scalars are known: they
// stay in the first cache.
constexpr std::size_t kTailElements = 1024;
constexpr std::size_t kKeptElements = 4096;

// From how many rows on a whole batch of scalars is less work than one by one.
constexpr std::size_t kLeastBatch = 4;

std::vector<float> floats_of(const std::optional<HardwareMachine::Row>& row) {
  std::vector<float> values;
  if (!row) return values;
  values.reserve(row->size());
  for (const double value : row->values) values.push_back(static_cast<float>(value));
  return values;
}

const RowView* weight_of(const BlockInput& input, RowView& view) {
  if (!input.weight) return nullptr;
  view = {input.weight->format, input.weight->row_bytes(0)};
  return &view;
}

bool gain_meets_scalar(Association association) {
  return association == Association::kXTimesRw || association == Association::kWOverRmsX;
}

TailOperation operation_of(Association association, bool has_gain) {
  const bool divides = divides_by_rms(association);
  if (!has_gain) {
    // (1/rms) x: see tail_scalar().
    const bool scales = !divides || association == Association::kWOverRmsX;
    return scales ? TailOperation::kScale : TailOperation::kDivide;
  }
  if (association == Association::kXwThenR || association == Association::kXwOverRms) {
    return divides ? TailOperation::kMultiplyThenDivide : TailOperation::kMultiplyThenScale;
  }
  return divides ? TailOperation::kDivideThenMultiply : TailOperation::kScaleThenMultiply;
}

// Of numbers whose squares are rounded to `square`.
FloatTerms terms_of(const SummationOrder& order, FloatStorage square) {
  if (order.fma && has_fma(order.kind)) return FloatTerms::kFusedSquares;
  return square == FloatStorage::kBinary32 ? FloatTerms::kSquares : FloatTerms::kThemselves;
}

std::size_t units_together(FloatSumLayout layout, std::size_t group) {
  if (layout == FloatSumLayout::kAcrossRows) return kRowsTogether;
  return std::clamp(kKeptElements / std::max<std::size_t>(group, 1), std::size_t{1}, kRowsTogether);
}

std::size_t bytes_of(FloatStorage storage) { return storage == FloatStorage::kBinary32 ? 4 : 2; }

}  // namespace

VectorEvaluator::VectorEvaluator(const Recipe& recipe, const BlockInput& input)
    : VectorEvaluator(recipe, input, RowView{}) {}

VectorEvaluator::VectorEvaluator(const Recipe& recipe, const BlockInput& input, RowView weight)
    : recipe_(recipe),
      input_(input),
      evaluator_(recipe, *input.x.format, weight_of(input, weight), input.weight_offset,
                 input.epsilon, input.x.width),
      machine_(recipe.flush),
      batch_step_(batch_, recipe, evaluator_.formats(), input.epsilon,
                  evaluator_.extent().statistic),
      gain_(floats_of(evaluator_.gain())),
      formats_(vector_formats(recipe, input).value()),
      terms_(terms_of(recipe.statistic.order, formats_.square)),
      layout_(float_sum_layout(recipe.statistic)),
      tail_{operation_of(recipe.association, !gain_.empty()), formats_.between, formats_.output},
      gain_first_(gain_meets_scalar(recipe.association) && !gain_.empty()),
      together_(units_together(layout_, evaluator_.extent().group)),
      rows_(evaluator_.extent().group * (layout_ == FloatSumLayout::kAcrossRows ? 1 : together_)),
      numerator_rows_(recipe.residual == ResidualMode::kUnroundedStatistic && input.residual
                          ? rows_.size()
                          : 0),
      terms_row_(terms_ == FloatTerms::kThemselves ? evaluator_.extent().statistic : 0),
      other_(input.residual ? std::max(evaluator_.extent().group, kColumnsTogether) : 0) {}

void VectorEvaluator::emulate(std::byte* y, std::byte* residual_out) {
  run({.y = y, .residual_out = residual_out});
}

void VectorEvaluator::count_same(const std::byte* got, std::vector<std::size_t>& same) {
  run({.got = got, .same = &same});
}

VectorEvaluator::Unit VectorEvaluator::unit(std::size_t index) const {
  const std::size_t group = evaluator_.extent().group;
  const std::size_t per_row = input_.x.width / group;
  return {index / per_row, index % per_row * group};
}

void VectorEvaluator::run(const Target& target) {
  if (input_.x.size() == 0) return;
  const std::size_t group = evaluator_.extent().group;
  const std::size_t units = input_.x.size() / group;
  const bool across_rows = layout_ == FloatSumLayout::kAcrossRows;
  for (std::size_t first = 0; first < units; first += together_) {
    const std::size_t count = std::min(together_, units - first);
    FloatRowSums sums{};
    if (across_rows) sums = sums_across_rows(first, count);
    for (std::size_t i = 0; i < count && !across_rows; ++i) {
      load_row(unit(first + i), i, target.residual_out);
      sums[i] = sum_of(rows_.data() + i * group);
    }
    const FloatRowSums scalars = tail_scalars(sums, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (across_rows) load_row(unit(first + i), 0, target.residual_out);
      finish(unit(first + i), across_rows ? 0 : i, scalars[i], target);
    }
  }
}

void VectorEvaluator::load_row(const Unit& unit, std::size_t place, std::byte* residual_out) {
  const std::size_t group = evaluator_.extent().group;
  float* numerator = numerator_rows_.empty() ? nullptr : numerator_rows_.data() + place * group;
  load(unit, 0, group, rows_.data() + place * group, numerator, residual_out);
}

void VectorEvaluator::load_tensor(const TensorView& tensor, FloatStorage storage, const Unit& unit,
                                  std::size_t first, std::size_t count, float* to) const {
  const std::size_t element = unit.row * tensor.width + unit.first + first;
  load_floats(storage, tensor.bytes.data() + element * bytes_of(storage), count, to);
  if (storage != formats_.input) round_floats(formats_.input, to, count);
}

void VectorEvaluator::load(const Unit& unit, std::size_t first, std::size_t count, float* statistic,
                           float* numerator, std::byte* residual_out) {
  load_tensor(input_.x, formats_.x, unit, first, count, statistic);
  if (!input_.residual) return;
  float* other = other_.data();
  load_tensor(*input_.residual, formats_.residual, unit, first, count, other);
  add_floats(statistic, other, count, statistic);
  round_floats(formats_.sum, statistic, count);
  if (numerator == nullptr && residual_out == nullptr) return;
  const float* stored = statistic;
  if (formats_.sum != formats_.input || numerator != nullptr) {
    float* rounded = numerator == nullptr ? other : numerator;
    std::copy_n(statistic, count, rounded);
    round_floats(formats_.input, rounded, count);
    stored = rounded;
  }
  if (residual_out == nullptr) return;
  const std::size_t element = unit.row * input_.x.width + unit.first + first;
  store_floats(formats_.residual, stored, count,
               residual_out + element * bytes_of(formats_.residual));
}

float VectorEvaluator::sum_of(const float* row) {
  const std::size_t count = evaluator_.extent().statistic;
  if (terms_ == FloatTerms::kThemselves) {
    square_floats(formats_.square, row, count, terms_row_.data());
    row = terms_row_.data();
  }
  return sum_in_lanes(recipe_.statistic.order, terms_, row, count, partial_sums_);
}

void VectorEvaluator::load_columns(std::size_t first_unit, std::size_t units, std::size_t first,
                                   std::size_t count) {
  for (std::size_t i = 0; i < units; ++i) {
    float* row = columns_.data() + i * kColumnsTogether;
    load(unit(first_unit + i), first, count, row, nullptr, nullptr);
    if (terms_ == FloatTerms::kThemselves) square_floats(formats_.square, row, count, row);
  }
}

FloatRowSums VectorEvaluator::sums_across_rows(std::size_t first_unit, std::size_t units) {
  const std::size_t count = evaluator_.extent().statistic;
  const bool compensated = recipe_.statistic.accumulate == Accumulation::kKahan;
  if (!compensated && recipe_.statistic.order.kind != OrderKind::kSequential) {
    return pairwise(first_unit, units, 0, count);
  }
  FloatRowSums sums{};
  FloatRowSums compensations{};
  for (std::size_t first = 0; first < count; first += kColumnsTogether) {
    const std::size_t columns = std::min(kColumnsTogether, count - first);
    load_columns(first_unit, units, first, columns);
    if (compensated) {
      add_compensated(terms_, columns_, columns, sums, compensations);
    } else {
      add_in_order(terms_, columns_, columns, sums);
    }
  }
  return sums;
}

// The halves of OrderedSum::pairwise; from kColumnsTogether elements down sum_pairwise does them.
FloatRowSums VectorEvaluator::pairwise(std::size_t first_unit, std::size_t units, std::size_t first,
                                       std::size_t end) {
  const SummationOrder& order = recipe_.statistic.order;
  const std::size_t base = order.kind == OrderKind::kAny ? 8 : static_cast<std::size_t>(order.base);
  const std::size_t count = end - first;
  if (count <= kColumnsTogether) {
    load_columns(first_unit, units, first, count);
    return sum_pairwise(terms_, columns_, count, base);
  }
  if (count <= base) {
    FloatRowSums sums{};
    for (std::size_t from = first; from < end; from += kColumnsTogether) {
      const std::size_t columns = std::min(kColumnsTogether, end - from);
      load_columns(first_unit, units, from, columns);
      add_in_order(terms_, columns_, columns, sums);
    }
    return sums;
  }
  const std::size_t middle = first + count / 2;
  FloatRowSums sums = pairwise(first_unit, units, first, middle);
  const FloatRowSums high = pairwise(first_unit, units, middle, end);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += high[i];
  return sums;
}

FloatRowSums VectorEvaluator::tail_scalars(const FloatRowSums& sums, std::size_t units) const {
  const StepFormats& formats = evaluator_.formats();
  const FloatFormat& compute = *formats.compute;
  const bool inverts = recipe_.association == Association::kWOverRmsX && gain_.empty();
  FloatRowSums scalars{};
  if (units < kLeastBatch) {
    for (std::size_t i = 0; i < units; ++i) {
      HardwareMachine::Scalar scalar =
          evaluator_.scalar_step().scalar_of_sum({sums[i], formats.accumulate});
      if (inverts) scalar = machine_.divide(machine_.constant(1, compute), scalar, compute);
      scalars[i] = static_cast<float>(scalar.value);
    }
    return scalars;
  }
  ScalarBatch::Scalar batch{{}, formats.accumulate};
  std::copy(sums.begin(), sums.end(), batch.values.begin());
  batch = batch_step_.scalar_of_sum(batch);
  if (inverts) batch = batch_.divide(batch_.constant(1, compute), batch, compute);
  for (std::size_t i = 0; i < units; ++i) scalars[i] = static_cast<float>(batch.values[i]);
  return scalars;
}

void VectorEvaluator::finish(const Unit& unit, std::size_t place, float scalar,
                             const Target& target) const {
  const std::size_t group = evaluator_.extent().group;
  const float* numerator =
      (numerator_rows_.empty() ? rows_ : numerator_rows_).data() + place * group;
  const std::size_t start = unit.row * input_.x.width + unit.first;
  const std::size_t element = bytes_of(formats_.output);
  for (std::size_t first = 0; first < group; first += kTailElements) {
    const std::size_t count = std::min(kTailElements, group - first);
    const float* x = numerator + first;
    const float* w = gain_.empty() ? x : gain_.data() + unit.first + first;
    const std::size_t offset = (start + first) * element;
    if (target.same == nullptr) {
      tail(x, w, scalar, count, target.y + offset);
      continue;
    }
    alignas(64) std::byte codes[kTailElements * sizeof(float)];
    tail(x, w, scalar, count, codes);
    (*target.same)[unit.row] +=
        count_same_codes(formats_.output, codes, target.got + offset, count);
  }
}

void VectorEvaluator::front_of_taken(float scalar, std::size_t count, std::byte* y) const {
  if (recipe_.association == Association::kWOverRmsX && gain_.empty()) scalar = inverted(scalar);
  const float* numerator = (numerator_rows_.empty() ? rows_ : numerator_rows_).data();
  for (std::size_t first = 0; first < count; first += kTailElements) {
    const float* x = numerator + first;
    const float* w = gain_.empty() ? x : gain_.data() + first;
    tail(x, w, scalar, std::min(kTailElements, count - first),
         y + first * bytes_of(formats_.output));
  }
}

float VectorEvaluator::inverted(float scalar) const {
  const FloatFormat& compute = *evaluator_.formats().compute;
  const HardwareMachine::Scalar rms = machine_.constant(scalar, compute);
  return static_cast<float>(machine_.divide(machine_.constant(1, compute), rms, compute).value);
}

void VectorEvaluator::tail(const float* x, const float* w, float scalar, std::size_t count,
                           std::byte* y) const {
  const float* a = gain_first_ ? w : x;
  const float* b = gain_first_ ? x : w;
  // The last operation rounds to the output's format by itself, or to a wider one.
  if (formats_.result == formats_.output || formats_.result == FloatStorage::kBinary32) {
    return store_tail(tail_, a, b, scalar, count, y);
  }
  alignas(64) float values[kTailElements];
  FloatTail wide = tail_;
  wide.output = FloatStorage::kBinary32;
  store_tail(wide, a, b, scalar, count, reinterpret_cast<std::byte*>(values));
  round_floats(formats_.result, values, count);
  store_floats(formats_.output, values, count, y);
}

}  // namespace normcert
