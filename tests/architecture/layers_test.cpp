// Reads src/ and holds it to source_rules.hpp; then shows that each rule can fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "architecture/source_rules.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = fs::path(NORMCERT_SOURCE_DIR) / "src";

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<SourceFile> sources() {
  std::vector<SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(kSource)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".hpp") {
      files.push_back(
          {entry.path().lexically_relative(kSource).generic_string(), read(entry.path())});
    }
  }
  return files;
}

TEST(Layers, ArrowsOnlyGoDown) {
  std::vector<std::string_view> below;
  for (const Layer& layer : layers()) {
    for (const std::string_view target : layer.may_include) {
      EXPECT_NE(std::find(below.begin(), below.end(), target), below.end())
          << layer.folder << " -> " << target;
    }
    below.push_back(layer.folder);
  }
}

TEST(Layers, ReferenceAndEmulationAreSiblings) {
  for (const Layer& layer : layers()) {
    for (const std::string_view target : layer.may_include) {
      EXPECT_FALSE(layer.folder == "emulation" && target == "reference");
      EXPECT_FALSE(layer.folder == "reference" && target == "emulation");
    }
  }
}

TEST(Layers, EverySourceFileKeepsTheRules) {
  const std::vector<SourceFile> files = sources();
  std::size_t includes = 0;
  for (const SourceFile& file : files) {
    includes += includes_of(file.text).size();
    for (const std::string& violation : violations(file)) ADD_FAILURE() << "src/" << violation;
  }
  // A walk that found nothing must not pass.
  EXPECT_GE(files.size(), 15U);
  EXPECT_GE(includes, 50U);
}

TEST(Layers, EveryFolderLinksOnlyWhatItMayInclude) {
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(kSource)) {
    if (!entry.is_directory()) continue;
    ++folders;
    const std::string folder = entry.path().filename().string();
    for (const std::string& violation :
         link_violations(folder, read(entry.path() / "CMakeLists.txt"))) {
      ADD_FAILURE() << violation;
    }
  }
  EXPECT_EQ(folders, 12);
}

struct Planted {
  std::string path;
  std::string text;
  std::string expected;  // part of the one violation; empty: none
};

const std::string kTop = "// What it is for.\n#pragma once\n";

const std::vector<Planted>& planted() {
  static const std::vector<Planted> kPlanted = {
      {"numeric/code.cpp", "#include \"problem/tensor.hpp\"\n", "numeric may not include problem"},
      {"blocks/blocks.cpp", "#include \"numeric/code.hpp\"\n", "blocks may not include numeric"},
      {"reference/row.cpp", "#include \"emulation/recipe.hpp\"\n", "may not include emulation"},
      {"emulation/row.cpp", "#include \"reference/row.hpp\"\n", "may not include reference"},
      {"judge/verdict.cpp", "#include \"formats/json_text.hpp\"\n", "may not include formats"},
      {"judge/verdict.cpp", "#include \"catalogue/recipes.hpp\"\n", "may not include catalogue"},
      {"judge/verdict.cpp", "\n  #  include <nlohmann/json.hpp>\n",
       "cpp:2: judge may not use json"},
      {"report/json.hpp", kTop + "#include <nlohmann/json.hpp>\n", "may not show json"},
      {"report/json.hpp", kTop + "#include <nlohmann/json_fwd.hpp>\n", ""},
      {"report/json.cpp", "#include <nlohmann/json.hpp>\n", ""},
      {"report/json.cpp", "#include <CLI/CLI.hpp>\n", "report may not use CLI11"},
      {"cli/verify.cpp", "#include <CLI/CLI.hpp>\n", ""},
      {"cli/verify.hpp", kTop + "#include <CLI/CLI.hpp>\n", "may not show CLI11"},
      {"numeric/wide.cpp", "#include <boost/multiprecision/cpp_int.hpp>\n", ""},
      {"numeric/wide.hpp", kTop + "#include <boost/version.hpp>\n", "may not show Boost"},
      {"formats/hash.cpp", "#include <boost/version.hpp>\n", "formats may not use Boost"},
      {"numeric/sum_simd.cpp", "#include <hwy/highway.h>\n", ""},
      {"numeric/sum.cpp", "#include <hwy/highway.h>\n", "*_simd.cpp only"},
      {"judge/loop.cpp", "#include <thread>\n", "judge may not use threads"},
      {"judge/loop.cpp", "#include <tbb/parallel_for.h>\n", "judge may not use oneTBB"},
      {"blocks/blocks.cpp", "#include <thread>\n", ""},
      {"reference/row.cpp", "#include <mpfr.h>\n", "belongs to no library"},
      {"reference/row.cpp", "#include \"row.hpp\"\n", "is no path from src/"},
      {"reference/row.cpp", "#include \"../numeric/code.hpp\"\n", "is no path from src/"},
      {"oddments/row.cpp", "int x;\n", "is no folder of the layers"},
      {"numeric/string_utils.cpp", "int x;\n", "a name that says nothing"},
      {"numeric/common.cpp", "int x;\n", "a name that says nothing"},
      {"numeric/misconduct.cpp", "int x;\n", ""},
      {"numeric/a.hpp", "#pragma once\n", "opens with a comment"},
      {"numeric/a.hpp", "// What it is for.\n", "#pragma once"},
      {"numeric/a.hpp", kTop, ""},
      {"numeric/big_parts.hpp", kTop + "#include <boost/version.hpp>\n", ""},
      {"numeric/big_parts.hpp", kTop + "#include <CLI/CLI.hpp>\n", "may not use CLI11"},
      {"numeric/big.cpp", "#include \"numeric/big_parts.hpp\"\n", ""},
      {"numeric/big.hpp", kTop + "#include \"numeric/big_parts.hpp\"\n", "is for the .cpp files"},
      {"problem/tensor.cpp", "#include \"numeric/big_parts.hpp\"\n", "is for the .cpp files"},
      {"main.cpp", "#include \"cli/run.hpp\"\n", ""},
  };
  return kPlanted;
}

TEST(SourceRules, CatchPlantedViolations) {
  for (const Planted& plant : planted()) {
    SCOPED_TRACE(plant.path + ": " + plant.text);
    const std::vector<std::string> found = violations({plant.path, plant.text});
    if (plant.expected.empty()) {
      EXPECT_TRUE(found.empty()) << found.front();
    } else {
      ASSERT_EQ(found.size(), 1U);
      EXPECT_NE(found.front().find(plant.expected), std::string::npos) << found.front();
    }
  }
}

TEST(SourceRules, CountLines) {
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "int x;\n";
    return text;
  };
  EXPECT_TRUE(violations({"numeric/a.cpp", lines(400)}).empty());
  EXPECT_EQ(violations({"numeric/a.cpp", lines(401)}).size(), 1U);
  EXPECT_TRUE(violations({"main.cpp", lines(39)}).empty());
  EXPECT_EQ(violations({"main.cpp", lines(40)}).size(), 1U);
}

TEST(SourceRules, CatchLinksThatPointUp) {
  EXPECT_TRUE(link_violations("formats",
                              "normcert_library(formats DEPENDS problem numeric\n"
                              "  PRIVATE fmt::fmt-header-only)")
                  .empty());
  EXPECT_EQ(
      link_violations("formats", "normcert_library(formats\n  DEPENDS problem\n judge)").size(),
      1U);
  EXPECT_EQ(link_violations("oddments", "").size(), 1U);
}

}  // namespace
}  // namespace normcert
