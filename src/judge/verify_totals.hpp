// What a verify run counts before anything is concluded from it: sums, maxima with witnesses and
// first rows, of each case and each subject. Totals of disjoint units merge in any order, and those
// of the blocks of a unit in theirs, so blocks, threads and parts of a run (--part) give the same
// totals as one pass over all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/contradiction.hpp"
#include "judge/function_level.hpp"
#include "judge/rounding_search.hpp"
#include "judge/row_statistics.hpp"
#include "judge/verify_types.hpp"

namespace normcert {

// Rows whose bits are not those of the source recipe, and whether they conform to it. After the
// first that differs nothing more is asked: what is reported are the rows before it.
class ConformityTotals {
 public:
  using RowsOfUnits = std::map<std::size_t, std::uint64_t>;

  ConformityTotals() = default;
  // As it stood in a part's report.
  ConformityTotals(RowsOfUnits conforming, std::optional<std::size_t> undecided,
                   std::optional<std::size_t> differing, std::size_t differing_unit,
                   std::optional<Contradiction> contradiction);

  // Rows of one unit in ascending order; false: it differs, so no later row need be asked about.
  bool add(std::size_t unit, std::size_t row, Tristate conforms);
  // What shows that the row which was just added differs.
  void explain(std::optional<Contradiction> contradiction) {
    contradiction_ = std::move(contradiction);
  }
  // Other units in any order; of a unit that both know, the other's rows must be the later ones.
  void merge(const ConformityTotals& other);

  [[nodiscard]] Tristate value() const;
  [[nodiscard]] std::uint64_t rows_by_conformity() const;
  [[nodiscard]] std::optional<std::size_t> first_other_row() const;
  [[nodiscard]] bool differs() const { return differing_.has_value(); }

  [[nodiscard]] const RowsOfUnits& conforming() const { return conforming_; }
  [[nodiscard]] std::optional<std::size_t> undecided() const { return undecided_; }
  [[nodiscard]] std::optional<std::size_t> differing() const { return differing_; }
  [[nodiscard]] std::size_t differing_unit() const { return differing_unit_; }
  [[nodiscard]] const std::optional<Contradiction>& contradiction() const { return contradiction_; }

 private:
  RowsOfUnits conforming_;                // before the first that differs, as far as it is known
  std::optional<std::size_t> undecided_;  // first such row
  std::optional<std::size_t> differing_;
  std::size_t differing_unit_ = 0;
  std::optional<Contradiction> contradiction_;  // in the row that differs
};

struct ResultTotals {
  std::string candidate;
  Role role = Role::kObserved;
  OutputTensor tensor = OutputTensor::kY;
  std::string dtype;
  std::string source;  // name of the source recipe
  Comparison comparison;
  std::map<std::string, std::uint64_t> bit_identical;
  BitCount bits;  // against the source; of nothing where that has no such output
  ConformityTotals conformity;
  RoundingTotals rounding;

  void merge(const ResultTotals& other);
};

struct CaseTotals {
  CaseSummary summary;  // what does not depend on the rows
  RowStatistics rows;
  std::optional<ExpectationOutcome> expectation;
  std::vector<ResultTotals> results;

  void merge(const CaseTotals& other);
};

// Of all cases of the request, in its order; those of which the part has no rows are empty.
using VerifyTotals = std::vector<CaseTotals>;

// The verdict. Of the request only criteria, level, names, and the verdicts that cases expect
// count. `function`: what elimination says; none: it was not asked.
[[nodiscard]] VerifyOutcome conclude(const VerifyRequest& request, const VerifyTotals& totals,
                                     const FunctionLevel* function = nullptr);

}  // namespace normcert
