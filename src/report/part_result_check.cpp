#include "report/part_result_check.hpp"

#include <optional>
#include <string>
#include <utility>

#include "numeric/rounding.hpp"
#include "report/part_json.hpp"
#include "report/part_totals_reader.hpp"

namespace normcert {
namespace {

InputError wrong(const JsonNode& json, std::string expected) {
  return json.unexpected(std::move(expected), "", "parts");
}

// |a - b| within what 256 bits leave of a difference of numbers of magnitude `scale`.
bool agree(const Wide& a, const Wide& b, const Wide& scale) {
  return compare((a - b).magnitude(), scale.magnitude().times_power_of_two(-240)) <= 0;
}

class ResultCheck {
 public:
  ResultCheck(const JsonNode& json, const ResultTotals& result, const CaseSummary& summary,
              const PartRows& rows, const Criteria& criteria)
      : json_(json),
        comparison_(json.required("comparison")),
        result_(result),
        c_(result.comparison),
        summary_(summary),
        rows_(rows),
        criteria_(criteria) {}

  void run(std::uint64_t rows_non_finite) const {
    counts(rows_non_finite);
    histogram();
    bits();
    conformity();
    first_of_another_kind();
    maxima();
    limits();
    for (const auto& [name, member] : kComparisonShares) {
      const RowShare& share = c_.*member;
      if (share.any) require_row(comparison_.required(name).item(1), share.row);
    }
  }

 private:
  void require_at_most(std::string_view key, std::uint64_t count, std::uint64_t most,
                       const std::string& what) const {
    if (count > most) throw at_most(comparison_.required(key), most, what);
  }
  static InputError at_most(const JsonNode& json, std::uint64_t most, const std::string& what) {
    return wrong(json, "at most " + std::to_string(most) + ", " + what);
  }

  void counts(std::uint64_t rows_non_finite) const {
    const std::uint64_t all = rows_.count() * rows_.width;
    if (c_.expected != all) {
      throw wrong(comparison_.required("expected"), std::to_string(all) +
                                                        ", the elements of the part's " +
                                                        std::to_string(rows_.count()) + " rows");
    }
    const bool missing = c_.compared == 0 && c_.rows_set_apart == 0;
    if (!missing && c_.rows_set_apart != rows_non_finite) {
      throw wrong(comparison_.required("rows_set_apart"),
                  std::to_string(rows_non_finite) + ", the rows with non-finite inputs");
    }
    const std::uint64_t comparable = all - c_.rows_set_apart * rows_.width;
    if (!missing && c_.compared != comparable) {
      throw wrong(comparison_.required("compared"),
                  std::to_string(comparable) + ", the elements of rows with finite inputs");
    }
    for (const auto& [name, member] : kComparisonCounts) {
      if (name != "expected" && name != "rows_set_apart") {
        require_at_most(name, c_.*member, c_.compared, "as many as were compared");
      }
    }
    require_at_most("correctly_rounded", c_.correctly_rounded, c_.faithful, "as many as faithful");
    if (c_.decided_by_bound + c_.decided_exactly != c_.compared) {
      throw wrong(
          comparison_.required("decided_exactly"),
          "with decided_by_bound, " + std::to_string(c_.compared) + ", the elements compared");
    }
    const JsonNode non_finite = comparison_.required("non_finite");
    const std::uint64_t counts[] = {c_.non_finite.reference, c_.non_finite.got,
                                    c_.non_finite.disagree};
    for (std::size_t i = 0; i < 3; ++i) {
      if (counts[i] > c_.compared) {
        throw at_most(non_finite.item(i), c_.compared, "as many as were compared");
      }
    }
  }

  // Every output but NaN has a distance, that of a correctly rounded one is 0.
  void histogram() const {
    const JsonNode json = comparison_.required("code_distance");
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
      sum += c_.code_distance.count(i);
    }
    if (sum > c_.compared || sum + c_.non_finite.got < c_.compared) {
      throw json.error("distances of " + std::to_string(sum) + " elements",
                       "those of all " + std::to_string(c_.compared) + " compared but NaN", "",
                       "parts");
    }
    if (c_.code_distance.count(0) != c_.correctly_rounded) {
      throw json.error("distance 0 of " + std::to_string(c_.code_distance.count(0)) + " elements",
                       std::to_string(c_.correctly_rounded) + ", those correctly rounded", "",
                       "parts");
    }
  }

  void bits() const {
    const JsonNode bits = json_.required("bits");
    if (result_.bits.of != 0 && result_.bits.of != c_.expected) {
      throw wrong(bits.item(1), "0 or " + std::to_string(c_.expected) + ", all elements");
    }
    if (result_.bits.equal > result_.bits.of) {
      throw at_most(bits.item(0), result_.bits.of, "as many as were asked");
    }
    for (const JsonNode& pair : json_.required("bit_identical").items()) {
      const std::string name = pair.item(0).as_string();
      const std::uint64_t count = result_.bit_identical.at(name);
      if (count > c_.expected) throw at_most(pair.item(1), c_.expected, "all elements");
      if (name == result_.source && count != result_.bits.equal) {
        throw wrong(pair.item(1), std::to_string(result_.bits.equal) + ", as in bits");
      }
    }
  }

  void conformity() const {
    const JsonNode json = json_.required("conformity");
    const ConformityTotals& totals = result_.conformity;
    std::uint64_t rows = 0;
    for (const JsonNode& pair : json.required("conforming").items()) {
      const std::size_t unit = read_count(pair.item(0));
      if (!rows_.has_unit(unit)) throw wrong(pair.item(0), "a unit of the part's rows");
      rows += totals.conforming().at(unit);
    }
    if (rows > rows_.count()) {
      throw at_most(json.required("conforming"), rows_.count(), "the part's rows");
    }
    if (totals.undecided()) require_row(json.required("undecided"), *totals.undecided());
    if (!totals.differing()) return;
    require_row(json.required("differing"), *totals.differing());
    if (!rows_.has_unit(totals.differing_unit())) {
      throw wrong(json.required("differing_unit"), "a unit of the part's rows");
    }
    if (result_.bits.equal == result_.bits.of) {
      throw wrong(json.required("differing"), "null: all bits are the same");
    }
    if (!totals.contradiction()) return;
    for (const JsonNode& element : json.required("contradiction").required("elements").items()) {
      require_index(element);
      require_formats(element);
    }
  }

  void first_of_another_kind() const {
    const JsonNode json = comparison_.required("first_of_another_kind");
    const std::optional<KindWitness>& first = c_.non_finite.first;
    if (first.has_value() != (c_.non_finite.disagree > 0)) {
      throw wrong(json, first ? "null: no output is of another kind" : "the first of them");
    }
    if (!first) return;
    require_row(json.required("row"), first->row);
    require_index(json);
    require_format(json.required("got"), result_.dtype);
    require_format(json.required("rounded"), result_.dtype);
    const bool same_kind =
        is_finite(first->got) ? is_finite(first->rounded) : same_bits(first->got, first->rounded);
    if (same_kind) throw wrong(json.required("got"), "an output of another kind than rounded");
  }

  void maxima() const {
    const bool any = c_.compared > c_.non_finite.got;
    for (const auto& [name, member] : kComparisonMaxima) {
      const ErrorMaximum& maximum = c_.*member;
      const JsonNode json = comparison_.required(name);
      if (!maximum.any) {
        // Relative errors are not taken of results below the normal numbers.
        if (any && (name != "relative" || c_.below_normal + c_.non_finite.got < c_.compared)) {
          throw wrong(json, "the greatest error of the outputs that were compared");
        }
        continue;
      }
      if (!any) throw wrong(json, "null: no finite output was compared");
      require_witness(json.required("witness"), maximum.witness);
      require_value(json, name, maximum);
    }
  }

  // The error is that between what was got and the exact result.
  void require_value(const JsonNode& json, std::string_view name,
                     const ErrorMaximum& maximum) const {
    const Witness& w = maximum.witness;
    if (!is_finite(w.got)) throw wrong(json.required("witness").required("got"), "a finite number");
    const Wide error = (Wide(BigDyadic(decode(w.got))) - w.exact).magnitude();
    const Wide scale = w.exact.magnitude() + Wide(BigDyadic(decode(w.got))).magnitude();
    const auto stands = [&](const Wide& found) { return agree(found, error, scale); };
    bool is_right = false;
    if (name == "absolute") {
      is_right = stands(maximum.value);
    } else if (name == "relative") {
      is_right = stands(maximum.value * w.exact.magnitude());
    } else {
      // What 256 bits show as a power of two may have been a little less, in the binade below.
      LeadingBits leading;
      if (w.exact.sign() != 0) leading = leading_bits(w.exact.exact());
      const std::int64_t exponent = ulp_exponent(leading, *w.got.format);
      const bool is_power = leading.top == std::uint64_t{1} << 63 && !leading.sticky;
      is_right = stands(maximum.value.times_power_of_two(exponent)) ||
                 (is_power && stands(maximum.value.times_power_of_two(exponent - 1)));
    }
    if (!is_right) {
      throw wrong(json.required("value"), "the " + std::string(name) +
                                              " error that its witness has: |got - exact| is " +
                                              error.scientific(12));
    }
  }

  void limits() const {
    const JsonNode first = comparison_.required("first_outside");
    if (c_.first_outside.has_value() != (c_.outside_tolerance > 0)) {
      throw wrong(first, c_.first_outside ? "null: no element is outside the limits"
                                          : "the first element outside the limits");
    }
    if (!criteria_.tolerance && c_.outside_tolerance + c_.unattainable > 0) {
      throw wrong(comparison_.required("outside_tolerance"), "0: no tolerance was asked for");
    }
    if (c_.first_outside) {
      const Witness& w = *c_.first_outside;
      require_witness(first, w);
      if (is_finite(w.got)) {
        const Wide got(BigDyadic(decode(w.got)));
        const Wide limit =
            Wide(criteria_.tolerance->atol) + Wide(criteria_.tolerance->rtol) * w.exact.magnitude();
        const Wide excess = (got - w.exact).magnitude() - limit;
        if (excess.sign() < 0 && !agree(excess, Wide(), w.exact.magnitude() + limit)) {
          throw wrong(first.required("got"), "an output outside the limits");
        }
      }
    }
    const bool beyond =
        criteria_.max_ulp && c_.ulp.any && compare(c_.ulp.value, Wide(*criteria_.max_ulp)) > 0;
    if (beyond != (c_.beyond_max_ulp > 0)) {
      throw wrong(comparison_.required("beyond_max_ulp"),
                  beyond ? "at least 1: the greatest error is beyond the limit"
                         : "0: the greatest error is not beyond a limit");
    }
  }

  void require_row(const JsonNode& json, std::size_t row) const {
    if (!rows_.has_row(row)) throw wrong(json, "a row of this part");
  }
  void require_index(const JsonNode& element) const {
    const JsonNode index = element.required("index");
    if (read_count(index) >= rows_.width) {
      throw wrong(index, "an element of a row of " + std::to_string(rows_.width));
    }
  }
  static void require_format(const JsonNode& json, const std::string& format) {
    const std::string found = json.is_null() ? "" : json.as_string();
    if (found.substr(0, found.find(' ')) == format) return;
    throw wrong(json, format.empty() ? "null: there is no such tensor" : "a number of " + format);
  }
  // Formats of residuals and gates may be others than that of x.
  void require_formats(const JsonNode& witness) const {
    require_format(witness.required("x"), summary_.dtype);
    require_format(witness.required("weight"), summary_.weight_dtype);
    require_format(witness.required("got"), result_.dtype);
    require_presence(witness.required("residual"), summary_.has_residual);
    require_presence(witness.required("gate"), !summary_.gate_mode.empty());
  }
  static void require_presence(const JsonNode& json, bool is_there) {
    if (json.is_null() == !is_there) return;
    throw wrong(json, is_there ? "a number" : "null: there is no such tensor");
  }
  void require_witness(const JsonNode& json, const Witness& witness) const {
    require_row(json.required("row"), witness.row);
    require_index(json);
    require_formats(json);
  }

  JsonNode json_;
  JsonNode comparison_;
  const ResultTotals& result_;
  const Comparison& c_;
  const CaseSummary& summary_;
  const PartRows& rows_;
  const Criteria& criteria_;
};

}  // namespace

void require_consistent_result(const JsonNode& json, const ResultTotals& result,
                               const CaseTotals& of_case, const PartRows& rows,
                               const Criteria& criteria) {
  ResultCheck(json, result, of_case.summary, rows, criteria).run(of_case.rows.rows_non_finite);
}

}  // namespace normcert
