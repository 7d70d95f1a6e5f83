#include "judge/wild_file.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/exact_compare.hpp"
#include "judge/wild_dice.hpp"
#include "judge/wild_gate.hpp"
#include "judge/wild_rows.hpp"

namespace normcert {
namespace {

Code moved(Code code, std::int64_t steps) {
  for (; steps > 0; --steps) code = next_up(code);
  for (; steps < 0; ++steps) code = next_down(code);
  return code;
}

// A special output: infinities and what stands beside them, NaN, zeros, subnormals.
Code special(WildDice& dice, const FloatFormat& format) {
  switch (dice.below(4)) {
    case 0:
      return infinity_of(format, dice.one_in(2));
    case 1:
      return dice.one_in(2) ? nan_of(format)
                            : Code{format.sign_mask() | format.magnitude_mask(), &format};
    default:
      return dice.extreme(format);
  }
}

class OutputMaker {
 public:
  OutputMaker(WildDice& dice, const Tensor& rounded) : dice_(dice), rounded_(rounded) {}

  TensorView make(const Case& value) {
    Tensor got = rounded_;
    const std::size_t file_kind = dice_.below(14);
    for (std::size_t row = 0; row < got.rows; ++row) {
      const std::size_t kind = dice_.one_in(3) ? dice_.below(14) : file_kind;
      factor_ = 1 + dice_.normal() * dice_.power_of_two(-24, -3);
      steps_ = static_cast<std::int64_t>(dice_.below(41)) - 20;
      constant_ = dice_.any(*got.format);
      for (std::size_t i = 0; i < got.width; ++i) got.set(row, i, element(kind, row, i));
      if (repeats(value, row) && !dice_.one_in(3)) repeat(got, row);
      if (dice_.one_in(25)) got.set(row, dice_.below(got.width), special(dice_, *got.format));
    }
    return std::move(got).share();
  }

 private:
  // Mostly small changes of the correctly rounded result.
  Code element(std::size_t kind, std::size_t row, std::size_t i) {
    const FloatFormat& format = *rounded_.format;
    const Code code = rounded_.at(row, i);
    switch (kind) {
      case 0:
        return code;
      case 1:
        return moved(code, 1);
      case 2:
        return moved(code, static_cast<std::int64_t>(dice_.below(3)) - 1);
      case 3:
        return moved(code, static_cast<std::int64_t>(dice_.below(9)) - 4);
      case 4:
        return dice_.one_in(30) ? moved(code, dice_.one_in(2) ? 1 : -1) : code;
      case 5:
        return dice_.any(format);
      case 6:
        return dice_.one_in(3) ? special(dice_, format) : code;
      case 7:
        return convert(code_of(to_binary64(code) * factor_), format);
      case 8:
        return dice_.one_in(4) ? Code{code.bits ^ format.sign_mask(), &format} : code;
      case 9:
        return moved(code, steps_);
      case 10:
        return dice_.one_in(2) ? zero_of(format, dice_.one_in(2)) : code;
      case 11:
        return constant_;
      case 12:
        return convert(code_of(to_binary64(code) * dice_.power_of_two(-3, 3)), format);
      default:
        return dice_.one_in(10) ? dice_.any(format) : moved(code, dice_.one_in(9) ? -1 : 0);
    }
  }

  static bool repeats(const Case& value, std::size_t row) {
    return row > 0 && std::ranges::equal(value.x.row_bytes(row - 1), value.x.row_bytes(row));
  }

  // The outputs of the row before, all of them or all but one.
  void repeat(Tensor& got, std::size_t row) {
    for (std::size_t i = 0; i < got.width; ++i) got.set(row, i, got.at(row - 1, i));
    if (!dice_.one_in(3)) return;
    const std::size_t i = dice_.below(got.width);
    const Code code = got.at(row, i);
    got.set(row, i,
            dice_.one_in(2) ? moved(code, dice_.one_in(2) ? 1 : -1) : dice_.any(*got.format));
  }

  WildDice& dice_;
  const Tensor& rounded_;
  double factor_ = 1;
  std::int64_t steps_ = 0;
  Code constant_;
};

double any_limit(WildDice& dice) {
  switch (dice.below(4)) {
    case 0:
      return 0;
    case 1:
      return dice.of({5e-324, 1e-310, 1e-300, 1e-100, 1e-40, 0x1p-100, 0x1p-101, 1e-30, 0x1p-149,
                      1.0, 1.5, 2.0, 1 - 0x1p-53, 1 + 0x1p-52, 1e10, 1e100, 1e300});
    case 2:
      return dice.power_of_two(-30, 2);
    default:
      return dice.uniform() * dice.of({1e-7, 1e-4, 1e-2, 1e-1});
  }
}

Criteria any_criteria(WildDice& dice) {
  Criteria criteria;
  if (!dice.one_in(3)) {
    criteria.tolerance = Tolerance{any_limit(dice), any_limit(dice)};
  }
  switch (dice.below(6)) {
    case 0:
      criteria.max_ulp = any_limit(dice);
      break;
    case 1:
      criteria.max_ulp = dice.of({0.0, 0.5, 0.5 + 0x1p-53, 0.5 - 0x1p-54, 0.25, 1.0, 1.5, 2.0});
      break;
    case 2:
      criteria.max_ulp = 3 * dice.uniform();
      break;
    default:
      break;
  }
  return criteria;
}

// The same elements at an address that no type is aligned to, as they may lie in a file.
TensorView at_odd_address(TensorView view) {
  auto bytes = std::make_shared<std::vector<std::byte>>(view.bytes.size() + 1);
  std::ranges::copy(view.bytes, bytes->begin() + 1);
  view.bytes = std::span<const std::byte>(*bytes).subspan(1);
  view.owner = std::move(bytes);
  return view;
}

WildFile made_file(WildDice dice, const FloatFormat& output, bool gated) {
  WildFile file;
  file.value = wild_inputs(dice);
  if (gated) file.value.gate = wild_gate(dice, file.value);
  file.value.output = &output;
  file.criteria = any_criteria(dice);
  file.rounded = rounded_reference(file.value, OutputTensor::kY);
  file.y = OutputMaker(dice, file.rounded).make(file.value);
  if (file.value.residual) {
    const Tensor sums = rounded_reference(file.value, OutputTensor::kResidualOut);
    file.residual_out = OutputMaker(dice, sums).make(file.value);
  }
  if (dice.one_in(4)) file.value.x = at_odd_address(file.value.x);
  if (dice.one_in(4)) file.y = at_odd_address(file.y);
  if (file.value.weight && dice.one_in(4)) file.value.weight = at_odd_address(*file.value.weight);
  return file;
}

WildDice dice_of(std::uint64_t seed, std::string_view kind, const FloatFormat& output,
                 std::uint64_t number) {
  return {seed, std::string(kind) + '/' + std::string(output.name) + '/' + std::to_string(number)};
}

}  // namespace

WildFile wild_file(std::uint64_t seed, const FloatFormat& output, std::uint64_t number) {
  return made_file(dice_of(seed, "wild", output, number), output, false);
}

WildFile wild_gated_file(std::uint64_t seed, const FloatFormat& output, std::uint64_t number) {
  return made_file(dice_of(seed, "wild-gated", output, number), output, true);
}

}  // namespace normcert
