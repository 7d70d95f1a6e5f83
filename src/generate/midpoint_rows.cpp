#include "generate/midpoint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "generate/square_sum.hpp"
#include "numeric/big_dyadic.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kBlock = 32;         // elements whose squares add up together
constexpr std::size_t kLeastFillers = 10;  // fewer rarely reach a sum exactly
constexpr std::uint64_t kAttempts = 64;
constexpr std::size_t kZeroGain = 2;
constexpr std::size_t kNegativeWeight = 3;

// The weight that gives this gain, if the weight's format holds it exactly.
std::optional<Code> weight_of_gain(double gain, const RowRequest& request) {
  const double stored = gain - request.weight_offset;
  if (!std::isfinite(stored)) return std::nullopt;
  const Code code = convert(code_of(stored), *request.spec.weight_format);
  if (!is_finite(code)) return std::nullopt;
  const BigDyadic sum = BigDyadic(decode(code)) + BigDyadic(request.weight_offset);
  if (compare(sum, BigDyadic(gain)) != 0) return std::nullopt;
  return code;
}

// Least j >= 0 with factor 4^j >= epsilon 2^c.
int scale_exponent(double factor, const RowRequest& request) {
  const int closeness = midpoint_closeness(request.spec.format->precision);
  int exponent = 0;
  while (std::ldexp(factor, 2 * exponent - closeness) < request.epsilon) ++exponent;
  return exponent;
}

std::uint64_t uniform_odd(std::uint64_t bits, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t first = low | 1;
  return first + bits % ((high - first) / 2 + 1) * 2;
}

bool has_pair(std::size_t index, std::size_t width) { return (index | 1) < width; }

// --- the gain carries the digits ---

// 5 v 2^-p with odd v, so that 7 v has p + 1 bits and 5 v has at most p.
double gain_of_seven(std::uint64_t bits, int precision) {
  const std::uint64_t unit = std::uint64_t{1} << precision;
  const std::uint64_t v = uniform_odd(bits, unit / 7 + 1, (unit - 1) / 5);
  return std::ldexp(static_cast<double>(5 * v), -precision);
}

bool set_gains_of_sevens(const RowRequest& request, std::vector<Code>& weight) {
  const RandomStream stream(request.spec.seed, "midpoint/gain");
  for (std::size_t i = 1; i < weight.size(); i += 2) {
    const double gain = gain_of_seven(stream.bits(i), request.spec.format->precision);
    auto code = weight_of_gain(gain, request);
    // What is stored has to be negative there; with offset 1 a gain below 1 is stored so anyway.
    if (i == kNegativeWeight && code && !code->negative()) code = weight_of_gain(-gain, request);
    if (!code) return false;
    weight[i] = *code;
  }
  return true;
}

void add_row_of_sevens(const RowRequest& request, std::size_t row, RowList& rows) {
  const RandomStream stream = request.stream(row);
  const double unit = std::ldexp(1.0, scale_exponent(25, request));
  std::vector<double> values(rows.width());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double magnitude = has_pair(i, values.size()) ? (i % 2 == 1 ? 7 : 1) : 5;
    values[i] = (stream.bits(i) >> 63 != 0 ? -unit : unit) * magnitude;
  }
  rows.add("row " + std::to_string(row), values);
}

// --- the row carries the digits ---

// A block's numbers in units of R 2^-p. `taboo` is the index that cannot be a target.
bool make_block(const RandomStream& stream, std::uint64_t counter, std::size_t taboo, int precision,
                std::vector<std::uint64_t>& block) {
  const std::uint64_t unit = std::uint64_t{1} << precision;
  Uint128 sum = Uint128{unit} * unit * block.size();
  const Uint128 allowed = sum >> (midpoint_closeness(precision) + 4);
  const std::size_t most_targets = block.size() - std::max(kLeastFillers, block.size() / 2);
  std::vector<std::size_t> fillers;
  std::size_t targets = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i % 2 != 0 || i == taboo || targets == most_targets) {
      fillers.push_back(i);
      continue;
    }
    ++targets;
    // 3 m has p + 1 bits.
    block[i] = uniform_odd(stream.bits(counter + i), unit / 2, 2 * unit / 3);
    sum -= Uint128{block[i]} * block[i];
  }
  std::vector<std::uint64_t> filling(fillers.size());
  const Uint128 missing = fill_with_squares(sum, precision, filling);
  for (std::size_t i = 0; i < fillers.size(); ++i) block[fillers[i]] = filling[i];
  return missing <= allowed;
}

bool set_gains_of_targets(const RowRequest& request, std::vector<Code>& weight) {
  const RandomStream stream(request.spec.seed, "midpoint/gain");
  for (std::size_t i = 0; i < weight.size(); i += 2) {
    if (i == kZeroGain) continue;
    const auto code = weight_of_gain(stream.bits(i) >> 63 != 0 ? 1.5 : 0.75, request);
    if (!code) return false;
    weight[i] = *code;
  }
  return true;
}

void add_filled_row(const RowRequest& request, std::size_t row, RowList& rows) {
  const std::string label = "row " + std::to_string(row);
  const RandomStream stream = request.stream(row);
  const int precision = rows.format().precision;
  const double root = std::ldexp(1.0, scale_exponent(1, request));
  const double unit = std::ldexp(root, -precision);
  std::vector<double> values(rows.width(), root);  // what no block covers has the square R^2
  const std::size_t size = std::min(kBlock, values.size());
  std::vector<std::uint64_t> block(size);
  for (std::size_t first = 0; first + size <= values.size(); first += size) {
    bool made = false;
    for (std::uint64_t attempt = 0; attempt < kAttempts && !made; ++attempt) {
      const std::uint64_t counter = (first * kAttempts + attempt * size) + values.size();
      made = make_block(stream, counter, first == 0 ? kZeroGain : size, precision, block);
    }
    if (!made) {
      rows.omit(label, "no sum of squares was found that is a power of four");
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      values[first + i] = static_cast<double>(block[i]) * unit;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (stream.bits(i) >> 63 != 0) values[i] = -values[i];
  }
  rows.add(label, values);
}

}  // namespace

int midpoint_closeness(int precision) { return std::max(40, precision + 16); }

void add_midpoint(const RowRequest& request, std::vector<Code>& weight, RowList& rows) {
  const std::size_t width = rows.width();
  // A binary32 sum of squares must stay finite: n R^2 < 2^127.
  const int exponent = 2 * scale_exponent(1, request) + bit_length(width);
  if (exponent >= 127) {
    rows.omit("all", "rows far above epsilon leave binary32");
    return;
  }
  if (width < 2) {
    rows.omit("all", "a row of one element has no result near a midpoint: x/sqrt(x^2 + epsilon)");
    return;
  }
  std::vector<Code> own_weight = weight;
  const bool sevens = set_gains_of_sevens(request, own_weight);
  if (!sevens) own_weight = weight;
  const std::vector<Code> before_targets = own_weight;
  const bool targets = width >= kLeastFillers + 2 && set_gains_of_targets(request, own_weight);
  if (!targets) own_weight = before_targets;
  if (!sevens && !targets) {
    rows.omit("all", width < kLeastFillers + 2
                         ? "the weight's format holds no gain of enough digits for so few elements"
                         : "offset + weight cannot be an exact gain of few digits");
    return;
  }
  weight = own_weight;
  for (std::size_t row = 0; row < request.rows(2); ++row) {
    const bool of_sevens = sevens && (!targets || row % 2 == 0);
    of_sevens ? add_row_of_sevens(request, row, rows) : add_filled_row(request, row, rows);
  }
}

}  // namespace normcert
