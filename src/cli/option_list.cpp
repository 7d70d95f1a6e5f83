#include "cli/option_list.hpp"

#include <algorithm>

namespace normcert {

void OptionList::add_flag(std::string_view name, std::string_view help, bool& target,
                          std::string_view letter) {
  options_.push_back({name, "", help, &target, letter});
}

void OptionList::add(std::string_view name, std::string_view metavar, std::string_view help,
                     std::optional<std::string>& target, std::string_view letter) {
  options_.push_back({name, metavar, help, &target, letter});
}

void OptionList::add_pair(std::string_view name, std::string_view metavar, std::string_view help,
                          std::optional<TextPair>& target) {
  options_.push_back({name, metavar, help, &target});
}

void OptionList::add_repeatable(std::string_view name, std::string_view metavar,
                                std::string_view help, std::vector<std::string>& target) {
  options_.push_back({name, metavar, help, &target});
}

void OptionList::add_positionals(std::string_view name, std::string_view help,
                                 std::vector<std::string>& target) {
  positionals_ = Option{name, "", help, &target};
}

const Option* OptionList::find(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

bool is_flag(const Option& option) { return std::holds_alternative<bool*>(option.target); }

bool is_repeatable(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target);
}

bool is_pair(const Option& option) {
  return std::holds_alternative<std::optional<TextPair>*>(option.target);
}

}  // namespace normcert
