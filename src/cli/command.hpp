// What a command of the program is. To add one: derive from Command in <name>_command.cpp, declare
// its CommandDescription in <name>_command.hpp, and put that into the table of cli/commands.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/option_list.hpp"
#include "cli/shared_options.hpp"

namespace normcert {

// What every command gets beside its own options.
struct Invocation {
  SharedOptions shared;
  std::string rerun;  // the command line that gives the same result again, for a shell
};

// Lives for one run of the program; holds the texts of its options.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  // Called first, once. What it binds are members.
  virtual void declare(OptionList& options) = 0;
  // Reads the option values, throws for bad ones; opens no file. Report paths are checked after it.
  virtual void read_values(const SharedOptions& shared) = 0;
  // Returns the exit status, usually that of finish() (cli/output.hpp).
  virtual int run(const Invocation& invocation) = 0;
};

struct CommandDescription {
  std::string_view name;      // "attenuation"
  std::string_view what_for;  // what somebody has who needs it, for the first screen of help
  std::string_view synopsis;  // "attenuation --epsilon TEXT"
  std::string_view summary;   // what it does, lines without indentation
  std::string_view examples;  // one command per line, without indentation
  std::string_view statuses;  // "0  done", one per line; 2 and 4 are added for every command
  bool writes_reports = true;
  std::unique_ptr<Command> (*create)() = nullptr;
};

}  // namespace normcert
