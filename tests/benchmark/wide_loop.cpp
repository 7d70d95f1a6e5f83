#include "wide_loop.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "numeric/code.hpp"

namespace normcert {
namespace {

namespace mp = boost::multiprecision;
using Number = mp::number<mp::cpp_bin_float<256, mp::digit_base_2>, mp::et_off>;

}  // namespace

WideMetrics wide_metrics(const Case& value, const TensorView& got, double atol, double rtol) {
  WideMetrics found;
  const std::size_t width = value.x.width;
  for (std::size_t row = 0; row < got.rows; ++row) {
    Number sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const Number x = to_binary64(value.x.at(row, i));
      sum += x * x;
    }
    const Number root = sqrt(sum / static_cast<double>(width) + value.epsilon.binary64);
    Number product = 0;
    Number square = 0;
    for (std::size_t i = 0; i < width; ++i) {
      Number y = Number(to_binary64(value.x.at(row, i))) / root;
      if (value.weight) y *= to_binary64(value.weight->at(0, i));
      const Number a = to_binary64(got.at(row, i));
      const Number magnitude = abs(y);
      const Number error = abs(a - y);
      const int exponent = std::max(static_cast<int>(ilogb(y)), got.format->emin);
      const Number ulps = ldexp(error, got.format->precision - 1 - exponent);
      found.max_absolute = std::max(found.max_absolute, static_cast<double>(error));
      found.max_relative = std::max(found.max_relative, static_cast<double>(error / magnitude));
      found.max_ulp = std::max(found.max_ulp, static_cast<double>(ulps));
      if (ulps <= 0.5) ++found.correctly_rounded;
      if (ulps < 1) ++found.faithful;
      if (error > atol + rtol * magnitude) ++found.outside;
      product += (a - y) * y;
      square += y * y;
    }
    found.coherent = std::max(found.coherent, static_cast<double>(abs(product / square)));
  }
  return found;
}

}  // namespace normcert
