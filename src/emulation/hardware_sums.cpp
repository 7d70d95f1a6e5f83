// The sums of HardwareMachine.
#include <cmath>

#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/hardware_rounding.hpp"
#include "emulation/order.hpp"

namespace normcert {
namespace {

using Row = HardwareMachine::Row;
using Scalar = HardwareMachine::Scalar;

// Partial sums of type Real, each rounded by Rounder.
template <typename Real, typename Rounder>
struct PlainPolicy {
  using Value = Real;
  const double* terms;
  Rounder rounded;

  [[nodiscard]] Real zero() const { return 0; }
  [[nodiscard]] Real add(Real a, Real b) const { return static_cast<Real>(rounded(a + b)); }
  [[nodiscard]] Real include(Real sum, std::size_t i) const {
    return add(sum, static_cast<Real>(terms[i]));
  }
};

// Native arithmetic of Real rounds by itself.
struct AsItIs {
  template <typename Real>
  Real operator()(Real value) const {
    return value;
  }
};

template <typename Rounder>
struct FusedPolicy {
  using Value = double;
  const double* terms;
  Rounder rounded;

  [[nodiscard]] double zero() const { return 0; }
  [[nodiscard]] double add(double a, double b) const { return rounded(a + b); }
  [[nodiscard]] double include(double sum, std::size_t i) const {
    return rounded(fma_to_odd(terms[i], terms[i], sum));
  }
};

struct FusedBinary64Policy {
  using Value = double;
  const double* terms;

  [[nodiscard]] double zero() const { return 0; }
  [[nodiscard]] double add(double a, double b) const { return a + b; }
  [[nodiscard]] double include(double sum, std::size_t i) const {
    return std::fma(terms[i], terms[i], sum);
  }
};

template <typename Real>
Real kahan(const std::vector<double>& terms) {
  Real sum = 0;
  Real compensation = 0;
  for (const double term : terms) {
    const Real y = static_cast<Real>(term) - compensation;
    const Real t = sum + y;
    compensation = (t - sum) - y;
    sum = t;
  }
  return sum;
}

}  // namespace

Scalar HardwareMachine::sum(const Row& terms, const SummationOrder& order,
                            const FloatFormat& format) const {
  const std::size_t count = terms.size();
  const double* values = terms.values.data();
  if (format == kFp64) {
    const PlainPolicy<double, AsItIs> policy{values, {}};
    return {OrderedSum(policy, order, true).sum(count), &format};
  }
  if (format == kFp32) {
    const PlainPolicy<float, AsItIs> policy{values, {}};
    return {OrderedSum(policy, order, false).sum(count), &format};
  }
  const PlainPolicy<double, NarrowRounder> policy{values, NarrowRounder(format)};
  return {OrderedSum(policy, order, false).sum(count), &format};
}

Scalar HardwareMachine::fused_sum_of_squares(const Row& x, const SummationOrder& order,
                                             const FloatFormat& format) const {
  const std::size_t count = x.size();
  const double* values = x.values.data();
  if (format == kFp64) {
    const FusedBinary64Policy policy{values};
    return {OrderedSum(policy, order, true).sum(count), &format};
  }
  if (format == kFp32) {
    const FusedPolicy<Binary32Rounder> policy{values, {}};
    return {OrderedSum(policy, order, false).sum(count), &format};
  }
  const FusedPolicy<NarrowRounder> policy{values, NarrowRounder(format)};
  return {OrderedSum(policy, order, false).sum(count), &format};
}

Scalar HardwareMachine::kahan_sum(const Row& terms, const FloatFormat& format) const {
  const double sum = format == kFp64 ? kahan<double>(terms.values) : kahan<float>(terms.values);
  return {sum, &format};
}

Scalar HardwareMachine::exact_sum(const Row& terms, const FloatFormat& format) const {
  ExactMachine::Row codes{terms.format, {}};
  codes.elements.reserve(terms.size());
  for (const double term : terms.values) codes.elements.push_back(code_of(term));
  return {to_binary64(ExactMachine(FlushMode::kNone).exact_sum(codes, format)), &format};
}

}  // namespace normcert
