// Cases, outputs and requests small enough to work out by hand, for the tests of `judge`.
#pragma once

#include <string>
#include <vector>

#include "judge/verify_types.hpp"

namespace normcert {

using Rows = std::vector<std::vector<std::string>>;

// Each text rounded once to the format: decimal, hexadecimal, "nan", "inf", "-inf".
[[nodiscard]] TensorView tensor_of(const Rows& rows, const FloatFormat& format);
[[nodiscard]] Code code_in(const std::string& text, const FloatFormat& format);

struct HandCase {
  Rows x;
  std::string epsilon;
  const FloatFormat* format = &kFp32;  // of x and residual
  Rows residual{};                     // empty: none
  std::vector<std::string> weight{};   // empty: none
  const FloatFormat* weight_format = &kFp32;
  const FloatFormat* output = nullptr;  // that of x
};

[[nodiscard]] Case case_of(const HandCase& hand, const std::string& id = "hand");

// The case above whose exact result is (1/8, 7/8) in every row: the mean square of (1, 7) is 25,
// and sqrt(25 + 39) = 8.
[[nodiscard]] HandCase eighths(const FloatFormat& format, std::size_t rows = 1);

[[nodiscard]] Comparison compared(const Case& value, const Rows& got,
                                  const Criteria& criteria = {});
[[nodiscard]] Comparison compared(const HandCase& hand, const Rows& got,
                                  const Criteria& criteria = {});

[[nodiscard]] Criteria within(double atol, double rtol);
[[nodiscard]] Criteria within_ulp(double ulp);

// Outputs `y` whatever the case.
[[nodiscard]] Implementation always(const std::string& name, const TensorView& y);
// The exact result with one rounding, under any name.
[[nodiscard]] Implementation rounded_as(const std::string& name);

[[nodiscard]] JudgedCase judged(Case value);
[[nodiscard]] JudgedCase judged(Case value, const TensorView& y);

// A request without recipes of its own: find_implementation knows only reference.rounded and the
// request's candidates. `request` must outlive its use.
void complete(VerifyRequest& request);

}  // namespace normcert
