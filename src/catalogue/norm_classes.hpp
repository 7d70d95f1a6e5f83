// Which recipe a norm class of a framework computes, by the name that its source gives the class:
// cases/classes/*.json, compiled in, read on first use.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace normcert {

struct NormClass {
  std::string name;    // "qwen3_next/Qwen3NextRMSNormGated": the folder of its model, and its own
  std::string recipe;  // of the catalogue
};

// In the order of their names.
[[nodiscard]] std::span<const NormClass> norm_classes();

// By its whole name, or by what stands after the folder; nullptr where there is none.
[[nodiscard]] const NormClass* find_norm_class(std::string_view name);

}  // namespace normcert
