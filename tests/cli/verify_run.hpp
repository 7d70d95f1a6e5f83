// For the tests of `normcert verify`: captures whose exact results are known by hand, and reports.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_program.hpp"
#include "formats/safetensors_writer.hpp"

namespace normcert {

using Words = std::vector<std::string>;

[[nodiscard]] TensorView numbers(const std::vector<std::vector<double>>& rows,
                                 const FloatFormat& format = kFp32);
// One-dimensional, as weights are.
[[nodiscard]] TensorView weights(const std::vector<double>& values,
                                 const FloatFormat& format = kFp32);

// The mean square of (1, 7) is 25: with epsilon 39 the exact result is (1/8, 7/8).
inline const std::vector<std::vector<double>> kRow = {{1, 7}};
inline const std::vector<std::vector<double>> kRight = {{0.125, 0.875}};
inline const std::vector<std::vector<double>> kWrong = {{0.125, 0.9}};

// Metadata of a norm without weight that says everything.
[[nodiscard]] TextPairs complete_metadata(const std::string& epsilon = "39");

void write_capture(const std::filesystem::path& path, const TextPairs& metadata,
                   const std::vector<SafetensorsEntry>& entries);
// x and y of one norm, complete.
void write_right(const std::filesystem::path& path);
void write_wrong(const std::filesystem::path& path);

void write_text(const std::filesystem::path& path, const std::string& text);

struct VerifyReportResult {
  int status = -1;
  nlohmann::ordered_json json;
};

[[nodiscard]] ProgramResult run_verify(Words words, const std::filesystem::path& folder = {});
// With --format json; anything on stderr or a status without report is a failure of the test.
[[nodiscard]] VerifyReportResult report_of(Words words, const std::filesystem::path& folder = {});
// Codes of the verdict's reasons, each once, in order.
[[nodiscard]] std::vector<std::string> reason_codes(const nlohmann::ordered_json& report);
// Status 2, one line on stderr that holds all of `said`, nothing on stdout.
void expect_verify_refused(const Words& words, const std::vector<std::string>& said,
                           const std::filesystem::path& folder = {});

// A file of the source tree.
[[nodiscard]] std::string source_file(const std::string& path);

}  // namespace normcert
