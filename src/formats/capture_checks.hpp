// Whether the tensors of a capture fit one another; parts of formats/capture.cpp.
#pragma once

#include <string_view>

#include "formats/capture.hpp"

namespace normcert {

// The tensor as a view. Throws InputError unless it is of a format that its role may have.
[[nodiscard]] TensorView checked_view(const SafetensorsFile& file, const SafetensorsTensor& tensor,
                                      std::string_view role);

// Throws InputError unless the site has what its kind of capture needs, in shapes that agree.
void check_site(const SafetensorsFile& file, const CaptureSite& site, CaptureKind kind);

}  // namespace normcert
