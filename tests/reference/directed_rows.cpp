#include "reference/directed_rows.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 4> kInputs{&kFp64, &kFp32, &kBf16, &kFp16};

void add_ends_of(const FloatFormat& format, std::vector<NamedRow>& rows) {
  const double greatest = to_binary64(max_finite_of(format, false));
  const double least = std::ldexp(1.0, format.quantum_exponent());
  const double least_normal = std::ldexp(1.0, format.emin);
  const auto add = [&](const std::string& name, std::vector<double> x, double epsilon) {
    RowNumbers numbers{.format = &format, .x = std::move(x), .epsilon = epsilon};
    rows.push_back({name + " in " + std::string(format.name), numbers});
    numbers.weight_format = &kFp64;
    for (std::size_t i = 0; i < numbers.x.size(); ++i) {
      numbers.weight.push_back(std::array<double, 3>{1.25, -3, 0x1.fp-20}[i % 3]);
    }
    rows.push_back({name + " with weights in " + std::string(format.name), numbers});
  };
  for (const double x : {1.0, -3.0, 1e-3, greatest, -greatest, least, least_normal}) {
    for (const double epsilon : {0.0, 0x1p-1074, 1e-6, 1.0}) {
      add("one element", {x}, epsilon);
      add("one element among zeros", {0, x, -0.0}, epsilon);
    }
  }
  add("greatest", std::vector<double>(5, greatest), 1e-6);
  add("least", std::vector<double>(5, least), 1e-6);
  add("least, epsilon 0", {least, -2 * least, 3 * least}, 0);
  add("greatest beside least", {greatest, least, -least_normal}, 1e-5);
  add("zeros", {0, -0.0, 0}, 1e-6);
  add("zeros, least epsilon", {0, -0.0, 0}, 0x1p-1074);
}

}  // namespace

RowNumbers long_row(const FloatFormat& format, std::size_t width) {
  RowNumbers numbers{.format = &format, .x = {}, .weight_format = &kFp32, .epsilon = 1e-5};
  for (std::size_t i = 0; i < width; ++i) {
    const double size = static_cast<double>(1 + i % 97) / 32;
    numbers.x.push_back(i % 3 == 0 ? -size : size);
    numbers.weight.push_back(1 + static_cast<double>(i % 13) / 64);
  }
  return numbers;
}

std::vector<NamedRow> directed_rows() {
  std::vector<NamedRow> rows;
  for (const FloatFormat* const format : kInputs) add_ends_of(*format, rows);
  const double huge = std::numeric_limits<double>::max();
  const auto add = [&rows](const std::string& name, const RowNumbers& numbers) {
    rows.push_back({name, numbers});
  };

  add("1e200", {.format = &kFp64, .x = {1e200, -1e200, 1e200}});
  add("1e200 and 1e-200", {.format = &kFp64, .x = {1e200, -1e-200, 1e-200, 1}, .epsilon = 1e-12});
  add("1e-200", {.format = &kFp64, .x = {1e-200, -1e-200}, .epsilon = 1e-6});
  add("1e-200, epsilon of its square",
      {.format = &kFp64, .x = {1e-160, 2e-160}, .epsilon = 1e-320});
  add("everything at its greatest", {.format = &kFp64,
                                     .x = {huge, huge},
                                     .weight = {huge, -huge},
                                     .weight_format = &kFp64,
                                     .epsilon = huge});
  add("greatest gain, least input", {.format = &kFp64,
                                     .x = {0x1p-1074, 1},
                                     .weight = {huge, 0x1p-1074},
                                     .weight_format = &kFp64,
                                     .epsilon = 1e-6});
  add("q = 25", {.format = &kFp32, .x = {1, 7}, .epsilon = 0});
  add("q + epsilon = 25", {.format = &kFp32, .x = {3, 4}, .weight = {2, 5}, .epsilon = 12.5});

  // Residuals.
  add("residual cancels everything",
      {.format = &kFp32, .x = {1, -2.5, 3}, .residual = {-1, 2.5, -3}, .epsilon = 1e-6});
  add("residual cancels but the last bit", {.format = &kFp64,
                                            .x = {1e200, -1e200},
                                            .residual = {-1e200, std::nextafter(1e200, huge)},
                                            .residual_format = &kFp64,
                                            .epsilon = 1e-6});
  add("sum of 77 bits", {.format = &kFp32,
                         .x = {1, 3},
                         .residual = {0x1.000002p-53, -0x1p-60},
                         .weight = {3, 5},
                         .epsilon = 0});
  add("sum of 2098 bits", {.format = &kFp64,
                           .x = {0x1p1023, -0x1p1023},
                           .residual = {0x1p-1074, 0x1p-1074},
                           .residual_format = &kFp64,
                           .weight = {huge, 0x1p-1074},
                           .weight_format = &kFp64,
                           .offset = 0x1p-1074,
                           .epsilon = 0x1p-1074});
  add("residual in another format", {.format = &kFp16,
                                     .x = {65504, -0x1p-24},
                                     .residual = {0x1p-133, 0x1p100},
                                     .residual_format = &kBf16,
                                     .epsilon = 1e-5});

  // Weights and offsets.
  add("weights of every kind", {.format = &kBf16,
                                .x = {1, -1, 2, -2, 3},
                                .weight = {0, -0.0, -1, 0x1p-133, 0x1p127},
                                .weight_format = &kBf16});
  add("1 + w = 0", {.format = &kBf16, .x = {1, -1}, .weight = {-1, -1}, .offset = 1});
  add("1 + w nearly 0",
      {.format = &kFp32, .x = {1, -1}, .weight = {-1 + 0x1p-24, -1 - 0x1p-23}, .offset = 1});
  add("1 + w beyond 53 bits",
      {.format = &kFp32, .x = {1, -1}, .weight = {0x1p-149, -0x1p-100}, .offset = 1, .epsilon = 0});
  add("0.2 + w", {.format = &kFp32, .x = {1, -7, 3}, .weight = {0.8, -0.2, 1}, .offset = 0.2});
  add("0.2 + w = 0", {.format = &kFp32,
                      .x = {1, -7},
                      .weight = {-0.2, 0.2},
                      .weight_format = &kFp64,
                      .offset = 0.2});
  add("negative offset", {.format = &kFp16, .x = {1, -7}, .weight = {0.5, 2}, .offset = -1});
  add("weight in fp8", {.format = &kFp16,
                        .x = {1, -7, 3},
                        .weight = {448, -0x1p-9, 1.125},
                        .weight_format = &kFp8E4m3fn});
  add("no weight, offset does not apply", {.format = &kFp32, .x = {1, -7}, .offset = 1});
  return rows;
}

}  // namespace normcert
