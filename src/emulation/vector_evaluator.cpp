#include "emulation/vector_evaluator.hpp"

#include <algorithm>
#include <array>

namespace normcert {
namespace {

// Elements of the tail at a time, and of rows that are kept until their scalars are known: they
// stay in the first cache.
constexpr std::size_t kTailElements = 1024;
constexpr std::size_t kKeptElements = 4096;
// Where sixteen rows are read for their sums: they stay in the second cache.
constexpr std::size_t kKeptInSecond = 65536;

// From how many rows on a whole batch of scalars is less work than one by one.
constexpr std::size_t kLeastBatch = 4;

AlignedFloats floats_of(const std::optional<HardwareMachine::Row>& row) {
  AlignedFloats values;
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

std::size_t units_kept(FloatSumLayout layout, std::size_t together, std::size_t group) {
  const bool all = layout == FloatSumLayout::kAcrossElements || together * group <= kKeptInSecond;
  return all ? together : 1;
}

std::size_t bytes_of(FloatStorage storage) { return storage == FloatStorage::kBinary32 ? 4 : 2; }

}  // namespace

VectorEvaluator::VectorEvaluator(const Recipe& recipe, const BlockInput& input)
    : VectorEvaluator(recipe, input, kRowsTogether) {}

VectorEvaluator VectorEvaluator::for_tails(const Recipe& recipe, const BlockInput& input) {
  return {recipe, input, 1};
}

VectorEvaluator::VectorEvaluator(const Recipe& recipe, const BlockInput& input,
                                 std::size_t most_units, RowView weight)
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
      layout_(float_sum_layout(recipe.statistic, evaluator_.extent().statistic)),
      tail_{operation_of(recipe.association, !gain_.empty()), formats_.between, formats_.output},
      gain_first_(gain_meets_scalar(recipe.association) && !gain_.empty()),
      together_(std::min(most_units, units_together(layout_, evaluator_.extent().group))),
      kept_(units_kept(layout_, together_, evaluator_.extent().group)),
      rows_(evaluator_.extent().group * kept_ + kReadBehind),
      numerator_rows_(recipe.residual == ResidualMode::kUnroundedStatistic && input.residual
                          ? rows_.size()
                          : 0),
      terms_rows_(terms_ == FloatTerms::kThemselves && keeps_all() ? rows_.size() : 0),
      other_(input.residual ? std::max(rows_.size(), kColumnsTogether) : 0),
      columns_(kept_ < together_ ? kRowsTogether * kColumnsTogether + kReadBehind : 0) {}

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
  const std::size_t units = input_.x.size() / evaluator_.extent().group;
  for (std::size_t first = 0; first < units; first += together_) {
    const std::size_t count = std::min(together_, units - first);
    if (keeps_all()) load_units(first, count, target.residual_out);
    const FloatRowSums scalars = tail_scalars(sums_of(first, count), count);
    if (keeps_all()) finish(first, count, scalars, target);
    for (std::size_t i = 0; i < count && !keeps_all(); ++i) {
      load_units(first + i, 1, target.residual_out);
      finish_one(unit(first + i), 0, scalars[i], target);
    }
  }
}

// Units lie one behind the other.
void VectorEvaluator::load_units(std::size_t first_unit, std::size_t units,
                                 std::byte* residual_out) {
  float* numerator = numerator_rows_.empty() ? nullptr : numerator_rows_.data();
  load(unit(first_unit), 0, units * evaluator_.extent().group, rows_.data(), numerator,
       residual_out);
}

std::size_t VectorEvaluator::element_of(const Unit& unit, std::size_t first) const {
  return unit.row * input_.x.width + unit.first + first;
}

void VectorEvaluator::load_tensor(const TensorView& tensor, FloatStorage storage,
                                  std::size_t element, std::size_t count, float* to) const {
  load_floats(storage, tensor.bytes.data() + element * bytes_of(storage), count, to);
  if (storage != formats_.input) round_floats(formats_.input, to, count);
}

void VectorEvaluator::load(const Unit& unit, std::size_t first, std::size_t count, float* statistic,
                           float* numerator, std::byte* residual_out) {
  const std::size_t element = element_of(unit, first);
  if (!input_.residual) return load_tensor(input_.x, formats_.x, element, count, statistic);
  const std::size_t byte = element * bytes_of(formats_.residual);
  std::byte* stored_sum = residual_out == nullptr ? nullptr : residual_out + byte;
  if (formats_.x == formats_.input && formats_.residual == formats_.input) {
    return add_codes(formats_.input, formats_.sum == formats_.input, input_.x.bytes.data() + byte,
                     input_.residual->bytes.data() + byte, count,
                     {statistic, numerator, stored_sum});
  }
  load_tensor(input_.x, formats_.x, element, count, statistic);
  float* other = other_.data();
  load_tensor(*input_.residual, formats_.residual, element, count, other);
  add_floats(statistic, other, count, statistic);
  round_floats(formats_.sum, statistic, count);
  if (numerator == nullptr && stored_sum == nullptr) return;
  float* rounded = numerator == nullptr ? other : numerator;
  std::copy_n(statistic, count, rounded);
  round_floats(formats_.input, rounded, count);
  if (stored_sum != nullptr) store_floats(formats_.residual, rounded, count, stored_sum);
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

void VectorEvaluator::finish(std::size_t first_unit, std::size_t units, const FloatRowSums& scalars,
                             const Target& target) const {
  if (units > 1 && stores_by_itself() && units * evaluator_.extent().group <= kKeptElements) {
    return finish_together(first_unit, units, scalars, target);
  }
  for (std::size_t i = 0; i < units; ++i) finish_one(unit(first_unit + i), i, scalars[i], target);
}

void VectorEvaluator::finish_together(std::size_t first_unit, std::size_t units,
                                      const FloatRowSums& scalars, const Target& target) const {
  const std::size_t group = evaluator_.extent().group;
  const std::size_t per_row = input_.x.width / group;
  const std::size_t row_bytes = group * bytes_of(formats_.output);
  const std::size_t offset = first_unit * row_bytes;
  const float* x = (numerator_rows_.empty() ? rows_ : numerator_rows_).data();
  const auto tails = [&](const float* w, std::size_t first, std::size_t count, std::byte* bytes) {
    const float* own = x + first * group;
    const TailSteps steps = gain_first_ ? TailSteps{0, group} : TailSteps{group, 0};
    const float* a = gain_first_ ? w : own;
    const float* b = gain_first_ ? own : w;
    store_tails(tail_, a, b, steps, scalars.data() + first, group, count,
                bytes + first * row_bytes);
  };
  const auto all_tails = [&](std::byte* bytes) {
    if (gain_.empty()) {
      store_tails(tail_, x, x, {group, group}, scalars.data(), group, units, bytes);
    } else if (per_row == 1) {
      tails(gain_.data(), 0, units, bytes);
    } else {
      for (std::size_t i = 0; i < units; ++i) {
        tails(gain_.data() + unit(first_unit + i).first, i, 1, bytes);
      }
    }
  };
  if (target.same == nullptr) return all_tails(target.y + offset);
  alignas(64) std::byte codes[kKeptElements * sizeof(float)];
  all_tails(codes);
  std::array<std::size_t, kRowsTogether> same{};
  count_same_codes(formats_.output, codes, target.got + offset, group, units, same.data());
  for (std::size_t i = 0; i < units; ++i) (*target.same)[(first_unit + i) / per_row] += same[i];
}

void VectorEvaluator::finish_one(const Unit& unit, std::size_t place, float scalar,
                                 const Target& target) const {
  const std::size_t group = evaluator_.extent().group;
  const float* numerator =
      (numerator_rows_.empty() ? rows_ : numerator_rows_).data() + place * group;
  const std::size_t element = bytes_of(formats_.output);
  for (std::size_t first = 0; first < group; first += kTailElements) {
    const std::size_t count = std::min(kTailElements, group - first);
    const float* x = numerator + first;
    const float* w = gain_.empty() ? x : gain_.data() + unit.first + first;
    const std::size_t offset = element_of(unit, first) * element;
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
  if (stores_by_itself()) {
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
