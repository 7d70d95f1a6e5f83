#include "emulation/tail_fit.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/row_evaluator.hpp"
#include "emulation/tail_demand.hpp"
#include "emulation/vector_evaluator.hpp"
#include "numeric/double_double.hpp"

namespace normcert {
namespace {

// What rounds elsewhere shows it within a few dozen elements; a scalar that the whole row has in
// common is common to its front.
constexpr std::size_t kFront = 256;

RowView row_view(const TensorView& tensor, std::size_t row) {
  return {tensor.format, tensor.row_bytes(row)};
}

// Where the evaluator finds the weight's row while it is built.
struct WeightRow {
  explicit WeightRow(const BlockInput& input) {
    if (input.weight) view = row_view(*input.weight, 0);
  }
  [[nodiscard]] const RowView* get() const { return view ? &*view : nullptr; }
  std::optional<RowView> view;
};

template <typename Machine>
class StepwiseTail {
 public:
  StepwiseTail(const Recipe& recipe, const BlockInput& input)
      : StepwiseTail(recipe, input, WeightRow(input)) {}

  void take_row(std::size_t row) {
    x_ = row_view(input_.x, row);
    if (input_.residual) residual_ = row_view(*input_.residual, row);
    if (input_.gate) gate_ = row_view(*input_.gate, row);
  }
  // The first `count` elements of y, were this the row's scalar.
  void front(float scalar, std::size_t count, std::byte* y,
             ActivationEnd end = ActivationEnd::kEmulated) {
    std::optional<RowView> residual;
    std::optional<RowView> gate;
    if (residual_) residual = residual_->part(0, count);
    if (gate_) gate = gate_->part(0, count);
    evaluator_.run_tail({.x = x_.part(0, count),
                         .residual = residual ? &*residual : nullptr,
                         .gate = gate ? &*gate : nullptr},
                        double{scalar}, y, residual_out_.data(), end);
  }

 private:
  StepwiseTail(const Recipe& recipe, const BlockInput& input, const WeightRow& weight)
      : input_(input),
        evaluator_(recipe, *input.x.format, weight.get(), input.weight_offset, input.epsilon,
                   input.x.width),
        residual_out_(input.residual ? input.residual->row_bytes(0).size() : 0) {}

  const BlockInput& input_;
  RowEvaluator<Machine> evaluator_;
  RowView x_{};
  std::optional<RowView> residual_;
  std::optional<RowView> gate_;
  std::vector<std::byte> residual_out_;
};

class VectorTail {
 public:
  VectorTail(const Recipe& recipe, const BlockInput& input)
      : evaluator_(VectorEvaluator::for_tails(recipe, input)) {}
  void take_row(std::size_t row) { evaluator_.take_row(row); }
  // Vectors have no recipe with a gate.
  void front(float scalar, std::size_t count, std::byte* y, ActivationEnd /*end*/ = {}) {
    evaluator_.front_of_taken(scalar, count, y);
  }

 private:
  VectorEvaluator evaluator_;
};

}  // namespace

// The tail on a machine that can run it.
class TailFitter::Tail {
 public:
  // `input` must outlive it; its rows may be replaced.
  Tail(const Recipe& recipe, const BlockInput& input)
      : recipe_(recipe), machine_(machine_for(recipe, input)) {}

  TailFit search(std::size_t row, const RowView& got, float low, float high);

 private:
  using Machine =
      std::variant<std::unique_ptr<VectorTail>, std::unique_ptr<StepwiseTail<HardwareMachine>>,
                   std::unique_ptr<StepwiseTail<ExactMachine>>>;

  static Machine machine_for(const Recipe& recipe, const BlockInput& input) {
    if (vectors_emulate(recipe, input) && arithmetic_is_default()) {
      return std::make_unique<VectorTail>(recipe, input);
    }
    if (hardware_emulates(recipe)) {
      return std::make_unique<StepwiseTail<HardwareMachine>>(recipe, input);
    }
    return std::make_unique<StepwiseTail<ExactMachine>>(recipe, input);
  }

  // An activation that the recipe does not know to the last bit has two ends.
  [[nodiscard]] bool has_ends() const {
    return recipe_.gate != GateMode::kNone && recipe_.activation.exponential == Exponential::kAny;
  }

  void run(const RowView& got, float scalar, ActivationEnd end, std::vector<std::byte>& y) {
    y.resize(got.bytes.size());
    std::visit([&](auto& machine) { machine->front(scalar, got.size(), y.data(), end); }, machine_);
  }

  Demand demand_at(const RowView& got, float scalar) {
    if (!has_ends()) {
      run(got, scalar, ActivationEnd::kEmulated, y_);
      return demand_of(got, {got.format, y_});
    }
    run(got, scalar, ActivationEnd::kGreatest, y_);
    run(got, scalar, ActivationEnd::kLeast, least_);
    return demand_between(got, {got.format, least_}, {got.format, y_});
  }

  const Recipe& recipe_;
  Machine machine_;
  std::vector<std::byte> y_;
  std::vector<std::byte> least_;
};

// Of the fronts of rows there is a machine of its own: most recipes that do not fit are refuted
// there, and never form the gain of a whole row.
struct TailFitter::Tails {
  Tails(const Recipe& its_recipe, BlockInput its_input)
      : recipe(its_recipe), input(std::move(its_input)) {}

  TailFit fit(std::size_t row, const RowView& got, float low, float high) {
    // Of a front that short, a fraction may be no element.
    if (got.size() >= 2 * kFront && !recipe.statistic.fraction) {
      take_front(row);
      if (!of_front) of_front.emplace(recipe, front);
      const TailFit fit = of_front->search(0, got.part(0, kFront), low, high);
      if (fit == TailFit::kRefuted) return fit;
    }
    if (!of_rows) of_rows.emplace(recipe, input);
    return of_rows->search(row, got, low, high);
  }

  void take_front(std::size_t row) {
    const auto part = [](const TensorView& tensor, std::size_t from) {
      const RowView view = row_view(tensor, from).part(0, kFront);
      return TensorView{.format = view.format, .rows = 1, .width = kFront, .bytes = view.bytes};
    };
    front.x = part(input.x, row);
    if (input.residual) front.residual = part(*input.residual, row);
    if (input.gate) front.gate = part(*input.gate, row);
    if (input.weight) front.weight = part(*input.weight, 0);
    front.weight_offset = input.weight_offset;
    front.epsilon = input.epsilon;
  }

  const Recipe& recipe;
  BlockInput input;
  BlockInput front;  // of the row that is asked about
  std::optional<Tail> of_front;
  std::optional<Tail> of_rows;
};

TailFit TailFitter::Tail::search(std::size_t row, const RowView& got, float low, float high) {
  std::visit([&](auto& machine) { machine->take_row(row); }, machine_);
  // Codes of positive numbers are ordered like the numbers.
  auto first = std::bit_cast<std::uint32_t>(low);
  auto last = std::bit_cast<std::uint32_t>(high);
  const bool divides = divides_by_rms(recipe_.association);
  // From the middle outward in growing steps: most scalars are a few codes from the exact one, the
  // interval spans thousands.
  std::uint32_t probe = first + (last - first) / 2;
  std::uint32_t step = 1;
  bool up = false;
  bool turned = false;
  for (bool at_first = true; first <= last; at_first = false) {
    const Demand demand = demand_at(got, std::bit_cast<float>(probe));
    if (demand.unordered) return TailFit::kUndecided;
    if (demand.impossible) {
      // x r w + x r may change its sign with r, where it underflows; elsewhere signs are fixed.
      return recipe_.association == Association::kFmaXrWXr ? TailFit::kUndecided
                                                           : TailFit::kRefuted;
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

TailFitter::TailFitter(const Recipe& recipe, BlockInput input)
    : tails_(std::make_unique<Tails>(recipe, std::move(input))) {}
TailFitter::~TailFitter() = default;
TailFitter::TailFitter(TailFitter&&) noexcept = default;
TailFitter& TailFitter::operator=(TailFitter&&) noexcept = default;

TailFit TailFitter::fit(std::size_t row, const RowView& got, float low, float high) {
  return tails_->fit(row, got, low, high);
}

TailFit fit_tail(const Recipe& recipe, const RowInput& input, const RowView& got, float low,
                 float high) {
  const auto one_row = [](const RowView& row) {
    return TensorView{.format = row.format, .rows = 1, .width = row.size(), .bytes = row.bytes};
  };
  BlockInput block{.x = one_row(input.x),
                   .residual = {},
                   .gate = {},
                   .weight = {},
                   .weight_offset = input.weight_offset,
                   .epsilon = input.epsilon};
  if (input.residual) block.residual = one_row(*input.residual);
  if (input.gate) block.gate = one_row(*input.gate);
  if (input.weight) block.weight = one_row(*input.weight);
  return TailFitter(recipe, block).fit(0, got, low, high);
}

}  // namespace normcert
