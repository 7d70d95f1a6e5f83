#include "cli/shared_options.hpp"

#include <array>
#include <limits>

#include "cli/option_values.hpp"

namespace normcert {
namespace {

constexpr std::array<std::string_view, 3> kFormats = {"text", "json", "markdown"};
constexpr std::array<View, 3> kViews = {View::kText, View::kJson, View::kMarkdown};
constexpr std::uint64_t kMostThreads = 1024;

}  // namespace

void declare_shared_options(OptionList& list, SharedOptionTexts& texts) {
  list.add("--format", "text|json|markdown", "what goes to stdout (text)", texts.format);
  list.add_repeatable("--report", "FILE",
                      "also write a report; .json or .md says which (repeatable)", texts.reports);
  list.add_flag("--reproducible", "leave out what depends on the machine", texts.reproducible);
  list.add("--threads", "N", "threads to use; never changes a result (all that are allowed)",
           texts.threads);
  list.add("--seed", "N", "of generated numbers (0)", texts.seed);
  list.add_flag("--quiet", "no progress and notes on stderr", texts.quiet);
  list.add_flag("--all", "no folding of equal lines in text", texts.all);
  list.add_flag("--no-color", "no colours, as with NO_COLOR in the environment", texts.no_color);
  list.add_flag("--help", "this text", texts.help, "-h");
  list.add_flag("--version", "the version", texts.version);
}

SharedOptions read_shared_options(const SharedOptionTexts& texts) {
  SharedOptions options;
  if (texts.format) options.format = kViews[read_choice("--format", *texts.format, kFormats)];
  for (const std::string& path : texts.reports) {
    options.reports.push_back({path, view_of_path(path, "--report")});
  }
  if (texts.threads) {
    options.threads =
        static_cast<unsigned>(read_integer("--threads", *texts.threads, 1, kMostThreads));
  }
  if (texts.seed) {
    options.seed =
        read_integer("--seed", *texts.seed, 0, std::numeric_limits<std::uint64_t>::max());
  }
  options.reproducible = texts.reproducible;
  options.quiet = texts.quiet;
  options.all = texts.all;
  options.no_color = texts.no_color;
  return options;
}

}  // namespace normcert
