// One element of an exact row, decided by integers and compared with three independent answers in
// every output format: the 256-bit value with its error bound, MPFR, and Arb.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>

#include "numeric/float_format.hpp"
#include "reference/arb_row.hpp"
#include "reference/exact_row.hpp"
#include "reference/mpfr_row.hpp"
#include "reference/plain_value.hpp"

namespace normcert {

constexpr std::size_t kOutputFormats = 7;

// What was met, so that a test can assert that its inputs were worth the name.
struct FormatTally {
  std::uint64_t outputs = 0;
  std::uint64_t exact = 0;  // the result is a number of the format (zero apart)
  std::uint64_t ties = 0;
  std::uint64_t subnormal = 0;  // rounded result
  std::uint64_t underflow = 0;  // rounded to zero, not zero
  std::uint64_t overflow = 0;
  std::uint64_t wide_decided = 0;  // by the 256-bit enclosure, in all modes
  std::uint64_t arb_decided = 0;   // by a ball, at some precision
};

struct Tally {
  std::array<FormatTally, kOutputFormats> format{};  // in the order of all_formats()
  std::uint64_t elements = 0;
  std::uint64_t zeros = 0;
  std::uint64_t mpfr_first = 0;      // decided at the first precision
  std::uint64_t mpfr_exact = 0;      // proven to be a number of 64 bits
  std::uint64_t wide_undecided = 0;  // in some format
  std::uint64_t wide_beyond = 0;     // of these: not exact either, closer than 256 bits can tell
  std::map<slong, std::uint64_t> arb_precision{};  // at which the last format was decided
  std::uint64_t arb_never = 0;  // no ball decides: a tie or a number of the format

  void print(std::ostream& out) const;
};

class OracleCheck {
 public:
  // `subject` is what the integers see, `other` what the oracles see: the same but in tests of this
  // class.
  OracleCheck(const Case& subject, const Case& other, Tally& tally)
      : case_(&subject), row_(subject, 0), mpfr_(other, 0), arb_(other, 0), tally_(&tally) {}
  OracleCheck(const Case& value, Tally& tally) : OracleCheck(value, value, tally) {}

  // Compares one element in all formats; adds a failure (and says where) for each difference.
  void element(std::size_t index);
  void all_elements() {
    for (std::size_t i = 0; i < row_.width(); ++i) element(i);
  }

 private:
  void check_format(std::size_t format_number, const RootOfRatio& value, const MpfrMagnitude& y,
                    const std::optional<PlainRounding>& arb);
  void check_wide(const RootOfRatio& value, const MpfrMagnitude& y);
  void check_faithful(const FloatFormat& format, const RootOfRatio& value,
                      const PlainRounding& expected);
  void fail(const std::string& what) const;

  const Case* case_;
  ExactRow row_;
  MpfrRow mpfr_;
  ArbRow arb_;
  Tally* tally_;
  std::size_t index_ = 0;
};

}  // namespace normcert
