#include "inference/recipe_equality.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

#include "emulation/row_evaluator.hpp"
#include "emulation/step_formats.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

using Reason = std::optional<std::string>;

// Whether the square of every number of `input` is one of `square`.
bool holds_squares(const FloatFormat& square, const FloatFormat& input) {
  return square.precision >= 2 * input.precision &&
         square.quantum_exponent() <= 2 * input.quantum_exponent() &&
         square.emax > 2 * input.emax + 1;
}

template <typename Value>
bool both_among(Value a, Value b, std::initializer_list<Value> values) {
  return std::ranges::find(values, a) != values.end() &&
         std::ranges::find(values, b) != values.end();
}

std::string named(const FloatFormat& format) { return std::string(format.name); }

class Comparison {
 public:
  Comparison(const Recipe& a, const Recipe& b, const InputShape& shape)
      : a_(a),
        b_(b),
        shape_(shape),
        formats_a_(step_formats(a, *shape.x, shape.weight)),
        formats_b_(step_formats(b, *shape.x, shape.weight)),
        extent_a_(row_extent(a, shape.width)),
        extent_b_(row_extent(b, shape.width)),
        no_gain_(shape.weight == nullptr ||
                 (a.weight.form == WeightForm::kNone && b.weight.form == WeightForm::kNone)) {}

  // Whether every step that takes a format from elsewhere has the same one in both.
  [[nodiscard]] bool formats_agree() const {
    return agree(&StepFormats::input) && agree(&StepFormats::weight) &&
           agree(&StepFormats::compute) && agree(&StepFormats::accumulate) &&
           agree(&StepFormats::mean) && agree(&StepFormats::root) && agree(&StepFormats::output) &&
           (agree(&StepFormats::epsilon) || without_epsilon());
  }

  [[nodiscard]] Reason why_unseen(std::string_view key) const {
    if (key == "convert_inputs") return converted_alike();
    if (key == "compute" && agree(&StepFormats::compute)) {
      return "both compute in " + named(*formats_a_.compute);
    }
    if (key == "before") return no_clamp();
    if (key == "epsilon.preset") return "epsilon is declared";
    if (key == "residual") return "there is no residual";
    if (key == "epsilon.dtype") return epsilon_alike();
    if (key == "output" && agree(&StepFormats::output)) {
      return "both write " + named(*formats_a_.output);
    }
    if (key == "rounding") return nothing_to_store();
    if (key == "statistic_rounding") return nothing_to_round();
    if (key.starts_with("statistic.")) return statistic(key);
    if (key.starts_with("root.")) return root(key);
    return tail(key);
  }

 private:
  [[nodiscard]] bool agree(const FloatFormat* StepFormats::*format) const {
    return *(formats_a_.*format) == *(formats_b_.*format);
  }
  [[nodiscard]] bool without_epsilon() const {
    return a_.epsilon.position == EpsilonPosition::kNone &&
           b_.epsilon.position == EpsilonPosition::kNone;
  }
  [[nodiscard]] bool one_format() const {
    const auto is_one = [](const StepFormats& formats) {
      return *formats.input == *formats.compute && *formats.weight == *formats.compute &&
             *formats.cast == *formats.compute && *formats.output == *formats.compute;
    };
    return is_one(formats_a_) && is_one(formats_b_);
  }
  [[nodiscard]] std::string width() const { return std::to_string(shape_.width); }

  [[nodiscard]] Reason converted_alike() const {
    if (!agree(&StepFormats::input) || !agree(&StepFormats::weight)) return {};
    return "inputs are " + named(*formats_a_.input) + " in both";
  }

  [[nodiscard]] Reason no_clamp() const {
    if (!both_among(a_.before, b_.before, {PreStep::kNone, PreStep::kClamp65504})) return {};
    if (!(*shape_.x == kFp16)) return {};
    return "no fp16 number exceeds 65504";
  }

  [[nodiscard]] Reason epsilon_alike() const {
    if (without_epsilon()) return "neither adds epsilon";
    if (!agree(&StepFormats::epsilon)) return {};
    return "both take epsilon as " + named(*formats_a_.epsilon);
  }

  [[nodiscard]] Reason nothing_to_store() const {
    if (!one_format()) return {};
    return "the result is a number of " + named(*formats_a_.output) + " already";
  }

  [[nodiscard]] Reason nothing_to_round() const {
    if (!(*formats_a_.input == *formats_a_.compute) ||
        !(*formats_b_.input == *formats_b_.compute)) {
      return {};
    }
    return "the statistic is formed in " + named(*formats_a_.input) + " already";
  }

  [[nodiscard]] bool extents_agree() const {
    return extent_a_.group == extent_b_.group && extent_a_.statistic == extent_b_.statistic;
  }

  [[nodiscard]] bool takes_squares_of_inputs() const {
    const auto takes = [](const Recipe& recipe) {
      return recipe.before != PreStep::kDivideByMax &&
             recipe.statistic.kind != StatisticKind::kVariance &&
             recipe.epsilon.position != EpsilonPosition::kScaledByMax &&
             recipe.statistic.mean != MeanStep::kPrescaled;
    };
    return takes(a_) && takes(b_);
  }

  // Squares that no format rounds, on their way into the sum.
  [[nodiscard]] bool squares_are_exact() const {
    return takes_squares_of_inputs() && holds_squares(*formats_a_.square, *formats_a_.input) &&
           holds_squares(*formats_b_.square, *formats_b_.input) &&
           holds_squares(*formats_a_.accumulate, *formats_a_.input) &&
           holds_squares(*formats_b_.accumulate, *formats_b_.input);
  }

  [[nodiscard]] bool fuses(const Recipe& recipe) const {
    return has_fma(recipe.statistic.order.kind) && recipe.statistic.order.fma;
  }

  [[nodiscard]] Reason statistic(std::string_view key) const {
    const StatisticStep& a = a_.statistic;
    const StatisticStep& b = b_.statistic;
    if (key == "statistic.kind") {
      const bool alike =
          both_among(a.kind, b.kind, {StatisticKind::kMeanSquare, StatisticKind::kPartial});
      if (!alike || !extents_agree()) return {};
      return "the part of the row is all of it";
    }
    if (key == "statistic.group" || key == "statistic.fraction") {
      if (!extents_agree()) return {};
      return "rows of " + width() + " elements are split alike";
    }
    if (key == "statistic.square") {
      if (squares_are_exact()) return "squares of " + named(*formats_a_.input) + " are exact";
      if (agree(&StepFormats::square)) return "both square in " + named(*formats_a_.square);
      return {};
    }
    if (key == "statistic.accumulate") {
      const auto plain = [](Accumulation value) {
        return value != Accumulation::kExact && value != Accumulation::kKahan;
      };
      if (!plain(a.accumulate) || !plain(b.accumulate)) return {};
      if (!agree(&StepFormats::accumulate)) return {};
      return "both accumulate in " + named(*formats_a_.accumulate);
    }
    if (key == "statistic.order") return order();
    if (key == "statistic.mean") return mean();
    return {};
  }

  [[nodiscard]] Reason order() const {
    const bool exact = squares_are_exact();
    // A fused square is rounded in the accumulator's format, another first in its own.
    if (fuses(a_) != fuses(b_) && !exact) {
      const StepFormats& other = fuses(a_) ? formats_b_ : formats_a_;
      if (!takes_squares_of_inputs() || !(*other.square == *other.accumulate)) return {};
    }
    const bool narrow = *formats_a_.accumulate == kFp64;
    if (!same_additions(a_.statistic.order, b_.statistic.order, extent_a_.statistic, narrow,
                        exact)) {
      return {};
    }
    return "the same additions at width " + width();
  }

  [[nodiscard]] Reason mean() const {
    const bool alike = both_among(a_.statistic.mean, b_.statistic.mean,
                                  {MeanStep::kDivide, MeanStep::kMultiplyReciprocal});
    const bool less_one = a_.statistic.kind == StatisticKind::kMeanSquareNMinus1;
    const std::size_t divisor = extent_a_.statistic - (less_one ? 1 : 0);
    if (!alike || !std::has_single_bit(divisor)) return {};
    if (formats_a_.mean->precision < kFp32.precision) return {};
    return "1/" + std::to_string(divisor) + " is exact";
  }

  [[nodiscard]] Reason root(std::string_view key) const {
    if (key == "root.rounding" && agree(&StepFormats::root)) {
      return "both form the root in " + named(*formats_a_.root);
    }
    const bool measured = a_.rsqrt_table && b_.rsqrt_table && *formats_a_.root == kFp32;
    if (key == "root.max_ulp" && measured) return "the root is that of a measured table";
    return {};
  }

  [[nodiscard]] std::string without_gain() const {
    return shape_.weight == nullptr ? "there is no weight" : "neither uses the weight";
  }

  [[nodiscard]] Reason tail(std::string_view key) const {
    if (key == "association") return association();
    if (key == "cast") return cast();
    if (key == "weight.form") {
      if (no_gain_) return without_gain();
      const bool plus_one = both_among(a_.weight.form, b_.weight.form,
                                       {WeightForm::kOnePlusW, WeightForm::kOffsetPlusW});
      if (plus_one && shape_.weight_offset == 1) return "the weight offset is 1";
    }
    if (key == "weight.offset_dtype") {
      if (no_gain_) return without_gain();
      const bool exact = a_.weight.offset_dtype == OffsetFormat::kExact ||
                         b_.weight.offset_dtype == OffsetFormat::kExact;
      if (!exact && agree(&StepFormats::offset)) {
        return "both add the offset in " + named(*formats_a_.offset);
      }
    }
    return {};
  }

  [[nodiscard]] Reason association() const {
    using enum Association;
    if (!no_gain_) return {};
    const bool alike = both_among(a_.association, b_.association,
                                  {kXrThenW, kXTimesRw, kXwThenR, kXr, kFmaXrWXr}) ||
                       both_among(a_.association, b_.association, {kXOverRmsW, kXwOverRms});
    return alike ? Reason(without_gain()) : Reason();
  }

  [[nodiscard]] Reason cast() const {
    if (a_.cast == CastPoint::kEveryOp || b_.cast == CastPoint::kEveryOp) return {};
    if (agree(&StepFormats::cast)) {
      if (*formats_a_.cast == *formats_a_.compute) {
        return "x*r is a number of " + named(*formats_a_.compute) + " already";
      }
      return "both cast x*r to " + named(*formats_a_.cast);
    }
    // One conversion to the output's format, or the same conversion twice.
    const auto once = [](const Recipe& recipe, const StepFormats& formats) {
      return recipe.rounding == StoreRounding::kNearestEven && !recipe.weight.bias &&
             (*formats.cast == *formats.compute || *formats.cast == *formats.output);
    };
    if (!no_gain_ || !once(a_, formats_a_) || !once(b_, formats_b_)) return {};
    return without_gain() + ", so x*r is rounded to " + named(*formats_a_.output) + " either way";
  }

  const Recipe& a_;
  const Recipe& b_;
  const InputShape& shape_;
  StepFormats formats_a_;
  StepFormats formats_b_;
  RowExtent extent_a_;
  RowExtent extent_b_;
  bool no_gain_;
};

}  // namespace

bool both_fit(const Recipe& a, const Recipe& b, std::size_t width) {
  try {
    static_cast<void>(row_extent(a, width));
    static_cast<void>(row_extent(b, width));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::optional<std::vector<UnseenParameter>> proved_equal(const Recipe& a, const Recipe& b,
                                                         const InputShape& shape) {
  std::vector<UnseenParameter> unseen;
  const std::vector<RecipeDifference> all = differences(a, b);
  if (all.empty()) return unseen;
  const Comparison comparison(a, b, shape);
  if (!comparison.formats_agree()) return std::nullopt;
  for (const RecipeDifference& difference : all) {
    auto reason = comparison.why_unseen(difference.key);
    if (!reason) return std::nullopt;
    unseen.push_back({difference.key, std::move(*reason)});
  }
  return unseen;
}

}  // namespace normcert
