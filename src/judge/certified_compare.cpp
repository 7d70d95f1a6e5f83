#include "judge/certified_compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "judge/chunk_screens.hpp"
#include "judge/last_tier.hpp"
#include "judge/maxima.hpp"
#include "judge/non_finite.hpp"
#include "judge/precise_tier.hpp"
#include "judge/repetition.hpp"
#include "judge/rounded_bits.hpp"
#include "judge/row_factor.hpp"
#include "judge/row_operands.hpp"
#include "judge/row_shares.hpp"
#include "judge/screen.hpp"
#include "judge/screen_limits.hpp"

namespace normcert {
namespace {

// A chunk of which more is listed goes to the binary64 screen as a whole.
constexpr std::size_t kDense = kScreenChunk / 8;
// For so many rows after such a chunk the binary32 screen is not tried. The same for the binary64
// screen, where that lists as many.
constexpr std::size_t kStickyRows = 32;
// So many elements left by binary64 are settled one by one: of a chunk, and of a row before that.
constexpr std::size_t kFew = 4;
constexpr std::size_t kFewOfRow = 16;
// What the double-double screen takes at a time.
constexpr std::size_t kPart = 512;
static_assert(kPart % kScreenLanes == 0);

// An error of zero does not exceed a floor of zero, but where all are zero the first of them is the
// witness, and it may stand here.
ErrorFloors without_zeros(ErrorFloors floors) {
  for (double* floor : {&floors.absolute, &floors.relative, &floors.ulp}) {
    if (*floor == 0) *floor = -1;
  }
  return floors;
}

class CertifiedComparer {
 public:
  CertifiedComparer(const Case& value, OutputTensor tensor, const TensorView& got,
                    const Criteria& criteria, const BlockContext& context)
      : case_(value),
        got_(got),
        format_(*got.format),
        criteria_(criteria),
        operands_(value, tensor, context.gains),
        screens_(operands_, got),
        last_tier_(value, tensor, got, criteria),
        floors_(without_zeros(context.known.floors)),
        known_(context.known) {
    const std::optional<ScreenOutput> output = screen_output(format_);
    screened_ = output && operands_.usable();
    binary32_ = screened_ && *output != ScreenOutput::kBinary32 && fits_binary32(criteria);
  }

  // Whether rows are left to the double-double tier.
  void begin_precisely() { sticky_ = precise_sticky_ = kStickyRows; }
  [[nodiscard]] bool ends_precisely() const { return precise_sticky_ > 0; }

  // The row that stands before the first one, compared elsewhere.
  void follow(const RowImage& row) { previous_ = row; }

  void compare_row(std::size_t row, std::optional<double> sum, Comparison& into) {
    into.expected += got_.width;
    const RowOperands::Load load =
        screened_ ? operands_.load(row, sum) : RowOperands::Load::kNotScreened;
    const bool is_finite = load == RowOperands::Load::kReady ||
                           (load == RowOperands::Load::kNotScreened && last_tier_.is_finite(row));
    if (!is_finite) {
      ++into.rows_set_apart;
      return;
    }
    into.compared += got_.width;
    last_tier_.take_row(row);
    if (load == RowOperands::Load::kReady) {
      screen_row(row, into);
    } else {
      for (std::size_t i = 0; i < got_.width; ++i) last_tier_.settle(i, std::nullopt, true, into);
      last_tier_.name_first_outside(into);
      last_tier_.offer_shares(into);
    }
  }

 private:
  void screen_row(std::size_t row, Comparison& into) {
    const double wide_bound = operands_.exact() ? 0 : element_bound<double>(operands_.row_bound());
    into.largest_bound = std::max(into.largest_bound, wide_bound);
    screens_.limits64 = screen_limits<double>(operands_.r(), wide_bound, format_, criteria_);
    precise_ready_.reset();
    listed_of_row_ = 0;
    precisely_ = precise_sticky_ > 0 && is_precise(row);
    const bool narrow = binary32_ && !precisely_ && sticky_ == 0 && operands_.fits_binary32() &&
                        operands_.binary32_source(0, 0, format_).has_value();
    if (narrow) {
      screens_.limits32 = screen_limits<float>(
          operands_.r(), element_bound<float>(operands_.row_bound()), format_, criteria_);
      screens_.limits32.greatest = static_cast<float>(operands_.greatest_output());
    }
    if (sticky_ > 0) --sticky_;
    if (precise_sticky_ > 0) --precise_sticky_;
    row_ = row;
    screens_.take_row(row);
    screens_.forget_unless_equal();
    const RowImage image = RowImage::of(case_, got_, row);
    repeated_ = previous_ && image.repeats(*previous_);
    previous_ = image;
    // What repeats a repetition counts what that has counted.
    if (repeated_ && repetition_.is_known()) {
      repetition_.count_again(into);
      return;
    }
    repetition_.start(repeated_, into);
    prime(row);
    refresh_floors();
    shares_.start();
    for (std::size_t first = 0; first < got_.width; first += kScreenChunk) {
      const std::size_t count = std::min(kScreenChunk, got_.width - first);
      const std::size_t whole = count - count % kScreenLanes;
      if (whole > 0) screen_chunk(first, whole, narrow, into);
      if (whole < count) screen_chunk(first + whole, count - whole, narrow, into);
    }
    offer_shares(row, narrow, into);
    repetition_.finish(into);
  }

  // At most kScreenChunk elements: whole groups of lanes, or less than one group.
  void screen_chunk(std::size_t first, std::size_t count, bool narrow, Comparison& into) {
    if (precisely_) {
      settle_chunk_precisely(first, count, shares_.wide(), into);
      return;
    }
    ScreenCounts counts;
    std::size_t listed = 0;
    if (narrow) {
      listed = screens_.run_binary32(first, count, counts, shares_.narrow());
      if (listed > kDense) {
        sticky_ = kStickyRows;
        if (precise_sticky_ == kStickyRows) {  // since a chunk of this row
          settle_chunk_precisely(first, count, ignored_, into);
          return;
        }
        counts = {};
        listed = screens_.run_binary64(first, count, counts, ignored_);
      } else if (listed > 0) {
        listed = screens_.run_listed(first, listed, counts);
      }
    } else {
      listed = screens_.run_binary64(first, count, counts, shares_.wide());
    }
    listed_of_row_ += listed;
    const bool many = listed > kFew || (listed > 0 && listed_of_row_ > kFewOfRow);
    if (many && is_precise(row_)) {
      if (listed > kDense) {
        precise_sticky_ = kStickyRows;
        settle_chunk_precisely(first, count, ignored_, into);
        return;
      }
      into.decided_by_bound += count - listed;
      add(counts, first, into);
      settle_precisely(first, listed, screens_.all_listed(listed), ignored_, into);
      return;
    }
    into.decided_by_bound += count - listed;
    add(counts, first, into);
    settle(first, listed, into);
  }

  // Whether the double-double tier can be used for the row; asked once.
  bool is_precise(std::size_t row) {
    if (!precise_ready_) {
      if (!precise_tier_) {
        precise_tier_ = std::make_unique<PreciseTier>(operands_, got_, criteria_);
      }
      const PreciseRow* precise = operands_.exact() ? nullptr : last_tier_.precise_row();
      precise_ready_ = precise_tier_->take_row(row, precise);
    }
    return *precise_ready_;
  }

  // A chunk by the double-double tier, in parts after which the floors rise.
  void settle_chunk_precisely(std::size_t first, std::size_t count, ScreenSums<double>& sums,
                              Comparison& into) {
    for (std::size_t i = 0; i < count; i += kPart) {
      settle_precisely(first + i, std::min(kPart, count - i), {}, sums, into);
    }
  }

  // The same for a part, or for those `positions` of it. Nothing of them is counted yet.
  void settle_precisely(std::size_t first, std::size_t count,
                        std::span<const std::uint16_t> positions, ScreenSums<double>& sums,
                        Comparison& into) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    precise_tier_->set_floors(repeated_ ? ErrorFloors{kNone, kNone, kNone} : floors_, into);
    ScreenCounts counts;
    const PreciseFound found = positions.empty()
                                   ? precise_tier_->run(first, count, counts, sums)
                                   : precise_tier_->run_listed(first, positions, counts);
    const std::uint64_t ties = operands_.exact() ? 0 : found.ties;
    into.decided_exactly += ties;
    into.decided_by_bound += count - found.undecided - ties;
    add(counts, first, into);
    // In rising order of their places, as the searches want them.
    std::size_t k = 0;
    std::size_t c = 0;
    std::size_t contenders = found.contenders;
    bool they_fall = true;
    while (k < found.undecided || c < contenders) {
      if (c == contenders ||
          (k < found.undecided && precise_tier_->undecided(k) < precise_tier_->contender(c))) {
        last_tier_.settle(first + precise_tier_->undecided(k++), std::nullopt, !repeated_, into);
        continue;
      }
      const std::size_t contender = c++;
      if (precise_tier_->is_offered(contender)) continue;
      last_tier_.offer_counted(first + precise_tier_->contender(contender), into);
      if (!they_fall || contenders - c < kFew) continue;
      // Of many most fall behind the first ones, unless their errors are equal.
      floors_.raise(into);
      precise_tier_->set_floors(floors_, into);
      const std::size_t left = precise_tier_->look_again(c, contenders);
      they_fall = 2 * left < contenders - c;
      contenders = left;
      c = 0;
    }
    last_tier_.name_first_outside(into);
    if (found.undecided + found.contenders == 0) return;
    floors_.raise(into);
    refresh_floors();
  }

  void add(const ScreenCounts& counts, std::size_t first, Comparison& into) {
    into.correctly_rounded += counts.correctly_rounded;
    into.faithful += counts.faithful;
    into.below_normal += counts.below_normal;
    into.outside_tolerance += counts.outside;
    into.unattainable += counts.unattainable;
    into.beyond_max_ulp += counts.beyond_max_ulp;
    into.code_distance.merge(counts.code_distance);
    if (counts.first_outside != kNoElement) {
      last_tier_.note_outside(first + counts.first_outside);
    }
  }

  // What the screens have left of a chunk. Of equal operands that were listed as possible maxima
  // one is offered; all are counted.
  void settle(std::size_t first, std::size_t listed, Comparison& into) {
    for (std::size_t k = 0; k < listed; ++k) {
      const std::size_t i = first + screens_.listed(k);
      const double gain = operands_.gains64()[i];
      const double z = operands_.z(i);
      const ScaledDoubleDouble y{z * gain * operands_.r(), 0, 0};
      last_tier_.settle(i, Enclosure{y, screens_.limits64.bound}, !repeated_, into);
    }
    last_tier_.name_first_outside(into);
    if (listed == 0) return;
    floors_.raise(into);
    refresh_floors();
    screens_.know(first + screens_.listed(listed - 1));
  }

  // Before anything is measured, every element would be listed. Errors that some of the first
  // elements reach for certain keep that to a few.
  void prime(std::size_t row) {
    if (floors_.ulp >= 0) return;
    constexpr std::size_t kElements = 256;
    const double m = static_cast<double>(screens_.limits64.bound);
    for (std::size_t i = 0; i < std::min(kElements, got_.width); ++i) {
      const Code got = got_.at(row, i);
      const double y = operands_.z(i) * operands_.gains64()[i] * operands_.r();
      const double magnitude = std::fabs(y);
      if (!is_finite(got) || magnitude < std::ldexp(1.0, format_.emin + 1)) continue;
      const double error =
          (std::fabs(to_binary64(got) - y) * (1 - 0x1p-50) - m * magnitude) * (1 - 0x1p-40);
      if (!(error > 0)) continue;
      floors_.absolute = std::max(floors_.absolute, error);
      floors_.relative = std::max(floors_.relative, error / (magnitude * (1 + 2 * m)));
      // One binade up, in case the bound reaches there.
      const int exponent = std::ilogb(magnitude * (1 + 2 * m));
      floors_.ulp = std::max(floors_.ulp, std::ldexp(error, format_.precision - 1 - exponent));
    }
  }

  // A row that repeats the one before has its errors too: none need be offered again.
  void refresh_floors() {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const ErrorFloors floors = repeated_ ? ErrorFloors{kNone, kNone, kNone} : floors_;
    set_floors(floors, format_, screens_.limits32);
    set_floors(floors, format_, screens_.limits64);
  }

  void offer_shares(std::size_t row, bool narrow, Comparison& into) {
    if (last_tier_.saw_non_finite()) return;
    if (narrow) {
      known_.raise(into);
      if (!shares_.could_lead(element_bound<float>(operands_.row_bound()), got_.width,
                              known_.coherent, known_.incoherent)) {
        return;
      }
      sum_up();
    }
    if (shares_.offer(row, into)) return;
    RowFactor factor;
    for (std::size_t i = 0; i < got_.width; ++i) {
      const double y = operands_.z(i) * operands_.gains64()[i] * operands_.r();
      factor.add(y, to_binary64(got_.at(row, i)) - y);
    }
    factor.finish(row, into);
  }

  // The sums of the row in binary64, without counting anything.
  void sum_up() {
    ScreenLimits<double> limits = screen_limits<double>(
        operands_.r(), static_cast<double>(screens_.limits64.bound), format_, {});
    constexpr double kNone = std::numeric_limits<double>::infinity();
    set_floors({kNone, kNone, kNone}, format_, limits);
    std::swap(limits, screens_.limits64);
    ScreenCounts counts;
    for (std::size_t first = 0; first < got_.width; first += kScreenChunk) {
      const std::size_t count = std::min(kScreenChunk, got_.width - first);
      const std::size_t whole = count - count % kScreenLanes;
      if (whole > 0) (void)screens_.run_binary64(first, whole, counts, shares_.wide());
      if (whole < count) {
        (void)screens_.run_binary64(first + whole, count - whole, counts, shares_.wide());
      }
    }
    std::swap(limits, screens_.limits64);
  }

  const Case& case_;
  const TensorView& got_;
  const FloatFormat& format_;
  const Criteria& criteria_;
  RowOperands operands_;
  ChunkScreens screens_;
  std::unique_ptr<PreciseTier> precise_tier_;  // made when it is needed
  LastTier last_tier_;
  RowShares shares_;
  bool screened_ = false;
  bool binary32_ = false;
  std::size_t sticky_ = 0;
  std::size_t row_ = 0;
  std::optional<bool> precise_ready_;  // for the row
  bool precisely_ = false;             // the whole row
  std::size_t precise_sticky_ = 0;
  std::size_t listed_of_row_ = 0;
  ErrorFloors floors_;
  KnownErrors known_;
  ScreenSums<double> ignored_;
  std::optional<RowImage> previous_;
  bool repeated_ = false;
  Repetition repetition_;
};

// What row_sums() has formed as this comparison would.
std::optional<double> known_sum(const Case& value, const BlockContext& context, std::size_t row) {
  if (context.sums.empty() || value.residual) return std::nullopt;
  return context.sums[row].value;
}

}  // namespace

Comparison compare_block(const Case& value, OutputTensor tensor, const TensorView& got,
                         const Criteria& criteria, std::size_t first, std::size_t count,
                         const BlockContext& context) {
  CertifiedComparer comparer(value, tensor, got, criteria, context);
  if (context.row_before) comparer.follow(*context.row_before);
  if (context.precisely && *context.precisely) comparer.begin_precisely();
  Comparison result;
  for (std::size_t row = first; row < first + count; ++row) {
    const RoundedBits rounded_bits(result);
    comparer.compare_row(row, known_sum(value, context, row - first), result);
    rounded_bits.count(got, row, result);
    name_first_of_another_kind(value, tensor, got, row, result);
    settle_if_many(value, tensor, result);
  }
  if (context.precisely) *context.precisely = comparer.ends_precisely();
  return result;
}

Comparison compare_certified(const Case& value, OutputTensor tensor, const TensorView& got,
                             const Criteria& criteria, std::size_t first, std::size_t count) {
  Comparison result = compare_block(value, tensor, got, criteria, first, count);
  settle_maxima(value, tensor, result);
  return result;
}

}  // namespace normcert
