#include "judge/precise_tier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "judge/chunk_screens.hpp"

namespace normcert {
namespace {

// Covers that B is relative to y and used relative to the high part of y^.
constexpr double kAboveBound = 1 + 0x1p-40;

// Whether the gains in binary64 are exact, all of them finite.
bool has_exact_gains(const Case& value) {
  if (!value.weight) return true;
  const double offset = value.weight_offset.binary64;
  for (std::size_t i = 0; i < value.weight->width; ++i) {
    const double weight = to_binary64(value.weight->at(0, i));
    if (!std::isfinite(weight)) return false;
    if (offset != 0 && two_sum(offset, weight).low != 0) return false;
  }
  return true;
}

DoubleDouble unscaled(const ScaledDoubleDouble& number) {
  return {times_power_of_two(number.high, number.exponent),
          times_power_of_two(number.low, number.exponent)};
}

}  // namespace

PreciseTier::PreciseTier(RowOperands& operands, const TensorView& got, const Criteria& criteria)
    : operands_(operands),
      got_(got),
      format_(*got.format),
      criteria_(criteria),
      code_bytes_(static_cast<std::size_t>(format_.storage_bytes)) {
  const std::optional<ScreenOutput> output = screen_output(format_);
  usable_ = output && operands.usable() && (operands.exact() || has_exact_gains(operands.of()));
  if (output) task_.output = *output;
}

bool PreciseTier::take_row(std::size_t number, const PreciseRow* row) {
  row_ = number;
  if (!usable_ || (row == nullptr && !operands_.exact())) return false;
  if (operands_.exact()) {
    limits_.r = {1, 0};
    limits_.bound = 0;
    sum_ = DoubleDouble{};  // every row has that r
  } else {
    limits_.r = unscaled(row->inverse_rms().value);
    limits_.bound = row->inverse_rms_is_exact() ? 0 : row->bound() * kAboveBound;
    sum_ = row->exact_sum();
  }
  limits_.screen = screen_limits<double>(operands_.r(), limits_.bound, format_, criteria_);
  return true;
}

void PreciseTier::set_floors(const ErrorFloors& floors, const Comparison& so_far) {
  normcert::set_floors(floors, format_, limits_.screen);
  set_floor(so_far.absolute_search, floors.absolute, 0, limits_.absolute);
  set_floor(so_far.relative_search, floors.relative, 0, limits_.relative);
  // ulp(y) = 2^(e - p + 1) for y of exponent e.
  set_floor(so_far.ulp_search, floors.ulp, 1 - format_.precision, limits_.ulp);
  limits_.known_absolute = known(so_far.absolute_search, absolute_);
  limits_.known_relative = known(so_far.relative_search, relative_);
  limits_.known_ulp = known(so_far.ulp_search, ulp_);
}

void PreciseTier::set_floor(const MaximumSearch& search, double floor, int scale,
                            DoubleDouble& into) {
  DoubleDouble best = search.precise_floor();
  if (!(best.high >= floor)) best = {floor, 0};
  if (best.high < 0 || std::isinf(best.high)) {
    into = best;
  } else {
    into = {std::ldexp(best.high, scale), std::ldexp(best.low, scale)};
  }
}

KnownError PreciseTier::known(const MaximumSearch& search, std::optional<Leader>& leader) const {
  const std::optional<Contender>& found = search.leader();
  if (!found) {
    leader.reset();
    return {};
  }
  if (!leader || leader->row != found->row || leader->index != found->index) {
    leader.reset();
    if (found->row != row_) return {};
    leader = Leader{row_, found->index, sum_, known_error(found->index)};
  }
  const bool same_r =
      leader->row == row_ ||
      (leader->sum && sum_ && leader->sum->high == sum_->high && leader->sum->low == sum_->low);
  return same_r ? leader->error : KnownError{};
}

KnownError PreciseTier::known_error(std::size_t index) const {
  DoubleDouble product = two_product(operands_.z(index), operands_.gains64()[index]);
  if (std::signbit(product.high)) product = {-product.high, -product.low};
  KnownError error;
  error.is_known = true;
  error.product = product;
  error.code = precise_code_of_output(got_.at(row_, index).magnitude(), task_.output);
  error.difference = error.code - precise_code(multiply(product, limits_.r).high, task_.output);
  error.scales = product.low == 0 && error.code >= kPreciseNormalCode;
  return error;
}

PreciseFound PreciseTier::run(std::size_t first, std::size_t count, ScreenCounts& counts,
                              ScreenSums<double>& sums) {
  if (count < kScreenLanes) {
    for (std::size_t i = 0; i < count; ++i) gather(i, first + i);
    return run_gathered(count, counts, sums);
  }
  // Widened whatever the output is.
  task_.z = static_cast<const double*>(operands_.binary64_source(first, count, kFp64).from);
  task_.gains = operands_.gains64() + first;
  task_.codes = got_.bytes.data() + (row_ * got_.width + first) * code_bytes_;
  task_.count = count;
  const PreciseFound found =
      screen_precisely(task_, limits_, counts, sums, undecided_.data(), contenders_.data());
  std::copy_n(contenders_.begin(), found.contenders, slots_.begin());
  return found;
}

PreciseFound PreciseTier::run_listed(std::size_t first, std::span<const std::uint16_t> positions,
                                     ScreenCounts& counts) {
  for (std::size_t k = 0; k < positions.size(); ++k) gather(k, first + positions[k]);
  ScreenCounts own;
  const PreciseFound found = run_gathered(positions.size(), own, ignored_);
  if (own.first_outside != kNoElement) {
    counts.first_outside =
        std::min<std::size_t>(counts.first_outside, positions[own.first_outside]);
    own.first_outside = kNoElement;
  }
  counts.add(own);
  for (std::size_t k = 0; k < found.undecided; ++k) undecided_[k] = positions[undecided_[k]];
  for (std::size_t k = 0; k < found.contenders; ++k) contenders_[k] = positions[contenders_[k]];
  return found;
}

bool PreciseTier::is_offered(std::size_t k) {
  const std::size_t slot = slots_[k];
  Offered own{row_, std::fabs(task_.z[slot]), std::fabs(task_.gains[slot]), 0};
  std::memcpy(&own.code, static_cast<const std::byte*>(task_.codes) + slot * code_bytes_,
              code_bytes_);
  own.code &= static_cast<std::uint32_t>(format_.magnitude_mask());
  const std::uint64_t mixed = std::bit_cast<std::uint64_t>(own.z) +
                              std::bit_cast<std::uint64_t>(own.gain) * 3 +
                              (std::uint64_t{own.code} << 32);
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
  Offered& place = offered_[mixed * kSpread >> 56];
  static_assert(kOffered == std::size_t{1} << (64 - 56));
  if (place == own) return true;
  place = own;
  return false;
}

std::size_t PreciseTier::look_again(std::size_t first, std::size_t end) {
  const std::size_t count = end - first;
  // In place where the operands were gathered: no slot lies before its new one.
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t slot = slots_[first + k];
    z_[k] = task_.z[slot];
    gains_[k] = task_.gains[slot];
    std::memmove(codes_.data() + k * code_bytes_,
                 static_cast<const std::byte*>(task_.codes) + slot * code_bytes_, code_bytes_);
  }
  const std::size_t whole = padded(count);
  task_ = {task_.output, z_.data(), gains_.data(), codes_.data(), whole};
  ScreenCounts counts;
  std::array<std::uint16_t, kScreenChunk> undecided;
  std::size_t left =
      screen_precisely(task_, limits_, counts, ignored_, undecided.data(), slots_.data())
          .contenders;
  while (left > 0 && slots_[left - 1] >= count) --left;
  for (std::size_t k = 0; k < left; ++k) contenders_[k] = contenders_[first + slots_[k]];
  return left;
}

void PreciseTier::gather(std::size_t slot, std::size_t index) {
  z_[slot] = operands_.z(index);
  gains_[slot] = operands_.gains64()[index];
  std::memcpy(codes_.data() + slot * code_bytes_,
              got_.bytes.data() + (row_ * got_.width + index) * code_bytes_, code_bytes_);
}

// Fills what is gathered up to whole groups of lanes with zeros; returns how many there are then.
std::size_t PreciseTier::padded(std::size_t count) {
  const std::size_t whole = (count + kScreenLanes - 1) / kScreenLanes * kScreenLanes;
  std::fill(z_.data() + count, z_.data() + whole, 0.0);
  std::fill(gains_.data() + count, gains_.data() + whole, 0.0);
  std::memset(codes_.data() + count * code_bytes_, 0, (whole - count) * code_bytes_);
  return whole;
}

// The counts of the zeros are taken back.
PreciseFound PreciseTier::run_gathered(std::size_t count, ScreenCounts& counts,
                                       ScreenSums<double>& sums) {
  const std::size_t whole = padded(count);
  task_ = {task_.output, z_.data(), gains_.data(), codes_.data(), whole};
  PreciseFound found =
      screen_precisely(task_, limits_, counts, sums, undecided_.data(), contenders_.data());
  std::size_t padding = whole - count;
  for (; found.undecided > 0 && undecided_[found.undecided - 1] >= count; --found.undecided) {
    --padding;
  }
  counts.correctly_rounded -= padding;
  counts.faithful -= padding;
  counts.below_normal -= padding;
  counts.code_distance.remove(0, padding);
  while (found.contenders > 0 && contenders_[found.contenders - 1] >= count) --found.contenders;
  std::copy_n(contenders_.begin(), found.contenders, slots_.begin());
  return found;
}

}  // namespace normcert
