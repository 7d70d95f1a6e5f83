# Writes OUTPUT, a .cpp that defines FUNCTION (declared in HEADER) over the files listed in
# LIST_FILE. Every byte is written as \xNN, so any content is safe: quotes, NUL, invalid UTF-8.
function(to_literal hex result)
  string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${hex}")
  # 32 bytes a line, as adjacent literals.
  string(REPEAT "...." 32 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" escaped "${escaped}")
  set(${result} "\"${escaped}\"" PARENT_SCOPE)
endfunction()

file(STRINGS "${LIST_FILE}" files ENCODING UTF-8)
list(LENGTH files count)
set(entries "")
foreach(path IN LISTS files)
  file(READ "${path}" content_hex HEX)
  string(LENGTH "${content_hex}" digits)
  math(EXPR size "${digits} / 2")
  to_literal("${content_hex}" content)

  get_filename_component(name "${path}" NAME)
  string(HEX "${name}" name_hex)
  to_literal("${name_hex}" name_literal)
  string(LENGTH "${name_hex}" digits)
  math(EXPR name_size "${digits} / 2")

  string(APPEND entries "    EmbeddedFile{std::string_view(${name_literal}, ${name_size}),\n"
         "    std::string_view(${content}, ${size})},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Generated from the files of the source tree; not to be edited.
#include \"${HEADER}\"

#include <array>
#include <span>
#include <string_view>

#include \"problem/embedded_file.hpp\"

namespace normcert {
namespace {

constexpr std::array<EmbeddedFile, ${count}> kFiles = {{
${entries}}};

}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }

}  // namespace normcert
")
