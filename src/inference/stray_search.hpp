// Strays that leave their row a scalar, but not the right one. Voting (RowScanner) finds a stray
// that contradicts the other elements of its row. One that only narrows what they allow contradicts
// other rows instead: where no hypothesis survives, the elements at which the nearest ones fail are
// set apart, one after the other, until some survive.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/site_scan.hpp"
#include "inference/tail_trace.hpp"

namespace normcert {

// Adds what survives with the fewest elements set apart, at most 4, within the limits of
// scan_site(), to hypotheses of which none does; in order again. False: nothing does. `traces`:
// unless it is nullptr, what the answer rests on is added.
bool set_strays_apart(std::span<const SiteScan* const> scans, std::span<const std::size_t> sites,
                      unsigned threads, std::vector<EliminatedHypothesis>& hypotheses,
                      std::vector<TailTrace>* traces);

}  // namespace normcert
