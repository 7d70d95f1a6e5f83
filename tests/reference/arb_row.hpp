// The exact row a third time, by Arb, straight from the definition y = |g z| / sqrt(S/n + epsilon)
// with balls: the error is part of the value. Rounding to a format is done on integers: with 2^q
// the format's spacing at y, floor(2 y / 2^q) and whether anything is left over decide every mode.
// A ball that touches a multiple of half the spacing decides nothing; no precision helps where y is
// such a number, unless every operation happened to be exact.
#pragma once

#include <arb.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "problem/case.hpp"
#include "reference/plain_value.hpp"

namespace normcert {

class Arf {
 public:
  Arf() { arf_init(value_); }
  explicit Arf(double value) : Arf() { arf_set_d(value_, value); }
  Arf(const Arf& other) : Arf() { arf_set(value_, other.value_); }
  Arf& operator=(const Arf& other) {
    arf_set(value_, other.value_);
    return *this;
  }
  ~Arf() { arf_clear(value_); }
  [[nodiscard]] arf_struct* get() { return value_; }
  [[nodiscard]] const arf_struct* get() const { return value_; }

 private:
  arf_t value_;
};

class Arb {
 public:
  Arb() { arb_init(value_); }
  Arb(const Arb& other) : Arb() { arb_set(value_, other.value_); }
  Arb& operator=(const Arb& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Arb() { arb_clear(value_); }
  [[nodiscard]] arb_struct* get() { return value_; }
  [[nodiscard]] const arb_struct* get() const { return value_; }

 private:
  arb_t value_;
};

// lower <= y <= upper, magnitudes.
struct ArbMagnitude {
  Arf lower;
  Arf upper;
};

class ArbRow {
 public:
  ArbRow(const Case& value, std::size_t row) : case_(&value), row_(row) {
    for (std::size_t i = 0; i < value.x.width; ++i) {
      const Arf z = input(i);
      arf_addmul(sum_.get(), z.get(), z.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    }
  }

  // |y| at a precision. The row's divisor is kept while the precision stays the same.
  [[nodiscard]] ArbMagnitude element(std::size_t index, slong precision) {
    if (precision != precision_) set_precision(precision);
    const Arf product = input_times_gain(index);
    Arb y;
    arb_set_arf(y.get(), product.get());
    arb_abs(y.get(), y.get());
    arb_div(y.get(), y.get(), divisor_.get(), precision);
    ArbMagnitude result;
    arb_get_lbound_arf(result.lower.get(), y.get(), precision + 30);
    arb_get_ubound_arf(result.upper.get(), y.get(), precision + 30);
    return result;
  }

  // The number of 64 bits that y is, where it is one: c^2 (S + n epsilon) = n (g z)^2, exactly.
  [[nodiscard]] std::optional<ArbMagnitude> exact_element(std::size_t index) {
    const ArbMagnitude near = element(index, 128);
    Arf candidate;
    arf_set_round(candidate.get(), near.lower.get(), 64, ARF_RND_NEAR);
    Arf left;
    Arf right(case_->epsilon.binary64);
    arf_mul_ui(right.get(), right.get(), case_->x.width, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(left.get(), sum_.get(), right.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(left.get(), left.get(), candidate.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(left.get(), left.get(), candidate.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    const Arf product = input_times_gain(index);
    arf_mul(right.get(), product.get(), product.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_ui(right.get(), right.get(), case_->x.width, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (arf_equal(left.get(), right.get()) == 0) return std::nullopt;
    return ArbMagnitude{candidate, candidate};
  }

 private:
  [[nodiscard]] Arf input(std::size_t index) const {
    Arf z(plain_value(case_->x.at(row_, index)));
    if (case_->residual) {
      const Arf residual(plain_value(case_->residual->at(row_, index)));
      arf_add(z.get(), z.get(), residual.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    return z;
  }

  [[nodiscard]] Arf input_times_gain(std::size_t index) const {
    Arf result = input(index);
    if (!case_->weight) return result;
    Arf gain(case_->weight_offset.binary64);
    const Arf weight(plain_value(case_->weight->at(0, index)));
    arf_add(gain.get(), gain.get(), weight.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(result.get(), result.get(), gain.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    return result;
  }

  void set_precision(slong precision) {
    const Arf epsilon(case_->epsilon.binary64);
    Arb mean_square;
    arb_set_arf(mean_square.get(), sum_.get());
    arb_div_ui(mean_square.get(), mean_square.get(), case_->x.width, precision);
    arb_add_arf(divisor_.get(), mean_square.get(), epsilon.get(), precision);
    arb_sqrt(divisor_.get(), divisor_.get(), precision);
    precision_ = precision;
  }

  const Case* case_;
  std::size_t row_;
  Arf sum_;
  Arb divisor_;
  slong precision_ = 0;
};

// The rounding of every number in [lower, upper] but nothing where they differ or may differ.
inline std::optional<PlainRounding> arb_rounding(const ArbMagnitude& y, const FloatFormat& format) {
  if (arf_is_zero(y.lower.get()) && arf_is_zero(y.upper.get())) return PlainRounding{.exact = true};
  // |v| < 2^bound, the least such bound: the exponent of v is bound - 1.
  const auto half_spacing = [&](const Arf& v) {
    const slong bound = arf_abs_bound_lt_2exp_si(v.get());
    return std::max<slong>(bound - 1, format.emin) - format.precision;
  };
  const slong quantum = half_spacing(y.lower);
  if (quantum != half_spacing(y.upper)) return std::nullopt;

  Arf scaled_lower;
  Arf scaled_upper;
  Arf floor_lower;
  Arf floor_upper;
  arf_mul_2exp_si(scaled_lower.get(), y.lower.get(), -quantum);
  arf_mul_2exp_si(scaled_upper.get(), y.upper.get(), -quantum);
  arf_floor(floor_lower.get(), scaled_lower.get());
  arf_floor(floor_upper.get(), scaled_upper.get());
  if (arf_equal(floor_lower.get(), floor_upper.get()) == 0) return std::nullopt;
  const bool remainder = arf_equal(floor_lower.get(), scaled_lower.get()) == 0;
  const bool is_point = arf_equal(y.lower.get(), y.upper.get()) != 0;
  if (!remainder && !is_point) return std::nullopt;

  const slong halves = arf_get_si(floor_lower.get(), ARF_RND_DOWN);
  const slong kept = halves / 2;
  const bool half = halves % 2 != 0;
  const auto number = [&](slong significand) {
    return std::ldexp(static_cast<double>(significand), static_cast<int>(quantum + 1));
  };
  PlainRounding result;
  result.exact = !half && !remainder;
  result.tie = half && !remainder;
  result.toward_zero = number(kept);
  result.away = number(result.exact ? kept : kept + 1);
  result.nearest = number(half && (remainder || kept % 2 != 0) ? kept + 1 : kept);
  return result;
}

}  // namespace normcert
