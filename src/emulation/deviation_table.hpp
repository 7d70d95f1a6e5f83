// A table of small deviations (-2 to 1 each), unpacked from its coded form
// (emulation/deviation_coding.hpp): four entries a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace normcert {

class DeviationTable {
 public:
  // `entries`: a multiple of 32. Throws std::logic_error where the coded form ends early.
  DeviationTable(std::string_view coded, std::size_t entries);

  [[nodiscard]] std::size_t size() const { return words_.size() * kPerWord; }
  [[nodiscard]] int entry(std::size_t index) const {
    return static_cast<int>((words_[index / kPerWord] >> (2 * (index % kPerWord))) & 3U) - 2;
  }
  void fetch(std::size_t index) const { __builtin_prefetch(&words_[index / kPerWord]); }
  [[nodiscard]] std::vector<std::int8_t> entries() const;

 private:
  static constexpr std::size_t kPerWord = 32;
  std::vector<std::uint64_t> words_;
};

}  // namespace normcert
