#include "captures/shipped_captures.hpp"

#include <fstream>
#include <sstream>

#include "catalogue/recipes.hpp"
#include "formats/safetensors.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

std::filesystem::path shipped_captures() {
  return std::filesystem::path(NORMCERT_SOURCE_DIR) / "tests/data/captures";
}

std::vector<RecipeClaim> recipe_claims() {
  std::ifstream file(shipped_captures() / "recipes.tsv");
  std::vector<RecipeClaim> claims;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    RecipeClaim claim;
    std::string differing;
    std::getline(columns, claim.capture, '\t');
    std::getline(columns, claim.implementation, '\t');
    std::getline(columns, claim.recipe, '\t');
    std::getline(columns, differing, '\t');
    std::istringstream pairs(differing == "-" ? "" : differing);
    for (std::string pair; pairs >> pair;) {
      const std::size_t colon = pair.find(':');
      claim.differing.insert(
          {std::stoul(pair.substr(0, colon)), std::stoul(pair.substr(colon + 1))});
    }
    claims.push_back(claim);
  }
  return claims;
}

std::vector<RecipeClaim> claims_without_gate() {
  std::vector<RecipeClaim> claims = recipe_claims();
  std::erase_if(claims, [](const RecipeClaim& claim) {
    return recipe_named(claim.recipe, "recipes.tsv").gate != GateMode::kNone;
  });
  return claims;
}

bool made_on_a_gpu(const RecipeClaim& claim) {
  return claim.implementation.ends_with(".cuda") || claim.implementation.starts_with("kernel.");
}

Capture read_capture(const std::string& name) {
  return read_capture_file(shipped_captures() / (name + ".safetensors"));
}

Capture read_capture_file(const std::filesystem::path& path) {
  const SafetensorsFile file = read_safetensors(path);
  const auto view = [&file](std::string_view tensor) -> std::optional<TensorView> {
    const SafetensorsTensor* found = file.find(tensor);
    return found == nullptr ? std::nullopt : std::optional(file.view(*found));
  };
  Capture capture;
  capture.input.x = view("x").value();
  capture.input.weight = view("weight");
  capture.input.residual = view("residual");
  capture.input.gate = view("gate");
  capture.y = view("y").value();
  capture.residual_out = view("residual_out");
  capture.input.weight_offset = std::stod(*find_text(file.metadata, "weight_offset"));
  const std::string& epsilon = *find_text(file.metadata, "epsilon");
  capture.epsilon_given = epsilon != "none given";
  if (capture.epsilon_given) {
    capture.input.epsilon = read_epsilon(epsilon, path.string(), "epsilon").binary64;
  }
  return capture;
}

Case case_of(const Capture& capture, const Recipe& recipe) {
  Case value;
  value.x = capture.input.x;
  value.residual = capture.input.residual;
  if (capture.input.gate) {
    value.gate = Gate{
        .values = *capture.input.gate, .mode = recipe.gate, .activation = recipe.activation.kind};
  }
  value.weight = capture.input.weight;
  value.weight_offset.binary64 = capture.input.weight_offset;
  value.epsilon.binary64 = capture.input.epsilon;
  value.epsilon.text = "declared";
  value.output = capture.y.format;
  return value;
}

Capture for_recipe(Capture capture, const Recipe& recipe) {
  if (!capture.epsilon_given) {
    capture.input.epsilon = read_epsilon(recipe.epsilon.preset.value(), "", "preset").binary64;
  }
  return capture;
}

}  // namespace normcert
