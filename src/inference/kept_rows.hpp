// Of a site of many rows those are kept on which its judgement rests, so that memory does not grow
// with the rows. What is dropped is held against the judgement afterwards: the rows are read once
// more, those that exceed one of its maxima (inference/fit_extremes.hpp) are kept too, and it is
// made again, until none does. Then it is, number for number, the judgement on all rows.
#pragma once

#include <algorithm>
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
// The same for the tails of `list` alone.
[[nodiscard]] SiteScan scan_site_in_part(const ObservedNorm& norm, TailList list, bool with_strays,
                                         std::size_t keep, unsigned threads);

// Adds rows that exceed what `traces` rest on and `held` does not: what earlier calls were asked
// with the same scans. False: none does.
[[nodiscard]] bool add_exceeding_rows(std::span<SiteScan* const> scans,
                                      const std::vector<TailTrace>& traces,
                                      const std::vector<TailTrace>& held, unsigned threads);

// Judges until the rows that are kept are all that matter. `judge` is handed where to note what its
// answer rests on, nullptr where no row was dropped; `traces` is that of the last answer.
template <typename Judge>
[[nodiscard]] auto judge_all_rows(std::span<SiteScan* const> scans, unsigned threads,
                                  std::vector<TailTrace>& traces, const Judge& judge) {
  const bool complete = std::ranges::all_of(scans, &SiteScan::complete);
  std::vector<TailTrace> held;
  for (;;) {
    traces.clear();
    auto result = judge(complete ? nullptr : &traces);
    if (complete || !add_exceeding_rows(scans, traces, held, threads)) return result;
    held.insert(held.end(), traces.begin(), traces.end());
  }
}

// Drops the rows of a scan that is not complete but those that `traces` name.
void keep_named_rows(SiteScan& scan, std::size_t index, const std::vector<TailTrace>& traces);

}  // namespace normcert
