// Writes a capture for measurements: write_capture KIND DTYPE ROWS WIDTH FILE. Kinds:
//   framework      normal rows, y as hf.llama computes it
//   off_by_one     the same rows, every y one code above the correctly rounded result
//   near_ties      every exact result within 2^-40 of a midpoint of two neighbours, y correctly
//                  rounded; rows of +-2^k and a binary32 weight that is such a midpoint itself
//   nearer_ties    the same within 2^-60, where binary64 cannot tell the sides
//   constant_rows  each row one number, another in each row, y as hf.llama computes it
//   equal_rows     all rows the same, y as hf.llama computes it
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "catalogue/recipes.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors_writer.hpp"
#include "numeric/float_format.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/epsilon.hpp"

namespace normcert {
namespace {

// Rows beyond these are the first ones again.
constexpr std::size_t kDistinctRows = 4096;

class CaptureWriter {
 public:
  CaptureWriter(std::string kind, const FloatFormat& format, std::size_t rows, std::size_t width)
      : kind_(std::move(kind)),
        format_(format),
        has_ties_(kind_ == "near_ties" || kind_ == "nearer_ties"),
        epsilon_text_(kind_ == "near_ties"     ? "0x1p-42"
                      : kind_ == "nearer_ties" ? "0x1p-62"
                                               : "1e-6"),
        epsilon_(read_epsilon(epsilon_text_, "", "").binary64),
        distinct_(kind_ == "equal_rows" ? 1 : std::min(rows, kDistinctRows)),
        x_(format, rows, width),
        y_(format, rows, width),
        weight_(has_ties_ ? kFp32 : format, 1, width) {}

  void write(const std::string& path) {
    for (std::size_t i = 0; i < weight_.width; ++i) weight_.set(0, i, weight(i));
    for (std::size_t row = 0; row < distinct_; ++row) {
      for (std::size_t i = 0; i < x_.width; ++i) x_.set(row, i, input(row, i));
    }
    if (kind_ == "off_by_one" || has_ties_) {
      for (std::size_t row = 0; row < distinct_; ++row) round_row(row);
    } else {
      emulate();
    }
    repeat(x_);
    repeat(y_);
    TensorView weights = weight_.view();
    weights.shape = {weight_.width};
    write_safetensors(path, {{"epsilon", epsilon_text_}, {"weight_offset", "0"}},
                      {{"x", x_.view()}, {"weight", weights}, {"y", y_.view()}});
  }

 private:
  Code weight(std::size_t i) const {
    const double normal = 1 + 0.25 * random_.normal((std::uint64_t{1} << 40) + i);
    if (!has_ties_) return convert(code_of(normal), format_);
    // Half a code above a number of the format.
    const Code low = convert(code_of(normal), format_, {.mode = RoundingMode::kTowardZero});
    const double half = std::ldexp(std::ilogb(normal) < 0 ? 0.25 : 0.5, 1 - format_.precision);
    return convert(code_of(to_binary64(low) + half), kFp32);
  }

  Code input(std::size_t row, std::size_t i) const {
    const std::uint64_t place = row * x_.width + i;
    double number = 0;
    if (has_ties_) {
      const double power = std::ldexp(1.0, static_cast<int>(row % 2));
      number = (random_.bits(place) & 1) != 0 ? power : -power;
    } else {
      number = random_.normal(kind_ == "constant_rows" ? row : place);
    }
    return convert(code_of(number), format_);
  }

  // The rows behind the distinct ones.
  void repeat(Tensor& tensor) const {
    const std::size_t period = tensor.bytes.size() / tensor.rows * distinct_;
    for (std::size_t i = period; i < tensor.bytes.size(); ++i) {
      tensor.bytes[i] = tensor.bytes[i - period];
    }
  }

  void round_row(std::size_t row) {
    double sum = 0;
    for (std::size_t i = 0; i < x_.width; ++i) sum += std::pow(to_binary64(x_.at(row, i)), 2);
    const double rms = std::sqrt(sum / static_cast<double>(x_.width) + epsilon_);
    for (std::size_t i = 0; i < x_.width; ++i) {
      const double exact = to_binary64(x_.at(row, i)) / rms * to_binary64(weight_.at(0, i));
      if (has_ties_) {
        // Epsilon leaves the result below the midpoint, further than binary64 may show.
        y_.set(row, i, convert(code_of(exact * (1 - 0x1p-40)), format_));
      } else {
        y_.set(row, i, next_up(convert(code_of(exact), format_)));
      }
    }
  }

  void emulate() {
    constexpr std::size_t kRows = 64;
    const Recipe& recipe = recipe_named("hf.llama", "write_capture");
    for (std::size_t row = 0; row < distinct_; row += kRows) {
      const std::size_t count = std::min(kRows, distinct_ - row);
      const EmulatedBlock block = emulate_block(recipe, {.x = x_.view().rows_from(row, count),
                                                         .residual = {},
                                                         .weight = weight_.view(),
                                                         .weight_offset = 0,
                                                         .epsilon = epsilon_});
      const auto first = static_cast<std::ptrdiff_t>(y_.bytes.size() / y_.rows * row);
      std::copy(block.y.bytes.begin(), block.y.bytes.end(), y_.bytes.begin() + first);
    }
  }

  std::string kind_;
  const FloatFormat& format_;
  bool has_ties_;
  std::string epsilon_text_;
  double epsilon_;
  std::size_t distinct_;
  RandomStream random_{1, "write_capture"};
  Tensor x_;
  Tensor y_;
  Tensor weight_;
};

}  // namespace
}  // namespace normcert

int main(int argc, char** argv) {
  const std::string kinds = " framework off_by_one near_ties nearer_ties constant_rows equal_rows ";
  const normcert::FloatFormat* format = argc == 6 ? normcert::find_format(argv[2]) : nullptr;
  const long rows = argc == 6 ? std::atol(argv[3]) : 0;
  const long width = argc == 6 ? std::atol(argv[4]) : 0;
  if (format == nullptr || rows < 1 || width < 1 ||
      kinds.find(' ' + std::string(argv[1]) + ' ') == std::string::npos) {
    std::fputs("usage: write_capture KIND DTYPE ROWS WIDTH FILE\n", stderr);
    return 2;
  }
  try {
    normcert::CaptureWriter(argv[1], *format, static_cast<std::size_t>(rows),
                            static_cast<std::size_t>(width))
        .write(argv[5]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "write_capture: %s\n", e.what());
    return 2;
  }
}
