#include "judge/expectation.hpp"

#include <functional>
#include <optional>

#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"
#include "problem/error.hpp"
#include "reference/exact_row.hpp"
#include "reference/placement.hpp"

namespace normcert {
namespace {

constexpr int kShownDigits = 17;

using Rows = std::vector<std::vector<ExpectedNumber>>;

// A 256-bit value within half a unit of a printed number's last digit. Its own error (2^-248) can
// matter only next to the ends of that interval; there the answer is "no", never a guess.
bool matches_printed(const Wide& value, const ExactNumber& printed) {
  const Wide center = Wide(printed.numerator) / Wide(printed.denominator);
  const Wide half = Wide(printed.half_unit) / Wide(printed.denominator);
  const Wide distance = (value - (printed.negative ? Wide() - center : center)).magnitude();
  const Wide doubt = value.magnitude().times_power_of_two(-240);
  return compare(distance + doubt, half) <= 0 || compare(distance, doubt) <= 0;
}

class Checker {
 public:
  Checker(const Case& value, const std::string& file) : case_(value), file_(file) {}

  ExpectationOutcome run() {
    const Expectation& expect = case_.expect;
    check_per_element(expect.y, [](const ExactRow& row, std::size_t i) { return row.element(i); });
    check_per_row(expect.attenuation, &ExactRow::attenuation);
    check_per_row(expect.output_rms, &ExactRow::output_rms);
    check_squares(expect.square);
    for (const auto& [name, rows] : expect.y_with_placement) check_placement(name, rows);
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] InputError misfit(const ExpectedNumber& at, std::string expected) const {
    return InputError({.code = "shape_mismatch",
                       .file = file_,
                       .place = at.place,
                       .found = at.text,
                       .expected = std::move(expected),
                       .nearest = {}});
  }

  void record(const ExpectedNumber& expected, bool matches, const std::string& found) {
    ++outcome_.checked;
    if (!matches) outcome_.failures.push_back({expected.place, expected.text, found});
  }

  [[nodiscard]] ExactNumber printed(const ExpectedNumber& expected) const {
    const auto number = read_number(expected.text);
    if (!number) throw misfit(expected, "a decimal or hexadecimal number");
    return *number;
  }

  void check_exact(const ExpectedNumber& expected, const RootOfRatio& exact) {
    const std::string found = exact.wide().scientific(kShownDigits);
    if (!expected.rounded_to_dtype) {
      record(expected, exact.matches_printed(printed(expected)), found);
      return;
    }
    const auto code = read_code(expected.text, *case_.output);
    if (!code) throw misfit(expected, "a number");
    record(expected, same_bits(exact.rounded(*case_.output), *code), found);
  }

  // Calls visit(expected, row, index) for each element that the expectation names.
  template <typename Visit>
  void for_each_element(const Rows& rows, Visit visit) {
    if (rows.empty()) return;
    const bool one_for_all = rows.size() == 1 && rows[0].size() == 1;
    if (!one_for_all && rows.size() != case_.x.rows) {
      throw misfit(rows[0].at(0), std::to_string(case_.x.rows) + " rows, as x has");
    }
    for (std::size_t r = 0; r < case_.x.rows; ++r) {
      const auto& row = rows[one_for_all ? 0 : r];
      if (!one_for_all && row.size() != case_.x.width) {
        throw misfit(rows[0].at(0), std::to_string(case_.x.width) + " numbers in each row");
      }
      for (std::size_t i = 0; i < case_.x.width; ++i) visit(row[one_for_all ? 0 : i], r, i);
    }
  }

  void check_per_element(const Rows& rows,
                         const std::function<RootOfRatio(const ExactRow&, std::size_t)>& exact_of) {
    std::optional<ExactRow> row;
    for_each_element(rows, [&](const ExpectedNumber& expected, std::size_t r, std::size_t i) {
      if (i == 0) row.emplace(case_, r);
      check_exact(expected, exact_of(*row, i));
    });
  }

  void check_per_row(const std::vector<ExpectedNumber>& numbers,
                     RootOfRatio (ExactRow::*exact_of)() const) {
    if (numbers.empty()) return;
    if (numbers.size() != 1 && numbers.size() != case_.x.rows) {
      throw misfit(numbers[0],
                   "one number, or one for each of " + std::to_string(case_.x.rows) + " rows");
    }
    for (std::size_t r = 0; r < case_.x.rows; ++r) {
      check_exact(numbers[numbers.size() == 1 ? 0 : r], (ExactRow(case_, r).*exact_of)());
    }
  }

  void check_squares(const Rows& rows) {
    for_each_element(rows, [&](const ExpectedNumber& expected, std::size_t r, std::size_t i) {
      const FloatFormat& format = *case_.x.format;
      const Dyadic x = decode(case_.x.at(r, i));
      const Code square = round(multiply(x, x), format);
      const ExactNumber number = printed(expected);
      const Code code = round(number.negative,
                              leading_bits_of_ratio(number.numerator, number.denominator), format);
      record(expected, code == square, hex_text(square));
    });
  }

  void check_placement(const std::string& name, const Rows& rows) {
    const auto placement = find_placement(name);
    if (!placement) {
      throw misfit(rows.at(0).at(0), "a placement of epsilon other than " + name);
    }
    std::optional<ExactRow> row;
    for_each_element(rows, [&](const ExpectedNumber& expected, std::size_t r, std::size_t i) {
      if (i == 0) row.emplace(case_, r);
      const auto value = value_with_placement(*row, i, *placement, case_.epsilon.binary64);
      record(expected, value && matches_printed(*value, printed(expected)),
             value ? value->scientific(kShownDigits) : "undefined");
    });
  }

  const Case& case_;
  const std::string& file_;
  ExpectationOutcome outcome_;
};

}  // namespace

ExpectationOutcome check_expectation(const Case& value, const std::string& file) {
  return Checker(value, file).run();
}

}  // namespace normcert
