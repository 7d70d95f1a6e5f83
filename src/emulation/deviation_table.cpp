#include "emulation/deviation_table.hpp"

#include <stdexcept>

#include "emulation/deviation_coding.hpp"

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

}  // namespace

DeviationTable::DeviationTable(std::string_view coded, std::size_t entries)
    : words_(entries / kPerWord) {
  RangeDecoder decoder(coded);
  DeviationModel model;
  for (std::uint64_t& word : words_) {
    for (std::size_t i = 0; i < kPerWord; ++i) {
      const int entry = model.next(
          [&decoder](std::uint16_t probability, int) { return decoder.decide(probability); });
      word |= static_cast<std::uint64_t>(entry + 2) << (2 * i);
    }
  }
  if (decoder.missing() > 0) throw std::logic_error("a table of deviations is cut off");
}

std::vector<std::int8_t> DeviationTable::entries() const {
  std::vector<std::int8_t> list(size());
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::int8_t>(entry(i));
  return list;
}

}  // namespace normcert
