#include "judge/chunk_screens.hpp"

#include <algorithm>
#include <cstring>

namespace normcert {

std::optional<ScreenOutput> screen_output(const FloatFormat& format) {
  if (format == kBf16) return ScreenOutput::kBfloat16;
  if (format == kFp16) return ScreenOutput::kBinary16;
  if (format == kFp32) return ScreenOutput::kBinary32;
  return std::nullopt;
}

ChunkScreens::ChunkScreens(RowOperands& operands, const TensorView& got)
    : operands_(operands),
      got_(got),
      format_(*got.format),
      output_(screen_output(format_).value_or(ScreenOutput::kBinary32)),
      code_bytes_(static_cast<std::size_t>(format_.storage_bytes)) {}

const std::byte* ChunkScreens::codes(std::size_t first) const {
  return got_.bytes.data() + (row_ * got_.width + first) * code_bytes_;
}

// Less than a group, zeros behind them.
void ChunkScreens::gather_codes(std::size_t first, std::size_t count) {
  std::memset(gathered_.codes.data(), 0, kScreenLanes * code_bytes_);
  std::memcpy(gathered_.codes.data(), codes(first), count * code_bytes_);
}

// Takes back what padding has left: counts of elements whose z, gain and output are zeros, or
// positions at the end of the list. Returns how many elements are listed.
std::size_t ChunkScreens::unpad(std::size_t listed, std::size_t count, std::size_t padded,
                                ScreenCounts& counts) const {
  std::size_t padding = padded - count;
  for (; listed > 0 && listed_[listed - 1] >= count; --listed) --padding;
  counts.correctly_rounded -= padding;
  counts.faithful -= padding;
  counts.below_normal -= padding;
  counts.code_distance.remove(0, padding);
  return listed;
}

std::size_t ChunkScreens::run_binary32(std::size_t first, std::size_t count, ScreenCounts& counts,
                                       ScreenSums<float>& sums) {
  const RowOperands::Source source = *operands_.binary32_source(first, count, format_);
  ScreenTask<float> task{.input = source.input,
                         .output = output_,
                         .z = source.from,
                         .gains = operands_.gains32() + first,
                         .codes = codes(first),
                         .count = count};
  if (count >= kScreenLanes) {
    return screen(task, limits32, counts, sums, listed_.data());
  }
  Gathered& g = gathered_;
  for (std::size_t i = 0; i < kScreenLanes; ++i) {
    g.z32[i] = i < count ? static_cast<float>(operands_.z(first + i)) : 0;
  }
  gather_codes(first, count);
  task.input = ScreenInput::kBinary32;
  task.z = g.z32.data();
  task.codes = g.codes.data();
  task.count = kScreenLanes;
  const std::size_t listed = screen(task, limits32, counts, sums, listed_.data());
  return unpad(listed, count, kScreenLanes, counts);
}

std::size_t ChunkScreens::run_binary64(std::size_t first, std::size_t count, ScreenCounts& counts,
                                       ScreenSums<double>& sums) {
  const std::size_t padded = count < kScreenLanes ? kScreenLanes : count;
  RowOperands::Source source = operands_.binary64_source(first, count, format_);
  const void* from = codes(first);
  if (padded > count) {
    Gathered& g = gathered_;
    for (std::size_t i = 0; i < padded; ++i) {
      g.z[i] = i < count ? operands_.z(first + i) : 0;
    }
    gather_codes(first, count);
    source = {ScreenInput::kBinary64, g.z.data()};
    from = g.codes.data();
  }
  const ScreenTask<double> task{.input = source.input,
                                .output = output_,
                                .z = source.from,
                                .gains = operands_.gains64() + first,
                                .codes = from,
                                .count = padded};
  const std::size_t listed = screen(task, limits64, counts, sums, listed_.data());
  return unpad(listed, count, padded, counts);
}

// What the binary32 screen listed, again in binary64.
std::size_t ChunkScreens::run_listed(std::size_t first, std::size_t listed, ScreenCounts& counts) {
  Gathered& g = gathered_;
  const std::size_t padded = (listed + kScreenLanes - 1) / kScreenLanes * kScreenLanes;
  std::memset(g.codes.data(), 0, padded * code_bytes_);
  const std::byte* from = codes(first);
  for (std::size_t k = 0; k < padded; ++k) {
    const std::size_t i = k < listed ? listed_[k] : 0;
    g.z[k] = k < listed ? operands_.z(first + i) : 0;
    g.gains[k] = k < listed ? operands_.gains64()[first + i] : 0;
    if (k < listed) {
      std::memcpy(g.codes.data() + k * code_bytes_, from + i * code_bytes_, code_bytes_);
    }
  }
  const ScreenTask<double> task{.input = ScreenInput::kBinary64,
                                .output = output_,
                                .z = g.z.data(),
                                .gains = g.gains.data(),
                                .codes = g.codes.data(),
                                .count = padded};
  std::array<std::uint16_t, kScreenChunk> positions;
  std::copy_n(listed_.begin(), listed, positions.begin());
  ScreenCounts own;
  const std::size_t left =
      unpad(screen(task, limits64, own, ignored_, listed_.data()), listed, padded, own);
  const std::size_t earlier = counts.first_outside;
  if (own.first_outside != kNoElement) own.first_outside = positions[own.first_outside];
  counts.first_outside = std::min(earlier, own.first_outside);
  own.first_outside = kNoElement;
  counts.add(own);
  for (std::size_t k = 0; k < left; ++k) listed_[k] = positions[listed_[k]];
  return left;
}

void ChunkScreens::know(std::size_t index) {
  known_ = Known{row_, operands_.z(index), operands_.gains64()[index],
                 static_cast<std::uint32_t>(got_.at(row_, index).bits)};
  set_known();
}

void ChunkScreens::forget_unless_equal() {
  if (known_ && !same_inputs(operands_.of(), known_->row, row_)) known_.reset();
  set_known();
}

void ChunkScreens::set_known() {
  const auto set = [&](auto& limits, bool gains_differ) {
    using Real = decltype(limits.r);
    limits.has_known = known_ && gains_differ;
    if (!limits.has_known) return;
    limits.known_z = static_cast<Real>(known_->z);
    limits.known_gain = static_cast<Real>(known_->gain);
    limits.known_code = known_->code;
  };
  set(limits32, operands_.gains32_differ());
  set(limits64, operands_.gains64_differ());
}

}  // namespace normcert
