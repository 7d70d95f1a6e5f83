#include "inference/hypothesis_gain.hpp"

#include <charconv>

#include "numeric/widen.hpp"

namespace normcert {

std::optional<std::vector<double>> gain_under(const Case& value, const Hypothesis* hypothesis) {
  std::vector<double> gain(value.x.width, 1.0);
  if (!value.weight) return value.weight_none ? std::optional(gain) : std::nullopt;
  double offset = value.weight_offset.binary64;
  if (hypothesis != nullptr) {
    if (hypothesis->weight_use == "ignored") return gain;
    if (hypothesis->weight_use == "twice") return std::nullopt;
    const std::string& text = hypothesis->weight_offset;
    std::from_chars(text.data(), text.data() + text.size(), offset);
  } else if (!value.weight_offset_given) {
    return std::nullopt;
  }
  widen(*value.weight->format, value.weight->row_bytes(0).data(), gain.size(), gain.data());
  for (double& one : gain) one += offset;
  return gain;
}

}  // namespace normcert
