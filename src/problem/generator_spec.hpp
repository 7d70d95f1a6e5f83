// Rows that are described instead of written out: the name of a generator and its parameters.
// Plain data; generate makes the rows. Equal descriptions give equal bits on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/float_format.hpp"

namespace normcert {

struct GeneratorSpec {
  std::string name;         // one of generators()
  std::size_t width = 0;    // elements per row
  std::size_t rows = 0;     // 0: as many as the generator makes by itself
  std::uint64_t seed = 0;   // of the rows and, unless the case has its own weight, of the weight
  bool with_weight = true;  // whether a weight is generated too
  const FloatFormat* format = &kFp64;         // of x
  const FloatFormat* weight_format = &kFp64;  // of the generated weight
  // Lists of numbers as texts ("1e-4", "0x1p-20"); what is absent has the generator's default.
  std::map<std::string, std::vector<std::string>, std::less<>> parameters;
};

// What a parameter's numbers have to be.
enum class ParameterKind : std::uint8_t {
  kReal,      // finite as binary64
  kPositive,  // finite and above 0 as binary64
  kExponent,  // a whole number from -400 to 400
};

struct ParameterDescription {
  std::string_view name;
  ParameterKind kind = ParameterKind::kReal;
  bool is_list = true;  // false: exactly one number
  std::span<const std::string_view> defaults;
};

// A generator makes one row for each number of its parameter (`mixed_scale`: two rows); asked for
// more rows it goes through the list again, with other random numbers; for fewer it stops early.
struct GeneratorDescription {
  std::string_view name;
  std::string_view summary;
  std::span<const ParameterDescription> parameters;
};

// All generators: the standard classes under their own names, then `normal`.
[[nodiscard]] std::span<const GeneratorDescription> generators();
// nullptr where there is no such generator.
[[nodiscard]] const GeneratorDescription* find_generator(std::string_view name);

// Whether `text` is a number of that kind.
[[nodiscard]] bool fits(std::string_view text, ParameterKind kind);
// "a number above 0": for messages.
[[nodiscard]] std::string_view expectation_of(ParameterKind kind);

// The numbers of a parameter as they stand in `spec`, else its defaults. Requires that the
// generator has the parameter.
[[nodiscard]] std::vector<std::string> parameter_of(const GeneratorSpec& spec,
                                                    std::string_view name);

}  // namespace normcert
