#include "emulation/tail_fit.hpp"

#include <bit>
#include <cstdint>
#include <vector>

#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/row_evaluator.hpp"

namespace normcert {
namespace {

// What the elements of a row ask for at one scalar.
struct Demand {
  bool greater = false;     // some |y| is too small
  bool smaller = false;     // some |y| is too great
  bool impossible = false;  // an element of the other sign, which no scalar gives
  bool unordered = false;   // NaN: says nothing about the scalar
};

Demand demand_of(const RowView& got, const RowView& y) {
  Demand demand;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Code wanted = got.at(i);
    const Code found = y.at(i);
    if (same_bits(wanted, found)) continue;
    // The sign of a zero is no matter of rounding; level bits counts it.
    if (wanted.magnitude() == 0 && found.magnitude() == 0) continue;
    if (is_nan(wanted) || is_nan(found)) {
      demand.unordered = true;
    } else if (wanted.negative() != found.negative() && wanted.magnitude() != 0 &&
               found.magnitude() != 0) {
      demand.impossible = true;
    } else if (found.magnitude() < wanted.magnitude()) {
      demand.greater = true;
    } else {
      demand.smaller = true;
    }
  }
  return demand;
}

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
  while (first <= last) {
    const std::uint32_t middle = first + (last - first) / 2;
    const float scalar = std::bit_cast<float>(middle);
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
    if (demand.greater != divides) {
      first = middle + 1;
    } else {
      last = middle - 1;
    }
  }
  return TailFit::kRefuted;
}

}  // namespace

TailFit fit_tail(const Recipe& recipe, const RowInput& input, const RowView& got, float low,
                 float high) {
  return hardware_emulates(recipe) ? search<HardwareMachine>(recipe, input, got, low, high)
                                   : search<ExactMachine>(recipe, input, got, low, high);
}

}  // namespace normcert
