#include "report/epsilon_json.hpp"

#include <nlohmann/json.hpp>

#include "numeric/decimal.hpp"

namespace normcert {

nlohmann::ordered_json epsilon_json(const Epsilon& epsilon) {
  nlohmann::ordered_json as;
  as["fp32"] = to_binary64(epsilon.as(kFp32));
  as["bf16"] = to_binary64(epsilon.as(kBf16));
  as["fp16"] = to_binary64(epsilon.as(kFp16));
  as["fp16_flushed"] = to_binary64(epsilon.as_flushed(kFp16));
  nlohmann::ordered_json json;
  json["text"] = epsilon.text;
  json["binary64"] = epsilon.binary64;
  json["hex"] = hex_text(code_of(epsilon.binary64));
  json["as"] = std::move(as);
  return json;
}

}  // namespace normcert
