#include "cli/parser.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <deque>
#include <utility>

#include "numeric/float_format.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

InputError usage_error(std::string place, std::string found, std::string expected,
                       std::string nearest = "") {
  return InputError({.code = "usage",
                     .file = "",
                     .place = std::move(place),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = std::move(nearest)});
}

InputError lacks_value(const std::string& option) {
  return usage_error(option, "no value", "one value");
}

InputError lacks_two_values(const std::string& option) {
  return usage_error(option, "fewer than two values", "two values");
}

// The program as CLI11 sees it, with what each of its options is to us.
class Grammar {
 public:
  Grammar() : app_("", "") {
    app_.set_help_flag();
    app_.allow_extras();
    app_.require_subcommand(0, 1);
  }

  void add(const OptionList& list) { add_to(app_, list); }
  void add_command(const CommandOptions& command) {
    CLI::App* part = app_.add_subcommand(std::string(command.name));
    part->allow_extras();
    part->fallthrough();
    add_to(*part, *command.options);
  }

  // Words without "--".
  void parse(std::vector<std::string> words) {
    for (const std::string& word : words) check_equals_sign(word);
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
      // What remains after the checks above is an option at the end of the line without its value;
      // CLI11's text begins with its name.
      const std::string text = error.what();
      const std::string name = text.substr(0, text.find(':'));
      const Option* option = find(name);
      throw option != nullptr && is_pair(*option) ? lacks_two_values(name) : lacks_value(name);
    }
    for (const Known& known : known_) fill(known);
  }

  [[nodiscard]] std::string_view command() const {
    const auto parsed = app_.get_subcommands();
    return parsed.empty() ? std::string_view() : std::string_view(parsed.front()->get_name());
  }
  [[nodiscard]] std::vector<std::string> left_over() const { return app_.remaining(true); }

  [[nodiscard]] std::string_view nearest_option(std::string_view word) const {
    std::vector<std::string_view> names;
    for (const Known& known : known_) names.push_back(known.option.name);
    return nearest_name(word.substr(0, word.find('=')), names);
  }

 private:
  struct Known {
    const Option& option;
    CLI::Option* parsed;
  };

  void add_to(CLI::App& app, const OptionList& list) {
    for (const Option& option : list.options()) {
      const std::string letter = option.letter.empty() ? "" : std::string(option.letter) + ',';
      const std::string name = letter + std::string(option.name);
      CLI::Option* parsed = is_flag(option) ? app.add_flag(name) : app.add_option(name);
      // One value each time; counting is done in fill().
      if (is_pair(option)) {
        parsed->expected(2);
      } else if (!is_flag(option)) {
        parsed->expected(-1)->allow_extra_args(false);
      }
      parsed->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      known_.push_back({option, parsed});
    }
  }

  [[nodiscard]] const Option* find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(known_, [&](const Known& known) { return known.option.name == name; });
    return found == known_.end() ? nullptr : &found->option;
  }

  // CLI11 would take the next word as the value of "--option=", and "--flag=no" as a word for no.
  void check_equals_sign(const std::string& word) const {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return;
    const Option* option = find(std::string_view(word).substr(0, equals));
    if (option == nullptr) return;
    const std::string name(option->name);
    if (is_flag(*option)) throw usage_error(name, word.substr(equals + 1), "no value");
    if (equals + 1 == word.size()) throw usage_error(name, "an empty value", "one value");
  }

  void fill(const Known& known) const {
    const std::string name(known.option.name);
    // The texts themselves: CLI11's conversions would read "{}" and "[a,b]" as lists.
    const std::vector<std::string>& texts = known.parsed->results();
    if (texts.empty()) return;
    const std::size_t values = is_pair(known.option) ? 2 : 1;
    if (texts.size() % values != 0) throw lacks_two_values(name);
    if (!is_repeatable(known.option) && texts.size() > values) {
      throw usage_error(name, std::to_string(texts.size() / values) + " times", "once");
    }
    if (auto* const flag = std::get_if<bool*>(&known.option.target)) {
      **flag = true;
      return;
    }
    for (const std::string& text : texts) {
      // It took the next option for a value.
      if (find(text) != nullptr) throw values == 2 ? lacks_two_values(name) : lacks_value(name);
    }
    if (auto* const text = std::get_if<std::optional<std::string>*>(&known.option.target)) {
      **text = texts.front();
    } else if (auto* const pair = std::get_if<std::optional<TextPair>*>(&known.option.target)) {
      **pair = {texts.at(0), texts.at(1)};
    } else {
      *std::get<std::vector<std::string>*>(known.option.target) = texts;
    }
  }

  CLI::App app_;
  std::vector<Known> known_;
};

bool looks_like_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

ParsedLine parse_command_line(std::span<const std::string> words, const OptionList& shared,
                              std::span<const CommandOptions> commands) {
  Grammar grammar;
  grammar.add(shared);
  for (const CommandOptions& command : commands) grammar.add_command(command);
  const auto mark = std::ranges::find(words, "--");
  grammar.parse(std::vector<std::string>(words.begin(), mark));

  ParsedLine line{grammar.command(), {}};
  const auto command = std::ranges::find(commands, line.command, &CommandOptions::name);
  line.command = command == commands.end() ? std::string_view() : command->name;
  const std::string who =
      line.command.empty() ? "normcert" : "normcert " + std::string(line.command);
  for (const std::string& word : grammar.left_over()) {
    if (looks_like_option(word)) {
      throw usage_error("", "the unknown option " + word,
                        "one of the options of " + who + " --help",
                        std::string(grammar.nearest_option(word)));
    }
    line.words.push_back(word);
    if (line.command.empty()) return line;  // a command that is not known: nothing else matters
  }
  if (mark != words.end()) line.words.insert(line.words.end(), mark + 1, words.end());
  const auto& positionals =
      line.command.empty() ? std::optional<Option>() : command->options->positionals();
  if (positionals) {
    *std::get<std::vector<std::string>*>(positionals->target) = std::exchange(line.words, {});
  }
  return line;
}

}  // namespace normcert
