#include "inference/declared_function.hpp"

#include <charconv>

#include "inference/input_view.hpp"

namespace normcert {
namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::string> declared_offset(const Case& value) {
  return value.weight_offset_given ? std::optional(value.weight_offset.text) : std::nullopt;
}

bool same_offset(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::optional<double> number = number_of(a);
  return number && number == number_of(b);
}

bool is_declared_gain(const std::string& offset, const std::string& use,
                      const std::optional<std::string>& declared) {
  if (use == "none") return true;
  const bool once = use == "used" || use == "cast_to_input";
  return once && (offset.empty() || !declared || same_offset(offset, *declared));
}

bool is_last_resort(const Hypothesis& hypothesis) {
  return hypothesis.statistic.starts_with("accumulated_in_input_dtype");
}

bool is_declared_function(const Hypothesis& hypothesis, const std::optional<std::string>& offset,
                          StatisticKept kept) {
  const std::string& statistic = hypothesis.statistic;
  const bool narrow = statistic.ends_with("_in_input_dtype");
  const bool any = kept == StatisticKept::kAnyFormat;
  const bool mean_square = statistic == "mean_square" || (narrow && any);
  if (converted_format(hypothesis) != nullptr && !any) return false;
  return mean_square && hypothesis.placement == "inside" &&
         is_declared_gain(hypothesis.weight_offset, hypothesis.weight_use, offset) &&
         hypothesis.residual != "ignored";
}

}  // namespace normcert
