#include "generate/row_list.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/rounding.hpp"

namespace normcert {

void RowList::add(const std::string& label, std::span<const double> values, ZeroRow zero) {
  std::vector<Code> codes;
  codes.reserve(values.size());
  for (const double value : values) codes.push_back(convert(code_of(value), format_));
  const std::string name(format_.name);
  if (!std::ranges::all_of(codes, is_finite)) {
    omit(label, "an element lies beyond the greatest finite " + name + " number");
  } else if (zero == ZeroRow::kOmitted &&
             std::ranges::all_of(codes, [](Code code) { return code.magnitude() == 0; })) {
    omit(label, "every element rounds to zero in " + name);
  } else {
    add_codes(codes);
  }
}

void RowList::add_constant(const std::string& label, double value, ZeroRow zero) {
  add(label, std::vector<double>(width_, value), zero);
}

void RowList::add_alternating(const std::string& label, double value) {
  std::vector<double> values(width_, value);
  for (std::size_t i = 1; i < width_; i += 2) values[i] = -value;
  add(label, values);
}

void RowList::add_codes(std::span<const Code> codes) {
  const std::size_t first = rows_ * width_;
  bytes_.resize((first + width_) * static_cast<std::size_t>(format_.storage_bytes));
  for (std::size_t i = 0; i < width_; ++i) store_code(codes[i], bytes_.data(), first + i);
  ++rows_;
}

void RowList::omit(const std::string& label, const std::string& reason) {
  omitted_.push_back({class_name_, label, reason});
}

Tensor RowList::tensor() const {
  Tensor tensor(format_, rows_, width_);
  tensor.bytes = bytes_;
  return tensor;
}

}  // namespace normcert
