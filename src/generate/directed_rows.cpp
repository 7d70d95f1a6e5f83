#include "generate/directed_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

// Least e with n <= 2^e.
int ceil_log2(std::size_t n) {
  int exponent = 0;
  while ((std::uint64_t{1} << exponent) < n) ++exponent;
  return exponent;
}

// Greatest e with 2^e <= n.
int floor_log2(std::size_t n) {
  const int exponent = ceil_log2(n);
  return (std::uint64_t{1} << exponent) == n ? exponent : exponent - 1;
}

// Greatest k with n 4^k < 2^127. For whole n, n < 2^m says floor_log2(n) < m.
int greatest_safe_exponent(std::size_t n) { return (126 - floor_log2(n)) / 2; }

// Least k with n 4^k >= 2^128: n >= 2^(128 - 2k).
int least_overflowing_exponent(std::size_t n) { return (128 - floor_log2(n) + 1) / 2; }

}  // namespace

void add_zero(const RowRequest& request, RowList& rows) {
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    rows.add_constant("row " + std::to_string(row), row % 2 == 0 ? 0.0 : -0.0, ZeroRow::kKept);
  }
}

void add_constant(const RowRequest& request, RowList& rows) {
  auto values = request.texts("values");
  // By itself the first row is the one whose mean square is epsilon, whatever epsilon is.
  const bool with_root = !request.spec.parameters.contains("values");
  if (with_root) values.insert(values.begin(), "sqrt(epsilon)");
  for (std::size_t row = 0; row < request.rows(values.size()); ++row) {
    const std::size_t which = row % values.size();
    const bool root = with_root && which == 0;
    rows.add_constant("value " + values[which],
                      root ? std::sqrt(request.epsilon) : number_of(values[which]));
  }
}

void add_alternating(const RowRequest& request, RowList& rows) {
  const auto values = request.texts("values");
  for (std::size_t row = 0; row < request.rows(values.size()); ++row) {
    const std::string& value = values[row % values.size()];
    rows.add_alternating("value " + value, number_of(value));
  }
}

void add_one_hot(const RowRequest& request, RowList& rows) {
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    std::vector<double> values(rows.width(), 0.0);
    const bool first = row % 2 == 0;
    values[first ? rows.width() / 3 : rows.width() - 1] = first ? 1 : 33;
    rows.add("row " + std::to_string(row), values);
  }
}

void add_q_over_epsilon(const RowRequest& request, RowList& rows) {
  const auto ratios = request.texts("q_over_epsilon");
  for (std::size_t row = 0; row < request.rows(ratios.size()); ++row) {
    const std::string& ratio = ratios[row % ratios.size()];
    rows.add_constant("q/epsilon = " + ratio, std::sqrt(number_of(ratio) * request.epsilon));
  }
}

void add_near_overflow(const RowRequest& request, RowList& rows) {
  // s <= max(T)/2 says 2^k < 2^emax.
  const int exponent = std::min(greatest_safe_exponent(rows.width()), rows.format().emax - 1);
  const double s = std::ldexp(1.0, exponent);
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    const std::string label = "row " + std::to_string(row);
    row % 2 == 0 ? rows.add_constant(label, s) : rows.add_alternating(label, s);
  }
}

void add_beyond_range(const RowRequest& request, RowList& rows) {
  const int least = least_overflowing_exponent(rows.width());
  const int greatest = rows.format().emax;
  if (least > greatest) {
    rows.omit("all", "no sum of " + std::to_string(rows.width()) + " squares of finite " +
                         std::string(rows.format().name) + " numbers leaves binary32");
    return;
  }
  struct Row {
    std::string label;
    double value;
    bool alternating;
  };
  std::vector<Row> kinds = {{"least power of two", std::ldexp(1.0, least), false},
                            {"greatest power of two", std::ldexp(1.0, greatest), true}};
  if (greatest > 1000) kinds.push_back({"value 1e200", power_of_ten(200), true});
  for (std::size_t row = 0; row < request.rows(kinds.size()); ++row) {
    const Row& kind = kinds[row % kinds.size()];
    kind.alternating ? rows.add_alternating(kind.label, kind.value)
                     : rows.add_constant(kind.label, kind.value);
  }
}

void add_subnormal(const RowRequest& request, RowList& rows) {
  // Subnormal magnitudes are the codes 1 ... greatest.
  const std::uint64_t greatest = rows.format().fraction_mask();
  const std::size_t width = rows.width();
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    const RandomStream stream = request.stream(row);
    std::vector<Code> codes(width);
    for (std::size_t i = 0; i < width; ++i) {
      // Even rows: from the greatest down to the least in steps as equal as whole codes allow.
      const std::uint64_t steps = width > 1 ? width - 1 : 1;
      const std::uint64_t spread =
          greatest - ((greatest - 1) / steps * i + (greatest - 1) % steps * i / steps);
      const std::uint64_t random = 1 + stream.bits(i) % greatest;
      const auto magnitude = static_cast<std::int64_t>(row % 2 == 0 ? spread : random);
      codes[i] = code_of_rank(i % 2 == 0 ? magnitude : -magnitude, rows.format());
    }
    rows.add_codes(codes);
  }
}

void add_exact_rms(const RowRequest& request, RowList& rows) {
  // Five numbers each, in halves: 16 + 4 = 9 + 9 + 1 + 1 = 5 x 4, so that the mean square is 1.
  constexpr std::size_t kBlock = 5;
  constexpr std::array<std::array<double, kBlock>, 3> kPatterns = {
      {{2, 2, 2, 2, 2}, {4, 2, 0, 0, 0}, {3, 3, 1, 1, 0}}};
  const auto exponents = request.texts("exponent_of_two");
  for (std::size_t row = 0; row < request.rows(exponents.size()); ++row) {
    const std::string& exponent = exponents[row % exponents.size()];
    const double half = std::ldexp(1.0, static_cast<int>(number_of(exponent)) - 1);
    const RandomStream stream = request.stream(row);
    std::vector<double> values(rows.width(), 2 * half);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t first = i - i % kBlock;
      const std::uint64_t of_block = stream.bits(first);
      if (first + kBlock <= values.size()) {
        const auto& pattern = kPatterns[of_block % kPatterns.size()];
        values[i] = half * pattern[(i - first + (of_block >> 8)) % kBlock];
      }
      if ((stream.bits(i) >> 63) != 0) values[i] = -values[i];
    }
    const bool exact = std::ranges::all_of(values, [&](double value) {
      return to_binary64(convert(code_of(value), rows.format())) == value;
    });
    if (exact) {
      rows.add("RMS 2^" + exponent, values);
    } else {
      rows.omit("RMS 2^" + exponent, "out of the range of " + std::string(rows.format().name));
    }
  }
}

}  // namespace normcert
