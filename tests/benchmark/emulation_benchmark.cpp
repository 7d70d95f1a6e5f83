// Elements per second of the evaluator in vectors on one thread, rows in the second cache:
// emulation_benchmark --benchmark_counters_tabular=true. NORMCERT_SIMD forces vector
// instructions (numeric/simd_target.hpp).
#include <benchmark/benchmark.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdlib>
#include <string>

#include "catalogue/recipes.hpp"
#include "emulation/emulate.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd_target.hpp"

namespace normcert {
namespace {

constexpr std::size_t kElements = 262144;

Tensor normal_rows(const FloatFormat& format, std::size_t rows, std::size_t width) {
  const RandomStream random(1, "benchmark");
  Tensor tensor(format, rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      tensor.set(row, i, convert(code_of(random.normal(row * width + i)), format));
    }
  }
  return tensor;
}

enum class Job : std::uint8_t { kEmulate, kCount, kHardware };

void run(benchmark::State& state, const Recipe& recipe, const FloatFormat& format,
         std::size_t width, Job job) {
  const Tensor x = normal_rows(format, kElements / width, width);
  const Tensor weight = normal_rows(format, 1, width);
  BlockInput input{
      .x = x.view(), .residual = {}, .weight = weight.view(), .weight_offset = 0, .epsilon = 1e-6};
  if (recipe.residual != ResidualMode::kNone) input.residual = x.view();
  const Tensor got = emulate_block(recipe, input).y;
  for (auto _ : state) {
    if (job == Job::kCount) {
      benchmark::DoNotOptimize(count_same_bits(recipe, input, got.view()));
    } else {
      const Evaluator evaluator =
          job == Job::kHardware ? Evaluator::kHardware : fastest_evaluator(recipe, input);
      benchmark::DoNotOptimize(emulate_block(recipe, input, evaluator));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(x.rows * x.width));
}

void register_all() {
  for (const Recipe& recipe : catalogue_recipes()) {
    for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
      for (const std::size_t width : {64U, 1024U, 4096U, 16384U}) {
        const std::string name =
            recipe.name + '/' + std::string(format->name) + '/' + std::to_string(width) + '/';
        for (const auto& [label, job] :
             {std::pair{"emulate", Job::kEmulate}, std::pair{"count", Job::kCount},
              std::pair{"binary64", Job::kHardware}}) {
          benchmark::RegisterBenchmark((name + label).c_str(),
                                       [&recipe, format, width, job](benchmark::State& state) {
                                         run(state, recipe, *format, width, job);
                                       });
        }
      }
    }
  }
}

}  // namespace
}  // namespace normcert

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Else each run gives the memory of its outputs back, and what is measured is the system's work.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
  if (const char* target = std::getenv("NORMCERT_SIMD");
      target != nullptr && !normcert::force_simd_target(target)) {
    return 2;
  }
  normcert::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
