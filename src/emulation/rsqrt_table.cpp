#include "emulation/rsqrt_table.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "emulation/deviation_coding.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

// Reads what the encoder of tests/emulation/deviation_encoder.hpp writes.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::string_view bytes) : bytes_(bytes) {
    for (int i = 0; i < 5; ++i) code_ = (code_ << 8) | byte();
  }

  bool decide(std::uint16_t probability) {
    const std::uint32_t bound = (range_ >> DeviationModel::kProbabilityBits) * probability;
    const bool yes = code_ < bound;
    if (yes) {
      range_ = bound;
    } else {
      code_ -= bound;
      range_ -= bound;
    }
    while (range_ < (std::uint32_t{1} << 24)) {
      range_ <<= 8;
      code_ = (code_ << 8) | byte();
    }
    return yes;
  }

  // Bytes read behind the end, which an intact table never asks for.
  [[nodiscard]] std::size_t missing() const { return missing_; }

 private:
  std::uint32_t byte() {
    if (place_ < bytes_.size()) return static_cast<unsigned char>(bytes_[place_++]);
    ++missing_;
    return 0;
  }

  std::string_view bytes_;
  std::size_t place_ = 0;
  std::size_t missing_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFU;
  std::uint32_t code_ = 0;
};

std::string_view file_of(RsqrtTable table) {
  const std::string name = std::string(name_of(table)) + ".rsqrt";
  for (const EmbeddedFile& file : embedded_rsqrt_tables()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("no table " + name + " was compiled in");
}

constexpr std::size_t kPerWord = 32;

// Four entries a byte: entry + 2 in two bits.
class PackedTable {
 public:
  explicit PackedTable(RsqrtTable table) : words_(kRsqrtTableSize / kPerWord) {
    RangeDecoder decoder(file_of(table));
    DeviationModel model;
    for (std::uint64_t& word : words_) {
      for (std::size_t i = 0; i < kPerWord; ++i) {
        const int entry = model.next(
            [&decoder](std::uint16_t probability, int) { return decoder.decide(probability); });
        word |= static_cast<std::uint64_t>(entry + 2) << (2 * i);
      }
    }
    if (decoder.missing() > 0) throw std::logic_error("a table of rsqrt is cut off");
  }

  [[nodiscard]] int entry(std::size_t index) const {
    return static_cast<int>((words_[index / kPerWord] >> (2 * (index % kPerWord))) & 3U) - 2;
  }

 private:
  std::vector<std::uint64_t> words_;
};

const PackedTable& unpacked(RsqrtTable table) {
  switch (table) {
    case RsqrtTable::kSm90: {
      static const PackedTable kTable(RsqrtTable::kSm90);
      return kTable;
    }
  }
  throw std::logic_error("no such table of rsqrt");
}

}  // namespace

int rsqrt_deviation(RsqrtTable table, std::uint32_t bits) {
  constexpr int kFractionBits = 23;
  constexpr std::uint32_t kHiddenBit = std::uint32_t{1} << kFractionBits;
  // Two binades make the table: its upper half is for odd exponents, whose biased field is even.
  if (bits >= kHiddenBit) return unpacked(table).entry((bits ^ kHiddenBit) & (2 * kHiddenBit - 1));
  // Subnormal: `up` binades below the least normal number, whose exponent is even.
  const int up = std::countl_zero(bits) - (31 - kFractionBits);
  const std::uint32_t fraction = (bits << up) & (kHiddenBit - 1);
  return unpacked(table).entry((up % 2 == 0 ? 0 : kHiddenBit) | fraction);
}

std::vector<std::int8_t> rsqrt_deviations(RsqrtTable table) {
  const PackedTable& packed = unpacked(table);
  std::vector<std::int8_t> entries(kRsqrtTableSize);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = static_cast<std::int8_t>(packed.entry(i));
  }
  return entries;
}

}  // namespace normcert
