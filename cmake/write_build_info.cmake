# Writes OUTPUT from TEMPLATE with the commit of SOURCE_DIR, only where that changes its bytes.
# Outside a git checkout (a release archive) the commit stays empty, which means "not known".
set(COMMIT "")
find_program(git git)
if(git AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    # A clone may belong to somebody else than who builds it.
    COMMAND "${git}" -c "safe.directory=${SOURCE_DIR}" -C "${SOURCE_DIR}" describe --always --dirty
            --abbrev=40 --exclude=*
    RESULT_VARIABLE status OUTPUT_VARIABLE COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(COMMIT "")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
