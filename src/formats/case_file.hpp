// Case files: input rows with everything that the norm needs, and what is expected of it.
//
//   {"schema": "normcert/cases/1",
//    "claim": {"number": 2, "statement": "...", "check": "...", "outcome": "confirmed"},
//    "cases": [{"id": "two-elements", "class": "constant", "epsilon": 1e-6, "dtype": "fp64",
//               "x": [[0.001, 0.001]], "expect": {"y": "0.707107"}}]}
//
// Members of a case: id, class, site, note; dtype, weight_dtype, y_dtype; x or generate; residual;
// weight (an array, "none", or "generated"), weight_offset; epsilon; y, y_digits; expect.
//
// A number is read as binary64 and rounded to the dtype, a string is rounded once from its text.
// x is an array of rows; a flat array is one row. Nothing is guessed: an unknown member, a ragged
// row, a number that is not finite refuse the file - unless the case's expect.error names that very
// refusal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "formats/json_text.hpp"
#include "problem/case.hpp"

namespace normcert {

inline constexpr std::string_view kCaseFileSchema = "normcert/cases/1";

struct CaseFileOptions {
  // Of cases that name none (--dtype, --weight-dtype). nullptr: that of x.
  const FloatFormat* dtype = &kFp64;
  const FloatFormat* weight_dtype = nullptr;
  // True where somebody else can supply an epsilon: a case without one is then kept as it is, with
  // an empty epsilon text, and must be validated later (generate: complete()).
  bool epsilon_may_be_missing = false;
  // Elements of x, written or to be generated, of all cases of the file together.
  std::size_t max_elements = std::size_t{1} << 27;
};

// Whether a JSON document says that it is a case file (of any version).
[[nodiscard]] bool is_case_file(const JsonNode& root);

// Throws InputError. Cases with a `generate` member come back without rows: generate's complete()
// makes and validates them; all others are validated (problem/case.hpp) as far as they are
// complete.
[[nodiscard]] CaseFile read_case_file(const JsonDocument& document,
                                      const CaseFileOptions& options = {});
[[nodiscard]] CaseFile read_case_file(const std::filesystem::path& path,
                                      const CaseFileOptions& options = {});

}  // namespace normcert
