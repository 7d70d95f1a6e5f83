// Floating-point arithmetic in any format, one rounding per operation, on exact values: the slow
// arithmetic that emulation rests on and that its hardware twin is held to.
//
// Every function is *correctly rounded* (nearest even) to `format` from the exact result of its
// operands, which may be of any formats; subnormals are kept. Special values follow IEEE 754-2019,
// 6 and 7: an invalid operation and any NaN operand give the format's quiet NaN; an exact sum of
// zero is +0 unless both terms are negative; products and quotients take the sign of both factors.
// Checked by tests/emulation/arithmetic_test.cpp against the processor's binary32 and binary64.
#pragma once

#include "numeric/code.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

[[nodiscard]] Code negated(Code a);

[[nodiscard]] Code rounded_sum(Code a, Code b, const FloatFormat& format);
[[nodiscard]] Code rounded_difference(Code a, Code b, const FloatFormat& format);
[[nodiscard]] Code rounded_product(Code a, Code b, const FloatFormat& format);
// a b + c
[[nodiscard]] Code rounded_fma(Code a, Code b, Code c, const FloatFormat& format);
// a (b + c), the sum exact; an infinite or NaN sum as IEEE 754 has it.
[[nodiscard]] Code rounded_product_with_sum(Code a, Code b, Code c, const FloatFormat& format);
// x / 0 is an infinity, 0 / 0 and infinity / infinity are NaN.
[[nodiscard]] Code rounded_quotient(Code a, Code b, const FloatFormat& format);
// sqrt(-0) = -0; of other negative numbers NaN.
[[nodiscard]] Code rounded_root(Code a, const FloatFormat& format);
// 1/sqrt(a): of +0 and -0 the infinity of that sign, of other negative numbers NaN.
[[nodiscard]] Code rounded_reciprocal_root(Code a, const FloatFormat& format);

// IEEE 754-2019 maximum, exact: NaN if either is, +0 above -0. The result has `format`, which must
// hold both operands.
[[nodiscard]] Code maximum(Code a, Code b, const FloatFormat& format);

// A zero of its sign in place of a value below the least normal number of `format`.
[[nodiscard]] Code without_subnormal(Code a, const FloatFormat& format);

}  // namespace normcert
