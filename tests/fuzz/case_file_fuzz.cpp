// Case files from hostile hands: every case is read, generated and validated, or refused in
// printable words.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "formats/case_file.hpp"
#include "fuzz/hostile_input.hpp"
#include "generate/generate.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostElements = 1 << 14;

void check_tensor(const TensorView& tensor) {
  const auto element = static_cast<std::size_t>(tensor.format->storage_bytes);
  require(tensor.bytes.size() == tensor.rows * tensor.width * element);
}

// What every case of an accepted file has, whether or not its rows are there already.
void check_case(const Case& value) {
  require(!value.id.empty() && is_printable(value.id));
  require(value.epsilon.text.empty() || value.epsilon.binary64 >= 0);
  check_tensor(value.x);
  if (value.residual) check_tensor(*value.residual);
  if (value.weight) check_tensor(*value.weight);
  if (value.written) {
    check_tensor(value.written->y);
    require(value.written->digits == 0 || value.written->texts.size() == value.written->y.size());
  }
}

void read(const std::string& text, bool epsilon_may_be_missing) {
  try {
    CaseFile file = read_case_file(
        JsonDocument::parse("f.json", text),
        {.epsilon_may_be_missing = epsilon_may_be_missing, .max_elements = kMostElements});
    require(file.cases.size() + file.refused.size() > 0);
    std::set<std::string> ids;
    std::size_t elements = 0;
    for (Case& value : file.cases) {
      require(ids.insert(value.id).second);
      check_case(value);
      if (value.epsilon.text.empty()) value.epsilon = read_epsilon("1e-6", "", "");
    }
    complete(file);
    for (const Case& value : file.cases) {
      check_case(value);
      require(!value.generator && value.x.rows > 0 && value.x.width > 0);
      elements += value.x.size();
    }
    require(elements <= kMostElements);
    for (const RefusedCase& refused : file.refused) {
      require(refused.expected && refused.message.starts_with("f.json: "));
    }
  } catch (const InputError& error) {
    check_message(error, "f.json", 20000);
  }
}

}  // namespace
}  // namespace normcert

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  normcert::read(text, false);
  normcert::read(text, true);
  return 0;
}
