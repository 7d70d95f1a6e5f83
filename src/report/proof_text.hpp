// One refutation out of the report of a diagnosis, to be redone by hand.
#pragma once

#include <cstdint>
#include <string>

namespace normcert {

// Refutation `number`, from 1: that of the declared epsilon where it is impossible, then those of
// the refuted hypotheses, in the report's order. Comment lines (# ...) with the calculation, then
// the Python program, so that the whole text runs. Throws InputError where `file` is no such report
// or has fewer refutations.
[[nodiscard]] std::string proof_text(const std::string& file, std::uint64_t number);

}  // namespace normcert
