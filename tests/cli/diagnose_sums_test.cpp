// normcert diagnose through the real binary, on fused norms that write residual_out, and on norms
// that only together refute what is declared.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "cli/diagnose_run.hpp"
#include "emulation/emulate.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRows = 6;
constexpr std::size_t kWidth = 64;

struct Fused {
  TensorView x;
  TensorView residual;
  TensorView weight;
};

Fused fused() {
  const RandomStream random(8, "fused");
  std::vector<std::vector<double>> x(kRows, std::vector<double>(kWidth));
  std::vector<std::vector<double>> residual = x;
  std::vector<double> gains(kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) {
    gains[i] = 1 + 0.2 * random.normal(i);
    for (std::size_t row = 0; row < kRows; ++row) {
      x[row][i] = 0.01 * random.normal(kWidth * (2 * row + 1) + i);
      residual[row][i] = 0.02 * random.normal(kWidth * (2 * row + 2) + i);
    }
  }
  return {numbers(x, kBf16), numbers(residual, kBf16), weights(gains, kBf16)};
}

// What the emulated port writes, with the numbers of residual_out that `change` gives instead.
template <typename Change>
Words written(const EmptyFolder& folder, const Change& change) {
  const Fused norm = fused();
  const BlockInput input{.x = norm.x,
                         .residual = norm.residual,
                         .weight = norm.weight,
                         .weight_offset = 0,
                         .epsilon = 1e-5};
  const EmulatedBlock outputs = emulate_block(Recipe{}, input);
  std::vector<std::vector<double>> sums(kRows, std::vector<double>(kWidth));
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      sums[row][i] = change(row, i, to_binary64(outputs.residual_out->view().at(row, i)),
                            to_binary64(norm.x.at(row, i)));
    }
  }
  const std::string path = (folder.path() / "fused.safetensors").string();
  write_capture(path, {{"epsilon", "1e-5"}, {"weight_offset", "0"}},
                {{"x", norm.x},
                 {"residual", norm.residual},
                 {"weight", norm.weight},
                 {"y", outputs.y.view()},
                 {"residual_out", numbers(sums, kBf16)}});
  return {path};
}

TEST(DiagnoseSums, RightSumsChangeNothing) {
  const EmptyFolder folder;
  const Json report = diagnosed(
      0, written(folder, [](std::size_t, std::size_t, double sum, double) { return sum; }));
  const Json& sum = report.at("sites").at(0).at("residual_out");
  EXPECT_EQ(sum.at("elements"), kRows * kWidth);
  EXPECT_EQ(sum.at("differing"), 0);
  EXPECT_TRUE(sum.at("first").is_null());
}

TEST(DiagnoseSums, OneWrongElementIsNamed) {
  const EmptyFolder folder;
  const Words words = written(folder, [](std::size_t row, std::size_t i, double sum, double) {
    return row == 3 && i == 5 ? 2 * sum : sum;
  });
  const Json report = diagnosed(3, words);
  const Json& first = report.at("sites").at(0).at("residual_out").at("first");
  EXPECT_EQ(first.at("row"), 3);
  EXPECT_EQ(first.at("index"), 5);
  EXPECT_EQ(first.at("got").get<double>(), 2 * first.at("expected").get<double>());
  const Json& reason = report.at("verdict").at("reasons").at(0);
  EXPECT_EQ(reason.at("code"), "residual-out");
  EXPECT_NE(reason.at("text").get<std::string>().find(
                "1 of 384 elements of residual_out are not x + residual"),
            std::string::npos);
  for (const char* const format : {"text", "markdown"}) {
    Words shown = words;
    shown.insert(shown.end(), {"--format", format});
    const ProgramResult result = run_diagnose(shown);
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.out.find("the first in row 3, element 5"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("is not x + residual"), std::string::npos);
  }
}

TEST(DiagnoseSums, ZeroRowsAndTheInputItselfAreNamed) {
  const EmptyFolder folder;
  const Json zeros = diagnosed(3, written(folder, [](std::size_t row, std::size_t, double sum,
                                                     double) { return row == 2 ? 0 : sum; }));
  EXPECT_EQ(zeros.at("sites").at(0).at("residual_out").at("differing"), kWidth);
  const Json inputs =
      diagnosed(3, written(folder, [](std::size_t, std::size_t, double, double x) { return x; }));
  EXPECT_EQ(inputs.at("sites").at(0).at("residual_out").at("differing"), kRows * kWidth);
}

// Each norm has an epsilon of its own: rows of one say nothing without its name.
TEST(DiagnoseSums, ProofsOfTwoSitesNameBoth) {
  const EmptyFolder folder;
  const Fused norm = fused();
  const auto outputs = [&](double epsilon) {
    const BlockInput input{
        .x = norm.x, .residual = {}, .weight = norm.weight, .weight_offset = 0, .epsilon = epsilon};
    return emulate_block(Recipe{}, input);
  };
  const EmulatedBlock first = outputs(1e-5);
  const EmulatedBlock second = outputs(2e-5);
  const std::string path = (folder.path() / "two.safetensors").string();
  write_capture(path, {},
                {{"first.x", norm.x},
                 {"first.weight", norm.weight},
                 {"first.y", first.y.view()},
                 {"second.x", norm.x},
                 {"second.weight", norm.weight},
                 {"second.y", second.y.view()}});
  const std::string report = (folder.path() / "report.json").string();
  const ProgramResult run = run_diagnose({path, "--weight-offset", "0", "--report", report});
  EXPECT_NE(run.status, 2) << run.err;
  std::size_t of_both = 0;
  for (int number = 1; number <= 20; ++number) {
    const ProgramResult proof =
        run_program({"report", "proof", report, "--number", std::to_string(number)});
    if (proof.status != 0) break;
    if (proof.out.find("for different epsilons") == std::string::npos) continue;
    const bool first_named = proof.out.find("# first, row") != std::string::npos;
    const bool second_named = proof.out.find("second, row") != std::string::npos;
    if (!first_named || !second_named) continue;
    EXPECT_NE(proof.out.find(" of first and row "), std::string::npos) << proof.out;
    ++of_both;
  }
  EXPECT_GT(of_both, 0U);
}

// Many elements next to ties pin epsilon to more digits than are shown elsewhere.
TEST(DiagnoseSums, EndsOfAnIntervalThatDifferReadOtherwise) {
  constexpr std::size_t kManyRows = 20;
  constexpr std::size_t kMany = 512;
  const RandomStream random(9, "pinned");
  std::vector<std::vector<double>> rows(kManyRows, std::vector<double>(kMany));
  std::vector<double> gains(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    gains[i] = 1 + 0.2 * random.normal(i);
    for (std::size_t row = 0; row < kManyRows; ++row) {
      rows[row][i] = 0.01 * random.normal(kMany * (row + 1) + i);
    }
  }
  const TensorView x = numbers(rows, kFp16);
  const TensorView weight = weights(gains, kFp16);
  Recipe recipe;
  recipe.cast = CastPoint::kAfterWeight;
  const EmulatedBlock outputs = emulate_block(
      recipe,
      BlockInput{.x = x, .residual = {}, .weight = weight, .weight_offset = 0, .epsilon = 1e-4});
  const EmptyFolder folder;
  const std::string path = (folder.path() / "pinned.safetensors").string();
  write_capture(path, {}, {{"x", x}, {"weight", weight}, {"y", outputs.y.view()}});
  const std::regex interval(R"(([0-9.e+-]*[0-9]) \.\. ([0-9.e+-]*[0-9]))");
  std::size_t intervals = 0;
  for (const std::string verb : {"diagnose", "verify"}) {
    for (const std::string epsilon : {"1e-4", "1e-5"}) {
      for (const std::string format : {"text", "markdown"}) {
        const ProgramResult run = run_program(
            {verb, path, "--weight-offset", "0", "--epsilon", epsilon, "--format", format});
        EXPECT_EQ(run.status, epsilon == "1e-4" ? 0 : 1) << run.err;
        for (std::sregex_iterator at(run.out.begin(), run.out.end(), interval), end; at != end;
             ++at) {
          EXPECT_NE(at->str(1), at->str(2)) << verb << " " << format;
          ++intervals;
        }
      }
    }
  }
  EXPECT_GE(intervals, 16U);
}

}  // namespace
}  // namespace normcert
