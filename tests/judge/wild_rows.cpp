#include "judge/wild_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace normcert {
namespace {

constexpr const FloatFormat* kNarrow[] = {&kFp32, &kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2};

const FloatFormat& any_format(WildDice& dice) {
  return dice.one_in(8) ? kFp64 : *kNarrow[dice.below(std::size(kNarrow))];
}

// Mostly small, so that the exact twin stays fast; sometimes beside the sizes of groups and chunks.
std::size_t any_width(WildDice& dice) {
  switch (dice.below(200)) {
    case 0:
      return 511 + dice.below(3);
    case 1:
      return dice.one_in(3) ? 1023 + dice.below(3) : 511 + dice.below(20);
    default:
      break;
  }
  switch (dice.below(10)) {
    case 0:
      return 1 + dice.below(3);
    case 1:
    case 2:
      return 15 + dice.below(3);
    case 3:
    case 4:
      return 31 + dice.below(3);
    case 5:
      return 4 * (1 + dice.below(12));
    default:
      return 1 + dice.below(40);
  }
}

// Four numbers whose squares sum up to 4 (4^k - 1): with epsilon 4^s and scaled by 2^s their mean
// square and epsilon make 4^(k + s), so that every exact result is a short number.
std::array<double, 4> exact_quadruple(WildDice& dice) {
  for (;;) {
    const int k = 1 + static_cast<int>(dice.below(7));
    const double sum = 4 * (std::ldexp(1.0, 2 * k) - 1);
    std::array<double, 4> four{};
    double left = sum;
    for (std::size_t i = 0; i < 3; ++i) {
      four[i] = std::floor(dice.uniform() * (std::sqrt(left) + 1));
      left -= four[i] * four[i];
      if (left < 0) break;
    }
    if (left < 0) continue;
    four[3] = std::floor(std::sqrt(left));
    if (four[3] * four[3] != left) continue;
    std::swap(four[3], four[dice.below(4)]);
    return four;
  }
}

enum class RowKind : std::uint8_t {
  kNormal,
  kConstant,
  kAnyCode,
  kExtremes,
  kOneHuge,
  kZeros,
  kExactRms,
  kAnyOrder,  // normal numbers, each of another order of magnitude
  kTwoValues,
  kPowersOfTwo,
  kTiny,
  kKinds
};

class RowMaker {
 public:
  RowMaker(WildDice& dice, const FloatFormat& format, double epsilon)
      : dice_(dice), format_(format), epsilon_(epsilon) {}

  void fill(Tensor& x, std::size_t row) {
    const auto kind = static_cast<RowKind>(dice_.below(static_cast<std::size_t>(RowKind::kKinds)));
    scale_ = dice_.one_in(2) ? 1 : dice_.power_of_two(-40, 40);
    if (dice_.one_in(4)) scale_ = std::sqrt(epsilon_) * dice_.power_of_two(-20, 20);
    constant_ = dice_.one_in(3)   ? dice_.any_finite(format_)
                : dice_.one_in(2) ? WildDice::finite(dice_.power_of_two(-12, 12), format_)
                                  : WildDice::finite(dice_.normal() * scale_, format_);
    hot_ = dice_.below(x.width);
    for (std::size_t i = 0; i < x.width; ++i) x.set(row, i, element(kind, i));
    if (dice_.one_in(12)) x.set(row, dice_.below(x.width), zero_of(format_, dice_.one_in(2)));
    // Rows that have no exact result.
    if (dice_.one_in(40)) {
      x.set(row, dice_.below(x.width),
            dice_.one_in(2) ? nan_of(format_) : infinity_of(format_, dice_.one_in(2)));
    }
  }

 private:
  Code number(double value) { return WildDice::finite(value, format_); }
  double sign() { return dice_.one_in(2) ? -1 : 1; }

  Code element(RowKind kind, std::size_t i) {
    switch (kind) {
      case RowKind::kConstant:
        return constant_;
      case RowKind::kAnyCode:
        return dice_.any_finite(format_);
      case RowKind::kExtremes:
        return dice_.extreme(format_);
      case RowKind::kOneHuge:
        if (i == hot_) return max_finite_of(format_, dice_.one_in(2));
        return code_of_rank(static_cast<std::int64_t>(dice_.below(6)) - 2, format_);
      case RowKind::kZeros:
        return zero_of(format_, dice_.one_in(2));
      case RowKind::kExactRms:
        if (i % 4 == 0) four_ = exact_quadruple(dice_);
        return number(sign() * four_[i % 4] * std::sqrt(epsilon_));
      case RowKind::kAnyOrder:
        return number(dice_.normal() * dice_.power_of_two(-60, 60));
      case RowKind::kTwoValues:
        return dice_.one_in(2) ? constant_ : number(-to_binary64(constant_) * 3);
      case RowKind::kPowersOfTwo:
        return number(sign() * scale_ * dice_.power_of_two(-2, 2));
      case RowKind::kTiny:
        return code_of_rank(static_cast<std::int64_t>(dice_.below(9)) - 4, format_);
      case RowKind::kNormal:
      case RowKind::kKinds:
        break;
    }
    return number(dice_.normal() * scale_);
  }

  WildDice& dice_;
  const FloatFormat& format_;
  double epsilon_;
  double scale_ = 1;
  Code constant_;
  std::size_t hot_ = 0;
  std::array<double, 4> four_{};
};

double any_epsilon(WildDice& dice) {
  switch (dice.below(8)) {
    case 0:
      return dice.of({1e-300, 1e-200, 0x1p-200, 1e-100, 1e-45, 1e-38, 1e30, 1e20, 1e8, 5e-324});
    case 1:
    case 2:
    case 3:  // powers of 4: exact_quadruple()
      return std::ldexp(1.0, 2 * (static_cast<int>(dice.below(14)) - 11));
    case 4:
      return dice.power_of_two(-120, 20);
    default:
      return dice.of({1e-6, 1e-5, 1e-12, 1e-3, 0.5, 1e-8});
  }
}

double any_offset(WildDice& dice) {
  if (dice.one_in(30)) return dice.of({1e-300, 0x1p-201, 1e-30, 1e30, -0.0, 1e300});
  return dice.of({0.0, 0.0, 0.0, 1.0, 1.0, 0.2, -1.0});
}

// `near`: one number for all weights.
Code any_weight(WildDice& dice, const FloatFormat& format, std::size_t kind, double offset,
                Code near) {
  const auto number = [&](double value) { return WildDice::finite(value, format); };
  switch (kind) {
    case 0:
      return dice.any_finite(format);
    case 1:
      return dice.extreme(format);
    case 2:  // gains that cancel, or nearly
      return dice.one_in(3) ? number(-offset)
                            : number(-offset * (1 + dice.normal() * dice.power_of_two(-50, -1)));
    case 3: {  // few digits: products with short inputs are midpoints of narrow formats
      const std::uint64_t digits = 1 + dice.below(std::size_t{1} << (1 + dice.below(25)));
      return number(std::ldexp(static_cast<double>(digits), -static_cast<int>(dice.below(26))));
    }
    case 4:  // near 1, on and beside midpoints of the narrower formats
      return number((1 + std::ldexp(static_cast<double>(2 * dice.below(1024) + 1), -12)) *
                    dice.of({1.0, -1.0, 1 + 0x1p-23, 1 - 0x1p-24}));
    case 5:
      return number(dice.normal() * dice.power_of_two(-60, 60));
    case 6:
      return dice.one_in(2) ? zero_of(format, dice.one_in(2)) : number(dice.normal());
    case 7:
      return code_of_rank(static_cast<std::int64_t>(dice.below(9)) - 4, format);
    case 8:
      return number(1);
    case 9:  // neighbours, whose gains an offset makes alike in a narrower format
      return code_of_rank(rank(near) + static_cast<std::int64_t>(dice.below(5)) - 2, format);
    default:
      return number(1 + 0.25 * dice.normal());
  }
}

TensorView any_weights(WildDice& dice, std::size_t width, double offset) {
  const FloatFormat& format = any_format(dice);
  Tensor weight(format, 1, width);
  const std::size_t kind = dice.below(12);
  const bool mixed = dice.one_in(5);
  const Code near = WildDice::finite(dice.normal() * dice.power_of_two(-40, 0), format);
  for (std::size_t i = 0; i < width; ++i) {
    weight.set(0, i, any_weight(dice, format, mixed ? dice.below(12) : kind, offset, near));
  }
  return std::move(weight).share();
}

// The row becomes that before it.
void repeat_row(Tensor& tensor, std::size_t row) {
  for (std::size_t i = 0; i < tensor.width; ++i) tensor.set(row, i, tensor.at(row - 1, i));
}

// Another norm's output, what cancels x, what is lost beside it, or any row.
TensorView any_residual(WildDice& dice, const Case& value) {
  const FloatFormat& format = dice.one_in(2) ? *value.x.format : any_format(dice);
  Tensor residual(format, value.x.rows, value.x.width);
  RowMaker rows(dice, format, value.epsilon.binary64);
  for (std::size_t row = 0; row < residual.rows; ++row) {
    const std::size_t kind = dice.below(4);
    if (kind == 0) rows.fill(residual, row);
    for (std::size_t i = 0; i < residual.width && kind != 0; ++i) {
      const double x = to_binary64(value.x.at(row, i));
      const double z = !std::isfinite(x)             ? 1
                       : kind == 1                   ? -x
                       : kind == 2 && dice.one_in(2) ? x * dice.power_of_two(-60, -1)
                                                     : dice.normal();
      residual.set(row, i, WildDice::finite(z, format));
    }
    const bool repeats =
        row > 0 && std::ranges::equal(value.x.row_bytes(row - 1), value.x.row_bytes(row));
    if (repeats && dice.one_in(2)) repeat_row(residual, row);
  }
  return std::move(residual).share();
}

}  // namespace

Case wild_inputs(WildDice& dice) {
  Case value;
  value.epsilon.binary64 = any_epsilon(dice);
  const FloatFormat& format = any_format(dice);
  const std::size_t width = any_width(dice);
  const std::size_t rows = width > 100 ? 1 + dice.below(2) : 1 + dice.below(5);
  Tensor x(format, rows, width);
  RowMaker maker(dice, format, value.epsilon.binary64);
  const bool repeats = dice.one_in(3);
  for (std::size_t row = 0; row < rows; ++row) {
    if (row > 0 && repeats && dice.one_in(2)) {
      repeat_row(x, row);
    } else {
      maker.fill(x, row);
    }
  }
  value.x = std::move(x).share();
  if (!dice.one_in(5)) {
    value.weight_offset.binary64 = any_offset(dice);
    value.weight = any_weights(dice, width, value.weight_offset.binary64);
  }
  if (dice.one_in(6)) value.residual = any_residual(dice, value);
  return value;
}

}  // namespace normcert
