#include "inference/separating_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "generate/row_list.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::string_view kFamilyNames[] = {"normal", "even", "tuned"};
// Each takes the root of what is missing, so a few of them come as near as binary64 can tell.
constexpr std::size_t kFillers = 6;

double rounded(double value, const FloatFormat& format) {
  return to_binary64(convert(code_of(value), format));
}

// Sixteenths of a power of ten, 10^(k/16), by multiplication: the same bits everywhere.
double power_of_ten_16th(int k) {
  constexpr double kStep = 1.1547819846894583;
  double value = 1;
  for (int i = 0; i < std::abs(k); ++i) value = k > 0 ? value * kStep : value / kStep;
  return value;
}

// The nearest number halfway between two neighbours of a format, ignoring its range.
double midpoint_near(double value, const FloatFormat& format) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  const double codes = std::floor(std::ldexp(fraction, format.precision));
  return std::ldexp(codes + 0.5, exponent - format.precision);
}

// Random numbers of one batch, in the order in which they are asked for.
class Draws {
 public:
  Draws(const RowDemand& demand, std::string_view family, std::size_t number)
      : stream_(demand.seed, "separate/" + std::string(family) + '/' +
                                 std::to_string(demand.width) + '/' + std::to_string(number)) {}

  double uniform() { return stream_.uniform(next_++); }
  double normal() { return stream_.normal(next_++); }
  int whole(int count) { return static_cast<int>(uniform() * count); }
  double sign() { return uniform() < 0.5 ? -1 : 1; }
  // RMS of a row: half of them near the root of epsilon, where it bites.
  double scale(double epsilon) {
    const double ordinary = (0.25 + 3.75 * uniform());
    const int sixteenth = whole(65) - 32;
    const bool near_epsilon = uniform() < 0.5;
    return near_epsilon && epsilon > 0
               ? ordinary / 2 * std::sqrt(epsilon * power_of_ten_16th(sixteenth))
               : ordinary;
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

class BatchMaker {
 public:
  BatchMaker(const RowDemand& demand, RowFamily family, std::size_t number)
      : demand_(demand),
        family_(family),
        draws_(demand, kFamilyNames[static_cast<std::size_t>(family)], number) {}

  RowBatch make() {
    RowBatch batch;
    batch.weight = weight();
    RowList rows("separating", *demand_.x, demand_.width);
    for (std::size_t row = 0; row < demand_.rows; ++row) {
      const std::vector<double> values = one_row(row % 2 == 1);
      if (!values.empty()) rows.add("", values);
    }
    batch.x = rows.tensor();
    return batch;
  }

 private:
  std::optional<Tensor> weight() {
    if (demand_.weight == nullptr) return std::nullopt;
    Tensor weight(*demand_.weight, 1, demand_.width);
    const double gain = 0.5 + draws_.uniform();
    stored_ = rounded(gain - demand_.weight_offset, *demand_.weight);
    for (std::size_t i = 0; i < demand_.width; ++i) {
      // A sign of the stored weight is one of the gain only without an offset.
      double value = demand_.weight_offset == 0 ? draws_.sign() * stored_ : stored_;
      if (family_ == RowFamily::kNormal) {
        value = (1 - demand_.weight_offset) + 0.25 * draws_.normal();
      }
      weight.set(0, i, convert(code_of(value), *demand_.weight));
    }
    return weight;
  }

  std::vector<double> one_row(bool powers_of_two) {
    const double scale = draws_.scale(demand_.epsilon);
    std::vector<double> values(demand_.width);
    if (family_ == RowFamily::kNormal) {
      for (double& value : values) value = scale * draws_.normal();
      return values;
    }
    const double magnitude = rounded(scale, *demand_.x);
    for (double& value : values) {
      value = draws_.sign() * (powers_of_two ? std::ldexp(magnitude, -draws_.whole(4)) : magnitude);
    }
    if (family_ == RowFamily::kTuned && !tune(values, magnitude)) return {};
    return values;
  }

  // Replaces the last elements so that magnitude * r, or that times the gain, comes to lie next to
  // a midpoint.
  bool tune(std::vector<double>& values, double magnitude) {
    const std::size_t fillers = std::min(kFillers, (values.size() + 1) / 2);
    if (values.size() < 2 || magnitude == 0) return false;
    const std::size_t kept = values.size() - fillers;
    double sum = 0;
    for (std::size_t i = 0; i < kept; ++i) sum += values[i] * values[i];
    const auto n = static_cast<double>(values.size());
    const double greatest = magnitude / std::sqrt(sum / n + demand_.epsilon);
    const double wanted = greatest * (0.35 + 0.6 * draws_.uniform());
    const bool after_weight = demand_.weight != nullptr && draws_.uniform() < 0.5;
    const double gain = after_weight ? std::abs(stored_ + demand_.weight_offset) : 1;
    if (gain == 0) return false;
    const double target = midpoint_near(wanted * gain, *demand_.x) / gain;
    double missing = n * ((magnitude / target) * (magnitude / target) - demand_.epsilon) - sum;
    for (std::size_t i = kept; i < values.size(); ++i) {
      values[i] = 0;
      if (missing <= 0) continue;
      const Code code =
          convert(code_of(std::sqrt(missing)), *demand_.x, {.mode = RoundingMode::kTowardZero});
      values[i] = to_binary64(code);
      missing -= values[i] * values[i];
      values[i] *= draws_.sign();
    }
    return true;
  }

  const RowDemand& demand_;
  RowFamily family_;
  Draws draws_;
  double stored_ = 0;  // the weight of every element, but for its sign
};

}  // namespace

RowBatch separating_rows(const RowDemand& demand, RowFamily family, std::size_t number) {
  return BatchMaker(demand, family, number).make();
}

RowBatch all_single_elements(const RowDemand& demand, std::size_t number) {
  RowDemand single = demand;
  single.width = 1;
  single.rows = 0;
  RowBatch batch = separating_rows(single, RowFamily::kNormal, number);
  const auto count = static_cast<std::size_t>(demand.x->max_finite_magnitude());
  batch.x = Tensor(*demand.x, count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    batch.x.set(i, 0, code_of_rank(static_cast<std::int64_t>(i) + 1, *demand.x));
  }
  return batch;
}

}  // namespace normcert
