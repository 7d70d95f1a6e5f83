// The screens of judge/screen.hpp on chunks of one row: elements brought to where the vectors can
// take them, filled up to whole groups of lanes, and positions led back to the row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "judge/row_operands.hpp"
#include "judge/screen.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// The screen for outputs of this format, if there is one.
[[nodiscard]] std::optional<ScreenOutput> screen_output(const FloatFormat& format);

class ChunkScreens {
 public:
  // Both must outlive this. Requires screen_output(*got.format) where anything is run.
  ChunkScreens(RowOperands& operands, const TensorView& got);

  ScreenLimits<float> limits32;
  ScreenLimits<double> limits64;

  // The row that the operands hold.
  void take_row(std::size_t row) { row_ = row; }

  // Elements first .. first + count - 1: at most kScreenChunk, whole groups of lanes or less than
  // one group. Each returns how many elements are listed, at positions listed(0), listed(1), ...
  // from `first` on, in rising order.
  std::size_t run_binary32(std::size_t first, std::size_t count, ScreenCounts& counts,
                           ScreenSums<float>& sums);
  std::size_t run_binary64(std::size_t first, std::size_t count, ScreenCounts& counts,
                           ScreenSums<double>& sums);
  // The elements listed last, again in binary64.
  std::size_t run_listed(std::size_t first, std::size_t listed, ScreenCounts& counts);
  [[nodiscard]] std::size_t listed(std::size_t k) const { return listed_[k]; }
  [[nodiscard]] std::span<const std::uint16_t> all_listed(std::size_t count) const {
    return {listed_.data(), count};
  }

  // Equal operands in equal rows have equal errors: an element that was offered as a maximum is not
  // listed for its error again.
  void know(std::size_t index);
  // Before the limits of a row are used: what is known holds for equal rows only.
  void forget_unless_equal();

 private:
  struct Gathered {
    alignas(64) std::array<double, kScreenChunk> z;
    alignas(64) std::array<double, kScreenChunk> gains;
    alignas(64) std::array<float, kScreenLanes> z32;
    std::array<std::byte, kScreenChunk * sizeof(float)> codes;
  };
  struct Known {
    std::size_t row;
    double z;
    double gain;
    std::uint32_t code;
  };

  [[nodiscard]] const std::byte* codes(std::size_t first) const;
  void gather_codes(std::size_t first, std::size_t count);
  std::size_t unpad(std::size_t listed, std::size_t count, std::size_t padded,
                    ScreenCounts& counts) const;
  void set_known();

  RowOperands& operands_;
  const TensorView& got_;
  const FloatFormat& format_;
  ScreenOutput output_;
  std::size_t code_bytes_;
  std::size_t row_ = 0;
  std::array<std::uint16_t, kScreenChunk> listed_{};
  Gathered gathered_{};
  ScreenSums<double> ignored_;
  std::optional<Known> known_;
};

}  // namespace normcert
