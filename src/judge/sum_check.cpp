#include "judge/sum_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "emulation/emulate.hpp"
#include "numeric/rounding.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

// a + b rounded to odd: rounding that to nearest in a format of at most 51 bits is rounding a + b
// itself. (Knuth's two-sum gives the error of the addition exactly.)
double odd_sum(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1U) != 0) return sum;
  const bool outward = std::signbit(error) == std::signbit(sum);
  return std::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

double rounded_sum(double a, double b, const FloatFormat& format) {
  // Two numbers of 24 bits have a sum in binary64 that is correctly rounded.
  if (format.precision > kFp32.precision) return a + b;
  const double odd = odd_sum(a, b);
  return to_binary64(std::isfinite(odd) ? round(dyadic_of(odd), format)
                                        : convert(code_of(odd), format));
}

// Whether `got` lies within half a unit of the sum and not at a power of two or a tie, where more
// has to be asked: the rounded sum for certain.
bool is_plainly(double got, double odd, const FloatFormat& format) {
  if (!std::isfinite(got) || !std::isfinite(odd) || got == 0) return false;
  const int exponent = std::max(std::ilogb(got), format.emin);
  const bool outside = std::fabs(odd) >= std::fabs(got);
  const int half = exponent - format.precision + (outside ? 0 : -1);
  return std::fabs(odd - got) < std::ldexp(1.0, half);
}

// The shortest decimal that reads back to the same number.
std::string text_of(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class SumChecker {
 public:
  SumChecker(const JudgedCase& judged, const TensorView& sum, const Recipe* source)
      : value_(judged.value),
        sum_(sum),
        source_(source),
        x_rows_(value_.x),
        residual_rows_(*value_.residual),
        sum_rows_(sum),
        x_(value_.x.width),
        residual_(value_.x.width),
        got_(value_.x.width) {
    add_format(sum.format);
    add_format(value_.residual->format);
    add_format(value_.x.format);
  }

  SumCheck run() {
    for (std::size_t row = 0; row < value_.x.rows; ++row) read_row(row);
    return *std::ranges::min_element(checks_, {}, &SumCheck::differing);
  }

 private:
  // What is rounded to a wider format than it is stored in is not what is stored.
  void add_format(const FloatFormat* format) {
    const bool known = std::ranges::any_of(
        checks_, [&](const SumCheck& check) { return *check.format == *format; });
    if (known || format->precision > sum_.format->precision) return;
    checks_.push_back({.format = format, .elements = sum_.size(), .differing = 0, .first = {}});
  }

  void read_row(std::size_t row) {
    x_rows_.widened(row, x_);
    residual_rows_.widened(row, residual_);
    sum_rows_.widened(row, got_);
    std::optional<EmulatedRow> as_source;
    for (std::size_t i = 0; i < got_.size(); ++i) {
      for (SumCheck& check : checks_) compare(row, i, check, as_source);
    }
  }

  void compare(std::size_t row, std::size_t i, SumCheck& check,
               std::optional<EmulatedRow>& as_source) {
    const FloatFormat& format = *check.format;
    const bool is_own = format == *sum_.format && format.precision <= kFp32.precision;
    if (is_own && is_plainly(got_[i], odd_sum(x_[i], residual_[i]), format)) return;
    const double expected = rounded_sum(x_[i], residual_[i], format);
    if (same_number(got_[i], expected) || is_of_source(row, i, as_source)) return;
    ++check.differing;
    if (check.first) return;
    check.first = WrongSum{.row = row,
                           .index = i,
                           .x = x_[i],
                           .residual = residual_[i],
                           .got = got_[i],
                           .expected = expected};
  }

  // Other recipes store the sum as it is compared already.
  bool is_of_source(std::size_t row, std::size_t i, std::optional<EmulatedRow>& as_source) {
    if (source_ == nullptr || source_->flush == FlushMode::kNone) return false;
    if (!as_source) {
      // The sum needs neither weight nor epsilon.
      const RowInput input{.x = {value_.x.format, x_rows_.row(row)},
                           .residual = RowView{value_.residual->format, residual_rows_.row(row)},
                           .weight = {},
                           .weight_offset = 0,
                           .epsilon = 1};
      as_source = emulate_row(*source_, input);
    }
    return same_number(got_[i], to_binary64(as_source->residual_out.at(i)));
  }

  const Case& value_;
  const TensorView& sum_;
  const Recipe* source_;
  RowReader x_rows_;
  RowReader residual_rows_;
  RowReader sum_rows_;
  std::vector<double> x_;
  std::vector<double> residual_;
  std::vector<double> got_;
  std::vector<SumCheck> checks_;  // of each format
};

}  // namespace

std::optional<SumCheck> check_sum(const JudgedCase& judged, const Recipe* source) {
  const Case& value = judged.value;
  if (!value.residual || !judged.observed || !judged.observed->residual_out) return std::nullopt;
  const TensorView& sum = *judged.observed->residual_out;
  if (sum.rows != value.x.rows || sum.width != value.x.width || sum.size() == 0) {
    return std::nullopt;
  }
  return SumChecker(judged, sum, source).run();
}

std::string words_of(const SumCheck& check) {
  const WrongSum& first = check.first.value();
  return std::to_string(check.differing) + " of " + std::to_string(check.elements) +
         " elements of residual_out are not x + residual, rounded once to " +
         std::string(check.format->name) + "; the first in row " + std::to_string(first.row) +
         ", element " + std::to_string(first.index) + ": found " + text_of(first.got) +
         ", expected " + text_of(first.expected) + " (x " + text_of(first.x) + ", residual " +
         text_of(first.residual) + ")";
}

}  // namespace normcert
