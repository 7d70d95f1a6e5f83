// normcert diagnose through the real binary, for tests.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/verify_run.hpp"

namespace normcert {

inline ProgramResult run_diagnose(Words words) {
  words.insert(words.begin(), "diagnose");
  ProgramResult result = run_program(words);
  EXPECT_TRUE(is_utf8(result.out));
  return result;
}

// Of a run that ends with `status`; every report is kept for the schema.
inline nlohmann::ordered_json diagnosed(int status, Words words) {
  words.insert(words.end(), {"--format", "json"});
  const ProgramResult result = run_diagnose(words);
  EXPECT_EQ(result.status, status) << result.err << result.out.substr(0, 600);
  using Json = nlohmann::ordered_json;
  if (!Json::accept(result.out)) {
    ADD_FAILURE() << result.out.substr(0, 300);
    return {};
  }
  Json report = Json::parse(result.out);
  EXPECT_EQ(report.at("exit_status").get<int>(), status);
  return report;
}

}  // namespace normcert
