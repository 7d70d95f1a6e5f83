// The tiers behind the screens, one element at a time: what the binary64 bound leaves open goes to
// double-double arithmetic, what that leaves to integers. Elements that may hold a maximum are
// offered with the bounds of their errors.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "judge/element_comparer.hpp"
#include "judge/exact_compare.hpp"
#include "judge/interval_comparer.hpp"
#include "numeric/enclosure.hpp"
#include "reference/exact_row.hpp"
#include "reference/precise_row.hpp"

namespace normcert {

class LastTier {
 public:
  // All must outlive this.
  LastTier(const Case& value, OutputTensor tensor, const TensorView& got, const Criteria& criteria);

  [[nodiscard]] bool is_finite(std::size_t row) const { return row_is_finite(case_, row); }
  void take_row(std::size_t row);

  // Counts one element of the row and, where `offers`, offers its errors. `screened`: what binary64
  // knows of it.
  void settle(std::size_t index, const std::optional<Enclosure>& screened, bool offers,
              Comparison& into);
  // Offers the errors of an element that is counted already.
  void offer_counted(std::size_t index, Comparison& into);
  // The row in double-double arithmetic; null where that is not possible.
  [[nodiscard]] const PreciseRow* precise_row();
  // A screen found this element outside the tolerance.
  void note_outside(std::size_t index);
  // Names the row's first element outside the tolerance, where no earlier row has one. To be called
  // when all elements up to there were seen.
  void name_first_outside(Comparison& into);

  // Some output of the row that came by is not finite.
  [[nodiscard]] bool saw_non_finite() const { return saw_non_finite_; }
  // Shares of a row that no screen has seen.
  void offer_shares(Comparison& into);

 private:
  [[nodiscard]] std::optional<Enclosure> precise(std::size_t index, Comparison& into);
  const ExactRow& exact_row();
  void offer(const Enclosure& y, std::size_t index, Comparison& into) const;

  const Case& case_;
  OutputTensor tensor_;
  const TensorView& got_;
  ElementComparer exact_comparer_;
  IntervalComparer comparer_;
  std::size_t row_ = 0;
  bool precise_tried_ = false;
  std::optional<PreciseRow> precise_row_;
  std::optional<ExactRow> exact_row_;
  std::optional<std::size_t> outside_;
  bool saw_non_finite_ = false;
};

}  // namespace normcert
