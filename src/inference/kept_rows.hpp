// Of a site of many rows those are kept on which its judgement rests, so that memory does not grow
// with the rows. What is dropped is held against the judgement afterwards: the rows are read once
// more, those that exceed one of its maxima (inference/fit_extremes.hpp) are kept too, and it is
// made again, until none does. Then it is, number for number, the judgement on all rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "inference/site_scan.hpp"
#include "inference/tail_trace.hpp"

namespace normcert {

// Keeps all rows of a site of up to `keep` usable rows, else those that matter so far. Tails that
// `with_strays` leaves as scan_site() has it.
[[nodiscard]] SiteScan scan_site_in_part(const ObservedNorm& norm, bool with_strays,
                                         std::size_t keep, unsigned threads);

// Adds rows that exceed what `traces` rest on and `held` does not: what earlier calls were asked
// with the same scans. False: none does.
[[nodiscard]] bool add_exceeding_rows(std::span<SiteScan* const> scans,
                                      const std::vector<TailTrace>& traces,
                                      const std::vector<TailTrace>& held, unsigned threads);

// Drops the rows of a scan that is not complete but those that `traces` name.
void keep_named_rows(SiteScan& scan, std::size_t index, const std::vector<TailTrace>& traces);

}  // namespace normcert
