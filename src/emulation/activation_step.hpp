// The activation of a gate, as a recipe computes it, on any machine (emulation/exact_machine.hpp).
#pragma once

#include "emulation/activation_end.hpp"
#include "emulation/sleef_exponential.hpp"
#include "emulation/step_formats.hpp"
#include "numeric/float_format.hpp"
#include "problem/recipe.hpp"

namespace normcert {

template <typename Machine>
class ActivationEvaluator {
 public:
  using Scalar = typename Machine::Scalar;

  // `compute`: C. The steps run in binary32, or in C where that is wider.
  ActivationEvaluator(const Machine& machine, const ActivationStep& step,
                      const FloatFormat& compute)
      : machine_(machine),
        step_(step),
        format_(promoted(compute, kFp32)),
        compute_(compute),
        zero_(machine.constant(-0.0, format_)),
        one_(machine.constant(1, format_)) {}

  // Whether a row meets g itself first; then the operator gives the other factor.
  [[nodiscard]] bool has_gate_as_factor() const {
    return step_.kind == Activation::kSilu && step_.form == ActivationForm::kFactors;
  }

  // Of a number g, as a number of C.
  //
  // e^-g is positive, and both activations shrink in magnitude as it grows; every step after it is
  // monotone. So what an exponential within max_ulp may lead to lies between the two ends.
  [[nodiscard]] Scalar operator()(Scalar g, ActivationEnd end = ActivationEnd::kEmulated) const {
    const Scalar x = machine_.convert(g, format_);
    const Scalar e = exponential(machine_.subtract(zero_, x, format_));
    const Scalar sum = machine_.add(one_, towards(e, opposite(end), step_.max_ulp), format_);
    return machine_.convert(of_sum(x, sum, end), compute_);
  }

 private:
  static ActivationEnd opposite(ActivationEnd end) {
    if (end == ActivationEnd::kEmulated) return end;
    return end == ActivationEnd::kLeast ? ActivationEnd::kGreatest : ActivationEnd::kLeast;
  }

  // As far as that end allows a step that is off by up to `ulp`.
  [[nodiscard]] Scalar towards(Scalar a, ActivationEnd end, int ulp) const {
    if (end == ActivationEnd::kEmulated || step_.exponential != Exponential::kAny) return a;
    return Machine::moved(a, end == ActivationEnd::kGreatest ? ulp : -ulp);
  }

  [[nodiscard]] Scalar exponential(Scalar a) const {
    return step_.exponential == Exponential::kSleefU10 ? sleef_exponential(machine_, a)
                                                       : machine_.exponential(a, format_);
  }

  [[nodiscard]] Scalar divided(Scalar a, Scalar b, ActivationEnd end) const {
    return towards(machine_.divide(a, b, format_), end, step_.division_max_ulp);
  }

  [[nodiscard]] Scalar of_sum(Scalar x, Scalar sum, ActivationEnd end) const {
    if (step_.kind == Activation::kSigmoid || has_gate_as_factor()) {
      return divided(one_, sum, end);
    }
    if (step_.form == ActivationForm::kQuotient) return divided(x, sum, end);
    return machine_.multiply(x, divided(one_, sum, end), format_);
  }

  const Machine& machine_;
  const ActivationStep& step_;
  const FloatFormat& format_;
  const FloatFormat& compute_;
  Scalar zero_;  // -0: what it is subtracted from changes its sign, zeros too
  Scalar one_;
};

}  // namespace normcert
