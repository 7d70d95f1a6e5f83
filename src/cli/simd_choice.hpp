// NORMCERT_SIMD: the vector instructions to use, where they are not to be the processor's best.
#pragma once

namespace normcert {

// Throws InputError where the variable names no target of this program and processor.
void choose_simd_target();

}  // namespace normcert
