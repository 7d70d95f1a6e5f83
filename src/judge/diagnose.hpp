// From captured sites to a diagnosis: each is checked, judged in the format that it was computed
// in, alone and together with those that must be alike, and what nothing explains is described.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/diagnosis.hpp"
#include "judge/dump_formats.hpp"

namespace normcert {

// The problem of a site with a tensor that is wider than elimination takes.
inline constexpr std::string_view kTooWide = "wider-than-fp32";

struct SiteToDiagnose {
  // Epsilon without text, offset not given, weight absent and not none: not declared. `observed`
  // has y, x is empty where the capture has outputs alone.
  JudgedCase judged;
  std::string declared_from;     // where the epsilon is declared
  bool inputs_are_ours = false;  // made by this program
  // What the rows are called where they are some of a file's; empty: as they stand.
  std::vector<std::size_t> row_numbers{};
};

// What norms must share to be judged as one function: width, formats, weight offset, epsilon,
// source recipe; `y` is the format of the outputs.
[[nodiscard]] std::string shared_by(const JudgedCase& judged, const FloatFormat& y);

struct DiagnoseRequest {
  std::vector<SiteToDiagnose> sites;
  FormatsOfDump formats;
  // The tensors are this program's own: of the formats that they have, and no dump.
  bool formats_are_known = false;
  std::vector<const Recipe*> recipes;  // to be named under what they compute
  unsigned threads = 1;                // changes nothing but the time
  bool checks_sums = false;            // residual_out of sites that are judged, on every row given
};

[[nodiscard]] Diagnosis diagnose(DiagnoseRequest& request);

}  // namespace normcert
