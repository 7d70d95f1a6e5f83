// How the rows of a run are divided. Two divisions, one within the other, both fixed by the rows
// alone and never by the number of threads:
//
//   unit   4096 rows of one case, numbered through the run: what --part deals out. Part I of N
//          takes the units k (from 0) with k mod N = I - 1.
//   block  a power of two of rows, so that it divides the unit, of about 2^17 elements: what one
//          thread judges at a time. They are read into memory that is used again, and stay in the
//          processor's second cache until they are judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normcert {

inline constexpr std::size_t kUnitRows = 4096;

// Part `index` of `of`, counted from 1; 1 of 1 is everything.
struct Part {
  std::size_t index = 1;
  std::size_t of = 1;
};

struct CaseExtent {
  std::size_t rows = 0;
  std::size_t width = 0;
};

struct RowBlock {
  std::size_t case_index = 0;
  std::size_t first = 0;  // of the case's chosen rows
  std::size_t count = 0;
  std::size_t unit = 0;
};

// Rows of a block for rows of `width` elements.
[[nodiscard]] std::size_t block_rows(std::size_t width);

// The blocks of a part, in the order of cases and rows. Takes memory for cases, not for rows.
class BlockPlan {
 public:
  BlockPlan(const std::vector<CaseExtent>& cases, Part part);

  [[nodiscard]] std::size_t size() const { return entries_.empty() ? 0 : entries_.back().end; }
  [[nodiscard]] RowBlock operator[](std::size_t index) const;
  // Elements of all blocks.
  [[nodiscard]] std::uint64_t elements() const { return elements_; }

 private:
  // A case of which the part has at least one unit.
  struct Entry {
    std::size_t case_index;
    CaseExtent extent;
    std::size_t first_unit;  // number of the case's first unit in the run
    std::size_t own_unit;    // the first that the part takes, counted within the case
    std::size_t begin;       // its blocks are begin .. end - 1
    std::size_t end;
  };

  [[nodiscard]] RowBlock block_of(const Entry& entry, std::size_t within) const;

  Part part_;
  std::vector<Entry> entries_;
  std::uint64_t elements_ = 0;
};

}  // namespace normcert
