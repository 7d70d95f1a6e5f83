// config.json files from hostile hands: resolve them to a model, look up every site by name, or
// refuse the file in printable words.
#include <cstddef>
#include <cstdint>
#include <string>

#include "catalogue/families.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::size_t kEverything = std::size_t{1} << 30;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_message(const InputError& error) {
  const std::string message = error.what();
  require(printable(message, kEverything) == message);
  require(message.starts_with("c.json: "));
  require(message.size() < 20000);
  require(!error.parts().found.empty() && !error.parts().expected.empty());
}

void resolve(const std::string& text) {
  try {
    const Model model = resolve_model(HfConfig::parse("c.json", text));
    require(!model.sites.empty());
    for (const NormSite& site : model.sites) {
      require(site.epsilon.binary64 > 0);
      require(!site.epsilon.text.empty() && !site.epsilon_from.empty());
    }
    require(find_site(model, model.sites.back().name).kind == SiteMatchKind::kSameName);
    (void)find_site(model, "");
  } catch (const InputError& error) {
    check_message(error);
  }
}

}  // namespace
}  // namespace normcert

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  normcert::resolve(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
