#include "judge/conformity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "emulation/tail_fit.hpp"
#include "emulation/tail_limits.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
// The two ends of the sum and a few roundings: far below a unit of binary32.
constexpr double kRound = 0x1p-50;

RowView row_view(const TensorView& tensor, std::size_t row) {
  return {tensor.format, tensor.row_bytes(row)};
}

bool has_unrounded_statistic(const Recipe& recipe) {
  return recipe.residual == ResidualMode::kUnrounded ||
         recipe.residual == ResidualMode::kUnroundedStatistic;
}

// The row whose mean square the recipe takes, as a case of one row: x, x + residual exactly, or
// that sum rounded to the input's format.
Case normalised_row(const Recipe& recipe, const Case& value, std::size_t row) {
  Case one = value;
  one.x = value.x.rows_from(row, 1);
  if (!value.residual) return one;
  one.residual = value.residual->rows_from(row, 1);
  if (has_unrounded_statistic(recipe)) return one;
  Tensor sum(*value.x.format, 1, value.x.width);
  for (std::size_t i = 0; i < value.x.width; ++i) {
    const BigDyadic exact =
        BigDyadic(decode(one.x.at(0, i))) + BigDyadic(decode(one.residual->at(0, i)));
    sum.set(0, i, round(exact.sign() < 0, leading_bits(exact), *value.x.format));
  }
  one.x = std::move(sum).share();
  one.residual.reset();
  return one;
}

// The same place and activation, or no gate in both.
bool uses_gate_of(const Case& value, const Recipe& recipe) {
  if (!value.gate) return recipe.gate == GateMode::kNone;
  return recipe.gate == value.gate->mode && recipe.activation.kind == value.gate->activation;
}

float outward(double value, bool up) {
  const auto nearest = static_cast<float>(value);
  if (up ? nearest >= value : nearest <= value) return nearest;
  return std::nextafter(nearest, up ? std::numeric_limits<float>::infinity() : 0.0F);
}

// *Upper bound* of the relative error of the root and its reciprocal, without steps that round to
// a narrower format. An ulp is at most 2 u. A Newton step squares the error, three halves of it at
// most to first order, and its own operations add less than 4 u.
double root_error(const RootStep& root) {
  if (root.kind != RootKind::kRsqrtApprox) return 2 * kUnit;
  double error = 2 * kUnit * root.max_ulp;
  for (int i = 0; i < root.newton_steps; ++i) error = 2 * error * error + 4 * kUnit;
  return error;
}

// An estimate worse than the 12 digits of the least exact instructions says too little.
constexpr double kGreatestRootError = 0x1p-11;

}  // namespace

bool has_binary32_statistic(const Recipe& recipe) {
  const StatisticStep& statistic = recipe.statistic;
  return recipe.convert_inputs == InputConversion::kNone &&
         recipe.compute != ComputeFormat::kBinary64 && recipe.before == PreStep::kNone &&
         statistic.kind == StatisticKind::kMeanSquare && !statistic.group &&
         statistic.square != StepFormat::kInput && statistic.accumulate != Accumulation::kInput &&
         recipe.epsilon.position == EpsilonPosition::kInside &&
         recipe.epsilon.dtype != StepFormat::kInput &&
         root_error(recipe.root) <= kGreatestRootError &&
         recipe.statistic_rounding == StatisticRounding::kNone &&
         recipe.cast != CastPoint::kEveryOp && recipe.flush == FlushMode::kNone;
}

RowConformity::RowConformity(const Case& value, std::size_t row)
    : value_(value), row_(row), sum_of_squares_(row_sums(value, row, 1).front()) {}

void RowConformity::enclose(const Recipe& recipe, Scalar& scalar) const {
  RowSum sum_of_squares = sum_of_squares_;
  if (value_.residual) {
    sum_of_squares = row_sums(normalised_row(recipe, value_, row_), 0, 1).front();
    if (!sum_of_squares.finite) return;  // x + residual overflows its format
  }
  enclose_between(sum_of_squares.low, sum_of_squares.high, scalar);
}

void RowConformity::enclose_between(double low, double high, Scalar& scalar) const {
  const auto n = static_cast<double>(value_.x.width);
  if (!std::isfinite(high)) return;
  // Squares below 2^-126 are rounded with an absolute error; sums above 2^127 overflow.
  if (high > 0x1p127 || (high != 0 && high < n * 0x1p-100)) return;
  const auto inverse_rms = [&](double squares) {
    return 1 / std::sqrt(squares / n + value_.epsilon.binary64);
  };
  scalar.decidable = true;
  scalar.least = inverse_rms(high) * (1 - kRound);
  scalar.greatest = inverse_rms(low) * (1 + kRound);
}

RowConformity::Scalar RowConformity::gated_scalar(const Recipe& recipe,
                                                  const RowInput& input) const {
  Case ends;
  const auto sum_at = [&](ActivationEnd end) {
    ends.x = gated_row(recipe, input, end).share();
    return row_sums(ends, 0, 1).front();
  };
  const RowSum least = sum_at(ActivationEnd::kLeast);
  const RowSum greatest = sum_at(ActivationEnd::kGreatest);
  Scalar scalar;
  if (least.finite && greatest.finite) enclose_between(least.low, greatest.high, scalar);
  return scalar;
}

RowInput RowConformity::row_input() const {
  RowInput input{.x = row_view(value_.x, row_),
                 .residual = {},
                 .gate = {},
                 .weight = {},
                 .weight_offset = value_.weight_offset.binary64,
                 .epsilon = value_.epsilon.binary64};
  if (value_.residual) input.residual = row_view(*value_.residual, row_);
  if (value_.gate) input.gate = row_view(value_.gate->values, row_);
  if (value_.weight) input.weight = row_view(*value_.weight, 0);
  return input;
}

const RowConformity::Scalar& RowConformity::exact_scalar(const Recipe& recipe) {
  Scalar& scalar = scalars_[value_.residual && has_unrounded_statistic(recipe) ? 1 : 0];
  if (!scalar.known) enclose(recipe, scalar);
  scalar.known = true;
  return scalar;
}

Tristate RowConformity::prepare(const Recipe& recipe, const TensorView& got, Question& question) {
  const auto n = static_cast<double>(value_.x.width);
  if (!has_binary32_statistic(recipe) || !uses_gate_of(value_, recipe) ||
      value_.x.format->precision > kFp32.precision || (n + 2) * kUnit >= 0.25 ||
      !sum_of_squares_.finite ||
      (value_.residual && !(*value_.residual->format == *value_.x.format))) {
    return Tristate::kUndecided;
  }
  const FloatFormat* weight = value_.weight ? value_.weight->format : nullptr;
  if (!(emulated_format(recipe, *value_.x.format, weight) == *got.format)) {
    return Tristate::kDiffers;
  }
  question.input = row_input();
  const bool gated_before = recipe.gate == GateMode::kBefore;
  const Scalar exact = gated_before ? gated_scalar(recipe, question.input) : exact_scalar(recipe);
  if (!exact.decidable) return Tristate::kUndecided;
  const double beta = (n + 2) * kUnit / (1 - (n + 2) * kUnit) / 2 + 4 * kUnit +
                      std::max(4 * kUnit, root_error(recipe.root));
  const bool divides = divides_by_rms(recipe.association);
  const double least = divides ? 1 / exact.greatest * (1 - kRound) : exact.least;
  const double greatest = divides ? 1 / exact.least * (1 + kRound) : exact.greatest;
  question.low = outward(least * (1 - beta), false);
  question.high = outward(greatest * (1 + beta), true);
  if (!(question.low > 0) || !std::isfinite(question.high)) return Tristate::kUndecided;
  return Tristate::kSame;
}

Tristate RowConformity::conforms(const Recipe& recipe, const TensorView& got,
                                 std::optional<TailFitter>& fitter) {
  Question question;
  if (const Tristate known = prepare(recipe, got, question); known != Tristate::kSame) return known;
  if (!fitter) fitter.emplace(recipe, block_input(value_));
  switch (fitter->fit(row_, row_view(got, row_), question.low, question.high)) {
    case TailFit::kReproduced:
      return Tristate::kSame;
    case TailFit::kRefuted:
      return Tristate::kDiffers;
    case TailFit::kUndecided:
      break;
  }
  return Tristate::kUndecided;
}

std::optional<Contradiction> RowConformity::contradiction(const Recipe& recipe,
                                                          const TensorView& got) {
  Question question;
  if (prepare(recipe, got, question) != Tristate::kSame) return std::nullopt;
  Contradiction found{.of_rms = divides_by_rms(recipe.association),
                      .allowed = {question.low, question.high},
                      .elements = {}};
  for (const ElementLimits& limits : contradicting_elements(
           recipe, question.input, row_view(got, row_), question.low, question.high)) {
    const std::size_t i = limits.index;
    ConstrainedElement& element = found.elements.emplace_back();
    element.index = i;
    element.x = value_.x.at(row_, i);
    if (value_.residual) element.residual = value_.residual->at(row_, i);
    if (value_.weight) element.weight = value_.weight->at(0, i);
    element.got = got.at(row_, i);
    element.scalars = limits.scalars;
  }
  return found.elements.empty() ? std::nullopt : std::optional(std::move(found));
}

Tristate row_conforms(const Recipe& recipe, const Case& value, std::size_t row,
                      const TensorView& got) {
  std::optional<TailFitter> fitter;
  return RowConformity(value, row).conforms(recipe, got, fitter);
}

}  // namespace normcert
