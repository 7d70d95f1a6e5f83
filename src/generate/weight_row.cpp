#include "generate/weight_row.hpp"

#include <algorithm>
#include <string>

#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/error.hpp"

namespace normcert {

std::vector<Code> weight_row(std::uint64_t seed, std::size_t width, const FloatFormat& format,
                             double weight_offset) {
  const RandomStream stream(seed, "weight");
  std::vector<Code> weight(width);
  for (std::size_t i = 0; i < width; ++i) {
    const double value = (1 - weight_offset) + 0.25 * stream.normal(i);
    weight[i] = convert(code_of(value), format);
  }
  if (width > 2) weight[2] = zero_of(format, false);
  if (width > 3) {
    const Code magnitude{weight[3].magnitude(), &format};
    const Code negative{magnitude.bits | format.sign_mask(), &format};
    weight[3] = magnitude.bits == 0 ? convert(code_of(-0.5), format) : negative;
  }
  if (!std::ranges::all_of(weight, is_finite)) {
    throw InputError(
        {.code = "non_finite_input",
         .file = {},
         .place = "weight_offset",
         .found = std::to_string(weight_offset),
         .expected = "an offset for which 1 - offset is finite in " + std::string(format.name),
         .nearest = {}});
  }
  return weight;
}

}  // namespace normcert
