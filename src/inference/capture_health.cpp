#include "inference/capture_health.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "inference/row_direction.hpp"
#include "numeric/packed_codes.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kLeastRowsOfUnitRms = 4;

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

const std::string& name_of(const Case& value) { return value.site.empty() ? value.id : value.site; }

bool same_bytes(const TensorView& a, const TensorView& b) {
  return *a.format == *b.format && a.rows == b.rows && a.width == b.width &&
         same_rows(a, b, 0, a.rows);
}

// Whether every element is such a code.
template <typename Property>
bool all_are(const TensorView& tensor, Property property) {
  RowReader rows(tensor);
  for (std::size_t row = 0; row < tensor.rows; ++row) {
    const std::byte* const bytes = rows.row(row).data();
    for (std::size_t i = 0; i < tensor.width; ++i) {
      if (!property(load_code(*tensor.format, bytes, i))) return false;
    }
  }
  return true;
}

bool all_zero(const TensorView& tensor) {
  return all_are(tensor, [](const Code& code) { return code.magnitude() == 0; });
}

bool none_finite(const TensorView& tensor) {
  return tensor.size() > 0 && all_are(tensor, [](const Code& code) { return !is_finite(code); });
}

void count_padding(const TensorView& x, SiteHealth& health) {
  RowReader rows(x);
  for (std::size_t row = 0; row < x.rows; ++row) {
    const std::byte* const bytes = rows.row(row).data();
    const Code first = load_code(*x.format, bytes, 0);
    bool zero = first.magnitude() == 0;
    bool constant = true;
    for (std::size_t i = 1; i < x.width && (zero || constant); ++i) {
      const Code code = load_code(*x.format, bytes, i);
      zero = zero && code.magnitude() == 0;
      constant = constant && code == first;
    }
    if (zero) {
      ++health.zero_rows;
    } else if (constant && x.width > 1 && is_finite(first)) {
      ++health.constant_rows;
    }
  }
}

// Every row that is not zero has RMS 1 to within what rounding its elements does to it: such an x
// was taken behind a norm.
bool rows_have_unit_rms(const TensorView& x) {
  std::vector<double> values(x.width);
  RowReader reader(x);
  std::size_t rows = 0;
  const double limit = std::ldexp(2.0, -x.format->precision);
  for (std::size_t row = 0; row < x.rows; ++row) {
    reader.widened(row, values);
    double sum = 0;
    for (const double value : values) sum += value * value;
    if (sum == 0) continue;
    const double rms = std::sqrt(sum / static_cast<double>(x.width));
    if (!(std::fabs(rms - 1) <= limit)) return false;
    ++rows;
  }
  return rows >= kLeastRowsOfUnitRms;
}

// A factor of its own for every element: what the other checks and elimination know nothing of.
std::optional<HealthProblem> gated(const Case& value) {
  if (!value.gate) return std::nullopt;
  return HealthProblem{"gated",
                       "a gated norm: elimination has no gates; verify holds it to the declared "
                       "function or to a recipe"};
}

// Before anything compares bytes: all NaN are alike, and no copy of one another.
std::optional<HealthProblem> without_numbers(const CapturedSite& site) {
  if (!none_finite(*site.y) || !none_finite(site.value->x)) return std::nullopt;
  return HealthProblem{"non-finite-capture",
                       "every element of y is NaN or infinite, and so is every element of x: "
                       "nothing there says what this norm does; look for the first site whose "
                       "outputs are not finite although its inputs are"};
}

std::optional<HealthProblem> overwritten(const CapturedSite& site) {
  const Case& value = *site.value;
  if (site.inputs_are_ours || all_zero(value.x)) return std::nullopt;
  if (same_bytes(value.x, *site.y)) {
    return HealthProblem{"input-overwritten",
                         "x equals y, bit for bit: the kernel wrote over its input before it was "
                         "captured; clone x before the call"};
  }
  if (value.residual && site.residual_out != nullptr &&
      same_bytes(*value.residual, *site.residual_out)) {
    return HealthProblem{"input-overwritten",
                         "residual equals residual_out, bit for bit, although x is not zero: it "
                         "was captured after the kernel wrote the sum into it; clone it before the "
                         "call"};
  }
  if (!value.residual && rows_have_unit_rms(value.x)) {
    return HealthProblem{"input-overwritten",
                         "every row of x has RMS 1 already: x was captured after a norm, not "
                         "before it"};
  }
  return std::nullopt;
}

std::string what_fits(const DirectionRows& rows, std::span<const CapturedSite> sites,
                      std::size_t index) {
  const Case& value = *sites[index].value;
  const auto fits = [](const Distance& distance) { return distance && *distance <= kPairLimit; };
  if (const Distance alone = rows.without_residual(); fits(alone)) {
    return "y is the norm of x alone, not of x + residual (1 - cosine " + figure(*alone) +
           "): the residual was already in x when it was captured, or is never added";
  }
  if (const auto shift = rows.shifted()) {
    return "row i of y belongs to row i " + std::string(shift->rows < 0 ? "- " : "+ ") +
           std::to_string(std::abs(shift->rows)) + " of x (1 - cosine " + figure(shift->distance) +
           "): the rows are shifted";
  }
  // Neighbours first: a hook at the wrong module takes the x of the one beside it.
  for (std::size_t away = 1; away < sites.size(); ++away) {
    for (const bool before : {true, false}) {
      if (before ? away > index : index + away >= sites.size()) continue;
      const Case& other = *sites[before ? index - away : index + away].value;
      if (const Distance distance = rows.other_input(other); fits(distance)) {
        return "y belongs to the x of " + name_of(other) + " (1 - cosine " + figure(*distance) +
               ")";
      }
    }
  }
  return value.residual
             ? "neither x alone, nor x of another site, nor a shift of the rows fits"
             : "no x of another site and no shift of the rows fits; was x captured before the "
               "residual was added to it?";
}

std::optional<HealthProblem> not_a_pair(std::span<const CapturedSite> sites, std::size_t index,
                                        SiteHealth& health) {
  const CapturedSite& site = sites[index];
  const DirectionRows rows(*site.value, *site.y);
  health.distance = rows.own_input();
  if (!health.distance || *health.distance <= kPairLimit) return std::nullopt;
  if (const Distance groups = rows.in_groups(); groups && *groups <= kPairLimit) {
    health.distance = groups;
    return std::nullopt;
  }
  const Distance gain = rows.some_gain();
  if (gain && *gain <= kPairLimit) return std::nullopt;
  // Without the weight too few rows cannot tell a gain from another input.
  if (!gain && !site.value->weight && !site.value->weight_none) return std::nullopt;
  return HealthProblem{"not-a-pair", "y is no norm of this x, whatever the epsilon (1 - cosine " +
                                         figure(*health.distance) + " in the median row, at most " +
                                         figure(kPairLimit) +
                                         " for pairs): " + what_fits(rows, sites, index)};
}

std::optional<HealthProblem> captured_twice(std::span<const CapturedSite> sites,
                                            std::size_t index) {
  const CapturedSite& site = sites[index];
  if (site.inputs_are_ours || all_zero(site.value->x)) return std::nullopt;
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    const CapturedSite& other = sites[earlier];
    if (!same_bytes(site.value->x, other.value->x) || !same_bytes(*site.y, *other.y)) continue;
    return HealthProblem{"same-capture-twice", "x and y are those of " + name_of(*other.value) +
                                                   " (" + other.value->id +
                                                   "), bit for bit: one capture under two names"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<SiteHealth> check_captures(std::span<const CapturedSite> sites) {
  std::vector<SiteHealth> checked(sites.size());
  for (std::size_t index = 0; index < sites.size(); ++index) {
    SiteHealth& health = checked[index];
    count_padding(sites[index].value->x, health);
    std::optional<HealthProblem> problem = gated(*sites[index].value);
    if (!problem) problem = without_numbers(sites[index]);
    if (!problem) problem = overwritten(sites[index]);
    if (!problem) problem = captured_twice(sites, index);
    if (!problem) problem = not_a_pair(sites, index, health);
    if (problem) health.problems.push_back(std::move(*problem));
  }
  return checked;
}

}  // namespace normcert
