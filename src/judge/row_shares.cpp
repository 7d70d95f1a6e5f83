#include "judge/row_shares.hpp"

#include <cmath>

#include "judge/row_factor.hpp"

namespace normcert {
namespace {

struct Totals {
  double product = 0;
  double square = 0;
  double rest = 0;
};

// Lanes in halves: one order on every machine.
template <std::size_t kHalf = kScreenLanes / 2, typename Real>
double total(std::array<Real, kScreenLanes> lanes) {
  for (std::size_t i = 0; i < kHalf; ++i) lanes[i] += lanes[i + kHalf];
  if constexpr (kHalf > 1) {
    return total<kHalf / 2>(lanes);
  } else {
    return static_cast<double>(lanes[0]);
  }
}

template <typename Real>
Totals totals(const ScreenSums<Real>& sums) {
  return {total(sums.product), total(sums.square), total(sums.rest)};
}

}  // namespace

bool RowShares::could_lead(double bound, std::size_t width, double least_coherent,
                           double least_incoherent) const {
  if (least_coherent < 0 || least_incoherent < 0) return true;
  const Totals t = totals(narrow_);
  // Sums that over- or underflowed, or lost what binary32 cannot hold.
  const bool in_range = t.square >= 0x1p-60 && t.square <= 0x1p100 && t.rest <= 0x1p100;
  if (!in_range || !std::isfinite(t.product)) return true;
  const double spread = std::sqrt(t.rest / t.square);
  const double coherent = std::fabs(t.product / t.square);
  // y^ is off by m |y|, and with it each a - y^; a sum of n/16 terms rounds as often.
  const std::size_t terms = width / kScreenLanes + 16;
  const auto roundings = static_cast<double>(terms);
  const double doubt = 2 * bound + roundings * 0x1p-23 * (spread + coherent);
  if (coherent + doubt >= least_coherent) return true;
  const double rest_square =
      spread * spread - coherent * coherent + 4 * doubt * (spread + coherent + doubt);
  return std::sqrt(std::fmax(rest_square, 0)) >= least_incoherent;
}

bool RowShares::offer(std::size_t row, Comparison& into) const {
  const Totals t = totals(wide_);
  if (t.square == 0) return true;  // all exact results are 0: no share is defined
  const double factor = t.product / t.square;
  const double rest = t.rest / t.square - factor * factor;
  if (!std::isfinite(factor) || !std::isfinite(rest)) return false;
  // Four digits of the root are shown; the difference carries an error of some 2^-49 of its terms.
  const double terms = t.rest / t.square;
  const bool counts_as_zero = std::fmax(rest, 0) + 0x1p-45 * terms < kLeastRest * factor * factor;
  if (t.rest != 0 && rest < 0x1p-30 * terms && !counts_as_zero) return false;
  offer_shares(factor, std::fmax(rest, 0), row, into);
  return true;
}

}  // namespace normcert
