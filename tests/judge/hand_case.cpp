#include "judge/hand_case.hpp"

#include <stdexcept>
#include <utility>

#include "numeric/decimal.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

Code code_in(const std::string& text, const FloatFormat& format) {
  const auto code = read_code(text, format);
  if (!code) throw std::invalid_argument(text);
  return *code;
}

TensorView tensor_of(const Rows& rows, const FloatFormat& format) {
  Tensor tensor(format, rows.size(), rows.at(0).size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < tensor.width; ++i) {
      tensor.set(row, i, code_in(rows[row].at(i), format));
    }
  }
  return std::move(tensor).share();
}

Case case_of(const HandCase& hand, const std::string& id) {
  Case value;
  value.id = id;
  value.class_name = "custom";
  value.x = tensor_of(hand.x, *hand.format);
  if (!hand.residual.empty()) value.residual = tensor_of(hand.residual, *hand.format);
  if (!hand.weight.empty()) value.weight = tensor_of({hand.weight}, *hand.weight_format);
  value.epsilon.text = hand.epsilon;
  value.epsilon.binary64 = to_binary64(code_in(hand.epsilon, kFp64));
  value.output = hand.output == nullptr ? hand.format : hand.output;
  return value;
}

HandCase eighths(const FloatFormat& format, std::size_t rows) {
  return {.x = Rows(rows, {"1", "7"}), .epsilon = "39", .format = &format};
}

Comparison compared(const Case& value, const Rows& got, const Criteria& criteria) {
  return compare_exactly(value, OutputTensor::kY, tensor_of(got, *value.output), criteria, 0,
                         got.size());
}

Comparison compared(const HandCase& hand, const Rows& got, const Criteria& criteria) {
  return compared(case_of(hand), got, criteria);
}

Criteria within(double atol, double rtol) {
  Criteria criteria;
  criteria.tolerance = Tolerance{atol, rtol};
  return criteria;
}

Criteria within_ulp(double ulp) {
  Criteria criteria;
  criteria.max_ulp = ulp;
  return criteria;
}

Implementation always(const std::string& name, const TensorView& y) {
  return {name, [y](const Case&) { return Outputs{y, std::nullopt}; }};
}

Implementation rounded_as(const std::string& name) {
  return {name, [](const Case& value) {
            Outputs outputs;
            outputs.y = rounded_reference(value, OutputTensor::kY).share();
            if (value.residual) {
              outputs.residual_out = rounded_reference(value, OutputTensor::kResidualOut).share();
            }
            return outputs;
          }};
}

JudgedCase judged(Case value) {
  JudgedCase result;
  result.file = "hand.json";
  result.value = std::move(value);
  return result;
}

JudgedCase judged(Case value, const TensorView& y) {
  JudgedCase result = judged(std::move(value));
  result.observed = Outputs{y, std::nullopt};
  return result;
}

void complete(VerifyRequest& request) {
  request.find_implementation = [&request](const std::string& name) {
    for (const Implementation& candidate : request.candidates) {
      if (candidate.name == name) return candidate;
    }
    if (name != kRoundedReferenceName) throw std::invalid_argument(name);
    return rounded_as(name);
  };
}

}  // namespace normcert
