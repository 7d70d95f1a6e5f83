#include "reference/oracle_check.hpp"

#include <gtest/gtest-spi.h>

#include "numeric/rounding.hpp"
#include "reference/built_case.hpp"

namespace normcert {
namespace {

constexpr std::array<RoundingMode, 3> kModes{RoundingMode::kNearestEven, RoundingMode::kTowardZero,
                                             RoundingMode::kAwayFromZero};

double in_mode(const PlainRounding& rounding, RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kNearestEven:
      return rounding.nearest;
    case RoundingMode::kTowardZero:
      return rounding.toward_zero;
    case RoundingMode::kAwayFromZero:
      break;
  }
  return rounding.away;
}

bool same_rounding(const PlainRounding& a, const PlainRounding& b, double greatest) {
  // Beyond the greatest finite number MPFR's exponent range makes everything inexact.
  const auto same = [&](double u, double v) { return u == v || (u > greatest && v > greatest); };
  const bool beyond = a.away > greatest && b.away > greatest;
  return same(a.nearest, b.nearest) && same(a.away, b.away) &&
         std::min(a.toward_zero, greatest) == std::min(b.toward_zero, greatest) &&
         (beyond || (a.exact == b.exact && a.tie == b.tie));
}

// Balls that decide nothing at the last of these are asked for an exact comparison.
constexpr std::array<slong, 5> kArbPrecisions{128, 512, 2048, 8192, 32768};

}  // namespace

void Tally::print(std::ostream& out) const {
  out << elements << " elements, " << zeros << " zeros\n  MPFR: " << mpfr_first
      << " decided at the first precision, " << mpfr_exact
      << " proven exact\n  256 bits: " << wide_undecided << " undecided in some format, "
      << wide_beyond << " of them not exact\n  "
      << "Arb: never " << arb_never;
  for (const auto& [precision, count] : arb_precision) {
    out << ", at " << precision << ": " << count;
  }
  out << '\n';
  for (std::size_t i = 0; i < kOutputFormats; ++i) {
    const FormatTally& f = format[i];
    out << "  " << all_formats()[i]->name << ": " << f.outputs << " outputs, " << f.exact
        << " exact, " << f.ties << " ties, " << f.subnormal << " subnormal, " << f.underflow
        << " to zero, " << f.overflow << " overflow; 256 bits decide " << f.wide_decided
        << ", balls " << f.arb_decided << '\n';
  }
}

void OracleCheck::fail(const std::string& what) const {
  ADD_FAILURE() << what << ": element " << index_ << " of " << row_.width() << ", x "
                << plain_value(case_->x.at(0, index_)) << ", epsilon " << case_->epsilon.binary64;
}

void OracleCheck::element(std::size_t index) {
  index_ = index;
  ++tally_->elements;
  const RootOfRatio value = row_.element(index);
  const MpfrMagnitude y = mpfr_.element(index);
  const bool zero = mpfr_zero_p(static_cast<mpfr_srcptr>(y.lower)) != 0;
  if (zero) ++tally_->zeros;
  if (y.precision == MpfrRow::kFirstPrecision && !y.proven) ++tally_->mpfr_first;
  if (y.proven) ++tally_->mpfr_exact;

  if (zero != value.is_zero()) return fail("MPFR and the integers differ on zero");
  if (!zero && y.negative != value.negative()) return fail("MPFR and the integers differ in sign");
  if (!zero) {
    Mpfr top(64);
    mpfr_set(top, y.lower, MPFR_RNDD);
    const LeadingBits& leading = value.leading();
    Mpfr own(64);
    mpfr_set_uj_2exp(own, leading.top, leading.exponent, MPFR_RNDN);
    if (mpfr_equal_p(top, own) == 0) return fail("leading 64 bits differ from MPFR's");
    const bool sticky = !y.is_short();
    if (sticky != leading.sticky) return fail("what follows 64 bits differs from MPFR's");
  }

  // The precision is the one that decides the most demanding format.
  std::array<std::optional<PlainRounding>, kOutputFormats> arb;
  bool all = false;
  for (const slong precision : kArbPrecisions) {
    const bool hopeless = y.is_short() && precision > kArbPrecisions.front();
    if (all || hopeless) break;
    const ArbMagnitude ball = arb_.element(index, precision);
    all = true;
    for (std::size_t f = 0; f < kOutputFormats; ++f) {
      if (!arb[f]) arb[f] = arb_rounding(ball, *all_formats()[f]);
      all = all && arb[f].has_value();
    }
    if (all) ++tally_->arb_precision[precision];
  }
  for (std::size_t f = 0; f < kOutputFormats; ++f) {
    if (arb[f]) ++tally_->format[f].arb_decided;
  }
  if (!all) {
    ++tally_->arb_never;
    const auto exact = arb_.exact_element(index);
    if (!exact) return fail("no ball decides and no exact number is near");
    for (std::size_t f = 0; f < kOutputFormats; ++f) {
      const auto rounding = arb_rounding(*exact, *all_formats()[f]);
      if (arb[f] && !same_rounding(*arb[f], *rounding, plain_greatest(*all_formats()[f]))) {
        return fail("a ball's rounding differs from that of the exact number");
      }
      arb[f] = rounding;
    }
  }

  for (std::size_t f = 0; f < kOutputFormats; ++f) check_format(f, value, y, arb[f]);
  check_wide(value, y);
}

void OracleCheck::check_format(std::size_t format_number, const RootOfRatio& value,
                               const MpfrMagnitude& y, const std::optional<PlainRounding>& arb) {
  const FloatFormat& format = *all_formats()[format_number];
  FormatTally& tally = tally_->format[format_number];
  const PlainRounding expected = mpfr_rounding(y, format);
  const double greatest = plain_greatest(format);
  if (!same_rounding(expected, *arb, greatest)) return fail("MPFR and Arb differ");

  for (const RoundingMode mode : kModes) {
    const Code code = value.rounded(format, {.mode = mode});
    const double rounded = in_mode(expected, mode);
    if (!plain_matches(code, value.negative(), rounded, mode == RoundingMode::kTowardZero)) {
      return fail("integers and MPFR differ in " + std::string(format.name));
    }
    const Code saturated =
        value.rounded(format, {.mode = mode, .overflow = OverflowRule::kSaturate});
    if (plain_negative(saturated) != value.negative() ||
        plain_magnitude(saturated) != std::min(rounded, greatest)) {
      return fail("saturation differs in " + std::string(format.name));
    }
  }
  if (is_representable(value.leading(), format) !=
      (expected.exact && expected.nearest <= greatest)) {
    return fail("representable or not differs in " + std::string(format.name));
  }
  if (!value.is_zero()) {
    const std::int64_t exponent =
        std::max<std::int64_t>(mpfr_get_exp(static_cast<mpfr_srcptr>(y.lower)) - 1, format.emin);
    if (ulp_exponent(value.leading(), format) != exponent - format.precision + 1) {
      return fail("ulp differs in " + std::string(format.name));
    }
  }
  check_faithful(format, value, expected);

  ++tally.outputs;
  if (value.is_zero()) return;
  tally.exact += expected.exact ? 1 : 0;
  tally.ties += expected.tie ? 1 : 0;
  tally.overflow += expected.nearest > greatest ? 1 : 0;
  tally.underflow += expected.nearest == 0 ? 1 : 0;
  tally.subnormal +=
      expected.nearest != 0 && expected.nearest < std::ldexp(1.0, format.emin) ? 1 : 0;
}

void OracleCheck::check_faithful(const FloatFormat& format, const RootOfRatio& value,
                                 const PlainRounding& expected) {
  const double greatest = plain_greatest(format);
  const bool overflows = expected.nearest > greatest;
  const Code nearest = value.rounded(format);
  const auto middle = static_cast<std::int64_t>(nearest.magnitude());
  const auto last = static_cast<std::int64_t>(format.max_finite_magnitude()) + 1;
  for (std::int64_t m = std::max<std::int64_t>(middle - 2, 0); m <= std::min(middle + 2, last);
       ++m) {
    Code got{static_cast<std::uint64_t>(m), &format};
    if (value.negative()) got.bits |= format.sign_mask();
    const bool beyond = m == last;
    const double number = beyond ? 0 : plain_magnitude(got);
    // Infinity encloses from above what exceeds the greatest number; that number encloses only
    // what does not round beyond it.
    const bool expect = beyond ? expected.away > greatest
                               : (number == expected.toward_zero && !overflows) ||
                                     (number == expected.away && number <= greatest);
    const bool got_faithful = is_faithful(got, value.negative(), value.leading());
    if (got_faithful != expect) return fail("faithful differs in " + std::string(format.name));
    // Saturating, the greatest number is what stands for everything beyond it.
    const bool expect_saturating = !beyond && (number == std::min(expected.toward_zero, greatest) ||
                                               number == std::min(expected.away, greatest));
    if (is_faithful(got, value.negative(), value.leading(), OverflowRule::kSaturate) !=
        expect_saturating) {
      return fail("faithful, saturating, differs in " + std::string(format.name));
    }
    // A NaN has no sign that means anything, and the sign of a zero is counted apart.
    if (m != 0 && !is_nan(got) &&
        is_faithful({got.bits ^ format.sign_mask(), &format}, value.negative(), value.leading())) {
      return fail("the wrong sign is faithful in " + std::string(format.name));
    }
  }
}

void OracleCheck::check_wide(const RootOfRatio& value, const MpfrMagnitude& y) {
  // The bound of wide() is 3 x 2^-256.
  const BigDyadic center = value.wide().magnitude().exact();
  const BigDyadic slack = center.times_power_of_two(-254);
  const LeadingBits lower = leading_bits(center - slack);
  const LeadingBits upper = leading_bits(center + slack);
  LeadingBits decided = lower;
  bool undecided = false;
  std::array<bool, kOutputFormats> format_decided{};
  for (std::size_t f = 0; f < kOutputFormats; ++f) {
    format_decided[f] = true;
    for (const RoundingMode mode : kModes) {
      format_decided[f] =
          format_decided[f] && same_bits(round(value.negative(), lower, *all_formats()[f], {mode}),
                                         round(value.negative(), upper, *all_formats()[f], {mode}));
    }
    undecided = undecided || !format_decided[f];
    tally_->format[f].wide_decided += format_decided[f] ? 1 : 0;
  }
  if (undecided) {
    // A number of 64 bits lies inside the enclosure: which side the value is on decides.
    ++tally_->wide_undecided;
    const Dyadic near{value.negative(), upper.top, static_cast<int>(upper.exponent)};
    const int order = value.compare_to(BigDyadic(near)) * (value.negative() ? -1 : 1);
    if ((order == 0) != y.is_short()) return fail("256 bits, then integers: exact or not differs");
    if (order != 0) ++tally_->wide_beyond;
    decided = order < 0 ? lower : upper;
    decided.sticky = order != 0;
  }
  for (std::size_t f = 0; f < kOutputFormats; ++f) {
    for (const RoundingMode mode : kModes) {
      if (!same_bits(value.rounded(*all_formats()[f], {mode}),
                     round(value.negative(), decided, *all_formats()[f], {mode}))) {
        return fail("integers and 256 bits differ in " + std::string(all_formats()[f]->name));
      }
    }
  }
}

// The comparison itself must notice what it is there to notice.
TEST(OracleCheck, NoticesAnEpsilonThatDiffersInItsLastBit) {
  RowNumbers numbers{.format = &kFp32, .x = {1, 7, -3}, .weight = {1, 2, 3}, .epsilon = 1};
  const Case subject = built_case(numbers);
  numbers.epsilon = std::nextafter(1.0, 2);
  const Case other = built_case(numbers);
  Tally tally;
  OracleCheck same(subject, subject, tally);
  same.all_elements();
  EXPECT_EQ(tally.format[0].outputs, 3U);
  OracleCheck planted(subject, other, tally);
  EXPECT_NONFATAL_FAILURE(planted.element(0), "leading 64 bits differ");
}

TEST(OracleCheck, NoticesAMissingTie) {
  // 257 / 1 is a tie in bfloat16; with the least positive epsilon it is just below.
  RowNumbers numbers{.format = &kFp32, .x = {1, 1, 1, 1}, .weight = {257, 1, 1, 1}, .epsilon = 0};
  const Case tie = built_case(numbers);
  numbers.epsilon = 0x1p-1074;
  const Case below = built_case(numbers);
  Tally tally;
  OracleCheck planted(tie, below, tally);
  EXPECT_NONFATAL_FAILURE(planted.element(0), "differ");
  OracleCheck honest(below, below, tally);
  honest.element(0);
  EXPECT_EQ(tally.wide_beyond, 1U);  // 256 bits cannot tell 257 from 257 (1 - 2^-1075)
}

}  // namespace normcert
