#include "inference/input_view.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "blocks/for_each_block.hpp"
#include "inference/site_scan.hpp"
#include "inference/stored_format.hpp"
#include "numeric/packed_codes.hpp"
#include "numeric/rounding.hpp"
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

class ConversionReader {
 public:
  ConversionReader(const ObservedNorm& norm, const InputView& view) : norm_(norm), view_(view) {}

  [[nodiscard]] Converted operator()(std::size_t first, std::size_t count) const {
    Converted result;
    read_inputs(norm_.value->x, first, count, true, result);
    if (norm_.value->residual) read_inputs(*norm_.value->residual, first, count, false, result);
    result.y_fits = view_.format != nullptr && *norm_.y.format == kFp32 && fits(first, count);
    return result;
  }

 private:
  void read_inputs(const TensorView& tensor, std::size_t first, std::size_t count, bool counts,
                   Converted& result) const {
    RowReader rows(tensor);
    Converter converter(*tensor.format, view_);
    const FloatFormat& to = converter.to();
    std::vector<std::byte> converted(tensor.width * static_cast<std::size_t>(to.storage_bytes));
    std::vector<std::byte> back(tensor.width *
                                static_cast<std::size_t>(tensor.format->storage_bytes));
    for (std::size_t row = first; row < first + count; ++row) {
      const std::span<const std::byte> from = rows.row(row);
      converter.convert(from, converted);
      if (!result.changed) {
        convert_elements(to, converted, *tensor.format, back);
        result.changed = !std::ranges::equal(back, from);
      }
      for (std::size_t i = 0; counts && i < tensor.width; ++i) {
        if (load_code(*tensor.format, from.data(), i).magnitude() == 0) continue;
        const Code code = load_code(to, converted.data(), i);
        ++result.numbers;
        result.lost += code.magnitude() == 0 || is_subnormal(code) ? 1 : 0;
      }
    }
  }

  [[nodiscard]] bool fits(std::size_t first, std::size_t count) const {
    RowReader rows(norm_.y);
    for (std::size_t row = first; row < first + count; ++row) {
      const std::byte* const bytes = rows.row(row).data();
      for (std::size_t i = 0; i < norm_.y.width; ++i) {
        const Code code = load_code(kFp32, bytes, i);
        if (is_finite(code) && !(convert(convert(code, *view_.format), kFp32) == code)) {
          return false;
        }
      }
    }
    return true;
  }

  const ObservedNorm& norm_;
  const InputView& view_;
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

ViewFacts view_facts(std::span<const ObservedNorm> norms, const InputView& view, unsigned threads) {
  ViewFacts facts;
  if (view.format == nullptr && !view.flushes) return facts;
  facts.stored_wider = view.format != nullptr;
  for (const ObservedNorm& norm : norms) {
    const std::size_t rows = norm.value->x.rows;
    const std::size_t step = rows_of_block(norm.value->x.width);
    const ConversionReader reader(norm, view);
    std::size_t numbers = 0;
    std::size_t lost = 0;
    for_each_block((rows + step - 1) / step, threads,
                   [&](std::size_t index) {
                     const std::size_t first = index * step;
                     return reader(first, std::min(step, rows - first));
                   },
                   [&](std::size_t, const Converted& part) {
                     numbers += part.numbers;
                     lost += part.lost;
                     facts.changed = facts.changed || part.changed;
                     facts.stored_wider = facts.stored_wider && part.y_fits;
                   });
    facts.says_little = facts.says_little || (view.format != nullptr && 2 * lost > numbers);
  }
  return facts;
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
