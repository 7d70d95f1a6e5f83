// The options that every command takes, before or after its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/option_list.hpp"
#include "report/views.hpp"

namespace normcert {

// As typed.
struct SharedOptionTexts {
  std::optional<std::string> format;
  std::vector<std::string> reports;
  std::optional<std::string> threads;
  std::optional<std::string> seed;
  bool reproducible = false;
  bool quiet = false;
  bool all = false;
  bool no_color = false;
  bool help = false;
  bool version = false;
};

struct ReportPath {
  std::string path;
  View view = View::kJson;
};

// As read. Their values are all right.
struct SharedOptions {
  View format = View::kText;        // of stdout
  std::vector<ReportPath> reports;  // files to write beside it
  std::optional<unsigned> threads;  // none: as many as the process may use
  std::uint64_t seed = 0;
  bool reproducible = false;  // reports without their environment block
  bool quiet = false;         // no progress and notes on stderr
  bool all = false;           // no folding of equal lines
  bool no_color = false;
};

void declare_shared_options(OptionList& list, SharedOptionTexts& texts);

// Throws InputError; looks at no file.
[[nodiscard]] SharedOptions read_shared_options(const SharedOptionTexts& texts);

}  // namespace normcert
