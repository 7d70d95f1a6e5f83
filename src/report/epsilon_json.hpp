// An epsilon in a report: its text and what it becomes in the formats in which kernels add it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "problem/epsilon.hpp"

namespace normcert {

// {"text", "binary64", "hex", "as": {"fp32", "bf16", "fp16", "fp16_flushed"}}: numbers are exact,
// since every binary32, bfloat16 and binary16 is a binary64; "fp16_flushed" is "fp16" where
// subnormal numbers count as zero.
[[nodiscard]] nlohmann::ordered_json epsilon_json(const Epsilon& epsilon);

}  // namespace normcert
