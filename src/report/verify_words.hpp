// Sentences and figures that both views of a verify report use.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace normcert {

// A JSON number (or "inf", "nan") to `digits` significant digits; "-" for null.
[[nodiscard]] std::string figure(const nlohmann::ordered_json& number, int digits = 4);
// "0.00036 .. 0.00073": ends of an interval to `digits` digits, or more where they would read
// alike.
[[nodiscard]] std::string interval_words(const nlohmann::ordered_json& low,
                                         const nlohmann::ordered_json& high, int digits = 4);
// Value of an error maximum; "-" where nothing was measured.
[[nodiscard]] std::string error_figure(const nlohmann::ordered_json& maximum);
// The shortest decimal that reads back to the same number.
[[nodiscard]] std::string shortest(const nlohmann::ordered_json& number);
// "65 536 of 65 536".
[[nodiscard]] std::string share(const nlohmann::ordered_json& part,
                                const nlohmann::ordered_json& whole);
// 90112 -> "90 112".
[[nodiscard]] std::string grouped(std::uint64_t number);
// "ACCEPTED".
[[nodiscard]] std::string upper(std::string text);
// What was asked: one line per limit or level, in words.
[[nodiscard]] std::vector<std::string> asked_for(const nlohmann::ordered_json& report);
// How a result's or case's case is called: its site where the id is only file and site, else its
// id.
[[nodiscard]] std::string where(const nlohmann::ordered_json& item, const char* id_key);
// What the model declares, in a sentence; empty without a model.
[[nodiscard]] std::string declared(const nlohmann::ordered_json& report);
// "part 2 of 3", of a report that covers one part of a run.
[[nodiscard]] std::string part_words(const nlohmann::ordered_json& report);
// Text of a string member, or `otherwise` where it is null.
[[nodiscard]] std::string text_or(const nlohmann::ordered_json& value,
                                  const std::string& otherwise);

}  // namespace normcert
