// An input that tells two recipes apart: one row, with a weight where there is one, on which as
// many output elements as possible differ in their bits; and the same at the smallest width at
// which any does.
//
// Two rows are looked for because one cannot be both: the row of most differing elements has the
// width that was asked for, the smallest has as few elements as show a difference at all. The
// search is a function of the request alone (its random numbers are functions of the seed), and
// never claims that recipes are equal because it found nothing; proved_equal() does where the
// parameters show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "inference/recipe_equality.hpp"
#include "problem/case.hpp"
#include "problem/recipe.hpp"

namespace normcert {

struct SeparationRequest {
  std::size_t width = 0;
  const FloatFormat* x = nullptr;
  const FloatFormat* weight = nullptr;  // nullptr: the norm has none
  Epsilon epsilon;
  WeightOffset weight_offset;
  std::uint64_t seed = 0;
};

struct SeparatingInput {
  Case value;                 // one row; class "separating"
  std::size_t differing = 0;  // of its elements: exact
};

struct Separation {
  // The recipes are the same on every input of this width: then nothing was searched.
  std::optional<std::vector<UnseenParameter>> equal;
  std::optional<SeparatingInput> most;      // of the width asked for
  std::optional<SeparatingInput> smallest;  // less wide than that
  bool smallest_is_proved = false;  // on every narrower row that both can compute they are equal
  std::uint64_t rows_tried = 0;
};

// Throws InputError where a recipe cannot compute rows of the width (its group does not divide it).
[[nodiscard]] Separation separate(const Recipe& a, const Recipe& b,
                                  const SeparationRequest& request);

// How many elements of each row differ in their bits between two recipes: exact. All of them where
// the outputs have different formats.
[[nodiscard]] std::vector<std::size_t> count_differing(const Recipe& a, const Recipe& b,
                                                       const Case& value);

}  // namespace normcert
