# MPFR and GMP, used by oracle tests only. Defines MPFR::MPFR (with GMP) and MPFR_FOUND.
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY mpfr)
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MPFR REQUIRED_VARS MPFR_LIBRARY MPFR_INCLUDE_DIR GMP_LIBRARY GMP_INCLUDE_DIR)
if(MPFR_FOUND AND NOT TARGET MPFR::MPFR)
  add_library(MPFR::MPFR INTERFACE IMPORTED)
  target_include_directories(MPFR::MPFR INTERFACE "${MPFR_INCLUDE_DIR}" "${GMP_INCLUDE_DIR}")
  target_link_libraries(MPFR::MPFR INTERFACE "${MPFR_LIBRARY}" "${GMP_LIBRARY}")
endif()
mark_as_advanced(MPFR_INCLUDE_DIR MPFR_LIBRARY GMP_INCLUDE_DIR GMP_LIBRARY)
