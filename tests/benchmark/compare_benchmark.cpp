// Elements per second of the certified comparison on one thread, outputs in the second cache; of
// the same metrics in a loop of 256-bit numbers; and of mapping and summing a file of as many
// bytes: compare_benchmark --benchmark_counters_tabular=true. NORMCERT_SIMD forces vector
// instructions (numeric/simd_target.hpp).
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "judge/certified_compare.hpp"
#include "mapped_sum.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd_target.hpp"
#include "wide_loop.hpp"

namespace normcert {
namespace {

struct Rows {
  Case value;
  TensorView got;
};

// Normal rows, with outputs that binary64 rounds, or with the codes above those.
Rows normal_rows(const FloatFormat& format, std::size_t rows, std::size_t width, bool next) {
  const RandomStream random(1, "benchmark");
  const auto code = [&](double number) { return convert(code_of(number), format); };
  Tensor x(format, rows, width);
  Tensor weight(format, 1, width);
  Tensor y(format, rows, width);
  for (std::size_t i = 0; i < width; ++i) {
    weight.set(0, i, code(1 + 0.25 * random.normal(rows * width + i)));
  }
  Rows result;
  result.value.epsilon.binary64 = 1e-6;
  result.value.output = &format;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      x.set(row, i, code(random.normal(row * width + i)));
      sum += std::pow(to_binary64(x.at(row, i)), 2);
    }
    const double rms = std::sqrt(sum / static_cast<double>(width) + 1e-6);
    for (std::size_t i = 0; i < width; ++i) {
      const Code right = code(to_binary64(x.at(row, i)) / rms * to_binary64(weight.at(0, i)));
      y.set(row, i, next ? next_up(right) : right);
    }
  }
  result.value.x = std::move(x).share();
  result.value.weight = std::move(weight).share();
  result.got = std::move(y).share();
  return result;
}

void set_rate(benchmark::State& state, std::size_t elements) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

// Reference and metrics as verify takes them, with limits as a port is usually held to.
void run_certified(benchmark::State& state, const FloatFormat& format, std::size_t width,
                   bool next) {
  constexpr std::size_t kElements = 262144;
  const Rows rows = normal_rows(format, kElements / width, width, next);
  const Criteria criteria{.tolerance = Tolerance{1e-2, 1e-2}, .max_ulp = {}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        compare_certified(rows.value, OutputTensor::kY, rows.got, criteria, 0, rows.got.rows));
  }
  set_rate(state, kElements);
}

void run_wide(benchmark::State& state, const FloatFormat& format, std::size_t width) {
  constexpr std::size_t kElements = 16384;
  const Rows rows = normal_rows(format, kElements / width, width, false);
  for (auto _ : state) {
    benchmark::DoNotOptimize(wide_metrics(rows.value, rows.got, 1e-2, 1e-2));
  }
  set_rate(state, kElements);
}

// x and y of as many elements as in a file of the page cache, mapped anew each time.
void run_sum(benchmark::State& state, const FloatFormat& format, unsigned threads) {
  constexpr std::size_t kElements = std::size_t{1} << 25;
  const std::string path =
      std::filesystem::temp_directory_path() / ("normcert-sum-" + std::to_string(std::rand()));
  {
    const std::string zeros(1 << 20, '\0');
    std::ofstream file(path, std::ios::binary);
    const std::size_t bytes = 2 * kElements * static_cast<std::size_t>(format.storage_bytes);
    for (std::size_t i = 0; i < bytes; i += zeros.size()) file << zeros;
  }
  for (auto _ : state) benchmark::DoNotOptimize(sum_of_mapped_file(path.c_str(), threads));
  std::filesystem::remove(path);
  set_rate(state, kElements);
}

void register_all() {
  for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
    const std::string dtype(format->name);
    for (const std::size_t width : {64U, 1024U, 4096U, 16384U}) {
      const std::string name = dtype + '/' + std::to_string(width);
      for (const bool next : {false, true}) {
        benchmark::RegisterBenchmark(
            ((next ? "certified_off_by_one/" : "certified/") + name).c_str(),
            [=](benchmark::State& state) { run_certified(state, *format, width, next); });
      }
      benchmark::RegisterBenchmark(("wide256/" + name).c_str(), [=](benchmark::State& state) {
        run_wide(state, *format, width);
      });
    }
    for (const unsigned threads : {1U, 2U}) {
      benchmark::RegisterBenchmark(
          ("map_and_sum/" + dtype + '/' + std::to_string(threads) + "_threads").c_str(),
          [=](benchmark::State& state) { run_sum(state, *format, threads); })
          ->UseRealTime();
    }
  }
}

}  // namespace
}  // namespace normcert

int main(int argc, char** argv) {
  if (const char* target = std::getenv("NORMCERT_SIMD");
      target != nullptr && !normcert::force_simd_target(target)) {
    return 2;
  }
  normcert::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
