#include "emulation/rsqrt_table.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "emulation/deviation_table.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

std::string_view file_of(RsqrtTable table) {
  const std::string name = std::string(name_of(table)) + ".rsqrt";
  for (const EmbeddedFile& file : embedded_rsqrt_tables()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("no table " + name + " was compiled in");
}

const DeviationTable& unpacked(RsqrtTable table) {
  switch (table) {
    case RsqrtTable::kSm90: {
      static const DeviationTable kTable(file_of(RsqrtTable::kSm90), kRsqrtTableSize);
      return kTable;
    }
  }
  throw std::logic_error("no such table of rsqrt");
}

std::size_t entry_of(std::uint32_t bits) {
  constexpr int kFractionBits = 23;
  constexpr std::uint32_t kHiddenBit = std::uint32_t{1} << kFractionBits;
  // Two binades make the table: its upper half is for odd exponents, whose biased field is even.
  if (bits >= kHiddenBit) return (bits ^ kHiddenBit) & (2 * kHiddenBit - 1);
  // Subnormal: `up` binades below the least normal number, whose exponent is even.
  const int up = std::countl_zero(bits) - (31 - kFractionBits);
  const std::uint32_t fraction = (bits << up) & (kHiddenBit - 1);
  return (up % 2 == 0 ? 0 : kHiddenBit) | fraction;
}

}  // namespace

int rsqrt_deviation(RsqrtTable table, std::uint32_t bits) {
  return unpacked(table).entry(entry_of(bits));
}

void fetch_rsqrt_deviation(RsqrtTable table, std::uint32_t bits) {
  unpacked(table).fetch(entry_of(bits));
}

std::vector<std::int8_t> rsqrt_deviations(RsqrtTable table) { return unpacked(table).entries(); }

}  // namespace normcert
