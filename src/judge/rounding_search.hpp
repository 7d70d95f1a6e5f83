// Which classes of the conforming set (inference/conforming_set.hpp) explain a port's rows.
//
// A class is kept as long as no row refutes it; once refuted it is not asked again. Which rows are
// asked depends on the case alone: the first rows of it, and in every block the first row that
// refutes the source recipe. So the outcome is the same for every number of threads and parts:
// what is refuted anywhere is refuted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulation/tail_fit.hpp"
#include "inference/conforming_set.hpp"
#include "judge/verify_types.hpp"

namespace normcert {

// How many of the first rows of a case are asked: at most 256, and no more than a block has, which
// is some 2^17 elements.
[[nodiscard]] std::size_t rows_searched(std::size_t width);

struct ClassOutcome {
  std::string name;
  std::string recipe;       // the first of the catalogue in it; empty: none
  std::string differs;      // from the class of the source recipe: "cast after_weight"
  bool is_source = false;   // it is that of the source recipe
  bool reproduced = false;  // by some row
  bool refuted = false;     // by some row
};

struct RoundingTotals {
  std::uint64_t rows = 0;             // first rows that were asked
  std::string source_class;           // empty: the source recipe is in no class
  std::vector<ClassOutcome> classes;  // in the order of the set; empty: nothing was asked

  void merge(const RoundingTotals& other);
  // Classes to which every row that was asked conforms; nothing unless the first rows were.
  [[nodiscard]] std::vector<const ClassOutcome*> surviving() const;
  // Of those the one that differs least from the source, a recipe's before others; nullptr: none.
  [[nodiscard]] const ClassOutcome* nearest() const;
};

class RoundingSearch {
 public:
  // `source` is nullptr where it is no recipe. `value` and `got` must outlive it.
  RoundingSearch(const Case& value, const TensorView& got, const Recipe* source);

  // The class of the source recipe, before anything is asked.
  [[nodiscard]] const RoundingTotals& totals() const { return totals_; }

  // Rows 0 .. rows - 1, the first of the case.
  void ask_first(std::size_t rows);
  void ask(std::size_t row);
  // Of every class that was asked about, the first of these that is in it.
  void name_recipes(const std::vector<const Recipe*>& known);

 private:
  void form_classes();

  const Case& value_;
  const TensorView& got_;
  RoundingSetting setting_;
  std::optional<RoundingClass> source_;
  std::vector<RoundingClass> classes_;
  std::vector<std::optional<TailFitter>> fitters_;  // of the classes that are not refuted
  RoundingTotals totals_;
};

}  // namespace normcert
