// The screen of judge/precise_screen.hpp on chunks of one row: the second tier, for chunks of which
// binary64 leaves many elements open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "judge/comparison.hpp"
#include "judge/precise_screen.hpp"
#include "judge/row_operands.hpp"
#include "judge/screen_limits.hpp"
#include "problem/tensor.hpp"
#include "reference/precise_row.hpp"

namespace normcert {

class PreciseTier {
 public:
  // All must outlive this.
  PreciseTier(RowOperands& operands, const TensorView& got, const Criteria& criteria);

  // The row that the operands hold; `row` is null where they are exact themselves. False: the tier
  // cannot be used for it.
  [[nodiscard]] bool take_row(std::size_t number, const PreciseRow* row);

  // Before each chunk: what errors have to reach. `floors` hold for some element of these rows.
  void set_floors(const ErrorFloors& floors, const Comparison& so_far);

  // Elements first .. first + count - 1, as ChunkScreens takes them.
  PreciseFound run(std::size_t first, std::size_t count, ScreenCounts& counts,
                   ScreenSums<double>& sums);
  // Those at `positions`, counted from `first` on, in rising order.
  PreciseFound run_listed(std::size_t first, std::span<const std::uint16_t> positions,
                          ScreenCounts& counts);
  // Positions from `first` on, in rising order.
  [[nodiscard]] std::size_t undecided(std::size_t k) const { return undecided_[k]; }
  [[nodiscard]] std::size_t contender(std::size_t k) const { return contenders_[k]; }
  // Whether a contender's operands and output are, but for their signs, those of one of the row
  // that was asked for before; false also where that is forgotten.
  [[nodiscard]] bool is_offered(std::size_t k);
  // Of the contenders first .. end - 1 of what ran last, those that still are, by floors set since:
  // they become contenders 0, 1, ... Returns how many.
  std::size_t look_again(std::size_t first, std::size_t end);

 private:
  // What was offered as a maximum: an element of the row `row`, whose exact sum is known or not.
  struct Leader {
    std::size_t row;
    std::size_t index;
    std::optional<DoubleDouble> sum;
    KnownError error;
  };

  struct Offered {
    std::size_t row = kNoElement;
    double z = 0;
    double gain = 0;
    std::uint32_t code = 0;
    bool operator==(const Offered&) const = default;
  };

  static void set_floor(const MaximumSearch& search, double floor, int scale, DoubleDouble& into);
  KnownError known(const MaximumSearch& search, std::optional<Leader>& leader) const;
  [[nodiscard]] KnownError known_error(std::size_t index) const;
  PreciseFound run_gathered(std::size_t count, ScreenCounts& counts, ScreenSums<double>& sums);
  void gather(std::size_t slot, std::size_t index);
  [[nodiscard]] std::size_t padded(std::size_t count);

  RowOperands& operands_;
  const TensorView& got_;
  const FloatFormat& format_;
  const Criteria& criteria_;
  std::size_t code_bytes_;
  bool usable_ = true;
  std::size_t row_ = 0;
  std::optional<DoubleDouble> sum_;  // of the row, where it is exact
  PreciseTask task_;
  PreciseLimits limits_;
  std::optional<Leader> absolute_;
  std::optional<Leader> relative_;
  std::optional<Leader> ulp_;
  alignas(64) std::array<double, kScreenChunk> z_;
  alignas(64) std::array<double, kScreenChunk> gains_;
  std::array<std::byte, kScreenChunk * sizeof(float)> codes_;
  std::array<std::uint16_t, kScreenChunk> undecided_;
  std::array<std::uint16_t, kScreenChunk> contenders_;
  // Of the contenders, where the task holds their operands.
  std::array<std::uint16_t, kScreenChunk> slots_;
  ScreenSums<double> ignored_;
  static constexpr std::size_t kOffered = 256;
  std::array<Offered, kOffered> offered_{};
};

}  // namespace normcert
