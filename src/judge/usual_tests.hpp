// What the usual tests say of the same outputs: assert_close with PyTorch's default tolerances,
// cosine, normalised mean square error. They never enter a verdict; they stand in a diagnosis to
// show what they cannot see, a factor that is common to a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "problem/case.hpp"

namespace normcert {

struct UsualTests {
  std::string epsilon_text;
  double epsilon = 0;  // of the function that the outputs are compared with
  double rtol = 0;     // torch.testing.assert_close for the format of y
  double atol = 0;
  std::uint64_t elements = 0;  // compared: both numbers finite, or the exact one alone
  std::uint64_t beyond = 0;    // |got - exact| > atol + rtol |exact|, or got not finite
  double square_of_error = 0;  // sums over the elements with finite outputs
  double square_of_exact = 0;
  double square_of_got = 0;

  [[nodiscard]] double one_minus_cosine() const;
  [[nodiscard]] double nmse() const;  // square_of_error / square_of_exact
  void add(const UsualTests& other);  // of the same epsilon and format
};

// Rows that are compared hold at most 2^22 elements, evenly spread where there are more.
// Binary64 arithmetic: good to some 12 digits, far below the roundings that it measures.
[[nodiscard]] UsualTests usual_tests(const Case& value, double weight_offset, const TensorView& y,
                                     std::string epsilon_text, double epsilon);

}  // namespace normcert
