#include "report/refutation_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/interval_text.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;

double rounded(double value, const FloatFormat& format) {
  if (!std::isfinite(value)) return value;
  return to_binary64(round(dyadic_of(value), format));
}

// 1 / sqrt(q + e) and its relatives; none for a place that needs more than q.
std::optional<double> scalar_of(const std::string& placement, double q, double e,
                                std::size_t width) {
  if (placement == "inside") return 1 / std::sqrt(q + e);
  if (placement == "outside") return 1 / (std::sqrt(q) + e);
  if (placement == "after_rsqrt") return 1 / std::sqrt(q) + e;
  if (placement == "clamp_q") return 1 / std::sqrt(std::max(q, e));
  if (placement == "clamp_rms") return 1 / std::max(std::sqrt(q), e);
  if (placement == "on_sum") return 1 / std::sqrt(q + e / static_cast<double>(width));
  if (placement == "none") return 1 / std::sqrt(q);
  return std::nullopt;
}

std::string scalar_words(const std::string& placement, std::size_t width) {
  if (placement == "inside") return "1 / sqrt(q + e)";
  if (placement == "outside") return "1 / (sqrt(q) + e)";
  if (placement == "after_rsqrt") return "1 / sqrt(q) + e";
  if (placement == "clamp_q") return "1 / sqrt(max(q, e))";
  if (placement == "clamp_rms") return "1 / max(sqrt(q), e)";
  if (placement == "on_sum") return fmt::format("1 / sqrt(q + e / {})", width);
  return "1 / sqrt(q)";
}

class ProofWriter {
 public:
  explicit ProofWriter(const ProofRequest& request)
      : request_(request),
        casts_first_(request.hypothesis.rounding.starts_with("before_weight")),
        rounds_once_(request.hypothesis.rounding.starts_with("after_weight")) {
    // Two elements of one row share their scalar, whatever it is.
    const bool one_row = request.refutation.kind == RefutationKind::kElements && !request.refuted;
    units_ = one_row ? 0 : request.refutation.slack;
  }

  RefutationProof write() {
    const Refutation& refutation = request_.refutation;
    RefutationProof proof;
    const ElementWitness& shown = leading();
    proof.site = &shown == &refutation.second ? request_.second_site : request_.first_site;
    proof.row = shown.row;
    proof.index = shown.index;
    if (request_.refuted) {
      one_epsilon(shown, proof);
    } else if (refutation.kind == RefutationKind::kZeroRow) {
      proof.text = fmt::format("row {} is zero throughout, and {} was written for it",
                               refutation.first.row, refutation.first.got);
      proof.steps.emplace_back(
          "1 / sqrt(0) times 0 is NaN where nothing is added to the mean square, and 0 where "
          "something is");
      proof.python =
          "q, x, got = 0.0, 0.0, 0.0  # mean square, input, output\n"
          "try:\n"
          "    print(got, \"was written, r gives\", x * (1 / q**0.5))\n"
          "except ZeroDivisionError:\n"
          "    print(got, \"was written, but 1 / sqrt(0) is infinite, and 0 times it is\",\n"
          "          0 * float(\"inf\"))\n"
          "print(\"something was added to the mean square\")\n";
    } else if (refutation.kind == RefutationKind::kElement) {
      proof.text = "no scalar of the row gives this element";
      numbers(shown, proof);
      asked(shown, proof);
    } else {
      two_elements(proof);
    }
    return proof;
  }

 private:
  [[nodiscard]] double input_of(const ElementWitness& element) const {
    const double sum = element.x + element.residual;
    if (element.residual == 0 || request_.hypothesis.residual != "rounded") return sum;
    return rounded(sum, *request_.x_format);
  }

  // The element's output at a scalar, as the hypothesis rounds.
  [[nodiscard]] double output_at(const ElementWitness& element, double scalar) const {
    const double product = input_of(element) * scalar;
    if (casts_first_) {
      return rounded(rounded(product, *request_.x_format) * element.gain, *request_.y_format);
    }
    return rounded(product * element.gain, *request_.y_format);
  }

  // Whether those steps are what the hypothesis does to this element: they give the port's output
  // in the middle of the scalars that it allows.
  [[nodiscard]] bool steps_are_right(const ElementWitness& element) const {
    if ((!casts_first_ && !rounds_once_) || !std::isfinite(element.got)) return false;
    if (!(element.scalar_low <= element.scalar_high)) return false;
    const double middle = std::isinf(element.scalar_high)
                              ? element.scalar_low
                              : element.scalar_low / 2 + element.scalar_high / 2;
    return output_at(element, middle) == element.got;
  }

  [[nodiscard]] double slack() const { return units_ * kUnit; }

  // Both ends of what slack does to the scalar miss the port's output, on the same side.
  [[nodiscard]] bool misses(const ElementWitness& element, double scalar) const {
    const double low = output_at(element, scalar * (1 - slack()));
    const double high = output_at(element, scalar * (1 + slack()));
    return (low < element.got && high < element.got) || (low > element.got && high > element.got);
  }

  [[nodiscard]] std::optional<double> scalar_at(const ElementWitness& element, double e) const {
    return scalar_of(request_.hypothesis.placement, element.mean_square, e, request_.width);
  }

  // Of an epsilon: the element that it misses; else the first.
  [[nodiscard]] const ElementWitness& leading() const {
    const Refutation& refutation = request_.refutation;
    if (!request_.refuted) return refutation.first;
    for (const ElementWitness* element : {&refutation.first, &refutation.second}) {
      const auto scalar = scalar_at(*element, request_.refuted->value);
      if (scalar && misses(*element, *scalar)) return *element;
    }
    return refutation.first;
  }

  void numbers(const ElementWitness& element, RefutationProof& proof) const {
    std::string line = fmt::format("x {}", element.x);
    if (element.residual != 0) line += fmt::format("   residual {}", element.residual);
    line += fmt::format("   gain {}   mean square of the row {:.12g}", element.gain,
                        element.mean_square);
    proof.steps.push_back(line);
  }

  void asked(const ElementWitness& element, RefutationProof& proof) const {
    if (element.scalar_low <= element.scalar_high) {
      std::string line = fmt::format(
          "the port wrote {}: so r lies in {}; beyond, it would have written {}", element.got,
          interval_text(element.scalar_low, element.scalar_high, 9), element.other);
      if (std::isfinite(element.tie) && element.tie != 0 && steps_are_right(element)) {
        line += fmt::format(" (the tie: {} = {})", casts_first_ ? "x*r" : "x*r*gain", element.tie);
      }
      proof.steps.push_back(std::move(line));
    } else {
      proof.steps.push_back(fmt::format("the port wrote {}, which no r gives", element.got));
    }
  }

  // "x*r -1.51946294 -> bf16 -1.515625, * gain -> -1.5546875"
  [[nodiscard]] std::string calculation(const ElementWitness& element, double scalar) const {
    const double product = input_of(element) * scalar;
    const std::string_view format = request_.y_format->name;
    if (casts_first_) {
      return fmt::format("x*r {:.9g} -> {} {}, * gain -> {} {}", product, request_.x_format->name,
                         rounded(product, *request_.x_format), format, output_at(element, scalar));
    }
    return fmt::format("x*r*gain {:.9g} -> {} {}", product * element.gain, format,
                       output_at(element, scalar));
  }

  void at_epsilon(const ElementWitness& element, const NamedEpsilon& epsilon,
                  RefutationProof& proof) const {
    const auto scalar = scalar_at(element, epsilon.value);
    if (!scalar) return;
    proof.steps.push_back(fmt::format(
        "with {}: r {:.9g}{}", epsilon.text, *scalar,
        steps_are_right(element) ? ", " + calculation(element, *scalar) : std::string()));
  }

  void freedom(RefutationProof& proof) const {
    proof.steps.push_back(fmt::format(
        "any order of the sum, its roundings and the root move r by at most {:.4g} x 2^-24 = "
        "{:.2g} of itself: not enough",
        units_, slack()));
  }

  void one_epsilon(const ElementWitness& element, RefutationProof& proof) const {
    proof.text = fmt::format("epsilon {} cannot have given row {}, element {}",
                             request_.refuted->text, element.row, element.index);
    numbers(element, proof);
    at_epsilon(element, *request_.refuted, proof);
    if (request_.fits) at_epsilon(element, *request_.fits, proof);
    asked(element, proof);
    freedom(proof);
    const auto scalar = scalar_at(element, request_.refuted->value);
    if (!scalar || !steps_are_right(element) || !misses(element, *scalar)) return;
    proof.python = python({&element}, fmt::format("{}", request_.refuted->value),
                          scalar_words(request_.hypothesis.placement, request_.width),
                          "print(\"no order of the sum does more: this epsilon is impossible\")");
  }

  // Rows of two sites have numbers that say nothing without them.
  [[nodiscard]] std::string rows_words() const {
    const std::size_t first = request_.refutation.first.row;
    const std::size_t second = request_.refutation.second.row;
    if (request_.first_site == request_.second_site) {
      return fmt::format("rows {} and {}", first, second);
    }
    return fmt::format("row {} of {} and row {} of {}", first, request_.first_site, second,
                       request_.second_site);
  }

  void two_elements(RefutationProof& proof) const {
    const Refutation& refutation = request_.refutation;
    const bool rows = refutation.kind == RefutationKind::kRows;
    const char* const what = rows ? "epsilon" : "r";
    proof.text =
        rows ? rows_words() + " ask for different epsilons"
             : fmt::format("elements {} and {} of row {} ask for different scalars",
                           refutation.first.index, refutation.second.index, refutation.first.row);
    for (const bool second : {false, true}) {
      const ElementWitness& element = second ? refutation.second : refutation.first;
      proof.steps.push_back(fmt::format("{}, row {}, element {}",
                                        second ? request_.second_site : request_.first_site,
                                        element.row, element.index));
      numbers(element, proof);
      asked(element, proof);
      proof.steps.push_back(fmt::format("so {} is at {} {:.9g}", what, second ? "most" : "least",
                                        second ? refutation.high_asked : refutation.low_asked));
    }
    if (rows) freedom(proof);
    const double between = refutation.low_asked / 2 + refutation.high_asked / 2;
    if (!std::isfinite(between) || between < 0) return;
    for (const ElementWitness* element : {&refutation.first, &refutation.second}) {
      const auto scalar = rows ? scalar_at(*element, between) : between;
      if (!scalar || !steps_are_right(*element) || !misses(*element, *scalar)) return;
    }
    proof.python = python({&refutation.first, &refutation.second}, fmt::format("{}", between),
                          rows ? scalar_words(request_.hypothesis.placement, request_.width) : "e",
                          rows ? "print(\"one row needs more epsilon, the other less: no epsilon "
                                 "gives both\")"
                               : "print(\"one element needs a greater r (e), the other a smaller "
                                 "one: no r gives both\")");
  }

  [[nodiscard]] std::string python(const std::vector<const ElementWitness*>& elements,
                                   const std::string& epsilon, const std::string& scalar,
                                   const std::string& conclusion) const {
    std::string rows;
    for (const ElementWitness* element : elements) {
      rows += fmt::format("({}, {}, {}, {}), ", element->mean_square, input_of(*element),
                          element->gain, element->got);
    }
    const auto format = [](const FloatFormat& f) {
      return fmt::format("{}, {}", f.precision, f.emin + 1);
    };
    const std::string output =
        casts_first_ ? fmt::format("T(T(x * r * (1 + d), {}) * gain, {})",
                                   format(*request_.x_format), format(*request_.y_format))
                     : fmt::format("T(x * r * (1 + d) * gain, {})", format(*request_.y_format));
    return fmt::format(
        "from math import frexp, ldexp, sqrt\n"
        "def T(v, p, m):  # v rounded to p digits, ties to even\n"
        "    e = max(frexp(v)[1], m); return ldexp(round(ldexp(v, p - e)), e - p)\n"
        "e, s = {}, {} * 2.0**-24  # s: all that rounding can do to r\n"
        "for q, x, gain, got in [{}]:\n"
        "    r = {}\n"
        "    print(got, \"was written, but r gives\", *[{} for d in (-s, 0, s)])\n"
        "{}\n",
        epsilon,
        request_.refutation.kind == RefutationKind::kElements && !request_.refuted
            ? 0.0
            : request_.refutation.slack,
        rows.substr(0, rows.size() - 1), scalar, output, conclusion);
  }

  const ProofRequest& request_;
  bool casts_first_;
  bool rounds_once_;
  double units_ = 0;  // of 2^-24 that the scalar may move
};

}  // namespace

std::optional<RefutationProof> proof_of(const ProofRequest& request) {
  if (request.refutation.kind == RefutationKind::kNone) return std::nullopt;
  return ProofWriter(request).write();
}

}  // namespace normcert
