#include "reference/gated_squares.hpp"

#include <algorithm>

namespace normcert {
namespace {

// Terms that lie so many binary digits below n epsilon and below the greatest term count as an
// interval of that width.
constexpr std::int64_t kDropped = 700;

std::int64_t top_of(const BigDyadic& value) { return leading_bits(value).exponent + 63; }

BigDyadic square(const BigDyadic& value) { return value * value; }

// -0 and +0 have activations of the same square; their signs are asked from the codes.
std::uint64_t key_of(Code g) { return g.magnitude() == 0 ? 0 : g.bits; }

}  // namespace

SquareBounds::SquareBounds(const EnclosedActivation& activation)
    : low(square(activation.value.magnitude() - activation.error)),
      middle(square(activation.value)),
      high(square(activation.value.magnitude() + activation.error)) {}

GatedSquares::GatedSquares(const Case& value, std::size_t row)
    : width_(value.x.width),
      added_(BigDyadic::integer(width_) * BigDyadic(value.epsilon.binary64)) {
  group_of_element_.reserve(width_);
  for (std::size_t i = 0; i < width_; ++i) {
    BigDyadic z(decode(value.x.at(row, i)));
    if (value.residual) z += BigDyadic(decode(value.residual->at(row, i)));
    group_of_element_.push_back(group_of(value.gate->values.at(row, i)));
    groups_[group_of_element_.back()].squares += square(z);
  }
  for (Group& each : groups_) {
    each.activation = enclosed_activation(value.gate->activation, each.g);
    each.square = SquareBounds(each.activation);
  }
  add_up();
  denominator_ = with_epsilon(sum_.middle);
}

void GatedSquares::add_up() {
  BigDyadic greatest;
  for (Group& each : groups_) {
    each.term.high = each.square.high * each.squares;
    if (compare(each.term.high, greatest) > 0) greatest = each.term.high;
  }
  const bool drops = added_.sign() > 0 && greatest.sign() > 0;
  const std::int64_t least = drops ? std::min(top_of(added_), top_of(greatest)) - kDropped : 0;
  for (Group& each : groups_) {
    if (each.term.high.sign() == 0) continue;
    each.is_dropped = drops && !each.square.is_exact() && top_of(each.term.high) < least;
    if (each.is_dropped) {
      each.term.high = BigDyadic::power_of_two(least);
    } else {
      each.term.low = each.square.low * each.squares;
      each.term.middle = each.square.middle * each.squares;
    }
    sum_.low += each.term.low;
    sum_.middle += each.term.middle;
    sum_.high += each.term.high;
  }
}

std::size_t GatedSquares::group_of(Code g) {
  const auto [place, is_new] = known_.try_emplace(key_of(g), groups_.size());
  if (is_new) {
    groups_.emplace_back();
    groups_.back().g = g;
  }
  return place->second;
}

const GatedSquares::Group& GatedSquares::group(Code g) const {
  return groups_[known_.at(key_of(g))];
}

const EnclosedActivation& GatedSquares::activation(Code g) const { return group(g).activation; }

std::shared_ptr<const BigDyadic> GatedSquares::with_epsilon(const BigDyadic& sum) const {
  return std::make_shared<const BigDyadic>(sum + added_);
}

RootOfRatio GatedSquares::scaled(bool negative, const BigDyadic& numerator, Code g) const {
  const Group& own = group(g);
  const BigDyadic rest_low = sum_.low - own.term.low;
  const BigDyadic rest_high = sum_.high - own.term.high;
  const bool rest_is_exact = compare(rest_low, rest_high) == 0;
  if (own.square.is_exact() && rest_is_exact) {
    return {negative, numerator * own.square.middle, denominator_};
  }
  if (rest_is_exact && rest_low.sign() == 0 && added_.sign() == 0) {
    return {negative, numerator, std::make_shared<const BigDyadic>(own.squares)};
  }
  // A dropped term counts to the rest on that side on which it widens.
  const BigDyadic& greatest = own.is_dropped ? own.term.high : own.term.low;
  const BigDyadic& least = own.is_dropped ? own.term.low : own.term.high;
  return {negative,
          {numerator * own.square.middle, denominator_},
          {{numerator * own.square.low, with_epsilon(rest_high + greatest)},
           {numerator * own.square.high, with_epsilon(rest_low + least)}}};
}

RootOfRatio GatedSquares::attenuation() const {
  if (sum_.is_exact()) return {false, sum_.middle, denominator_};
  if (added_.sign() == 0) {
    return {false, BigDyadic::integer(1), std::make_shared<const BigDyadic>(BigDyadic::integer(1))};
  }
  return {false,
          {sum_.middle, denominator_},
          {{sum_.low, with_epsilon(sum_.low)}, {sum_.high, with_epsilon(sum_.high)}}};
}

RootOfRatio GatedSquares::inverse_rms() const {
  const BigDyadic width = BigDyadic::integer(width_);
  if (sum_.is_exact()) return {false, width, denominator_};
  const auto least = with_epsilon(sum_.low);
  if (least->sign() == 0) throw UndecidedComparison("the root of a gated row that vanishes");
  return {false, {width, denominator_}, {{width, with_epsilon(sum_.high)}, {width, least}}};
}

RootOfRatio GatedSquares::output_rms(const std::vector<BigDyadic>& scaled_squares) const {
  // W_g = sum w_i^2 z_i^2: the square is sum a_g^2 W_g / (sum a_g^2 A_g + n epsilon).
  std::vector<BigDyadic> weighted(groups_.size());
  for (std::size_t i = 0; i < width_; ++i) weighted[group_of_element_[i]] += scaled_squares[i];
  SquareBounds total;
  const Group* first = nullptr;
  std::size_t at_first = 0;
  bool in_proportion = added_.sign() == 0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Group& each = groups_[k];
    if (each.squares.sign() == 0) continue;
    if (first == nullptr) {
      first = &each;
      at_first = k;
    }
    in_proportion = in_proportion &&
                    compare(weighted[k] * first->squares, weighted[at_first] * each.squares) == 0;
    total.low += each.square.low * weighted[k];
    total.middle += each.square.middle * weighted[k];
    total.high += each.square.high * weighted[k];
  }
  if (total.is_exact() && sum_.is_exact()) return {false, total.middle, denominator_};
  if (in_proportion) {
    return {false, weighted[at_first], std::make_shared<const BigDyadic>(first->squares)};
  }
  const auto least = with_epsilon(sum_.low);
  if (least->sign() == 0) throw UndecidedComparison("the outputs of a gated row that vanishes");
  return {false,
          {total.middle, denominator_},
          {{total.low, with_epsilon(sum_.high)}, {total.high, least}}};
}

int GatedSquares::compare_mean(const GatedSquares& other) const {
  const BigDyadic width = BigDyadic::integer(width_);
  const BigDyadic other_width = BigDyadic::integer(other.width_);
  if (sum_.is_exact() && other.sum_.is_exact()) {
    return compare(sum_.low * other_width, other.sum_.low * width);
  }
  if (compare(sum_.low * other_width, other.sum_.high * width) >= 0) return 1;
  if (compare(sum_.high * other_width, other.sum_.low * width) <= 0) return -1;
  if (has_same_squares(other)) return 0;
  throw UndecidedComparison("mean squares of gated rows are too near to one another");
}

bool GatedSquares::has_same_squares(const GatedSquares& other) const {
  const auto are_all_in = [](const GatedSquares& a, const GatedSquares& b) {
    for (const Group& each : a.groups_) {
      const auto found = b.known_.find(key_of(each.g));
      const BigDyadic theirs =
          found == b.known_.end() ? BigDyadic() : b.groups_[found->second].squares;
      if (compare(each.squares * BigDyadic::integer(b.width_),
                  theirs * BigDyadic::integer(a.width_)) != 0) {
        return false;
      }
    }
    return true;
  };
  return are_all_in(*this, other) && are_all_in(other, *this);
}

}  // namespace normcert
