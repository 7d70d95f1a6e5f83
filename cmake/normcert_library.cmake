# normcert_library(<folder> [DEPENDS folder...] [PUBLIC library...] [PRIVATE library...])
#
# The static library normcert_<folder> of src/<folder>/*.cpp. DEPENDS names the folders of lower
# layers that it may include (tests/architecture reads the #include lines and holds everybody to
# it); PRIVATE names third-party libraries used in .cpp files, PUBLIC those whose forward
# declarations appear in headers. A folder without .cpp files becomes an interface library.
function(normcert_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;PUBLIC;PRIVATE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "normcert_library(${folder}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()

  set(below "")
  foreach(dependency IN LISTS arg_DEPENDS)
    if(NOT TARGET normcert_${dependency})
      message(FATAL_ERROR "src/${folder} depends on ${dependency}, which is no lower folder")
    endif()
    list(APPEND below normcert_${dependency})
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
  get_property(generated DIRECTORY PROPERTY NORMCERT_GENERATED_SOURCES)
  list(APPEND sources ${generated})
  if(sources)
    add_library(normcert_${folder} STATIC ${sources})
    target_include_directories(normcert_${folder} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(normcert_${folder} PUBLIC ${below} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  else()
    add_library(normcert_${folder} INTERFACE)
    target_include_directories(normcert_${folder} INTERFACE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(normcert_${folder} INTERFACE ${below} ${arg_PUBLIC})
  endif()
endfunction()
