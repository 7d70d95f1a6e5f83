#include "generate/row_request.hpp"

#include "numeric/code.hpp"
#include "numeric/decimal.hpp"

namespace normcert {

RandomStream RowRequest::stream(std::size_t row) const {
  return {spec.seed, spec.name + '/' + std::to_string(row)};
}

std::size_t RowRequest::rows(std::size_t by_itself) const {
  return spec.rows == 0 ? by_itself : spec.rows;
}

std::vector<std::string> RowRequest::texts(std::string_view parameter) const {
  return parameter_of(spec, parameter);
}

double number_of(const std::string& text) { return to_binary64(read_code(text, kFp64).value()); }

double power_of_ten(int exponent) { return number_of("1e" + std::to_string(exponent)); }

double greatest_number_of(const FloatFormat& format) {
  return to_binary64(max_finite_of(format, false));
}

}  // namespace normcert
