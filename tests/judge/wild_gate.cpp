#include "judge/wild_gate.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace normcert {
namespace {

enum class GateKind : std::uint8_t {
  kNormal,
  kConstant,   // the activation cancels in a gate before the norm, but for epsilon
  kTwoValues,  // groups of equal activations
  kGreat,      // silu(g) is g but for hundreds of binary digits
  kSmall,      // sigmoid(g) is a half but for hundreds of binary digits
  kMask,       // what is masked vanishes
  kAnyCode,
  kExtremes,
  kZeros,
  kKinds
};

const FloatFormat& format_of(WildDice& dice, const Case& value) {
  if (dice.one_in(2)) return *value.x.format;
  return *dice.of({&kFp64, &kFp32, &kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2});
}

class GateRow {
 public:
  GateRow(WildDice& dice, const FloatFormat& format) : dice_(dice), format_(format) {
    kind_ = static_cast<GateKind>(dice_.below(static_cast<std::size_t>(GateKind::kKinds)));
    scale_ = dice_.one_in(2) ? 1 : dice_.power_of_two(-8, 6);
    constant_ = dice_.normal() * scale_;
    // Numbers of many thousand digits are slow, and no others are asked of them.
    if (kind_ == GateKind::kAnyCode || kind_ == GateKind::kExtremes) is_rare_ = !dice_.one_in(4);
  }

  Code element() {
    switch (kind_) {
      case GateKind::kConstant:
        return number(constant_);
      case GateKind::kTwoValues:
        return number(dice_.one_in(2) ? constant_ : -constant_);
      case GateKind::kGreat:
        return number(dice_.power_of_two(6, 10) * (dice_.one_in(4) ? -1 : 1));
      case GateKind::kSmall:
        return number(dice_.normal() * dice_.power_of_two(-140, -20));
      case GateKind::kMask:
        return number(dice_.one_in(3) ? -1e9 : dice_.normal());
      case GateKind::kAnyCode:
        return is_rare_ ? number(dice_.normal()) : dice_.any_finite(format_);
      case GateKind::kExtremes:
        return is_rare_ ? number(dice_.normal()) : dice_.extreme(format_);
      case GateKind::kZeros:
        return dice_.one_in(2) ? zero_of(format_, dice_.one_in(2)) : number(dice_.normal());
      case GateKind::kNormal:
      case GateKind::kKinds:
        break;
    }
    return number(dice_.normal() * scale_);
  }

 private:
  [[nodiscard]] Code number(double value) const { return WildDice::finite(value, format_); }

  WildDice& dice_;
  const FloatFormat& format_;
  GateKind kind_;
  double scale_ = 1;
  double constant_ = 0;
  bool is_rare_ = false;
};

bool repeats(const Case& value, std::size_t row) {
  return row > 0 && std::ranges::equal(value.x.row_bytes(row - 1), value.x.row_bytes(row));
}

}  // namespace

Gate wild_gate(WildDice& dice, const Case& value) {
  const FloatFormat& format = format_of(dice, value);
  Tensor gate(format, value.x.rows, value.x.width);
  for (std::size_t row = 0; row < gate.rows; ++row) {
    GateRow elements(dice, format);
    const bool again = repeats(value, row) && dice.one_in(2);
    for (std::size_t i = 0; i < gate.width; ++i) {
      gate.set(row, i, again ? gate.at(row - 1, i) : elements.element());
    }
    // The same x with one other gate.
    if (again && dice.one_in(3)) gate.set(row, dice.below(gate.width), elements.element());
    if (dice.one_in(40)) {
      gate.set(row, dice.below(gate.width),
               dice.one_in(2) ? nan_of(format) : infinity_of(format, dice.one_in(2)));
    }
  }
  return {std::move(gate).share(), dice.one_in(2) ? GateMode::kBefore : GateMode::kAfter,
          dice.one_in(2) ? Activation::kSilu : Activation::kSigmoid};
}

}  // namespace normcert
