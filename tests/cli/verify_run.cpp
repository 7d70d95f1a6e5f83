#include "cli/verify_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "numeric/rounding.hpp"

namespace normcert {

TensorView numbers(const std::vector<std::vector<double>>& rows, const FloatFormat& format) {
  Tensor tensor(format, rows.size(), rows.at(0).size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < tensor.width; ++i) {
      tensor.set(row, i, convert(code_of(rows[row].at(i)), format));
    }
  }
  return std::move(tensor).share();
}

TensorView weights(const std::vector<double>& values, const FloatFormat& format) {
  TensorView view = numbers({values}, format);
  view.shape = {values.size()};
  return view;
}

TextPairs complete_metadata(const std::string& epsilon) {
  return {{"epsilon", epsilon}, {"weight_offset", "0"}, {"weight", "none"}};
}

void write_capture(const std::filesystem::path& path, const TextPairs& metadata,
                   const std::vector<SafetensorsEntry>& entries) {
  write_safetensors(path, metadata, entries);
}

void write_right(const std::filesystem::path& path) {
  write_capture(path, complete_metadata(), {{"x", numbers(kRow)}, {"y", numbers(kRight)}});
}

void write_wrong(const std::filesystem::path& path) {
  write_capture(path, complete_metadata(), {{"x", numbers(kRow)}, {"y", numbers(kWrong)}});
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

ProgramResult run_verify(Words words, const std::filesystem::path& folder) {
  words.insert(words.begin(), "verify");
  ProgramResult result = run_program(words, {.folder = folder});
  EXPECT_TRUE(is_utf8(result.out));
  EXPECT_TRUE(is_utf8(result.err));
  return result;
}

VerifyReportResult report_of(Words words, const std::filesystem::path& folder) {
  words.insert(words.end(), {"--format", "json"});
  const ProgramResult result = run_verify(words, folder);
  EXPECT_EQ(result.err, "");
  VerifyReportResult found{result.status, {}};
  EXPECT_TRUE(nlohmann::ordered_json::accept(result.out)) << result.out.substr(0, 300);
  if (nlohmann::ordered_json::accept(result.out)) {
    found.json = nlohmann::ordered_json::parse(result.out);
    EXPECT_EQ(found.json.at("exit_status").get<int>(), found.status);
  }
  return found;
}

std::vector<std::string> reason_codes(const nlohmann::ordered_json& report) {
  std::vector<std::string> codes;
  for (const auto& reason : report.at("verdict").at("reasons")) {
    const std::string code = reason.at("code");
    if (std::ranges::find(codes, code) == codes.end()) codes.push_back(code);
  }
  return codes;
}

void expect_verify_refused(const Words& words, const std::vector<std::string>& said,
                           const std::filesystem::path& folder) {
  std::string shown = "normcert verify";
  for (const std::string& word : words) shown += ' ' + word;
  SCOPED_TRACE(shown);
  const ProgramResult result = run_verify(words, folder);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("normcert: error: ")) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  for (const std::string& part : said) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in " << result.err;
  }
}

std::string source_file(const std::string& path) {
  return std::string(NORMCERT_SOURCE_DIR) + "/" + path;
}

}  // namespace normcert
