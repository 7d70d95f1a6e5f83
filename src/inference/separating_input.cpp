#include "inference/separating_input.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "emulation/emulate.hpp"
#include "emulation/row_evaluator.hpp"
#include "generate/standard_set.hpp"
#include "inference/separating_rows.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

// Elements that a family may take at one width. The exact evaluator takes microseconds for each.
constexpr std::size_t kElements = std::size_t{1} << 19;
constexpr std::size_t kElementsOfExact = std::size_t{1} << 13;
constexpr std::size_t kGreatestBatch = 512;
constexpr std::size_t kBatches = 12;  // of a family at one width, each with a weight of its own
constexpr std::size_t kGreedyRounds = 48;
constexpr std::size_t kGreatestStep = 16;  // widths below it are all tried
constexpr std::size_t kTriesBetween = 16;
constexpr std::array kFamilies = {RowFamily::kNormal, RowFamily::kEven, RowFamily::kTuned};

// Judged nowhere, so used only where nothing else differs.
bool is_measured_only(const std::string& class_name) {
  return class_name == "beyond_range" || class_name == "amplitude";
}

class Search {
 public:
  Search(const Recipe& a, const Recipe& b, const SeparationRequest& request, std::size_t width)
      : a_(a), b_(b), request_(request) {
    demand_.width = width;
    demand_.x = request.x;
    demand_.weight = request.weight;
    demand_.epsilon = request.epsilon.binary64;
    demand_.weight_offset = request.weight_offset.binary64;
    demand_.seed = request.seed;
    const Case probe = empty_case();
    const BlockInput input = block_input(probe);
    const bool slow = fastest_evaluator(a, input) == Evaluator::kExact ||
                      fastest_evaluator(b, input) == Evaluator::kExact;
    const std::size_t elements = slow ? kElementsOfExact : kElements;
    demand_.rows = std::clamp<std::size_t>(elements / kBatches / width, 1, kGreatestBatch);
    batches_ = std::clamp<std::size_t>(elements / demand_.rows / width, 1, kBatches);
    greedy_rounds_ = slow ? 4 : kGreedyRounds;
  }

  void made_rows() {
    for (const RowFamily family : kFamilies) {
      for (std::size_t number = 0; number < batches_ && !is_full(); ++number) {
        try_batch(separating_rows(demand_, family, number));
      }
    }
    const bool enumerable = demand_.width == 1 && request_.x->code_bits <= 16;
    if (enumerable && !best_ && batches_ == kBatches) try_batch(all_single_elements(demand_, 0));
  }

  void standard_rows() {
    StandardSpec spec;
    spec.width = demand_.width;
    spec.format = request_.x;
    spec.weight_format = request_.weight;
    spec.epsilon = request_.epsilon;
    spec.weight_offset = request_.weight_offset;
    spec.seed = request_.seed;
    const StandardSet set = standard_set(spec);
    for (const bool last_resort : {false, true}) {
      if (last_resort && best_) return;
      for (const Case& value : set.cases) {
        if (is_measured_only(value.class_name) != last_resort || is_full()) continue;
        Case tried = value;
        if (request_.weight == nullptr) {
          tried.weight.reset();
          tried.weight_none = true;
        }
        try_case(tried);
      }
    }
  }

  // Elements that do not differ become copies of some that do, with their weights.
  void improve() {
    const RandomStream stream(request_.seed, "separate/greedy/" + std::to_string(demand_.width));
    std::uint64_t draw = 0;
    for (std::size_t round = 0; round < greedy_rounds_ && best_ && !is_full(); ++round) {
      const std::vector<bool> differs = differing_elements(best_->value);
      std::vector<std::size_t> sources;
      for (std::size_t i = 0; i < differs.size(); ++i) {
        if (differs[i]) sources.push_back(i);
      }
      Case tried = best_->value;
      Tensor x = copy_of(tried.x);
      std::optional<Tensor> weight;
      if (tried.weight) weight = copy_of(*tried.weight);
      for (std::size_t i = 0; i < differs.size(); ++i) {
        if (differs[i]) continue;
        const double place = stream.uniform(draw++) * static_cast<double>(sources.size());
        const std::size_t source = sources[static_cast<std::size_t>(place)];
        x.set(0, i, tried.x.at(0, source));
        if (weight) weight->set(0, i, tried.weight->at(0, source));
      }
      tried.x = std::move(x).share();
      if (weight) tried.weight = std::move(*weight).share();
      try_case(tried);
    }
  }

  [[nodiscard]] std::optional<SeparatingInput> take() { return std::move(best_); }
  [[nodiscard]] std::uint64_t rows_tried() const { return rows_tried_; }

 private:
  [[nodiscard]] bool is_full() const { return best_ && best_->differing == demand_.width; }

  [[nodiscard]] Case empty_case() const {
    Case value;
    value.class_name = "separating";
    value.place = "separating";
    value.weight_offset = request_.weight_offset;
    value.weight_offset_given = true;
    value.weight_none = request_.weight == nullptr;
    value.epsilon = request_.epsilon;
    value.output = request_.x;
    value.x = Tensor(*request_.x, 0, demand_.width).share();
    if (request_.weight != nullptr) {
      value.weight = Tensor(*request_.weight, 1, demand_.width).share();
    }
    return value;
  }

  static Tensor copy_of(const TensorView& view) {
    Tensor tensor(*view.format, view.rows, view.width);
    tensor.bytes.assign(view.bytes.begin(), view.bytes.end());
    return tensor;
  }

  void try_batch(RowBatch batch) {
    Case value = empty_case();
    value.x = std::move(batch.x).share();
    if (batch.weight) value.weight = std::move(*batch.weight).share();
    try_case(value);
  }

  // Keeps the first of the rows with the most differing elements.
  void try_case(const Case& value) {
    if (value.x.rows == 0) return;
    const std::vector<std::size_t> counts = count_differing(a_, b_, value);
    rows_tried_ += counts.size();
    const auto most = std::ranges::max_element(counts);
    if (*most == 0 || (best_ && *most <= best_->differing)) return;
    const auto row = static_cast<std::size_t>(most - counts.begin());
    Case one = empty_case();
    one.x = copy_of(value.x.rows_from(row, 1)).share();
    one.weight = value.weight;
    best_ = SeparatingInput{std::move(one), *most};
  }

  [[nodiscard]] std::vector<bool> differing_elements(const Case& value) const {
    const EmulatedBlock a = emulate_block(a_, block_input(value));
    const EmulatedBlock b = emulate_block(b_, block_input(value));
    std::vector<bool> differs(value.x.width);
    for (std::size_t i = 0; i < differs.size(); ++i) {
      differs[i] = !same_bits(a.y.at(0, i), b.y.at(0, i));
    }
    return differs;
  }

  const Recipe& a_;
  const Recipe& b_;
  const SeparationRequest& request_;
  RowDemand demand_;
  std::size_t batches_ = 0;
  std::size_t greedy_rounds_ = 0;
  std::optional<SeparatingInput> best_;
  std::uint64_t rows_tried_ = 0;
};

class Narrowing {
 public:
  Narrowing(const Recipe& a, const Recipe& b, const SeparationRequest& request, Separation& found)
      : a_(a), b_(b), request_(request), found_(found) {}

  // Below the width asked for: every width as long as there are few, then growing steps, then what
  // lies between the last two.
  void run() {
    std::size_t last = 0;
    std::size_t width = 1;
    for (; width < request_.width; width += width < kGreatestStep ? 1 : width / 4) {
      if (try_width(width)) break;
      last = width;
    }
    const bool is_found = width < request_.width;
    if (is_found || found_.most) {
      const std::size_t end = std::min(width, request_.width);
      const std::size_t step = std::max<std::size_t>((end - last) / kTriesBetween, 1);
      width = end;
      for (std::size_t tried = last + 1; tried < end; tried += step) {
        if (!try_width(tried)) continue;
        width = tried;
        break;
      }
      found_.smallest_is_proved = equal_below(width);
    }
  }

 private:
  [[nodiscard]] InputShape shape(std::size_t width) const {
    return {request_.x, request_.weight, request_.weight_offset.binary64, width};
  }

  bool try_width(std::size_t width) {
    if (!both_fit(a_, b_, width) || proved_equal(a_, b_, shape(width))) return false;
    Search search(a_, b_, request_, width);
    search.made_rows();
    found_.rows_tried += search.rows_tried();
    auto best = search.take();
    if (!best) return false;
    found_.smallest = std::move(best);
    return true;
  }

  [[nodiscard]] bool equal_below(std::size_t width) const {
    constexpr std::size_t kGreatestWidth = 1024;
    if (width > kGreatestWidth) return false;
    for (std::size_t narrower = 1; narrower < width; ++narrower) {
      if (both_fit(a_, b_, narrower) && !proved_equal(a_, b_, shape(narrower))) return false;
    }
    return true;
  }

  const Recipe& a_;
  const Recipe& b_;
  const SeparationRequest& request_;
  Separation& found_;
};

}  // namespace

std::vector<std::size_t> count_differing(const Recipe& a, const Recipe& b, const Case& value) {
  const FloatFormat* weight = value.weight ? value.weight->format : nullptr;
  const FloatFormat& format = emulated_format(a, *value.x.format, weight);
  if (!(format == emulated_format(b, *value.x.format, weight))) {
    return std::vector<std::size_t>(value.x.rows, value.x.width);
  }
  const EmulatedBlock outputs = emulate_block(a, block_input(value));
  std::vector<std::size_t> counts = count_same_bits(b, block_input(value), outputs.y.view());
  for (std::size_t& count : counts) count = value.x.width - count;
  return counts;
}

Separation separate(const Recipe& a, const Recipe& b, const SeparationRequest& request) {
  static_cast<void>(row_extent(a, request.width));
  static_cast<void>(row_extent(b, request.width));
  Separation found;
  found.equal = proved_equal(
      a, b, {request.x, request.weight, request.weight_offset.binary64, request.width});
  if (found.equal) return found;
  Search search(a, b, request, request.width);
  search.made_rows();
  search.standard_rows();
  search.improve();
  found.most = search.take();
  found.rows_tried = search.rows_tried();
  Narrowing(a, b, request, found).run();
  if (found.most) found.most->value.id = "most";
  if (found.smallest) found.smallest->value.id = "smallest";
  return found;
}

}  // namespace normcert
