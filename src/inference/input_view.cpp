#include "inference/input_view.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "blocks/for_each_block.hpp"
#include "emulation/float_rows.hpp"
#include "inference/site_scan.hpp"
#include "inference/stored_format.hpp"
#include "numeric/packed_codes.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

// Fewer channels than these are no group of any norm that is known.
constexpr std::size_t kLeastGroup = 8;
constexpr std::size_t kMostParts = 16;
constexpr std::array<std::size_t, 12> kUsualGroups = {32,  48,  64,  80,  96,  112,
                                                      128, 160, 192, 256, 512, 1024};

constexpr std::array<const FloatFormat*, 2> kNarrowFormats = {&kBf16, &kFp16};

std::vector<std::size_t> groups_of(std::size_t width) {
  std::vector<std::size_t> groups(kUsualGroups.begin(), kUsualGroups.end());
  for (std::size_t parts = 2; parts <= kMostParts; ++parts) {
    if (width % parts == 0) groups.push_back(width / parts);
  }
  std::erase_if(groups, [&](std::size_t size) {
    return size < kLeastGroup || size >= width || width % size != 0;
  });
  std::ranges::sort(groups, std::ranges::greater());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

bool is_subnormal(Code code) { return classify(code) == FloatClass::kSubnormal; }

bool some_subnormal(const TensorView& tensor) {
  RowReader rows(tensor);
  for (std::size_t row = 0; row < tensor.rows; ++row) {
    const std::byte* const bytes = rows.row(row).data();
    for (std::size_t i = 0; i < tensor.width; ++i) {
      if (is_subnormal(load_code(*tensor.format, bytes, i))) return true;
    }
  }
  return false;
}

// Elements of x or residual, as a view has them, in its format or their own.
class Converter {
 public:
  Converter(const FloatFormat& from, const InputView& view)
      : from_(from), to_(view.format != nullptr ? *view.format : from), flushes_(view.flushes) {}

  [[nodiscard]] const FloatFormat& to() const { return to_; }

  void convert(std::span<const std::byte> row, std::span<std::byte> into) {
    if (!flushes_) {
      convert_elements(from_, row, to_, into);
      return;
    }
    flushed_.assign(row.begin(), row.end());
    const std::size_t count = row.size() / static_cast<std::size_t>(from_.storage_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      const Code code = load_code(from_, row.data(), i);
      if (is_subnormal(code)) store_code(zero_of(from_, code.negative()), flushed_.data(), i);
    }
    convert_elements(from_, flushed_, to_, into);
  }

 private:
  const FloatFormat& from_;
  const FloatFormat& to_;
  bool flushes_;
  std::vector<std::byte> flushed_;
};

// Channels of rows that are spread over a tensor, as a view has them.
class SeenBytes : public ByteSource {
 public:
  SeenBytes(const TensorView& from, InputView view, std::size_t rows, std::size_t first,
            std::size_t width)
      : from_(from), view_(view), rows_(rows), first_(first), width_(width) {}

  // Any whole elements.
  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into) const override {
    RowReader reader(from_);
    Converter converter(*from_.format, view_);
    const auto size = static_cast<std::size_t>(converter.to().storage_bytes);
    for (std::size_t element = offset / size; !into.empty();) {
      const std::size_t row = element / width_ * from_.rows / rows_;
      const std::size_t channel = element % width_;
      const std::size_t count = std::min(width_ - channel, into.size() / size);
      converter.convert(reader.part(row, first_ + channel, count), into.first(count * size));
      into = into.subspan(count * size);
      element += count;
    }
    return true;
  }

 private:
  const TensorView& from_;
  InputView view_;
  std::size_t rows_;
  std::size_t first_;
  std::size_t width_;
};

TensorView as_seen(const TensorView& tensor, const InputView& view, std::size_t rows,
                   std::size_t first, std::size_t width) {
  const bool is_whole = rows == tensor.rows && width == tensor.width;
  if (is_whole && view.format == nullptr && !view.flushes) return tensor;
  TensorView seen;
  seen.format = view.format != nullptr ? view.format : tensor.format;
  seen.rows = rows;
  seen.width = width;
  seen.shape = {rows, width};
  seen.source = std::make_shared<const SeenBytes>(tensor, view, rows, first, width);
  return seen;
}

// Of some rows of a norm.
struct Converted {
  std::size_t numbers = 0;  // of x that are not zero
  std::size_t lost = 0;     // of those: zero or subnormal in the format
  bool changed = false;
  bool y_fits = true;
};

bool converts(const InputView& view) { return view.format != nullptr || view.flushes; }

// NaN is NaN, whatever its sign.
bool same_numbers(const FloatFormat& format, std::span<const std::byte> a,
                  std::span<const std::byte> b) {
  const std::optional<FloatStorage> storage = float_storage(format);
  if (!storage) return std::ranges::equal(a, b);
  const std::size_t count = a.size() / static_cast<std::size_t>(format.storage_bytes);
  return count_same_codes(*storage, a.data(), b.data(), count) == count;
}

// What a view makes of rows of x or residual.
class RowConverter {
 public:
  RowConverter(const TensorView& tensor, const InputView& view)
      : from_(*tensor.format),
        converter_(from_, view),
        converted_(tensor.width * static_cast<std::size_t>(converter_.to().storage_bytes)),
        back_(tensor.width * static_cast<std::size_t>(from_.storage_bytes)) {}

  void convert(std::span<const std::byte> row, bool counts, Converted& result) {
    converter_.convert(row, converted_);
    if (!result.changed) {
      convert_elements(converter_.to(), converted_, from_, back_);
      result.changed = !same_numbers(from_, back_, row);
    }
    if (!counts) return;
    const std::size_t width = row.size() / static_cast<std::size_t>(from_.storage_bytes);
    for (std::size_t i = 0; i < width; ++i) {
      if (load_code(from_, row.data(), i).magnitude() == 0) continue;
      const Code code = load_code(converter_.to(), converted_.data(), i);
      ++result.numbers;
      result.lost += code.magnitude() == 0 || is_subnormal(code) ? 1 : 0;
    }
  }

 private:
  const FloatFormat& from_;
  Converter converter_;
  std::vector<std::byte> converted_;
  std::vector<std::byte> back_;
};

// Under every view that converts, from one reading of some rows of a norm.
class ConversionReader {
 public:
  ConversionReader(const ObservedNorm& norm, std::span<const InputView> views)
      : norm_(norm), views_(views) {}

  [[nodiscard]] std::vector<Converted> operator()(std::size_t first, std::size_t count) const {
    std::vector<Converted> results(views_.size());
    read_inputs(norm_.value->x, first, count, true, results);
    if (norm_.value->residual) read_inputs(*norm_.value->residual, first, count, false, results);
    const NarrowerFormats y = narrower_formats_of(norm_.y.rows_from(first, count));
    for (std::size_t k = 0; k < views_.size(); ++k) {
      results[k].y_fits = views_[k].format != nullptr && y.fits(*views_[k].format);
    }
    return results;
  }

 private:
  void read_inputs(const TensorView& tensor, std::size_t first, std::size_t count, bool counts,
                   std::vector<Converted>& results) const {
    RowReader rows(tensor);
    std::vector<RowConverter> converters;
    for (const InputView& view : views_) converters.emplace_back(tensor, view);
    for (std::size_t row = first; row < first + count; ++row) {
      const std::span<const std::byte> from = rows.row(row);
      for (std::size_t k = 0; k < views_.size(); ++k) {
        converters[k].convert(from, counts, results[k]);
      }
    }
  }

  const ObservedNorm& norm_;
  std::span<const InputView> views_;
};

}  // namespace

std::string InputView::statistic(const std::string& name) const {
  return group == 0 ? name : name + "_per_group_" + std::to_string(group);
}

std::string InputView::rounding(const std::string& name) const {
  std::string result = name;
  if (format != nullptr) result += ", x as " + std::string(format->name);
  if (flushes) result += ", subnormal x as 0";
  return result;
}

const FloatFormat* converted_format(const Hypothesis& hypothesis) {
  for (const FloatFormat* const format : kNarrowFormats) {
    const std::string words = InputView{.format = format}.rounding("");
    if (hypothesis.rounding.find(words) != std::string::npos) return format;
  }
  return nullptr;
}

std::vector<InputView> input_views(const ObservedNorm& norm) {
  std::vector<InputView> views;
  for (const std::size_t group : groups_of(norm.value->x.width)) views.push_back({.group = group});
  const FloatFormat& x = *norm.value->x.format;
  for (const FloatFormat* const format : kNarrowFormats) {
    if (!(x == *format)) views.push_back({.format = format});
  }
  const std::optional<TensorView>& residual = norm.value->residual;
  if (some_subnormal(norm.value->x) || (residual && some_subnormal(*residual))) {
    views.push_back({.flushes = true});
  }
  return views;
}

std::vector<ViewFacts> view_facts(std::span<const ObservedNorm> norms,
                                  std::span<const InputView> views, unsigned threads) {
  std::vector<ViewFacts> all(views.size());
  std::vector<InputView> asked;
  std::vector<ViewFacts*> facts;
  for (std::size_t k = 0; k < views.size(); ++k) {
    if (!converts(views[k])) continue;
    asked.push_back(views[k]);
    facts.push_back(&all[k]);
    all[k].stored_wider = views[k].format != nullptr;
  }
  if (asked.empty()) return all;
  for (const ObservedNorm& norm : norms) {
    const std::size_t rows = norm.value->x.rows;
    const std::size_t step = rows_of_block(norm.value->x.width);
    const ConversionReader reader(norm, asked);
    std::vector<Converted> sums(asked.size());
    for_each_block((rows + step - 1) / step, threads,
                   [&](std::size_t index) {
                     const std::size_t first = index * step;
                     return reader(first, std::min(step, rows - first));
                   },
                   [&](std::size_t, const std::vector<Converted>& parts) {
                     for (std::size_t k = 0; k < parts.size(); ++k) {
                       sums[k].numbers += parts[k].numbers;
                       sums[k].lost += parts[k].lost;
                       facts[k]->changed = facts[k]->changed || parts[k].changed;
                       facts[k]->stored_wider = facts[k]->stored_wider && parts[k].y_fits;
                     }
                   });
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const bool loses = asked[k].format != nullptr && 2 * sums[k].lost > sums[k].numbers;
      facts[k]->says_little = facts[k]->says_little || loses;
    }
  }
  return all;
}

SeenNorms seen_norms(std::span<const ObservedNorm> norms, const InputView& view,
                     const ViewFacts& facts, std::size_t most_rows) {
  SeenNorms seen;
  const InputView outputs{.format = facts.stored_wider ? view.format : nullptr};
  for (std::size_t k = 0; k < norms.size(); ++k) {
    const Case& value = *norms[k].value;
    const std::size_t rows = most_rows == 0 ? value.x.rows : std::min(most_rows, value.x.rows);
    const std::size_t width = view.group == 0 ? value.x.width : view.group;
    for (std::size_t first = 0; first < value.x.width; first += width) {
      Case& part = seen.cases.emplace_back();
      part.weight_none = value.weight_none;
      part.weight_offset = value.weight_offset;
      part.weight_offset_given = value.weight_offset_given;
      part.epsilon = value.epsilon;
      part.x = as_seen(value.x, view, rows, first, width);
      if (value.residual) part.residual = as_seen(*value.residual, view, rows, first, width);
      if (value.weight) {
        part.weight = as_seen(*value.weight, {}, 1, first, width).rows_from(0, 1);
      }
      const TensorView y = as_seen(norms[k].y, outputs, rows, first, width);
      part.output = y.format;
      seen.norms.push_back({norms[k].site, &part, y});
      seen.site.push_back(k);
      seen.first.push_back(first);
    }
  }
  return seen;
}

}  // namespace normcert
