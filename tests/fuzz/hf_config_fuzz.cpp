// config.json files from hostile hands: resolve them to a model, look up every site by name, or
// refuse the file in printable words.
#include <cstddef>
#include <cstdint>
#include <string>

#include "catalogue/families.hpp"
#include "fuzz/hostile_input.hpp"

namespace normcert {
namespace {

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
    check_message(error, "c.json", 20000);
  }
}

}  // namespace
}  // namespace normcert

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  normcert::resolve(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
