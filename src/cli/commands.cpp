#include "cli/commands.hpp"

#include <algorithm>
#include <array>

#include "cli/attenuation_command.hpp"
#include "cli/cases_command.hpp"
#include "cli/diagnose_command.hpp"
#include "cli/recipes_command.hpp"
#include "cli/report_command.hpp"
#include "cli/schema_command.hpp"
#include "cli/verify_command.hpp"

namespace normcert {
namespace {

constexpr std::array<const CommandDescription*, 7> kCommands = {
    &kVerifyCommand, &kDiagnoseCommand,    &kCasesCommand, &kRecipesCommand,
    &kReportCommand, &kAttenuationCommand, &kSchemaCommand};

}  // namespace

std::span<const CommandDescription* const> all_commands() { return kCommands; }

const CommandDescription* find_command(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &CommandDescription::name);
  return found == kCommands.end() ? nullptr : *found;
}

}  // namespace normcert
