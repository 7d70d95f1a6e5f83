// A case: input rows of one norm with everything that the function needs, and optionally what its
// exact result is expected to be. Plain data; formats reads it, reference evaluates it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/float_format.hpp"
#include "problem/epsilon.hpp"
#include "problem/gate.hpp"
#include "problem/generator_spec.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// The weight offset c: the gain of an element is c + weight. A fact about the model; 0 or 1 in
// almost every family.
struct WeightOffset {
  std::string text = "0";
  double binary64 = 0;
};

// A number that a case file prints, with its place for messages: the exact result must lie within
// half a unit of the last printed digit (a decimal string; hexadecimal text is exact), or round to
// the same code (a number, or "inf" where the correctly rounded result overflows).
struct ExpectedNumber {
  std::string text;
  bool rounded_to_dtype = false;  // compare the correctly rounded result
  std::string place;              // "cases[3].expect.y[0][2], line 12"
};

struct Expectation {
  // Rows as in x; a single number stands for every element of every row.
  std::vector<std::vector<ExpectedNumber>> y;
  std::vector<ExpectedNumber> attenuation;  // per row, or one for all rows
  std::vector<ExpectedNumber> output_rms;   // per row or one: root mean square of the exact y
  std::vector<std::vector<ExpectedNumber>> square;  // x*x rounded once to the dtype, per element
  // Value of y when epsilon stands elsewhere (numerics: placements): "outside" -> rows of numbers.
  std::map<std::string, std::vector<std::vector<ExpectedNumber>>> y_with_placement;
  std::string error;                              // code of the refusal that is expected
  std::map<std::string, std::string> candidates;  // name -> "accepted" | "rejected"

  [[nodiscard]] bool empty() const;
};

// Outputs that a case file holds itself, beside its inputs.
struct WrittenOutput {
  TensorView y;  // shape of x; each element rounded once to the format of y
  // 0: the elements are the codes themselves. N: decimals printed with N significant digits, so
  // that what was printed may lie anywhere within half a unit of the last digit of its text.
  int digits = 0;
  std::vector<std::string> texts{};  // as they stand in the file, row by row; only where digits > 0
};

struct Case {
  std::string id;
  std::string class_name;  // "ordinary", "captured", ...
  std::string site;        // name of the norm in the model; empty if it has none
  std::string note;
  std::string place;  // where it stands in its file, "cases[3], line 12"; may be empty
  TensorView x;
  std::optional<GeneratorSpec> generator;  // x is empty until the rows are generated
  std::optional<TensorView> residual;      // shape of x
  std::optional<Gate> gate;                // its values have the shape of x
  std::optional<TensorView> weight;        // one row of x.width; none: no weight, the gain is 1
  bool weight_none = false;  // the file says that there is no weight: nobody supplies one
  WeightOffset weight_offset;
  bool weight_offset_given = false;    // false: the case file does not state it, 0 is a default
  Epsilon epsilon;                     // empty text: not given, somebody else must supply it
  const FloatFormat* output = &kFp64;  // format of y; that of x unless stated
  std::optional<WrittenOutput> written;
  Expectation expect;
};

// A case that was refused, and whether the file said that it would be (expect.error names `code`).
// Readers keep only those that were expected; any other refusal is an InputError.
struct RefusedCase {
  std::string id;
  std::string code;
  std::string message;
  bool expected = false;
};

// A published statement that the cases of a file check.
struct Claim {
  int number = 0;
  std::string statement;
  std::string check;
  std::string outcome;  // confirmed, refuted, ...
};

struct CaseFile {
  std::string path;
  std::optional<Claim> claim;
  // A case that is here although its expect.error is not empty was not refused as it should be.
  std::vector<Case> cases;
  std::vector<RefusedCase> refused;
};

// Whether two rows have the same bytes in x, residual and gate, and with them the same exact sums.
[[nodiscard]] bool same_inputs(const Case& value, std::size_t a, std::size_t b);

// Whether two rows have the same squares of what is normalised for certain: the same bytes or,
// without a residual, the same but for signs of x. A gate after the norm does not count. Exact
// where it says so.
[[nodiscard]] bool same_squares(const Case& value, std::size_t a, std::size_t b);

// The case classes that case files may name: those of the standard set first, in its order.
[[nodiscard]] std::span<const std::string_view> case_classes();
// How many of case_classes() form the standard set.
inline constexpr std::size_t kStandardClassCount = 17;
[[nodiscard]] std::span<const std::string_view> standard_classes();

// The codes that expect.error may name.
[[nodiscard]] std::span<const std::string_view> refusal_codes();

// Throws InputError (codes of the interface: empty, shape_mismatch, non_finite_input,
// missing_epsilon, epsilon_not_finite, epsilon_not_positive - the latter also where epsilon is 0
// and a row is zero, or gated away before the norm) unless the case can be evaluated. `file` and
// `place` say where the case stands. Reads every element once.
void validate(const Case& value, const std::string& file, const std::string& place);

}  // namespace normcert
