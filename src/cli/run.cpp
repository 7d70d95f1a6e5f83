#include "cli/run.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/parser.hpp"
#include "cli/rerun.hpp"
#include "cli/simd_choice.hpp"
#include "cli/standard_streams.hpp"
#include "numeric/float_format.hpp"
#include "problem/error.hpp"
#include "report/build_info.hpp"

namespace normcert {
namespace {

struct Candidate {
  const CommandDescription* description;
  std::unique_ptr<Command> command;
  OptionList options;
};

// Only commands whose names occur among the words can be meant; the others need no options.
std::vector<Candidate> candidates_among(std::span<const std::string> words) {
  std::vector<Candidate> candidates;
  for (const CommandDescription* description : all_commands()) {
    if (std::ranges::find(words, description->name) == words.end()) continue;
    Candidate candidate{description, description->create(), {}};
    candidate.command->declare(candidate.options);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

InputError no_command(const ParsedLine& line) {
  std::vector<std::string_view> names;
  std::string known;
  for (const CommandDescription* command : all_commands()) {
    names.push_back(command->name);
    known += (known.empty() ? "" : ", ") + std::string(command->name);
  }
  const bool given = !line.words.empty();
  const std::string_view word = given ? std::string_view(line.words.front()) : std::string_view();
  return InputError({.code = "unknown_command",
                     .file = "",
                     .place = "",
                     .found = given ? "the unknown command " + std::string(word) : "no command",
                     .expected = "one of " + known + "; see normcert --help",
                     .nearest = std::string(nearest_name(word, names))});
}

void refuse(bool refused, std::string found, std::string expected) {
  if (!refused) return;
  throw InputError({.code = "usage",
                    .file = "",
                    .place = "",
                    .found = std::move(found),
                    .expected = std::move(expected),
                    .nearest = ""});
}

int run_command(const Candidate& candidate, const ParsedLine& line,
                const SharedOptionTexts& texts) {
  const std::string name(candidate.description->name);
  refuse(!line.words.empty(), "the word " + (line.words.empty() ? "" : line.words.front()),
         "only options here; see normcert " + name + " --help");
  Invocation invocation{read_shared_options(texts), rerun_line(name, candidate.options, texts)};
  refuse(!candidate.description->writes_reports && !texts.reports.empty(), "--report",
         "no --report: normcert " + name + " makes none");
  candidate.command->read_values(invocation.shared);
  check_report_paths(invocation.shared);
  return candidate.command->run(invocation);
}

}  // namespace

int run(std::span<const std::string> words) {
  SharedOptionTexts texts;
  OptionList shared;
  declare_shared_options(shared, texts);
  const std::vector<Candidate> candidates = candidates_among(words);
  std::vector<CommandOptions> grammar;
  for (const Candidate& candidate : candidates) {
    grammar.push_back({candidate.description->name, &candidate.options});
  }
  const ParsedLine line = parse_command_line(words, shared, grammar);
  const auto chosen = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return candidate.description->name == line.command;
  });
  const bool named = chosen != candidates.end();
  if (!named && !line.words.empty()) throw no_command(line);
  if (texts.help) {
    write_stdout(named ? command_help(*chosen->description, chosen->options, shared)
                       : overview(shared));
    return 0;
  }
  if (texts.version) {
    write_stdout("normcert " + std::string(build_info().version) + '\n');
    return 0;
  }
  if (!named) throw no_command(line);
  choose_simd_target();
  return run_command(*chosen, line, texts);
}

}  // namespace normcert
