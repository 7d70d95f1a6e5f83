# normcert_build_info()
#
# To be called before normcert_library() in the same directory: adds a generated .cpp that defines
# `const BuildInfo& normcert::build_info()` of src/report/build_info.hpp. The commit is asked for at
# every build, so that it never goes stale; only that one small file is compiled again.
set(NORMCERT_BUILD_INFO_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(normcert_build_info)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  get_directory_property(options COMPILE_OPTIONS)
  string(JOIN " " flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -std=c++20 ${options})
  set(output "${CMAKE_CURRENT_BINARY_DIR}/build_info.cpp")
  add_custom_target(normcert_commit
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
            "-DVERSION=${PROJECT_VERSION}"
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            "-DFLAGS=${flags}" "-DTEMPLATE=${NORMCERT_BUILD_INFO_DIR}/build_info.cpp.in"
            "-DOUTPUT=${output}" -P "${NORMCERT_BUILD_INFO_DIR}/write_build_info.cmake"
    BYPRODUCTS "${output}"
    COMMENT "Asking for the commit"
    VERBATIM)
  set_property(DIRECTORY APPEND PROPERTY NORMCERT_GENERATED_SOURCES "${output}")
endfunction()
