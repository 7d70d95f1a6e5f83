#include "inference/input_view.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "inference/stored_format.hpp"
#include "numeric/packed_codes.hpp"
#include "numeric/rounding.hpp"

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

// Channels first .. first + count - 1 of some rows.
TensorView part_of(const TensorView& tensor, const std::vector<std::size_t>& rows,
                   std::size_t first, std::size_t count) {
  Tensor part(*tensor.format, rows.size(), count);
  const auto bytes = static_cast<std::size_t>(tensor.format->storage_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = tensor.row_bytes(rows[i]).subspan(first * bytes, count * bytes);
    std::ranges::copy(from, part.bytes.begin() + static_cast<std::ptrdiff_t>(i * count * bytes));
  }
  return std::move(part).share();
}

bool is_subnormal(Code code) { return classify(code) == FloatClass::kSubnormal; }

bool some_subnormal(const TensorView& tensor) {
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (is_subnormal(load_code(*tensor.format, tensor.bytes.data(), i))) return true;
  }
  return false;
}

// Most numbers are lost on the way or lose digits: nothing could be read off what remains.
bool too_small_for(const TensorView& tensor, const TensorView& converted) {
  std::size_t all = 0;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (load_code(*tensor.format, tensor.bytes.data(), i).magnitude() == 0) continue;
    ++all;
    const Code code = load_code(*converted.format, converted.bytes.data(), i);
    lost += code.magnitude() == 0 || is_subnormal(code) ? 1 : 0;
  }
  return 2 * lost > all;
}

TensorView flushed(const TensorView& tensor) {
  Tensor result(*tensor.format, tensor.rows, tensor.width);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const Code code = load_code(*tensor.format, tensor.bytes.data(), i);
    store_code(is_subnormal(code) ? zero_of(*tensor.format, code.negative()) : code,
               result.bytes.data(), i);
  }
  return std::move(result).share();
}

bool same_bytes(const TensorView& a, const TensorView& b) {
  return *a.format == *b.format && std::ranges::equal(a.bytes, b.bytes);
}

bool all_fit(const TensorView& tensor, const FloatFormat& format) {
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const Code code = load_code(*tensor.format, tensor.bytes.data(), i);
    if (is_finite(code) && !(convert(convert(code, format), *tensor.format) == code)) return false;
  }
  return true;
}

// x or residual, as the view has it.
TensorView as_seen(const TensorView& tensor, const InputView& view, bool& changed) {
  TensorView result = tensor;
  if (view.flushes) {
    result = flushed(tensor);
    changed = changed || !same_bytes(result, tensor);
  }
  if (view.format != nullptr) {
    TensorView converted = stored_as(result, *view.format);
    changed = changed || !same_bytes(stored_as(converted, *tensor.format), result);
    result = std::move(converted);
  }
  return result;
}

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
  if (some_subnormal(norm.value->x)) views.push_back({.flushes = true});
  return views;
}

SeenNorms seen_norms(std::span<const ObservedNorm> norms, const InputView& view,
                     std::size_t most_rows) {
  SeenNorms seen;
  for (std::size_t k = 0; k < norms.size(); ++k) {
    const Case& value = *norms[k].value;
    const std::size_t rows = value.x.rows;
    const std::size_t count = most_rows == 0 ? rows : std::min(most_rows, rows);
    std::vector<std::size_t> chosen(count);
    for (std::size_t i = 0; i < count; ++i) chosen[i] = i * rows / count;
    const std::size_t width = view.group == 0 ? value.x.width : view.group;
    for (std::size_t first = 0; first < value.x.width; first += width) {
      Case& part = seen.cases.emplace_back();
      part.weight_none = value.weight_none;
      part.weight_offset = value.weight_offset;
      part.weight_offset_given = value.weight_offset_given;
      part.epsilon = value.epsilon;
      const TensorView x = part_of(value.x, chosen, first, width);
      part.x = as_seen(x, view, seen.changed);
      seen.says_little = seen.says_little || (view.format != nullptr && too_small_for(x, part.x));
      if (value.residual) {
        part.residual = as_seen(part_of(*value.residual, chosen, first, width), view, seen.changed);
      }
      if (value.weight) part.weight = part_of(*value.weight, {0}, first, width);
      seen.norms.push_back({norms[k].site, &part, part_of(norms[k].y, chosen, first, width)});
      seen.site.push_back(k);
      seen.first.push_back(first);
    }
  }
  const bool only_stored_wider =
      view.format != nullptr && std::ranges::all_of(seen.norms, [&](const ObservedNorm& one) {
        return *one.y.format == kFp32 && all_fit(one.y, *view.format);
      });
  if (only_stored_wider) {
    for (ObservedNorm& one : seen.norms) one.y = stored_as(one.y, *view.format);
  }
  for (std::size_t i = 0; i < seen.norms.size(); ++i) seen.cases[i].output = seen.norms[i].y.format;
  return seen;
}

}  // namespace normcert
