// Which rows a judgement rests on. Everything that is asked of many rows at once is a maximum over
// them (the most that any asks for, needs, or how soon one has none), so the answer is that of the
// few rows at which the maxima are reached, and it stays the same with any others that exceed none.
// A fit notes the maxima that it went by; rows that were left out are held against them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace normcert {

// A row among those of all sites; lists of rows are in this order.
struct RowKey {
  std::size_t scan = 0;
  std::size_t row = 0;

  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};
inline constexpr RowKey kNoRow = {std::numeric_limits<std::size_t>::max(), 0};

enum class ExtremeKind : std::uint8_t {
  kNamed,      // nothing exceeds it: the row alone decides
  kFirst,      // the first row
  kLeastQ,     // the first of the least q
  kGreatestQ,  // the last of the greatest
  kLow,        // range(at): the first that asks for the most, `value`
  kHigh,       // range(at): one that allows the least, `value`: the first; the last of a chain
  kEnd,        // range(at): the first at which there is none, whatever the others ask
  kNeed,       // slack_of(at): the first that needs the most, `value`
  kNeedBelow,  // the same among rows whose scalar is below what they allow
  kNeedAbove,  // and among the others
  kNeedAfter,  // a chain's slack_of(at): between `row` and `before` none needs more than `value`
  kTie,        // a chain's range(at), all of it one tie from `value` to `other`: the first row that
               // it does not reach
  kNoNumber,   // a row whose interval holds no number of the format: none, as long as `row` is none
};

struct Extreme {
  ExtremeKind kind = ExtremeKind::kNamed;
  double at = 0;
  double value = 0;
  RowKey row = kNoRow;     // at which it is reached
  RowKey before = kNoRow;  // only rows before this one exceed it
  double other = 0;
};

// Whether a row that exceeds neither once exceeds neither with more rows: the value can only grow.
[[nodiscard]] constexpr bool same_question(const Extreme& a, const Extreme& b) {
  if (a.kind != b.kind || a.at != b.at || a.before != b.before) return false;
  if (a.kind == ExtremeKind::kNeedAfter || a.kind == ExtremeKind::kTie) {
    return a.row == b.row && a.value == b.value && a.other == b.other;
  }
  // Without a row that it names, equals were not looked at.
  return (a.row == kNoRow) == (b.row == kNoRow) && (a.row == RowKey{}) == (b.row == RowKey{});
}

// Of one fit; each once.
class Extremes {
 public:
  void add(const Extreme& one) {
    const bool known = std::ranges::any_of(all_, [&](const Extreme& other) {
      return other.kind == one.kind && other.at == one.at && other.row == one.row &&
             other.before == one.before;
    });
    if (!known) all_.push_back(one);
  }
  [[nodiscard]] const std::vector<Extreme>& all() const { return all_; }

 private:
  std::vector<Extreme> all_;
};

// Whether a row with this value comes in the place of `one`, where greater values and, among
// equals, earlier rows do.
[[nodiscard]] constexpr bool goes_before(double value, const RowKey& key, const Extreme& one) {
  return value > one.value || (value == one.value && key < one.row);
}

}  // namespace normcert
