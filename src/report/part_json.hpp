// The key "part" of a verify report that covers one part of a run (--part I/N): which part it is,
// and the totals of its rows without any loss, so that merging all parts gives what one run over
// all rows gives. Written by this file, read by part_reader.hpp.
//
//   index, of   the part, counted from 1
//   run         what all parts of a run have in common and the rest of the report does not hold
//   totals      per case with rows in this part: its rows' figures and one entry for each result
//
// Numbers that are not integers are exact hexadecimal text: maxima are compared to 256 bits.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <utility>

#include "report/verify_json.hpp"

namespace normcert {

[[nodiscard]] nlohmann::ordered_json part_json(const VerifyReport& report);

// The members of a Comparison that are counts, and those that are maxima, under their keys.
using ComparisonCount = std::uint64_t Comparison::*;
inline constexpr std::array<std::pair<std::string_view, ComparisonCount>, 12> kComparisonCounts = {{
    {"expected", &Comparison::expected},
    {"compared", &Comparison::compared},
    {"rows_set_apart", &Comparison::rows_set_apart},
    {"below_normal", &Comparison::below_normal},
    {"correctly_rounded", &Comparison::correctly_rounded},
    {"faithful", &Comparison::faithful},
    {"zero_sign_differs", &Comparison::zero_sign_differs},
    {"outside_tolerance", &Comparison::outside_tolerance},
    {"unattainable", &Comparison::unattainable},
    {"beyond_max_ulp", &Comparison::beyond_max_ulp},
    {"decided_by_bound", &Comparison::decided_by_bound},
    {"decided_exactly", &Comparison::decided_exactly},
}};

using ComparisonMaximum = ErrorMaximum Comparison::*;
inline constexpr std::array<std::pair<std::string_view, ComparisonMaximum>, 3> kComparisonMaxima = {
    {{"absolute", &Comparison::absolute},
     {"relative", &Comparison::relative},
     {"ulp", &Comparison::ulp}}};

using ComparisonShare = RowShare Comparison::*;
inline constexpr std::array<std::pair<std::string_view, ComparisonShare>, 2> kComparisonShares = {
    {{"coherent", &Comparison::coherent}, {"incoherent", &Comparison::incoherent}}};

}  // namespace normcert
