#include "cli/attenuation_command.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "report/attenuation_report.hpp"

namespace normcert {
namespace {

// Where neither --q nor --q-over-epsilon is given: from all but gone to all but untouched.
constexpr std::array<const char*, 7> kLadder = {"1e-4", "0.01", "0.1", "1", "10", "100", "1e4"};

ExactRatio read_non_negative(std::string_view option, std::string_view value) {
  const std::string expected = "a number of at least 0";
  const ExactNumber number = read_exact(option, value, expected);
  if (number.negative && number.numerator.sign() != 0) {
    throw value_error(option, value, expected);
  }
  return magnitude_of(number);
}

class AttenuationCommand : public Command {
 public:
  void declare(OptionList& options) override {
    options.add("--epsilon", "TEXT", "the epsilon, decimal or C99 hexadecimal, above 0", epsilon_);
    options.add("--versus", "TEXT", "another epsilon to compare it with", versus_);
    options.add_repeatable("--q", "X", "a row's mean square (repeatable)", q_);
    options.add_repeatable("--q-over-epsilon", "X", "the same in units of epsilon (repeatable)",
                           q_over_epsilon_);
    options.add("--max-attenuation", "D",
                "the loss 1 - A to allow: prints the least q/epsilon for it", max_attenuation_);
  }

  void read_values(const SharedOptions&) override {
    const std::string& text = required("--epsilon", epsilon_, "TEXT");
    report_.epsilon = read_epsilon_option("--epsilon", text);
    const ExactRatio epsilon = magnitude_of(*read_number(text));
    read_rows(epsilon);
    for (const ExactRatio& q : rows_) report_.table.push_back(attenuation_of(q, epsilon));
    if (versus_) read_versus(epsilon);
    if (max_attenuation_) read_limit();
  }

  int run(const Invocation& invocation) override {
    Envelope envelope;
    envelope.kind = "attenuation";
    envelope.rerun = invocation.rerun;
    envelope.reproducible = invocation.shared.reproducible;
    return finish(invocation, attenuation_json(envelope, report_), kAttenuationViews);
  }

 private:
  void read_rows(const ExactRatio& epsilon) {
    for (const std::string& text : q_) rows_.push_back(read_non_negative("--q", text));
    for (const std::string& text : q_over_epsilon_) {
      const ExactRatio q = read_non_negative("--q-over-epsilon", text) * epsilon;
      const double rounded = to_binary64(q);
      if (!std::isfinite(rounded) || (rounded == 0 && q.numerator.sign() != 0)) {
        throw value_error("--q-over-epsilon", text, "a q within the range of binary64");
      }
      rows_.push_back(q);
    }
    if (!rows_.empty()) return;
    for (const char* text : kLadder) {
      rows_.push_back(magnitude_of(*read_number(text)) * epsilon);
    }
  }

  void read_versus(const ExactRatio& epsilon) {
    AttenuationVersus versus;
    versus.epsilon = read_epsilon_option("--versus", *versus_);
    const ExactRatio other = magnitude_of(*read_number(*versus_));
    for (const ExactRatio& q : rows_) {
      versus.table.push_back({attenuation_of(q, other), output_ratio(q, epsilon, other)});
    }
    report_.versus = std::move(versus);
  }

  void read_limit() {
    const std::string& text = *max_attenuation_;
    const std::string expected = "a number above 0 and below 1";
    const ExactNumber number = read_exact("--max-attenuation", text, expected);
    const bool inside = !number.negative && number.numerator.sign() > 0 &&
                        compare(number.numerator, number.denominator) < 0;
    if (!inside) throw value_error("--max-attenuation", text, expected);
    const ExactRatio loss = magnitude_of(number);
    AttenuationLimit limit{to_binary64(loss), rounded(least_q_over_epsilon(loss))};
    const double least = limit.least_q_over_epsilon.binary64;
    if (!std::isfinite(least) || least == 0) {
      throw value_error("--max-attenuation", text,
                        "a loss whose least q/epsilon is within the range of binary64");
    }
    report_.limit = std::move(limit);
  }

  std::optional<std::string> epsilon_;
  std::optional<std::string> versus_;
  std::vector<std::string> q_;
  std::vector<std::string> q_over_epsilon_;
  std::optional<std::string> max_attenuation_;

  std::vector<ExactRatio> rows_;
  AttenuationReport report_;
};

}  // namespace

const CommandDescription kAttenuationCommand = {
    .name = "attenuation",
    .what_for = "an epsilon or two, no files",
    .synopsis = "attenuation --epsilon TEXT [--versus TEXT] [--q X]...",
    .summary =
        "What RMSNorm leaves of a row with mean square q, before the gain: A = sqrt(q / (q + "
        "epsilon)),\n"
        "rounded once from the exact value; what epsilon becomes in fp32, bf16 and fp16; with "
        "--versus\n"
        "the factor y(other) / y(epsilon) of each row. Nothing is judged.",
    .examples =
        "normcert attenuation --epsilon 1e-6\n"
        "normcert attenuation --epsilon 1e-6 --q-over-epsilon 0.01 --q-over-epsilon 100\n"
        "normcert attenuation --epsilon 1e-6 --versus 1e-5 --q 1e-6 --report effect.md\n"
        "normcert attenuation --epsilon 1e-5 --max-attenuation 0.01 --format json",
    .statuses = "0  the figures were printed",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<AttenuationCommand>()); }};

}  // namespace normcert
