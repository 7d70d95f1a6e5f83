// Looks for rows that are hard to judge and writes the hardest as case files:
//
//   worst_rows TRIALS FOLDER
//
// near_midpoint.json  one result lies next to a midpoint of the output format, but not on it: the
//                     distance is what an enclosure must be narrower than. Epsilon is chosen so.
// large_error.json    the plain binary64 evaluation comes near its proven bound.
//
// The same trials give the same files; those in cases/worst are from 200000 (seconds).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "numeric/wide.hpp"
#include "reference/error_bounds.hpp"
#include "reference/precise_row.hpp"

namespace normcert {
namespace {

struct Formats {
  const FloatFormat* input;  // of x and of the weights
  const FloatFormat* output;
};

struct Row {
  std::vector<double> x;
  std::vector<double> weight;
  double epsilon = 0;
  double score = 0;  // the less, the harder
};

// The hardest rows of one kind.
class Hardest {
 public:
  explicit Hardest(std::size_t count) : count_(count) {}

  void offer(const Row& row) {
    rows_.push_back(row);
    std::ranges::stable_sort(rows_, {}, &Row::score);
    if (rows_.size() > count_) rows_.pop_back();
  }
  [[nodiscard]] double gate() const {
    return rows_.size() < count_ ? HUGE_VAL : rows_.back().score;
  }
  [[nodiscard]] std::vector<Row> rows() const { return rows_; }

 private:
  std::size_t count_;
  std::vector<Row> rows_;
};

double fitted(double value, const FloatFormat& format) {
  return to_binary64(round(dyadic_of(value), format));
}

Row random_row(const RandomStream& random, std::uint64_t trial, std::size_t width,
               const FloatFormat& format) {
  Row row;
  for (std::size_t i = 0; i < width; ++i) {
    row.x.push_back(fitted(random.normal(32 * trial + i), format));
    row.weight.push_back(fitted(1 + 0.25 * random.normal(32 * trial + 16 + i), format));
  }
  return row;
}

// The greatest midpoint of the format not above a value of ordinary size.
double midpoint_below(double value, const FloatFormat& format) {
  const Code code = round(dyadic_of(value), format, {.mode = RoundingMode::kTowardZero});
  const double lower = to_binary64(code);
  const double above = (lower + to_binary64(next_up(code))) / 2;
  return above <= value ? above : (lower + to_binary64(next_down(code))) / 2;
}

// Chooses epsilon so that y[0] comes next to the midpoint, a little above which it lies without
// epsilon; the distance |y/m - 1| to within 2^-250, or nothing.
std::optional<double> aim(Row& row, const BigDyadic& midpoint) {
  BigDyadic sum;
  for (const double x : row.x) sum += BigDyadic(x) * BigDyadic(x);
  const BigDyadic width = BigDyadic::integer(row.x.size());
  const BigDyadic product = BigDyadic(row.x[0]) * BigDyadic(row.weight[0]);
  const BigDyadic numerator = width * product * product;
  const BigDyadic square = midpoint * midpoint;
  row.epsilon = (Wide(numerator - square * sum) / Wide(square * width)).to_binary64();
  if (!(row.epsilon > 0)) return std::nullopt;
  const BigDyadic scaled = square * (sum + width * BigDyadic(row.epsilon));
  const Wide twice = Wide(numerator - scaled).magnitude() / Wide(scaled);
  if (twice.sign() == 0) return std::nullopt;  // on the midpoint itself
  return twice.to_binary64() / 2;
}

std::vector<Row> near_midpoint(const Formats& formats, std::uint64_t trials) {
  const RandomStream random(1, "near_midpoint");
  Hardest hardest(2);
  // Every binary64 number has a midpoint near enough.
  const bool wide = formats.output->precision > kFp32.precision;
  for (std::uint64_t trial = 0; trial < (wide ? trials / 100 : trials); ++trial) {
    Row row = random_row(random, trial, 4, *formats.input);
    double sum = 0;
    for (const double x : row.x) sum += x * x;
    const double y = std::fabs(row.x[0] * row.weight[0]) / std::sqrt(sum / 4);
    if (!(y > 0x1p-10)) continue;
    BigDyadic midpoint(y);
    if (wide) {
      midpoint = (midpoint + BigDyadic(std::nextafter(y, 0.0))).times_power_of_two(-1);
    } else {
      const double below = midpoint_below(y, *formats.output);
      if (y / below - 1 > 0x1p-18) continue;
      midpoint = BigDyadic(below);
    }
    const std::optional<double> distance = aim(row, midpoint);
    if (!distance || *distance >= hardest.gate()) continue;
    row.score = *distance;
    hardest.offer(row);
  }
  return hardest.rows();
}

// One running sum, the scalar and the element in binary64, in shares of the proven bound.
std::vector<Row> large_error(const Formats& formats, std::uint64_t trials) {
  const RandomStream random(2, "large_error");
  Hardest hardest(2);
  Case value;
  value.epsilon.binary64 = 1e-6;
  for (std::uint64_t trial = 0; trial < trials / 4; ++trial) {
    const std::size_t width = 1 + trial % 8;
    Row row = random_row(random, trial, width, *formats.input);
    Tensor x(*formats.input, 1, width);
    Tensor weight(*formats.input, 1, width);
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      x.set(0, i, round(dyadic_of(row.x[i]), *formats.input));
      weight.set(0, i, round(dyadic_of(row.weight[i]), *formats.input));
      sum += row.x[i] * row.x[i];
    }
    value.x = std::move(x).share();
    value.weight = std::move(weight).share();
    const auto precise = PreciseRow::of(value, 0);
    const auto y = precise ? precise->value(0) : std::nullopt;
    if (!y || y->high == 0) continue;
    const double r = 1 / std::sqrt(sum / static_cast<double>(width) + value.epsilon.binary64);
    const double scaled = std::ldexp(row.x[0] * row.weight[0] * r, -y->exponent);
    const double error = std::fabs((scaled - y->high) - y->low) / std::fabs(y->high);
    const double bound = binary64_screen_bound(row_scalar_bound(sum_bound(width - 1)));
    row.score = -error / bound;
    row.epsilon = value.epsilon.binary64;
    if (row.score < hardest.gate()) hardest.offer(row);
  }
  return hardest.rows();
}

std::string list(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%s\"%a\"", text.size() > 1 ? ", " : "", number);
    text += buffer;
  }
  return text + "]";
}

void write(const std::string& path, const std::string& cases) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "worst_rows: cannot write %s\n", path.c_str());
    std::exit(2);
  }
  std::fprintf(file, "{\n  \"schema\": \"normcert/cases/1\",\n  \"cases\": [\n%s\n  ]\n}\n",
               cases.c_str());
  std::fclose(file);
}

std::string case_text(const std::string& id, const Formats& formats, const Row& row,
                      const std::string& class_name, const std::string& note) {
  char epsilon[40];
  std::snprintf(epsilon, sizeof epsilon, "%a", row.epsilon);
  const auto name = [](const FloatFormat& format) { return std::string(format.name); };
  return "    {\n      \"id\": \"" + id + "\",\n      \"class\": \"" + class_name +
         "\",\n      \"dtype\": \"" + name(*formats.input) + "\",\n      \"weight_dtype\": \"" +
         name(*formats.input) + "\",\n      \"y_dtype\": \"" + name(*formats.output) +
         "\",\n      \"epsilon\": \"" + epsilon + "\",\n      \"note\": \"" + note +
         "\",\n      \"weight\": " + list(row.weight) + ",\n      \"x\": [" + list(row.x) +
         "]\n    }";
}

void run(std::uint64_t trials, const std::string& folder) {
  std::string near;
  std::string large;
  constexpr Formats kPairs[] = {{&kBf16, &kBf16}, {&kFp16, &kFp16}, {&kFp32, &kBf16},
                                {&kFp32, &kFp16}, {&kFp32, &kFp32}, {&kFp32, &kFp64}};
  for (const Formats& formats : kPairs) {
    const std::string names =
        std::string(formats.input->name) + "-" + std::string(formats.output->name);
    int number = 0;
    for (const Row& row : near_midpoint(formats, trials)) {
      char note[120];
      std::snprintf(note, sizeof note, "y[0] lies 2^%.1f from a midpoint, relative to it.",
                    std::log2(row.score));
      near +=
          (near.empty() ? "" : ",\n") + case_text("near-" + names + "-" + std::to_string(++number),
                                                  formats, row, "midpoint", note);
      std::printf("%s %s\n", names.c_str(), note);
    }
    if (formats.input != formats.output) continue;
    number = 0;
    for (const Row& row : large_error(formats, trials)) {
      char note[120];
      std::snprintf(note, sizeof note, "Plain binary64 is off by %.3f of its bound at y[0].",
                    -row.score);
      large += (large.empty() ? "" : ",\n") +
               case_text("large-" + names + "-" + std::to_string(++number), formats, row,
                         "ordinary", note);
      std::printf("%s %s\n", names.c_str(), note);
    }
  }
  write(folder + "/near_midpoint.json", near);
  write(folder + "/large_error.json", large);
}

}  // namespace
}  // namespace normcert

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: worst_rows TRIALS FOLDER\n");
    return 2;
  }
  normcert::run(std::strtoull(arguments[1], nullptr, 10), arguments[2]);
  return 0;
}
