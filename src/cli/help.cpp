#include "cli/help.hpp"

#include <algorithm>

#include "cli/commands.hpp"
#include "report/build_info.hpp"
#include "report/table.hpp"

namespace normcert {
namespace {

constexpr std::size_t kIndent = 2;
constexpr const char* kStatusesOfAll =
    "2  wrong usage, or input that cannot be read or is invalid; nothing goes to stdout\n"
    "4  internal error";

std::string indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += std::string(kIndent, ' ') + std::string(lines.substr(0, end)) + '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string left_side(const Option& option) {
  std::string text = option.letter.empty() ? "" : std::string(option.letter) + ", ";
  text += option.name;
  if (!option.metavar.empty()) text += ' ' + std::string(option.metavar);
  return text;
}

// Two columns without a header.
std::string option_lines(const OptionList& list) {
  std::vector<std::vector<std::string>> rows;
  if (list.positionals()) {
    rows.push_back({std::string(list.positionals()->name), std::string(list.positionals()->help)});
  }
  for (const Option& option : list.options()) {
    rows.push_back({left_side(option), std::string(option.help)});
  }
  if (rows.empty()) return "";
  const std::vector<std::string> first = rows.front();
  rows.erase(rows.begin());
  return text_table({first, rows}, kIndent);
}

}  // namespace

std::string overview(const OptionList& shared) {
  Table tasks{{"what you have", "command"}, {}};
  for (const CommandDescription* command : all_commands()) {
    tasks.rows.push_back(
        {std::string(command->what_for), "normcert " + std::string(command->synopsis)});
  }
  return "normcert " + std::string(build_info().version) +
         ": did the RMSNorm survive the port?\n\n" + text_table(tasks, kIndent) +
         "\nnormcert COMMAND --help has the options, examples and exit statuses of a command.\n" +
         "\nOptions of every command, before or after its own:\n" + option_lines(shared);
}

std::string command_help(const CommandDescription& command, const OptionList& own,
                         const OptionList& shared) {
  std::string text = "normcert " + std::string(command.synopsis) + "\n\n";
  text += std::string(command.summary) + '\n';
  const std::string options = option_lines(own);
  if (!options.empty()) text += "\nOptions:\n" + options;
  text += "\nOptions of every command:\n" + option_lines(shared);
  text += "\nExamples:\n" + indented(command.examples);
  text += "\nExit status:\n" + indented(command.statuses) + indented(kStatusesOfAll);
  return text;
}

}  // namespace normcert
