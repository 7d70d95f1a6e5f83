// GeneratorSpec -> rows. Equal descriptions give equal bits on every machine: random numbers are
// functions of (seed, name, index), everything else is IEEE 754 basic operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generate/row_list.hpp"
#include "problem/case.hpp"
#include "problem/generator_spec.hpp"

namespace normcert {

struct GeneratedRows {
  Tensor x;                      // rows that could be made; may be none
  std::optional<Tensor> weight;  // one row, where the description asks for it
  std::vector<OmittedRows> omitted;
};

// Requires a known name, width >= 1, parameters that fit, finite epsilon >= 0 and finite offset.
[[nodiscard]] GeneratedRows generate_rows(const GeneratorSpec& spec, const Epsilon& epsilon,
                                          const WeightOffset& weight_offset);

// A case without generator as it is; else the case with its rows, and with the generated weight
// where the description asks for one and the case has none. Then validated: throws InputError,
// also where a row could not be made. `file` is the file that the case stands in.
[[nodiscard]] Case generate(Case value, const std::string& file);

// Generates and validates all cases of a file, once their epsilons are known. Cases that are
// refused as their expect.error says move to `refused`; any other refusal is thrown.
void complete(CaseFile& file);

}  // namespace normcert
