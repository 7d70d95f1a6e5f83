#include "cli/implementations.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "catalogue/recipe_file.hpp"
#include "catalogue/recipes.hpp"
#include "emulation/emulate.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

Implementation rounded_reference_implementation() {
  return {std::string(kRoundedReferenceName),
          [](const Case& value) {
            Outputs outputs;
            outputs.y = rounded_reference(value, OutputTensor::kY).share();
            if (value.residual) {
              outputs.residual_out = rounded_reference(value, OutputTensor::kResidualOut).share();
            }
            return outputs;
          },
          nullptr,
          {}};
}

std::vector<std::uint64_t> count_bits(const Recipe& recipe, const Case& value,
                                      const TensorView& got) {
  const FloatFormat* weight = value.weight ? value.weight->format : nullptr;
  if (!(emulated_format(recipe, *value.x.format, weight) == *got.format)) {
    return std::vector<std::uint64_t>(got.rows);  // another dtype: no element has the same bits
  }
  const std::vector<std::size_t> rows = count_same_bits(recipe, block_input(value), got);
  return {rows.begin(), rows.end()};
}

Implementation emulated(const std::shared_ptr<const Recipe>& recipe) {
  return {recipe->name,
          [recipe](const Case& value) {
            EmulatedBlock block = emulate_block(*recipe, block_input(value));
            Outputs outputs;
            outputs.y = std::move(block.y).share();
            if (block.residual_out) outputs.residual_out = std::move(*block.residual_out).share();
            return outputs;
          },
          recipe,
          [recipe](const Case& value, const TensorView& got) {
            return count_bits(*recipe, value, got);
          }};
}

// Recipes of the catalogue live for ever.
Implementation emulated(const Recipe& recipe) {
  return emulated(std::shared_ptr<const Recipe>(std::shared_ptr<const Recipe>(), &recipe));
}

// What is no recipe's name (or pattern over names) but names a file is read as one, whatever its
// ending; what looks like a path is one even where nothing is there, so that the message fits.
bool is_path(const std::string& text) {
  if (text.ends_with(".json") || text.find('/') != std::string::npos) return true;
  std::error_code error;
  return find_recipe(text) == nullptr && text.find_first_of("*?") == std::string::npos &&
         std::filesystem::is_regular_file(text, error);
}

}  // namespace

std::vector<Implementation> implementations_of(const std::vector<std::string>& texts,
                                               const std::string& option) {
  std::vector<Implementation> list;
  const auto add = [&](Implementation implementation) {
    if (std::ranges::find(list, implementation.name, &Implementation::name) == list.end()) {
      list.push_back(std::move(implementation));
    }
  };
  for (const std::string& text : texts) {
    if (text == kRoundedReferenceName) {
      add(rounded_reference_implementation());
    } else if (is_path(text)) {
      add(emulated(std::make_shared<const Recipe>(read_recipe_file(text))));
    } else {
      const bool is_pattern = text.find_first_of("*?") != std::string::npos;
      for (const Recipe* recipe : recipes_matching(text, option)) {
        Implementation one = emulated(*recipe);
        one.from_pattern = is_pattern;
        add(std::move(one));
      }
    }
  }
  return list;
}

Implementation implementation_of(const std::string& text, const std::string& option) {
  if (text == kRoundedReferenceName) return rounded_reference_implementation();
  if (is_path(text)) return emulated(std::make_shared<const Recipe>(read_recipe_file(text)));
  return emulated(recipe_named(text, option));
}

std::vector<const Recipe*> recipes_by_preference(const std::vector<Implementation>& named) {
  std::vector<const Recipe*> list;
  for (const Recipe& recipe : catalogue_recipes()) {
    if (std::ranges::find(named, recipe.name, &Implementation::name) == named.end()) {
      list.push_back(&recipe);
    }
  }
  std::ranges::stable_sort(list, {}, [](const Recipe* recipe) {
    return std::pair(recipe->rsqrt_table.has_value(), !recipe->name.starts_with("hf."));
  });
  std::vector<const Recipe*> first;
  for (const Implementation& one : named) {
    if (one.recipe) first.push_back(one.recipe.get());
  }
  list.insert(list.begin(), first.begin(), first.end());
  return list;
}

}  // namespace normcert
