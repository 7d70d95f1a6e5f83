// Case files for tests, from the members of their cases.
#pragma once

#include <string>

#include "formats/case_file.hpp"

namespace normcert {

inline CaseFile read_cases(const std::string& cases, const CaseFileOptions& options = {}) {
  const std::string text = R"({"schema": "normcert/cases/1", "cases": [)" + cases + "]}";
  return read_case_file(JsonDocument::parse("f.json", text), options);
}

// One case of class ordinary with epsilon 1e-6 and these members.
inline std::string case_with(const std::string& members) {
  return R"({"id": "a", "class": "ordinary", "epsilon": 1e-6, )" + members + '}';
}

inline Case read_one(const std::string& members, const CaseFileOptions& options = {}) {
  return read_cases(case_with(members), options).cases.at(0);
}

}  // namespace normcert
