#include "inference/tail_list.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "emulation/step_formats.hpp"
#include "inference/float_grid.hpp"
#include "numeric/widen.hpp"

namespace normcert {
namespace {

bool is_narrow(const FloatFormat& format) { return format.precision < kFp32.precision; }

std::vector<double> stored_weight(const ObservedNorm& norm) {
  std::vector<double> weight(norm.value->x.width, 1.0);
  if (norm.value->weight) {
    widen(*norm.value->weight->format, norm.value->weight->row_bytes(0).data(), weight.size(),
          weight.data());
  }
  return weight;
}

std::vector<double> mapped(std::vector<double> values, auto function) {
  std::ranges::transform(values, values.begin(), function);
  return values;
}

// The offsets that are tried: 0 and 1, the declared one, and where that is 1 what a port has that
// adds it to weights that hold it already.
std::vector<WeightOffset> offsets_of(const Case& value) {
  std::vector<WeightOffset> offsets = {{"0", 0}, {"1", 1}};
  const WeightOffset& given = value.weight_offset;
  const bool known = std::ranges::any_of(
      offsets, [&](const WeightOffset& one) { return one.binary64 == given.binary64; });
  if (value.weight_offset_given && !known) offsets.push_back(given);
  if (value.weight_offset_given && given.binary64 == 1) offsets.push_back({"2", 2});
  return offsets;
}

std::vector<GainForm> gain_forms(const ObservedNorm& norm) {
  const Case& value = *norm.value;
  if (!value.weight) {
    return {{"", "none", "", std::vector<double>(value.x.width, 1.0), 0}};
  }
  const std::vector<double> weight = stored_weight(norm);
  const FloatFormat& format = *value.weight->format;
  std::vector<GainForm> forms;
  for (const WeightOffset& offset : offsets_of(value)) {
    const double c = offset.binary64;
    if (c == 0) {
      forms.push_back({offset.text, "used", "", weight, 0});
      continue;
    }
    // In binary64 the sum of two binary32 numbers of like size is exact; where it is not, what is
    // lost is far below the rounding of binary32 that is left open beside it.
    const auto exact = mapped(weight, [&](double w) { return c + w; });
    forms.push_back({offset.text, "used", "fp32", exact, 1});
    if (is_narrow(format)) {
      const FloatGrid grid(format);
      forms.push_back(
          {offset.text, "used", std::string(format.name),
           mapped(exact, [&](double w) { return std::copysign(grid.nearest(std::fabs(w)), w); }),
           0});
    }
  }
  if (is_narrow(*value.x.format) && !(*value.x.format == format)) {
    const FloatGrid grid(*value.x.format);
    const auto nearest = [&](double w) { return std::copysign(grid.nearest(std::fabs(w)), w); };
    const std::vector<double> cast = mapped(weight, nearest);
    for (const WeightOffset& offset : offsets_of(value)) {
      const double c = offset.binary64;
      if (c == 0) {
        forms.push_back({offset.text, "cast_to_input", "", cast, 0});
        continue;
      }
      const auto exact = mapped(cast, [&](double w) { return c + w; });
      forms.push_back({offset.text, "cast_to_input", "fp32", exact, 1});
      forms.push_back({offset.text, "cast_to_input", std::string(value.x.format->name),
                       mapped(exact, nearest), 0});
    }
  }
  forms.push_back({"", "ignored", "", std::vector<double>(weight.size(), 1.0), 0});
  forms.push_back({"0", "twice", "", mapped(weight, [](double w) { return w * w; }), 1});
  return forms;
}

class Builder {
 public:
  Builder(const ObservedNorm& norm, TailList& list)
      : list_(list),
        x_(*norm.value->x.format),
        y_(*norm.y.format),
        weight_(norm.value->weight ? norm.value->weight->format : nullptr),
        residual_(norm.value->residual.has_value()) {}

  void add_all() {
    for (std::size_t i = 0; i < list_.gains.size(); ++i) {
      for (const Numerator numerator : numerators()) {
        after(i, numerator);
        before(i, numerator, x_, "before_weight");
        if (weight_ != nullptr && !(*weight_ == x_)) {
          before(i, numerator, *weight_, "before_weight_to_weight_dtype");
        }
        // Of a residual stream in binary32: what is narrow is the norm's output.
        if (!(y_ == x_) && (weight_ == nullptr || !(y_ == *weight_))) {
          before(i, numerator, y_, "before_weight_to_output_dtype");
        }
        if (numerator != Numerator::kCentered) every_op(i, numerator);
      }
    }
  }

 private:
  [[nodiscard]] std::vector<Numerator> numerators() const {
    std::vector<Numerator> list = {Numerator::kInput};
    if (residual_) {
      if (is_narrow(x_)) list.push_back(Numerator::kUnrounded);
      list.push_back(Numerator::kWithout);
    }
    list.push_back(Numerator::kCentered);
    return list;
  }

  [[nodiscard]] const GainForm& gain(std::size_t index) const { return list_.gains[index]; }
  [[nodiscard]] bool has_gain(std::size_t index) const {
    return gain(index).use != "none" && gain(index).use != "ignored";
  }
  // In which the gain stands when it multiplies.
  [[nodiscard]] const FloatFormat& gain_format(std::size_t index) const {
    if (gain(index).format == "fp32" || weight_ == nullptr) return kFp32;
    return gain(index).use == "cast_to_input" ? x_ : *weight_;
  }
  [[nodiscard]] std::string named(std::string text, std::size_t index) const {
    const bool cast = gain(index).use == "cast_to_input";
    if (!gain(index).format.empty() && (cast || weight_ == nullptr || is_narrow(*weight_))) {
      text += ", offset " + gain(index).format;
    }
    return text;
  }

  void add(Tail tail) {
    const bool may_truncate = is_narrow(y_) && tail.numerator == Numerator::kInput &&
                              gain(tail.gain).use != "twice" && !tail.every_op;
    list_.tails.push_back(tail);
    if (!may_truncate) return;
    tail.truncates = true;
    tail.rounding += ", truncated";
    list_.tails.push_back(std::move(tail));
  }

  void after(std::size_t index, Numerator numerator) {
    Tail tail;
    // Where nothing is narrow there is nothing to cast to.
    tail.rounding = named(is_narrow(x_) || is_narrow(y_) ? "after_weight" : "none", index);
    tail.gain = index;
    tail.numerator = numerator;
    tail.roundings = (has_gain(index) ? 1 : 0) + gain(index).roundings;
    tail.through_binary32 = is_narrow(y_);
    if (gain(index).use == "twice" && is_narrow(x_)) {
      // Casts before either product are left open.
      tail.roundings += std::ldexp(2.02, 24 - x_.precision);
    }
    add(std::move(tail));
  }

  void before(std::size_t index, Numerator numerator, const FloatFormat& middle,
              const char* rounding) {
    if (!is_narrow(middle) || gain(index).use == "twice") return;
    // Without a gain two conversions to one format are one.
    if (!has_gain(index) && middle == y_) return;
    Tail tail;
    tail.rounding = named(rounding, index);
    tail.gain = index;
    tail.numerator = numerator;
    tail.shape = TailShape::kThroughMiddle;
    tail.middle = &middle;
    tail.product = has_gain(index) ? &promoted(middle, gain_format(index)) : &middle;
    add(tail);
    if (!has_gain(index) || tail.product->precision >= y_.precision) return;
    // A wider output may as well take the product of two narrow numbers as it is.
    tail.rounding += ", product " + std::string(y_.name);
    tail.product = &y_;
    add(std::move(tail));
  }

  void every_op(std::size_t index, Numerator numerator) {
    if (!is_narrow(x_) || gain(index).use == "twice" || numerator == Numerator::kUnrounded) return;
    const bool is_cast = gain(index).use == "cast_to_input";
    if (gain(index).format == "fp32" && (is_cast || is_narrow(*weight_))) return;
    const FloatFormat& product = has_gain(index) ? promoted(x_, gain_format(index)) : x_;
    const bool is_wide = !(product == x_);
    Tail tail;
    tail.rounding = named("every_op", index);
    tail.gain = index;
    tail.numerator = numerator;
    tail.every_op = true;
    // A product with a wider gain is a number of binary32, and so is what it is multiplied by next.
    tail.through_binary32 = is_wide && is_narrow(y_);
    tail.roundings = is_wide ? 1 + gain(index).roundings : 0;
    tail.first_product = is_wide ? nullptr : &x_;
    add(tail);
    if (!has_gain(index)) return;
    tail.roundings = 0;
    tail.through_binary32 = false;
    tail.first_product = nullptr;
    tail.middle = &x_;
    tail.product = &product;
    tail.shape = TailShape::kThroughMiddle;
    add(tail);
    if (is_wide) return;
    tail.shape = TailShape::kGainFirst;
    add(std::move(tail));
  }

  TailList& list_;
  const FloatFormat& x_;
  const FloatFormat& y_;
  const FloatFormat* weight_;
  bool residual_;
};

}  // namespace

TailList tail_list(const ObservedNorm& norm) {
  TailList list;
  list.gains = gain_forms(norm);
  Builder(norm, list).add_all();
  return list;
}

Hypothesis hypothesis_of(const TailList& list, const Tail& tail, bool has_residual) {
  const GainForm& gain = list.gains[tail.gain];
  Hypothesis hypothesis;
  hypothesis.rounding = tail.rounding;
  hypothesis.weight_offset = gain.offset;
  hypothesis.weight_use = gain.use;
  if (has_residual) {
    hypothesis.residual = tail.numerator == Numerator::kUnrounded ? "unrounded"
                          : tail.numerator == Numerator::kWithout ? "ignored"
                                                                  : "rounded";
  }
  return hypothesis;
}

}  // namespace normcert
