// The fields that every report begins with, whatever its kind: reports/schema/report.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace normcert {

// Why a verdict is what it is. `code` is one of a fixed list of words ("function", "power", ...).
struct VerdictReason {
  std::string code;
  std::string text;
  std::optional<std::string> site;
  std::optional<std::string> candidate;
};

struct Verdict {
  std::string value;  // "accepted", "rejected", "inconclusive", ...
  std::optional<std::string>
      level;  // "function", "rounding", "bits"; none where none was asked for
  std::vector<VerdictReason> reasons;
};

// A file that was read. Paths are as given.
struct ReportInput {
  std::string path;
  std::optional<std::string> sha256;           // 64 hex digits; none with --no-hash
  std::optional<std::string> what_was_hashed;  // "file", "header", ...
};

// Something that an option said in place of a file.
struct ReportOverride {
  std::string option;                   // "--epsilon"
  std::string value;                    // as typed
  std::optional<std::string> replaces;  // what the file says, as it stands there
  std::optional<std::string> from;      // where that stands
};

// Something that was noticed on the way. `level` is "error", "warning" or "note".
struct ReportFinding {
  std::string rule;
  std::string level;
  std::optional<std::string> site;
  std::string text;
};

struct Envelope {
  std::string kind;                // "verify", "attenuation", ...
  std::optional<Verdict> verdict;  // none for kinds that judge nothing
  int exit_status = 0;
  std::string rerun;          // the command that makes this report again
  bool reproducible = false;  // leaves the environment out
  std::vector<ReportInput> inputs;
  std::vector<ReportOverride> overrides;
  std::vector<ReportFinding> findings;
};

// In the order of the schema; the fields of the kind are appended to it.
[[nodiscard]] nlohmann::ordered_json envelope_json(const Envelope& envelope);

}  // namespace normcert
