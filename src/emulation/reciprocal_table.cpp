#include "emulation/reciprocal_table.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "emulation/deviation_table.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

// Entry k is that of 2 k + 1.
constexpr std::size_t kEntries = kReciprocalsMeasured / 2;

std::string_view file_of(RsqrtTable device) {
  const std::string name = std::string(name_of(device)) + ".rcp";
  for (const EmbeddedFile& file : embedded_reciprocal_tables()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("no table " + name + " was compiled in");
}

const DeviationTable& unpacked(RsqrtTable device) {
  switch (device) {
    case RsqrtTable::kSm90: {
      static const DeviationTable kTable(file_of(RsqrtTable::kSm90), kEntries);
      return kTable;
    }
  }
  throw std::logic_error("no such table of reciprocals");
}

}  // namespace

float device_reciprocal(RsqrtTable device, std::uint64_t n) {
  const float rounded = 1.0F / static_cast<float>(n);
  if (n > kReciprocalsMeasured) return rounded;
  const std::uint64_t odd = n >> std::countr_zero(n);
  const int deviation = unpacked(device).entry(static_cast<std::size_t>(odd / 2));
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) +
                              static_cast<std::uint32_t>(deviation));
}

}  // namespace normcert
