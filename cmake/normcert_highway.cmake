# normcert_highway: Google Highway with the list of targets that *_simd.cpp files are compiled for.
#
# On x86: AVX-512 (AVX3), AVX2, SSE4, and EMU128, plain C++ for every processor. Vectors of variable
# length (SVE, RVV) are left out: sums are laid out in a fixed number of virtual lanes. Highway takes
# g++ before 12.3 to miscompile EMU128 (GCC bug 106322); what is used of it here is tested under
# every target, and the alternative (SCALAR) lacks the operations that the files need.
#
# Only the headers are used: numeric/simd_target_simd.cpp defines the three functions that they want.
find_package(hwy 1.0.3 REQUIRED)
get_target_property(normcert_hwy_includes hwy::hwy INTERFACE_INCLUDE_DIRECTORIES)
add_library(normcert_highway INTERFACE)
if(normcert_hwy_includes)
  target_include_directories(normcert_highway SYSTEM INTERFACE ${normcert_hwy_includes})
endif()
target_compile_definitions(normcert_highway INTERFACE
  HWY_BROKEN_EMU128=0 "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)")
