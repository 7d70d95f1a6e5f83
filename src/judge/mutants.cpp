#include "judge/mutants.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace normcert {
namespace {

constexpr std::array<std::string_view, 13> kRequired = {
    "epsilon_x10",          "epsilon_div10",   "epsilon_dropped", "epsilon_outside",
    "epsilon_after_rsqrt",  "mean_subtracted", "weight_ignored",  "offset_missing",
    "offset_added",         "offset_doubled",  "gate_ignored",    "gate_moved",
    "gate_other_activation"};
constexpr std::array<std::string_view, 3> kRequiredOfRounding = {
    "statistic_in_input_dtype", "inverse_rms_rounded", "cast_order_swapped"};

constexpr std::array<const char*, 9> kOfEpsilon = {
    "epsilon_x10",       "epsilon_div10",       "epsilon_dropped",
    "epsilon_outside",   "epsilon_after_rsqrt", "epsilon_clamp_q",
    "epsilon_clamp_rms", "epsilon_on_sum",      "epsilon_scaled_by_max"};

bool is_narrow(const FloatFormat& format) { return format.precision < kFp32.precision; }

// The same function with the plainest root and products, for parameters that exclude others.
Recipe plain(Recipe recipe) {
  recipe.contract.clear();
  recipe.rsqrt_table.reset();
  recipe.root = {};
  recipe.statistic.mean = MeanStep::kDivide;
  if (recipe.association != Association::kXr) recipe.association = Association::kXrThenW;
  return recipe;
}

template <typename Predicate>
bool all_gains(const Case& value, Predicate holds) {
  const TensorView& weight = *value.weight;
  for (std::size_t i = 0; i < weight.width; ++i) {
    if (!holds(value.weight_offset.binary64 + to_binary64(weight.at(0, i)))) return false;
  }
  return true;
}

bool is_power_of_two(double gain) {
  int exponent = 0;
  return gain == 0 || std::fabs(std::frexp(gain, &exponent)) == 0.5;
}

class Builder {
 public:
  Builder(const Recipe& base, const Case& value) : base_(base), value_(value) {}

  MutantSet run() {
    epsilon();
    statistic();
    gain();
    gate();
    rounding();
    return std::move(set_);
  }

 private:
  template <typename Change>
  Mutant* add(const char* name, Change change) {
    Mutant mutant;
    mutant.name = name;
    for (const bool plainly : {false, true}) {
      mutant.recipe = plainly ? plain(base_) : base_;
      change(mutant.recipe);
      mutant.recipe.name = base_.name + " with " + name;
      mutant.recipe.confirmed_by.clear();
      if (find_conflict(mutant.recipe)) continue;
      set_.mutants.push_back(std::move(mutant));
      return &set_.mutants.back();
    }
    meaningless(name, find_conflict(mutant.recipe)->reason);
    return nullptr;
  }
  void meaningless(const char* name, std::string why) {
    set_.meaningless.push_back({name, std::move(why)});
  }

  void epsilon() {
    if (value_.epsilon.binary64 == 0) {
      for (const char* const name : kOfEpsilon) meaningless(name, "the declared epsilon is 0");
      return;
    }
    const auto unchanged = [](Recipe&) {};
    if (Mutant* const more = add("epsilon_x10", unchanged)) more->epsilon_factor = 10;
    if (Mutant* const less = add("epsilon_div10", unchanged)) less->epsilon_factor = 0.1;
    place("epsilon_dropped", EpsilonPosition::kNone);
    place("epsilon_outside", EpsilonPosition::kOutside);
    place("epsilon_after_rsqrt", EpsilonPosition::kAfterRsqrt);
    place("epsilon_clamp_q", EpsilonPosition::kClampQ);
    place("epsilon_clamp_rms", EpsilonPosition::kClampRms);
    place("epsilon_on_sum", EpsilonPosition::kOnSum);
    place("epsilon_scaled_by_max", EpsilonPosition::kScaledByMax);
  }
  void place(const char* name, EpsilonPosition position) {
    if (base_.epsilon.position == position) {
      meaningless(name, "the base has its epsilon there");
      return;
    }
    add(name, [position](Recipe& recipe) { recipe.epsilon.position = position; });
  }

  void statistic() {
    if (value_.x.width < 2) {
      meaningless("divisor_n_minus_1", "rows of one element");
      meaningless("mean_subtracted", "rows of one element");
      return;
    }
    add("divisor_n_minus_1",
        [](Recipe& recipe) { recipe.statistic.kind = StatisticKind::kMeanSquareNMinus1; });
    add("mean_subtracted",
        [](Recipe& recipe) { recipe.statistic.kind = StatisticKind::kVariance; });
  }

  void gain() {
    if (!value_.weight) {
      for (const char* const name :
           {"weight_ignored", "offset_missing", "offset_added", "offset_doubled"}) {
        meaningless(name, "there is no weight");
      }
      return;
    }
    if (all_gains(value_, [](double gain) { return gain == 1; })) {
      meaningless("weight_ignored", "every gain is 1");
    } else {
      add("weight_ignored", [](Recipe& recipe) {
        recipe.weight = {.form = WeightForm::kNone};
        recipe.association = Association::kXr;
      });
    }
    const double offset = value_.weight_offset.binary64;
    if (offset == 0) {
      meaningless("offset_missing", "the declared offset is 0");
      meaningless("offset_doubled", "the declared offset is 0");
      with_offset("offset_added", 1);
    } else {
      with_offset("offset_missing", 0);
      meaningless("offset_added", "the declared offset is not 0");
      with_offset("offset_doubled", 2 * offset);
    }
  }
  void with_offset(const char* name, double offset) {
    Mutant* const mutant = add(name, [offset](Recipe& recipe) {
      recipe.weight.form = offset == 0   ? WeightForm::kW
                           : offset == 1 ? WeightForm::kOnePlusW
                                         : WeightForm::kOffsetPlusW;
      if (recipe.association == Association::kFmaXrWXr) {
        recipe.association = Association::kXrThenW;
      }
      if (offset == 0 || recipe.weight.offset_dtype == OffsetFormat::kExact) {
        recipe.weight.offset_dtype = OffsetFormat::kBinary32;
      }
    });
    if (mutant != nullptr) mutant->weight_offset = offset;
  }

  // Of a norm without one nothing is said: hardly any has one.
  void gate() {
    if (!value_.gate) return;
    add("gate_ignored", [](Recipe& recipe) { recipe.gate = GateMode::kNone; });
    add("gate_moved", [](Recipe& recipe) {
      recipe.gate = recipe.gate == GateMode::kBefore ? GateMode::kAfter : GateMode::kBefore;
    });
    add("gate_other_activation", [](Recipe& recipe) {
      const bool silu = recipe.activation.kind == Activation::kSilu;
      recipe.activation.kind = silu ? Activation::kSigmoid : Activation::kSilu;
      recipe.activation.form = ActivationForm::kQuotient;
    });
  }

  void rounding() {
    const char* const names[] = {"statistic_in_input_dtype", "inverse_rms_rounded",
                                 "cast_order_swapped", "residual_other_dtype"};
    if (!is_narrow(*value_.x.format)) {
      for (const char* const name : names) {
        meaningless(name, "x is not narrower than binary32");
      }
      return;
    }
    round_statistic(names[0], StatisticRounding::kMean);
    round_statistic(names[1], StatisticRounding::kRstd);
    swap_cast(names[2]);
    if (value_.residual) {
      const bool rounds =
          base_.residual == ResidualMode::kNone || base_.residual == ResidualMode::kRounded;
      add(names[3], [rounds](Recipe& recipe) {
        recipe.residual = rounds ? ResidualMode::kUnrounded : ResidualMode::kRounded;
      });
    } else {
      meaningless(names[3], "there is no residual");
    }
  }
  void round_statistic(const char* name, StatisticRounding what) {
    const StatisticRounding own = base_.statistic_rounding;
    if (own == what || own == StatisticRounding::kAll || base_.cast == CastPoint::kEveryOp) {
      meaningless(name, "the base rounds it there");
      return;
    }
    add(name, [what](Recipe& recipe) { recipe.statistic_rounding = what; });
  }
  void swap_cast(const char* name) {
    if (!value_.weight || base_.weight.form == WeightForm::kNone) {
      meaningless(name, "there is no weight");
      return;
    }
    if (all_gains(value_, is_power_of_two)) {
      meaningless(name, "every gain is a power of two, with which nothing is rounded");
      return;
    }
    if (base_.cast == CastPoint::kEveryOp) {
      meaningless(name, "the base rounds every operation");
      return;
    }
    const bool before = base_.cast == CastPoint::kBeforeWeight ||
                        base_.cast == CastPoint::kBeforeWeightToWeightDtype;
    add(name, [before](Recipe& recipe) {
      recipe.cast = before ? CastPoint::kAfterWeight : CastPoint::kBeforeWeight;
    });
  }

  const Recipe& base_;
  const Case& value_;
  MutantSet set_;
};

}  // namespace

MutantSet mutants_of(const Recipe& base, const Case& value) { return Builder(base, value).run(); }

bool is_required(std::string_view mutant, bool rounding_is_asked) {
  const auto among = [&](const auto& names) {
    return std::ranges::find(names, mutant) != names.end();
  };
  return among(kRequired) || (rounding_is_asked && among(kRequiredOfRounding));
}

}  // namespace normcert
