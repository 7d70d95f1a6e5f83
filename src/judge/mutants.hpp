// Known defects of an RMSNorm as recipes: a base recipe with one parameter changed. A gate that
// would accept them proves little about the port that it accepts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/case.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// What is run in place of the port: `recipe`, on the case with its epsilon times `epsilon_factor`
// and, where given, another weight offset. It is judged against the case as it stands.
struct Mutant {
  std::string name;
  Recipe recipe;
  double epsilon_factor = 1;
  std::optional<double> weight_offset;
};

struct MeaninglessMutant {
  std::string name;
  std::string why;
};

struct MutantSet {
  std::vector<Mutant> mutants;
  std::vector<MeaninglessMutant> meaningless;  // on these formats, weights and this width
};

// All mutants by name, in the order in which they are shown:
//   epsilon_x10 epsilon_div10 epsilon_dropped epsilon_outside epsilon_after_rsqrt
//   epsilon_clamp_q epsilon_clamp_rms epsilon_on_sum epsilon_scaled_by_max
//   divisor_n_minus_1 mean_subtracted
//   weight_ignored offset_missing offset_added offset_doubled
//   gate_ignored gate_moved gate_other_activation
//   statistic_in_input_dtype inverse_rms_rounded cast_order_swapped residual_other_dtype
// gate_moved: from before the norm to after it, or back. A recipe without a gate on a gated case
// (gate_ignored) leaves it out. Of `value` formats, width, weights, offset and whether there is a
// residual count. Where a parameter cannot be combined with the base's root, association or
// contraction, those are plain.
[[nodiscard]] MutantSet mutants_of(const Recipe& base, const Case& value);

// Those that a gate has to notice: the functions that are mistaken most often, and where the
// source's rounding or bits are asked for its cast points too.
[[nodiscard]] bool is_required(std::string_view mutant, bool rounding_is_asked);

}  // namespace normcert
