#include "emulation/exact_machine.hpp"

#include <algorithm>
#include <utility>

#include "emulation/arithmetic.hpp"
#include "emulation/order.hpp"
#include "emulation/rsqrt_table.hpp"
#include "numeric/big_dyadic.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

// Binary64 does not flush: no program here runs it with flushing on.
Code ExactMachine::operand(Code a, const FloatFormat& format) const {
  const bool flushed = flush_ == FlushMode::kInputs && !(format == kFp64);
  return flushed ? without_subnormal(a, format) : a;
}

Code ExactMachine::result(Code a) const {
  const bool flushed = flush_ == FlushMode::kResults && !(*a.format == kFp64);
  return flushed ? without_subnormal(a, *a.format) : a;
}

Code ExactMachine::constant(double value, const FloatFormat& format) const {
  return normcert::convert(code_of(value), format);
}

Code ExactMachine::convert(Code a, const FloatFormat& format) const {
  return normcert::convert(a, format);
}

Code ExactMachine::add(Code a, Code b, const FloatFormat& format) const {
  return result(rounded_sum(operand(a, format), operand(b, format), format));
}

Code ExactMachine::subtract(Code a, Code b, const FloatFormat& format) const {
  return result(rounded_difference(operand(a, format), operand(b, format), format));
}

Code ExactMachine::multiply(Code a, Code b, const FloatFormat& format) const {
  return result(rounded_product(operand(a, format), operand(b, format), format));
}

Code ExactMachine::divide(Code a, Code b, const FloatFormat& format) const {
  return result(rounded_quotient(operand(a, format), operand(b, format), format));
}

Code ExactMachine::root(Code a, const FloatFormat& format) const {
  return result(rounded_root(operand(a, format), format));
}

Code ExactMachine::reciprocal_root(Code a, const FloatFormat& format) const {
  return result(rounded_reciprocal_root(operand(a, format), format));
}

Code ExactMachine::measured_reciprocal_root(Code a, RsqrtTable table) const {
  const Code argument = operand(normcert::convert(a, kFp32), kFp32);
  const Code nearest = rounded_reciprocal_root(argument, kFp32);
  const bool positive = !argument.negative() && argument.magnitude() != 0;
  if (!positive || !is_finite(argument)) return result(nearest);
  const std::uint64_t below_or_above = static_cast<std::uint64_t>(
      std::int64_t{rsqrt_deviation(table, static_cast<std::uint32_t>(argument.bits))});
  return result(Code{nearest.bits + below_or_above, &kFp32});
}

Code ExactMachine::exponential(Code a, const FloatFormat& format) const {
  return result(rounded_exponential(operand(a, format), format));
}

double ExactMachine::value_of(Code a) { return to_binary64(a); }

// Codes of magnitudes are ordered like them; infinity has the greatest.
Code ExactMachine::moved(Code a, int codes) {
  if (is_nan(a)) return a;
  const auto greatest = static_cast<std::int64_t>(infinity_of(*a.format, false).bits);
  const auto magnitude =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(a.magnitude()) + codes, 0, greatest);
  const Code moved{static_cast<std::uint64_t>(magnitude), a.format};
  return a.negative() ? negated(moved) : moved;
}

Code ExactMachine::fused(Code a, Code b, Code c, const FloatFormat& format) const {
  return result(rounded_fma(operand(a, format), operand(b, format), operand(c, format), format));
}

Code ExactMachine::greatest(Code a, Code b, const FloatFormat& format) const {
  return maximum(operand(a, format), operand(b, format), format);
}

ExactMachine::Row ExactMachine::load(const RowView& row) const {
  Row loaded{row.format, std::vector<Code>(row.size())};
  for (std::size_t i = 0; i < loaded.size(); ++i) loaded.elements[i] = row.at(i);
  return loaded;
}

void ExactMachine::store(const Row& row, const FloatFormat& format, StoreRounding rounding,
                         std::byte* bytes) const {
  const RoundingRule rule{rounding == StoreRounding::kTruncate ? RoundingMode::kTowardZero
                                                               : RoundingMode::kNearestEven};
  for (std::size_t i = 0; i < row.size(); ++i) {
    store_code(normcert::convert(row.elements[i], format, rule), bytes, i);
  }
}

ExactMachine::Row ExactMachine::part(const Row& row, std::size_t first, std::size_t count) const {
  const auto begin = row.elements.begin() + static_cast<std::ptrdiff_t>(first);
  return {row.format, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

// `operation` takes the position and the element.
template <typename Operation>
ExactMachine::Row ExactMachine::map(Row a, const FloatFormat& format, Operation operation) const {
  for (std::size_t i = 0; i < a.size(); ++i) a.elements[i] = operation(i, a.elements[i]);
  a.format = &format;
  return a;
}

ExactMachine::Row ExactMachine::convert(Row a, const FloatFormat& format) const {
  return map(std::move(a), format,
             [&](std::size_t, Code x) { return normcert::convert(x, format); });
}

ExactMachine::Row ExactMachine::add(Row a, const Row& b, const FloatFormat& format) const {
  return map(std::move(a), format,
             [&](std::size_t i, Code x) { return add(x, b.elements[i], format); });
}

ExactMachine::Row ExactMachine::add(Row a, Code b, const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t, Code x) { return add(x, b, format); });
}

ExactMachine::Row ExactMachine::subtract(Row a, Code b, const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t, Code x) { return subtract(x, b, format); });
}

ExactMachine::Row ExactMachine::multiply(Row a, const Row& b, const FloatFormat& format) const {
  return map(std::move(a), format,
             [&](std::size_t i, Code x) { return multiply(x, b.elements[i], format); });
}

ExactMachine::Row ExactMachine::multiply(Row a, Code b, const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t, Code x) { return multiply(x, b, format); });
}

ExactMachine::Row ExactMachine::square(Row a, const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t, Code x) { return multiply(x, x, format); });
}

ExactMachine::Row ExactMachine::divide(Row a, Code b, const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t, Code x) { return divide(x, b, format); });
}

ExactMachine::Row ExactMachine::multiply_and_add_itself(Row a, const Row& w,
                                                        const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t i, Code x) {
    const Code own = operand(x, format);
    return result(rounded_fma(own, operand(w.elements[i], format), own, format));
  });
}

ExactMachine::Row ExactMachine::multiply_with_sum(Row a, const Row& w, Code offset,
                                                  const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t i, Code x) {
    const Code weight = operand(w.elements[i], format);
    return result(rounded_product_with_sum(operand(x, format), weight, offset, format));
  });
}

ExactMachine::Row ExactMachine::clamp(Row a, double limit) const {
  const FloatFormat& format = *a.format;
  const Code high = constant(limit, format);
  return map(std::move(a), format, [&](std::size_t, Code x) {
    if (is_nan(x) || x.magnitude() <= high.magnitude()) return x;
    return x.negative() ? negated(high) : high;
  });
}

Code ExactMachine::greatest_magnitude(const Row& a) const {
  Code greatest = zero_of(*a.format, false);
  for (const Code x : a.elements) {
    const Code magnitude = x.negative() ? negated(x) : x;
    greatest = maximum(greatest, magnitude, *a.format);
  }
  return greatest;
}

struct ExactSumPolicy {
  using Value = Code;
  const ExactMachine& machine;
  const std::vector<Code>& terms;
  const FloatFormat& format;
  bool fused;

  [[nodiscard]] Code zero() const { return zero_of(format, false); }
  [[nodiscard]] Code add(Code a, Code b) const { return machine.add(a, b, format); }
  [[nodiscard]] Code include(Code sum, std::size_t i) const {
    if (!fused) return machine.add(sum, terms[i], format);
    const Code x = machine.operand(terms[i], format);
    return machine.result(rounded_fma(x, x, machine.operand(sum, format), format));
  }
};

Code ExactMachine::sum(const Row& terms, const SummationOrder& order,
                       const FloatFormat& format) const {
  const ExactSumPolicy policy{*this, terms.elements, format, false};
  return OrderedSum(policy, order, format == kFp64).sum(terms.size());
}

Code ExactMachine::fused_sum_of_squares(const Row& x, const SummationOrder& order,
                                        const FloatFormat& format) const {
  const ExactSumPolicy policy{*this, x.elements, format, true};
  return OrderedSum(policy, order, format == kFp64).sum(x.size());
}

Code ExactMachine::kahan_sum(const Row& terms, const FloatFormat& format) const {
  Code sum = zero_of(format, false);
  Code compensation = sum;
  for (const Code term : terms.elements) {
    const Code y = subtract(term, compensation, format);
    const Code t = add(sum, y, format);
    compensation = subtract(subtract(t, sum, format), y, format);
    sum = t;
  }
  return sum;
}

Code ExactMachine::exact_sum(const Row& terms, const FloatFormat& format) const {
  const bool finite = std::all_of(terms.elements.begin(), terms.elements.end(), is_finite);
  if (!finite) {
    // Which of NaN and the infinities it is does not depend on rounding or order.
    Code sum = zero_of(kFp64, false);
    for (const Code term : terms.elements) {
      if (!is_finite(term)) sum = rounded_sum(sum, term, kFp64);
    }
    return normcert::convert(sum, format);
  }
  BigDyadic sum;
  for (const Code term : terms.elements) sum += decode(term);
  return result(round(sum.sign() < 0, leading_bits(sum), format));
}

}  // namespace normcert
