// One row of a case, made ready for the screens: where z, gains and the row's inverse RMS stand,
// and how far the latter may be off.
//
// Assumptions, each of them checked: no gate; z = x (+ residual) exactly a binary64 number; x,
// residual and weight of at most 24 significant bits; epsilon, offset and r within 2^-200 .. 2^200,
// so that no product or quotient over- or underflows in binary64 (z and gains lie within 2^-149 ..
// 2^129); rounding to nearest and no flushing of subnormals.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "judge/exact_compare.hpp"
#include "judge/screen.hpp"
#include "problem/case.hpp"

namespace normcert {

// What all rows of a case are multiplied by, filled up with zeros to whole groups of lanes. Of
// cases that RowOperands can take.
struct RowGains {
  RowGains(const Case& value, OutputTensor tensor);

  std::vector<float> in_binary32;
  std::vector<double> in_binary64;
  bool fit_binary32 = false;
  // Of |y|, whatever the row: |z r| is at most the root of the width. *Upper bound*.
  double greatest_output = 0;
  // Whether elements of the same gain in that form have the same exact gain.
  bool differ_in_binary32 = true;
  bool differ_in_binary64 = true;
};

class RowOperands {
 public:
  // False: the screens cannot be used for any row of the case.
  [[nodiscard]] static bool can_take(const Case& value);

  // What is judged: y, or residual_out, which is z itself (gain and r are 1, nothing rounds).
  // The case must outlive this. `gains`: those of this case or of another part of its rows, where
  // they are known already.
  RowOperands(const Case& value, OutputTensor tensor,
              std::shared_ptr<const RowGains> gains = nullptr);

  [[nodiscard]] bool usable() const { return usable_; }  // can_take()

  enum class Load { kReady, kNotFinite, kNotScreened };
  // Takes up a row; kNotFinite where an input is NaN or infinite.
  // `known_sum`: square_sum() of the row, where it is known already.
  [[nodiscard]] Load load(std::size_t row, std::optional<double> known_sum = std::nullopt);

  [[nodiscard]] double r() const { return r_; }
  // |r^ / r - 1| of the row, with the rounding of z where there is one: *upper bound*.
  [[nodiscard]] double row_bound() const { return row_bound_; }
  // Whether y^ is formed without any rounding.
  [[nodiscard]] bool exact() const { return tensor_ == OutputTensor::kResidualOut; }
  // Whether r and all gains lie where the binary32 screen holds them.
  [[nodiscard]] bool fits_binary32() const { return gains_->fit_binary32 && r_fits_binary32_; }

  // z of elements from `first` on: as the tensor stores it (bf16, fp16, fp32), or widened.
  struct Source {
    ScreenInput input;
    const void* from;
  };
  // In the form that the binary32 screen for outputs of this format takes; nothing where z is
  // wider. Widens `count` elements where it must.
  [[nodiscard]] std::optional<Source> binary32_source(std::size_t first, std::size_t count,
                                                      const FloatFormat& output);
  [[nodiscard]] Source binary64_source(std::size_t first, std::size_t count,
                                       const FloatFormat& output);
  [[nodiscard]] double z(std::size_t index) const;
  [[nodiscard]] const float* gains32() const { return gains_->in_binary32.data(); }
  [[nodiscard]] const double* gains64() const { return gains_->in_binary64.data(); }
  [[nodiscard]] double greatest_output() const { return gains_->greatest_output; }
  [[nodiscard]] bool gains32_differ() const { return gains_->differ_in_binary32; }
  [[nodiscard]] bool gains64_differ() const { return gains_->differ_in_binary64; }

  [[nodiscard]] const Case& of() const { return case_; }

 private:
  [[nodiscard]] const std::byte* element(const TensorView& tensor, std::size_t row,
                                         std::size_t index) const;
  [[nodiscard]] bool load_sum(std::size_t row);

  const Case& case_;
  OutputTensor tensor_;
  bool usable_ = false;
  std::size_t row_ = 0;
  double r_ = 1;
  double row_bound_ = 0;
  bool r_fits_binary32_ = false;
  std::shared_ptr<const RowGains> gains_;  // of usable ones
  std::vector<double> sum_;                // x + residual of the row
  std::vector<float> widened32_;           // of a chunk
  std::vector<double> widened64_;
};

}  // namespace normcert
