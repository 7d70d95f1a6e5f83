// What this program was built from and with, for `--version` and the environment block of reports.
#pragma once

#include <string_view>

namespace normcert {

struct BuildInfo {
  std::string_view version;  // of the project, "0.1.0"
  std::string_view commit;   // 40 hex digits, "-dirty" appended for changed files; empty: not known
  std::string_view compiler;  // "GNU 12.2.0"
  std::string_view flags;     // options of every file, without include paths
};

const BuildInfo& build_info();

}  // namespace normcert
