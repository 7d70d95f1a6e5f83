// From the words of a command line to the targets of option lists. CLI11 splits words into options
// and values; what may be repeated, what is unknown and how that is said is decided here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_list.hpp"

namespace normcert {

// A command that may be named, with its options.
struct CommandOptions {
  std::string_view name;
  const OptionList* options = nullptr;
};

struct ParsedLine {
  std::string_view command;        // of one of the CommandOptions; empty where none was named
  std::vector<std::string> words;  // that belong to no option, as long as no command takes them
};

// Shared options may stand before and after the command's name. Fills the targets. Throws
// InputError for options that are unknown, lack a value or have one too many, or are given twice.
// `words` are the arguments without the program's name.
[[nodiscard]] ParsedLine parse_command_line(std::span<const std::string> words,
                                            const OptionList& shared,
                                            std::span<const CommandOptions> commands);

}  // namespace normcert
