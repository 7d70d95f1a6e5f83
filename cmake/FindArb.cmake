# Arb, used by oracle tests only. Defines Arb::Arb and Arb_FOUND. Two homes are known: Arb 2 beside
# FLINT 2 (<arb.h>, libarb or Debian's libflint-arb) and FLINT 3, which took Arb in (<flint/arb.h>).
# Sources include <arb.h> in both: for FLINT 3 its own folder is on the include path.
find_path(Arb_INCLUDE_DIR arb.h PATH_SUFFIXES flint)
find_path(FLINT_INCLUDE_DIR flint/flint.h)
find_library(FLINT_LIBRARY flint)
if(Arb_INCLUDE_DIR MATCHES "/flint$")
  set(Arb_LIBRARY "${FLINT_LIBRARY}")
else()
  find_library(Arb_LIBRARY NAMES flint-arb arb)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Arb REQUIRED_VARS Arb_LIBRARY Arb_INCLUDE_DIR FLINT_LIBRARY FLINT_INCLUDE_DIR)
if(Arb_FOUND AND NOT TARGET Arb::Arb)
  add_library(Arb::Arb INTERFACE IMPORTED)
  target_include_directories(Arb::Arb SYSTEM INTERFACE "${Arb_INCLUDE_DIR}" "${FLINT_INCLUDE_DIR}")
  target_link_libraries(Arb::Arb INTERFACE "${Arb_LIBRARY}" "${FLINT_LIBRARY}")
endif()
mark_as_advanced(Arb_INCLUDE_DIR Arb_LIBRARY FLINT_INCLUDE_DIR FLINT_LIBRARY)
