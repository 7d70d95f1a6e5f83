// What options a command takes, as data: the parser, the help text and the rerun line are made from
// it. Values stay text; the command reads them, so that a bad one can be shown as it was typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace normcert {

using TextPair = std::pair<std::string, std::string>;

// Where the parser puts what was given: a flag, an option that may be given once, one that may be
// repeated and takes exactly one value each time, one that may be given once and takes two values.
using OptionTarget = std::variant<bool*, std::optional<std::string>*, std::vector<std::string>*,
                                  std::optional<TextPair>*>;

struct Option {
  std::string_view name;     // "--epsilon"; for positional arguments what help calls them
  std::string_view metavar;  // "TEXT"; empty for flags
  std::string_view help;
  OptionTarget target;
  std::string_view letter = "";  // "-h", where there is one
};

class OptionList {
 public:
  // Targets must outlive the list.
  void add_flag(std::string_view name, std::string_view help, bool& target,
                std::string_view letter = "");
  void add(std::string_view name, std::string_view metavar, std::string_view help,
           std::optional<std::string>& target, std::string_view letter = "");
  void add_pair(std::string_view name, std::string_view metavar, std::string_view help,
                std::optional<TextPair>& target);
  void add_repeatable(std::string_view name, std::string_view metavar, std::string_view help,
                      std::vector<std::string>& target);
  // Arguments without a name, any number of them; at most one such list per command.
  void add_positionals(std::string_view name, std::string_view help,
                       std::vector<std::string>& target);

  [[nodiscard]] const std::vector<Option>& options() const { return options_; }
  [[nodiscard]] const std::optional<Option>& positionals() const { return positionals_; }
  [[nodiscard]] const Option* find(std::string_view name) const;

 private:
  std::vector<Option> options_;
  std::optional<Option> positionals_;
};

[[nodiscard]] bool is_flag(const Option& option);
[[nodiscard]] bool is_repeatable(const Option& option);
[[nodiscard]] bool is_pair(const Option& option);

}  // namespace normcert
