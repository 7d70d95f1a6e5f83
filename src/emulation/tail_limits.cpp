#include "emulation/tail_limits.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/row_evaluator.hpp"
#include "emulation/tail_demand.hpp"

namespace normcert {
namespace {

// Codes of positive numbers are ordered like the numbers.
constexpr std::uint32_t kLeastCode = 1;
constexpr std::uint32_t kGreatestCode =
    std::bit_cast<std::uint32_t>(std::numeric_limits<float>::max());

// The least code after `from` at which `holds`, which does not hold at `from` but does at `to` and
// at everything between once it does.
template <typename Predicate>
std::uint32_t first_where(std::uint32_t from, std::uint32_t to, Predicate holds) {
  while (to - from > 1) {
    const std::uint32_t middle = from + (to - from) / 2;
    (holds(middle) ? to : from) = middle;
  }
  return to;
}

template <typename Machine>
class TailRow {
 public:
  TailRow(const Recipe& recipe, const RowInput& input, const RowView& got)
      : input_(input),
        got_(got),
        divides_(divides_by_rms(recipe.association)),
        evaluator_(recipe, *input.x.format, input.weight ? &*input.weight : nullptr,
                   input.weight_offset, input.epsilon, input.x.size()),
        has_ends_(recipe.gate != GateMode::kNone &&
                  recipe.activation.exponential == Exponential::kAny),
        y_(got.bytes.size()),
        least_(has_ends_ ? got.bytes.size() : 0),
        residual_out_(input.residual ? input.residual->bytes.size() : 0) {}

  // Of the scalar: `greater` is an element that needs a greater one.
  Demand at(std::uint32_t code) {
    const double scalar{std::bit_cast<float>(code)};
    Demand demand;
    if (has_ends_) {
      run(scalar, ActivationEnd::kGreatest, y_);
      run(scalar, ActivationEnd::kLeast, least_);
      demand = demand_between(got_, {got_.format, least_}, {got_.format, y_});
    } else {
      run(scalar, ActivationEnd::kEmulated, y_);
      demand = demand_of(got_, {got_.format, y_});
    }
    if (divides_) std::swap(demand.greater, demand.smaller);
    return demand;
  }

  [[nodiscard]] bool divides() const { return divides_; }

 private:
  void run(double scalar, ActivationEnd end, std::vector<std::byte>& y) {
    evaluator_.run_tail({.x = input_.x,
                         .residual = input_.residual ? &*input_.residual : nullptr,
                         .gate = input_.gate ? &*input_.gate : nullptr},
                        scalar, y.data(), residual_out_.data(), end);
  }

  RowInput input_;
  RowView got_;
  bool divides_;
  RowEvaluator<Machine> evaluator_;
  bool has_ends_;  // of an activation that the recipe does not know to the last bit
  std::vector<std::byte> y_;
  std::vector<std::byte> least_;
  std::vector<std::byte> residual_out_;
};

template <typename Machine>
ElementLimits limits_of(const Recipe& recipe, const RowInput& input, const RowView& got,
                        std::size_t index) {
  RowInput one = input;
  one.x = input.x.part(index, 1);
  if (input.residual) one.residual = input.residual->part(index, 1);
  if (input.gate) one.gate = input.gate->part(index, 1);
  if (input.weight) one.weight = input.weight->part(index, 1);
  TailRow<Machine> element(recipe, one, got.part(index, 1));
  bool impossible = false;
  const auto at = [&](std::uint32_t code) {
    Demand demand = element.at(code);
    // An overflow times a gain of zero: y is too great.
    if (demand.unordered) (element.divides() ? demand.greater : demand.smaller) = 0;
    impossible = impossible || demand.impossible;
    return demand;
  };
  const auto reaches = [&](std::uint32_t code) { return !at(code).greater; };
  const auto exceeds = [&](std::uint32_t code) { return at(code).smaller.has_value(); };
  const ElementLimits none{index, std::nullopt};
  if (!reaches(kGreatestCode) || exceeds(kLeastCode)) return none;
  const std::uint32_t least =
      reaches(kLeastCode) ? kLeastCode : first_where(kLeastCode, kGreatestCode, reaches);
  const std::uint32_t greatest =
      !exceeds(kGreatestCode) ? kGreatestCode : first_where(kLeastCode, kGreatestCode, exceeds) - 1;
  if (impossible || least > greatest) return none;
  return {index, ScalarRange{std::bit_cast<float>(least), std::bit_cast<float>(greatest)}};
}

template <typename Machine>
std::vector<ElementLimits> search(const Recipe& recipe, const RowInput& input, const RowView& got,
                                  float low, float high) {
  TailRow<Machine> row(recipe, input, got);
  const auto first = std::bit_cast<std::uint32_t>(low);
  const auto last = std::bit_cast<std::uint32_t>(high);
  const Demand at_first = row.at(first);
  const Demand at_last = row.at(last);
  for (const Demand& demand : {at_first, at_last}) {
    if (demand.unordered) return {};
    if (!demand.impossible) continue;
    if (recipe.association == Association::kFmaXrWXr) return {};  // see TailFitter
    return {{*demand.impossible, std::nullopt}};
  }
  const auto limits = [&](std::size_t index) {
    return limits_of<Machine>(recipe, input, got, index);
  };
  if (at_last.greater) return {limits(*at_last.greater)};
  if (at_first.smaller) return {limits(*at_first.smaller)};
  if (!at_first.greater || !at_last.smaller) return {};  // an end explains the row
  const std::uint32_t enough =
      first_where(first, last, [&](std::uint32_t code) { return !row.at(code).greater; });
  const std::uint32_t too_much = first_where(
      first, last, [&](std::uint32_t code) { return row.at(code).smaller.has_value(); });
  const auto wants_more = row.at(enough - 1).greater;
  const auto wants_less = row.at(too_much).smaller;
  if (!wants_more || !wants_less || enough < too_much) return {};
  const ElementLimits above = limits(*wants_more);
  const ElementLimits below = limits(*wants_less);
  if (!above.scalars) return {above};
  if (!below.scalars) return {below};
  if (above.scalars->least <= below.scalars->greatest) return {};
  return {above, below};
}

}  // namespace

std::vector<ElementLimits> contradicting_elements(const Recipe& recipe, const RowInput& input,
                                                  const RowView& got, float low, float high) {
  return hardware_emulates(recipe) ? search<HardwareMachine>(recipe, input, got, low, high)
                                   : search<ExactMachine>(recipe, input, got, low, high);
}

}  // namespace normcert
