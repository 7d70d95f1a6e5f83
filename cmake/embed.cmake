# normcert_embed(<function> HEADER <header> FILES <glob>...)
#
# To be called before normcert_library() in the same directory: adds a generated .cpp to that
# library, which defines `std::span<const EmbeddedFile> normcert::<function>()` as declared in
# <header>. Globs are relative to the top of the source tree; the names of the embedded files are
# their file names, in the order of the bytes of their paths. The .cpp is written again when a file
# changes, appears or goes.
set(NORMCERT_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/write_embedded.cmake")

function(normcert_embed function)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "FILES")
  set(files "")
  foreach(pattern IN LISTS arg_FILES)
    file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${pattern}")
    list(APPEND files ${found})
  endforeach()

  # The list goes through a file: a command line has a length limit, and the file's time tells the
  # build that a name has come or gone.
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/${function}.list")
  string(REPLACE ";" "\n" lines "${files}")
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${lines}" @ONLY)

  set(output "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DFUNCTION=${function}" "-DHEADER=${arg_HEADER}"
            "-DLIST_FILE=${list_file}" "-DOUTPUT=${output}" -P "${NORMCERT_EMBED_SCRIPT}"
    DEPENDS ${files} "${list_file}" "${NORMCERT_EMBED_SCRIPT}"
    COMMENT "Embedding ${function}"
    VERBATIM)
  # The generated literals are longer than the 65536 characters that the standard promises; both
  # compilers take them.
  set_source_files_properties("${output}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  set_property(DIRECTORY APPEND PROPERTY NORMCERT_GENERATED_SOURCES "${output}")
endfunction()
