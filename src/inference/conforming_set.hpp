// The conforming set: every way to compute the declared function that rounds only where a kernel
// with a binary32 statistic may, as classes of recipes whose outputs can differ.
//
// What spans the set: where x*r is cast (before the weight to the dtype of x, or of the weight, or
// not at all), the association of the products, how offset + weight is formed, and how a residual
// is added. The order of the sum, the squares, the mean, the format of epsilon and the kind of
// the root only move the row's scalar, all within the freedom that conformity grants it
// (judge/conformity.hpp), so they are not multiplied out. Parameters that cannot change a bit on
// the formats at hand are merged: in binary32 there is nothing to cast to, without a weight
// nothing to associate, and fma(x*r,w,x*r) differs from (x*r)*w with an exact offset in the sign
// of zeros at most. Of a gate the exponential and the division are as free as any kernel that is
// known has them (kGateFreedom), and what is a quotient or a product is within that.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/float_format.hpp"
#include "problem/case.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// What of a case decides which parameters can change bits.
struct RoundingSetting {
  const FloatFormat* x = nullptr;
  const FloatFormat* weight = nullptr;  // nullptr: none, the gain is 1
  const FloatFormat* y = nullptr;
  double weight_offset = 0;
  bool residual = false;
  GateMode gate = GateMode::kNone;
  Activation activation = Activation::kSilu;
};

[[nodiscard]] RoundingSetting rounding_setting(const Case& value, const FloatFormat& y);

struct RoundingClass {
  std::string name;  // "conforming: cast before_weight, (x*r)*w, offset fp32"
  Recipe recipe;     // one of the class, in the parameters that name it; any order of the sum
};

// Each once, in a fixed order. An exact offset other than 1 is left out: only the slow evaluator
// has it. Empty where y's format is none that a recipe writes, or x is wider than binary32.
[[nodiscard]] std::vector<RoundingClass> conforming_set(const RoundingSetting& setting);

// The class of a recipe with a binary32 statistic and epsilon inside the root; nothing where its
// steps are in no class: a gate, another gain than the declared one, another output format, a
// truncating store, or a root that may deviate by more than the freedom of the scalar.
[[nodiscard]] std::optional<RoundingClass> rounding_class_of(const Recipe& recipe,
                                                             const RoundingSetting& setting);

// In which parameters two classes of one setting differ, as `a` has them: "cast after_weight";
// all of a's where there is no `b`.
[[nodiscard]] std::vector<std::string> distinguishing(const RoundingClass& a,
                                                      const RoundingClass* b,
                                                      const RoundingSetting& setting);

}  // namespace normcert
