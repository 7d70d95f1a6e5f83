#include "emulation/tail_fit.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/row_evaluator.hpp"
#include "emulation/tail_demand.hpp"

namespace normcert {
namespace {

template <typename Machine>
TailFit search(const Recipe& recipe, const RowInput& input, const RowView& got, float low,
               float high) {
  const RowEvaluator<Machine> evaluator(recipe, *input.x.format,
                                        input.weight ? &*input.weight : nullptr,
                                        input.weight_offset, input.epsilon, input.x.size());
  std::vector<std::byte> y(got.bytes.size());
  std::vector<std::byte> residual_out(input.residual ? input.residual->bytes.size() : 0);
  // Codes of positive numbers are ordered like the numbers.
  auto first = std::bit_cast<std::uint32_t>(low);
  auto last = std::bit_cast<std::uint32_t>(high);
  const bool divides = divides_by_rms(recipe.association);
  // From the middle outward in growing steps: most scalars are a few codes from the exact one, the
  // interval spans thousands.
  std::uint32_t probe = first + (last - first) / 2;
  std::uint32_t step = 1;
  bool up = false;
  bool turned = false;
  for (bool at_first = true; first <= last; at_first = false) {
    const float scalar = std::bit_cast<float>(probe);
    evaluator.run_tail(input.x, input.residual ? &*input.residual : nullptr, double{scalar},
                       y.data(), residual_out.data());
    const Demand demand = demand_of(got, {got.format, y});
    if (demand.unordered) return TailFit::kUndecided;
    if (demand.impossible) {
      // x r w + x r may change its sign with r, where it underflows; elsewhere signs are fixed.
      return recipe.association == Association::kFmaXrWXr ? TailFit::kUndecided : TailFit::kRefuted;
    }
    if (demand.greater && demand.smaller) return TailFit::kRefuted;
    if (!demand.greater && !demand.smaller) return TailFit::kReproduced;
    const bool goes_up = demand.greater.has_value() != divides;
    turned = turned || (!at_first && goes_up != up);
    up = goes_up;
    (up ? first : last) = up ? probe + 1 : probe - 1;
    if (first > last) break;
    const std::uint32_t half = (last - first) / 2;
    if (turned) {
      probe = first + half;
    } else {
      const std::uint32_t stride = std::min(step - 1, half);
      probe = up ? first + stride : last - stride;
      step *= 2;
    }
  }
  return TailFit::kRefuted;
}

TailFit search_on(const Recipe& recipe, const RowInput& input, const RowView& got, float low,
                  float high) {
  return hardware_emulates(recipe) ? search<HardwareMachine>(recipe, input, got, low, high)
                                   : search<ExactMachine>(recipe, input, got, low, high);
}

// The first elements of a row with what belongs to them.
RowInput front_of(const RowInput& input, std::size_t count) {
  RowInput front = input;
  front.x = input.x.part(0, count);
  if (input.residual) front.residual = input.residual->part(0, count);
  if (input.weight) front.weight = input.weight->part(0, count);
  return front;
}

}  // namespace

TailFit fit_tail(const Recipe& recipe, const RowInput& input, const RowView& got, float low,
                 float high) {
  // What rounds elsewhere shows it within a few dozen elements; a scalar that the whole row has in
  // common is common to its front.
  constexpr std::size_t kFront = 256;
  if (got.size() >= 2 * kFront) {
    const TailFit front =
        search_on(recipe, front_of(input, kFront), got.part(0, kFront), low, high);
    if (front == TailFit::kRefuted) return front;
  }
  return search_on(recipe, input, got, low, high);
}

}  // namespace normcert
