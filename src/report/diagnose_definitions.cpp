#include <nlohmann/json.hpp>

#include "report/diagnose_words.hpp"

namespace normcert {

nlohmann::ordered_json diagnosis_definitions() {
  return {
      {"q", "the mean of x^2 over the row, in which x includes the residual"},
      {"scalar", "what the row's last steps multiply by: the inverse RMS r"},
      {"least_slack",
       "the smallest relative freedom of the rows' scalars, in units of 2^-24, at which one "
       "epsilon of at least 0 gives every output of all rows; inf: none does"},
      {"slack_of_declared",
       "the same with the declared epsilon, as binary64, binary32 or the input's format has it, "
       "whichever needs least"},
      {"known_orders",
       "proven bound of what block trees, lanes and cascades, the root and the other roundings "
       "do to the scalar: a hypothesis that needs no more survives"},
      {"any_order",
       "the same for n - 1 additions in any order: a hypothesis that needs more is refuted; in "
       "between it is implausible, possible only if the sum was formed worse than all known "
       "orders form it"},
      {"epsilon", "the range of epsilon at the bound of known orders, rounded outward"},
      {"residual_out",
       "the tensor of that name against x + residual, rounded once to its format or to a narrower "
       "one of the inputs, whichever leaves the fewest elements that differ; signs of zeros are "
       "not "
       "asked"},
      {"epsilon_any_order", "the same at the bound of any order"},
      {"placement",
       "inside: r = 1/sqrt(q + e); outside: 1/(sqrt(q) + e); after_rsqrt: 1/sqrt(q) + e; "
       "clamp_q: 1/sqrt(max(q, e)); clamp_rms: 1/max(sqrt(q), e); on_sum: 1/sqrt((n q + e)/n); "
       "scaled_by_max: e is multiplied by the square of the greatest element; none: 1/sqrt(q); "
       "identity: r = 1; times_rms: r = sqrt(q + e)"},
      {"statistic",
       "q, of which the root is taken: mean_square, mean_square_n_minus_1, sum_square, variance "
       "(LayerNorm); padded_M and grouped_M: the sum of squares of the row over M, a padded width "
       "or the size of a group; _per_group_M: of every M channels by themselves; "
       "_in_input_dtype: rounded to the format of x on the way"},
      {"rounding",
       "where numbers are rounded to a narrow format; x as F: x is rounded to F before anything "
       "else; subnormal x as 0: subnormal numbers of x count as zero"},
      {"pair_distance",
       "median over the rows of 1 - cosine between y / gain and x; above 4.5e-4 they do not "
       "belong together"},
      {"usual_tests",
       "the outputs against the exact result with that epsilon: elements beyond the tolerances "
       "that PyTorch's assert_close has for their format, 1 - cosine, and the mean square error "
       "over the mean square; they never enter a verdict, and cannot see a factor that is common "
       "to a row"},
      {"stray", "an element set apart because without that nothing survives"}};
}

}  // namespace normcert
