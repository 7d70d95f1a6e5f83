// Where a generator puts the rows that it makes. Each element is rounded once to the format of x;
// rows that the format cannot hold are left out, and the reason is kept.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "numeric/code.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// Rows that were asked for and could not be made.
struct OmittedRows {
  std::string class_name;
  std::string rows;    // which ones: "all", "q/epsilon = 1e-4"
  std::string reason;  // "every element rounds to zero in fp16"
};

enum class ZeroRow : bool { kOmitted, kKept };

class RowList {
 public:
  RowList(std::string class_name, const FloatFormat& format, std::size_t width)
      : class_name_(std::move(class_name)), format_(format), width_(width) {}

  // Correctly rounded, each element once. `label` says which row this is. A row with an element
  // beyond the format's range is omitted, and so is one that becomes all zero unless it is kept.
  void add(const std::string& label, std::span<const double> values,
           ZeroRow zero = ZeroRow::kOmitted);
  // A constant row.
  void add_constant(const std::string& label, double value, ZeroRow zero = ZeroRow::kOmitted);
  // +value -value +value ...
  void add_alternating(const std::string& label, double value);
  // As it stands; requires `width` codes of the format.
  void add_codes(std::span<const Code> codes);
  void omit(const std::string& label, const std::string& reason);

  [[nodiscard]] const FloatFormat& format() const { return format_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] const std::vector<OmittedRows>& omitted() const { return omitted_; }
  [[nodiscard]] Tensor tensor() const;

 private:
  std::string class_name_;
  const FloatFormat& format_;
  std::size_t width_;
  std::vector<std::byte> bytes_;
  std::size_t rows_ = 0;
  std::vector<OmittedRows> omitted_;
};

}  // namespace normcert
