#include "judge/maxima.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "judge/element_comparer.hpp"
#include "reference/exact_row.hpp"

namespace normcert {
namespace {

class Measurer {
 public:
  Measurer(const Case& value, OutputTensor tensor) : case_(value), tensor_(tensor) {}

  template <typename Measure>
  void settle(MaximumSearch& search, ErrorMaximum& maximum, Measure measure) {
    done_.clear();
    done_row_.reset();
    for (const Contender& c : search.contenders()) {
      if (is_less(c.high, search.precise_floor()) || is_known(c)) continue;
      if (!row_ || row_number_ != c.row) row_.emplace(case_, row_number_ = c.row);
      const RootOfRatio exact = exact_output(*row_, tensor_, c.index);
      const std::optional<Wide> error = measure(exact, c.got);
      if (error) {
        maximum.merge({true, *error, witness_of(case_, exact, c.row, c.index, c.got)});
      }
    }
    search.clear();
  }

 private:
  using Operands =
      std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

  // Whether the same operands in an equal row were measured; remembers them if not.
  bool is_known(const Contender& c) {
    if (!done_row_ || (*done_row_ != c.row && !same_squares(case_, *done_row_, c.row)))
      done_.clear();
    // Of equal rows the last one: its other contenders come next and need no comparison of rows.
    done_row_ = c.row;
    const auto bits = [&](const std::optional<TensorView>& tensor, std::size_t row) {
      return tensor ? tensor->at(row, c.index).bits : 0;
    };
    const Code x = case_.x.at(c.row, c.index);
    // Without a residual the error is the same where x and the output both change their signs.
    const bool mirrored = !case_.residual && x.negative();
    const auto side = [&](Code code) {
      return mirrored ? code.bits ^ code.format->sign_mask() : code.bits;
    };
    const std::uint64_t gate = case_.gate ? case_.gate->values.at(c.row, c.index).bits : 0;
    const Operands operands{side(x), bits(case_.residual, c.row), bits(case_.weight, 0), gate,
                            side(c.got)};
    return !done_.insert(operands).second;
  }

  const Case& case_;
  OutputTensor tensor_;
  std::optional<ExactRow> row_;
  std::size_t row_number_ = 0;
  std::optional<std::size_t> done_row_;
  std::set<Operands> done_;
};

}  // namespace

void settle_maxima(const Case& value, OutputTensor tensor, Comparison& found) {
  Measurer measurer(value, tensor);
  measurer.settle(found.absolute_search, found.absolute, [](const RootOfRatio& exact, Code got) {
    return std::optional(absolute_error(got, exact));
  });
  measurer.settle(found.ulp_search, found.ulp, [](const RootOfRatio& exact, Code got) {
    return std::optional(ulp_error(exact, got));
  });
  measurer.settle(found.relative_search, found.relative, relative_error);
}

void settle_if_many(const Case& value, OutputTensor tensor, Comparison& found) {
  constexpr std::size_t kMany = 10000;
  const std::size_t contenders = found.absolute_search.contenders().size() +
                                 found.relative_search.contenders().size() +
                                 found.ulp_search.contenders().size();
  if (contenders > kMany) settle_maxima(value, tensor, found);
}

}  // namespace normcert
