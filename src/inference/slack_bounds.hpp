// How far the scalar that a kernel forms may lie from the exact one, in units of u = 2^-24 (or of
// the unit roundoff of the format in which the sum is formed).
//
// Write S for the exact sum of squares of n numbers and gamma_k = k u / (1 - k u). A kernel rounds
// each square once (a fused one not at all) and adds along some tree, where no term passes through
// more than h additions; S^ = sum x_i^2 (1 + d_i) with |d_i| <= gamma_(h+1), and since no term is
// negative |S^/S - 1| <= gamma_(h+1) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., lemma 3.1 and section 4.2). The mean costs one rounding (S/n) or two (1/n rounded, then the
// product): q^ = q (1 + d), |d| <= gamma_(h+3). Any order at all: h <= n - 1.
//
//   inside, clamp_q, on_sum, scaled_by_max: q^ + e is rounded once more; a sum of nonnegative
//     numbers has at most the greater of their relative errors, so |d| <= gamma_(h+4), of which the
//     root takes half: gamma_(h+4)/2 <= gamma_(h+3)/2 + 0.6 u. Square root and reciprocal round
//     once each (2 u), or one instruction is within 2 ulp <= 4 u of 1/sqrt.
//   outside, after_rsqrt, clamp_rms: the root of q^ is within gamma_(h+3)/2 + 4 u, and adding e
//     and what follows round at most twice where the root was a square root (1 u), once where it
//     was an instruction: + 1 u.
//
// So gamma_(h+3)/2 + 5 u covers all of them; the half of second order, (gamma/2)^2 3/2 for the
// negative power, is added too. (scaled_by_max rounds x/m and the product with m besides: 2 u more
// before the square, 1 u after it, added for it alone.)
//
// Known orders: block trees, lanes and cascades. A thread block of 256 or more threads adds at most
// ceil(n/256) terms in each thread and combines 1024 partial sums in 10 steps or, with warps added
// one after another, 5 + 31; 8 lanes with 4 accumulators of a cascade of 16-element runs need at
// most 16 additions on each of four levels. h = ceil(n/256) + 20 is what every measured kernel
// stays below; it is no statement about kernels that nobody measured, which is what L_any is for.
#pragma once

#include <cstddef>

namespace normcert {

struct SlackBounds {
  double known_orders = 0;  // L_known
  double any_order = 0;     // L_any; infinity where (n + 3) u >= 1/4: not derivable
};

// *Upper bounds*, in units of `unit`. `n`: how many squares are added.
[[nodiscard]] SlackBounds slack_bounds(std::size_t n, double unit = 0x1p-24);

}  // namespace normcert
