// Float32 dumps of numbers that were computed in fewer digits, and the formats in which they are
// judged.
#pragma once

#include <string>
#include <vector>

#include "judge/verify_types.hpp"

namespace normcert {

// A float32 dump is judged in the format that its numbers are of; y decides, and x follows where it
// fits, since a kernel may well take binary32 and write bf16. Returns the format in which y stands
// in the file where that is another one, else nothing.
std::string narrow_dump(JudgedCase& judged, const FormatsOfDump& formats = {});

// Other formats in which a dump may have been computed: of all tensors that are there.
struct DumpReading {
  FormatsOfDump formats;
  // Of every tensor that it takes for narrower than it was read the numbers show it; a format that
  // a few numbers fit is possible and no more.
  bool shown = true;
  std::string narrower;  // those tensors: "x and y"
  std::string option;    // "x=bf16,y=bf16", for --dtype-of
};

// "x is stored as fp32, but ...": why norms are judged in it.
[[nodiscard]] std::string words_of(const DumpReading& reading);

// "every number of y fits a narrower one ...": why what was found in the format in which they are
// stored need not be so.
[[nodiscard]] std::string excuse_words(const DumpReading& reading);

// x, residual and y in the narrower format that they fit, however few their numbers, as that leaves
// open all that their own does and more; the weight both so and as it is stored. `stored`: as
// captured, of which the user states `stated`; `read`: as narrow_dump() left it, which is not among
// them. None where there is no x or no y. Reads the tensors.
[[nodiscard]] std::vector<DumpReading> other_readings(const JudgedCase& stored,
                                                      const JudgedCase& read,
                                                      const FormatsOfDump& stated);

}  // namespace normcert
