// Norms of a float32 dump that elimination does not find to compute what is declared: the same
// norms in the other formats that their tensors may have been computed in
// (judge/dump_formats.hpp). A port is accused only where it is refuted in all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/elimination.hpp"
#include "judge/dump_formats.hpp"

namespace normcert {

// One norm of a group, under the name that witnesses have for it.
struct DumpedNorm {
  std::string site;
  const JudgedCase* stored = nullptr;  // as captured
  JudgedCase* read = nullptr;          // as it is judged
};

// A reading in which the declared function is not refuted although it is in the one that is judged.
struct OtherReading {
  DumpReading reading;
  bool keeps_statistic = true;  // the function with its statistic in binary32, or better
};

// What to say instead of an accusation.
[[nodiscard]] std::string words_of(const OtherReading& other);

struct ReadingChoice {
  // Of all norms: where it is there, `read` of all of them was changed to it.
  std::optional<DumpReading> adopted;
  // What excuses each norm alone, and all of them together.
  std::vector<std::optional<OtherReading>> alone;
  std::optional<OtherReading> joint;
};

// `result` is what eliminate() says of the norms as they are read; it becomes what it says of the
// reading that is adopted: one that the numbers show, in which the declared function fits; else,
// where nothing survives as they are read, one in which something does. Then, where a declared
// function is refuted and another reading excuses it, it is undecided.
ReadingChoice choose_reading(std::span<const DumpedNorm> norms, const FormatsOfDump& stated,
                             const EliminationOptions& options, EliminationResult& result);

}  // namespace normcert
