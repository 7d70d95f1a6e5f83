// The grid of hypotheses beside the tails: placements of epsilon, statistics, divisors, epsilons
// that are asked about by name.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "inference/epsilon_fit.hpp"
#include "inference/narrow_chain.hpp"
#include "problem/case.hpp"

namespace normcert {

struct Placement {
  const char* name;
  EpsilonForm form;
};
inline constexpr std::array<Placement, 8> kPlacements = {
    {{"inside", EpsilonForm::kInside},
     {"outside", EpsilonForm::kOutside},
     {"after_rsqrt", EpsilonForm::kAfterRsqrt},
     {"clamp_q", EpsilonForm::kClampQ},
     {"scaled_by_max", EpsilonForm::kScaledByMax},
     {"none", EpsilonForm::kNone},
     {"times_rms", EpsilonForm::kTimesRms},
     {"identity", EpsilonForm::kIdentity}}};

struct NamedChain {
  const char* statistic;
  NarrowSteps steps;
  bool narrow_squares;
};
// For tails in binary32.
inline constexpr std::array<NamedChain, 3> kChains = {{
    {"mean_in_input_dtype", {.mean = true}, false},
    {"mean_in_input_dtype", {.mean = true}, true},
    {"mean_and_epsilon_in_input_dtype", {.mean = true, .sum = true}, false},
}};

struct NamedEpsilon {
  std::string name;
  double value = 0;
};

// The declared one in its forms, then well-known ones.
[[nodiscard]] std::vector<NamedEpsilon> epsilons_of(const Case& value);

struct Divisor {
  std::string statistic;
  double value = 1;
};

// What a sum of squares of `width` elements is divided by where it is not the width: 1, one less,
// widths that rows are padded to, and sizes of the groups that rows are split into.
[[nodiscard]] std::vector<Divisor> divisors_of(std::size_t width);

}  // namespace normcert
