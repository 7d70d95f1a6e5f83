#include "architecture/source_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

namespace normcert {
namespace {

constexpr int kMostLines = 400;
constexpr int kMostLinesOfMain = 40;

// What a header name begins with (or is, where it has no slash at its end) -> library.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kLibraries = {{
    {"boost/", "Boost"},
    {"nlohmann/json_fwd.hpp", "json_fwd"},
    {"nlohmann/", "json"},
    {"fmt/", "fmt"},
    {"CLI/", "CLI11"},
    {"hwy/", "Highway"},
    {"openssl/", "OpenSSL"},
    {"zip.h", "libzip"},
    {"pugixml.hpp", "pugixml"},
    {"oneapi/", "oneTBB"},
    {"tbb/", "oneTBB"},
    {"thread", "threads"},
    {"future", "threads"},
    {"execution", "threads"},
}};

// Of the operating system and the processor.
constexpr std::array<std::string_view, 14> kSystem = {
    "cpuid.h",        "fcntl.h",       "immintrin.h",   "sched.h",     "sys/mman.h",
    "sys/resource.h", "sys/stat.h",    "sys/time.h",    "sys/types.h", "signal.h",
    "sys/utsname.h",  "sys/sysinfo.h", "sys/syscall.h", "unistd.h"};

template <typename Range, typename Value>
bool contains(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

const Layer* find_layer(std::string_view folder) {
  const auto found = std::find_if(layers().begin(), layers().end(),
                                  [&](const Layer& layer) { return layer.folder == folder; });
  return found == layers().end() ? nullptr : &*found;
}

std::string_view folder_of(std::string_view path) {
  return path == "main.cpp" ? "main" : path.substr(0, path.find('/'));
}

bool is_header(std::string_view path) { return path.ends_with(".hpp"); }

// A header that defines the hidden parts of a class, for several .cpp files of one folder. It may
// use what .cpp files use, and no other header may include it.
bool is_parts(std::string_view path) { return path.ends_with("_parts.hpp"); }

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Empty when `include` may stand in `file` of `layer`; else why not.
std::string objection(const Include& include, const Layer& layer, const SourceFile& file) {
  if (include.quoted) {
    const std::string_view name = include.name;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos || find_layer(name.substr(0, slash)) == nullptr) {
      return fmt::format("\"{}\" is no path from src/", name);
    }
    const std::string_view target = name.substr(0, slash);
    if (is_parts(name) && (target != layer.folder || is_header(file.path))) {
      return fmt::format("\"{}\" is for the .cpp files of {} alone", name, target);
    }
    if (target == layer.folder || contains(layer.may_include, target)) return "";
    return fmt::format("{} may not include {} (\"{}\")", layer.folder, target, name);
  }
  const std::string_view library = library_of(include.name);
  if (library == "standard" || library == "system") return "";
  if (library.empty()) return fmt::format("<{}> belongs to no library agreed on", include.name);
  const bool shown = is_header(file.path) && !is_parts(file.path);
  if (shown && !contains(layer.in_headers, library)) {
    return fmt::format("headers of {} may not show {} (<{}>)", layer.folder, library, include.name);
  }
  if (!shown && !contains(layer.third_party, library)) {
    return fmt::format("{} may not use {} (<{}>)", layer.folder, library, include.name);
  }
  if (library == "Highway" && !file.path.ends_with("_simd.cpp")) {
    return fmt::format("Highway is for *_simd.cpp only (<{}>)", include.name);
  }
  return "";
}

std::string name_objection(std::string_view path) {
  static const std::regex kVague("(^|[/_.])(utils?|helpers?|common|misc)([/_.]|$)");
  const std::string text(path);
  return std::regex_search(text, kVague) ? "a name that says nothing" : "";
}

}  // namespace

const std::vector<Layer>& layers() {
  static const std::vector<Layer> kLayers = {
      {"numeric", {}, {"Boost", "Highway"}, {}},
      {"blocks", {}, {"threads", "oneTBB"}, {}},
      {"problem", {"numeric"}, {"fmt"}, {}},
      {"formats",
       {"problem", "numeric"},
       {"json", "json_fwd", "fmt", "libzip", "OpenSSL"},
       {"json_fwd"}},
      {"catalogue", {"formats", "problem", "numeric"}, {"json", "json_fwd", "fmt"}, {}},
      {"reference", {"problem", "numeric"}, {"Boost", "Highway"}, {}},
      {"emulation", {"problem", "numeric"}, {"Highway"}, {}},
      {"generate", {"reference", "problem", "numeric"}, {}, {}},
      {"inference", {"emulation", "generate", "reference", "blocks", "problem", "numeric"}, {}, {}},
      {"judge",
       {"inference", "generate", "emulation", "reference", "blocks", "problem", "numeric"},
       {"Highway"},
       {}},
      // The values that judge hands up hold types of reference and emulation.
      {"report",
       {"judge", "inference", "emulation", "reference", "formats", "problem", "numeric"},
       {"json", "json_fwd", "fmt", "pugixml"},
       {"json_fwd"}},
      {"cli",
       {"report", "judge", "inference", "generate", "emulation", "reference", "catalogue",
        "formats", "problem", "blocks", "numeric"},
       {"CLI11", "json", "json_fwd", "fmt"},
       {"json_fwd"}},
      {"main",
       {"cli", "report", "judge", "inference", "generate", "emulation", "reference", "catalogue",
        "formats", "problem", "blocks", "numeric"},
       {},
       {}},
  };
  return kLayers;
}

std::vector<Include> includes_of(std::string_view text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) {
      includes.push_back({match[2].str(), match[1].str() == "\"", number});
    }
  }
  return includes;
}

std::string_view library_of(std::string_view header) {
  for (const auto& [name, library] : kLibraries) {
    const bool prefix = name.ends_with('/');
    if (prefix ? header.starts_with(name) : header == name) return library;
  }
  if (contains(kSystem, header)) return "system";
  // C++ headers have neither a folder nor an ending.
  if (header.find_first_of("/.") == std::string_view::npos) return "standard";
  return "";
}

std::vector<std::string> violations(const SourceFile& file) {
  std::vector<std::string> found;
  const auto report = [&](int line, const std::string& what) {
    if (!what.empty()) found.push_back(fmt::format("{}:{}: {}", file.path, line, what));
  };

  const std::vector<std::string> lines = lines_of(file.text);
  const int count = static_cast<int>(lines.size());
  const int most = file.path == "main.cpp" ? kMostLinesOfMain - 1 : kMostLines;
  if (count > most) report(count, fmt::format("{} lines, at most {} are allowed", count, most));
  report(1, name_objection(file.path));
  if (is_header(file.path)) {
    if (lines.empty() || !lines.front().starts_with("// ")) {
      report(1, "a header opens with a comment that says what it is for");
    }
    if (!contains(lines, "#pragma once")) report(1, "a header has #pragma once");
  }

  const Layer* layer = find_layer(folder_of(file.path));
  if (layer == nullptr) {
    report(1, fmt::format("src/{} is no folder of the layers", folder_of(file.path)));
    return found;
  }
  for (const Include& include : includes_of(file.text)) {
    report(include.line, objection(include, *layer, file));
  }
  return found;
}

std::vector<std::string> link_violations(std::string_view folder, std::string_view cmake_text) {
  static const std::regex kDepends(R"(\bDEPENDS((?:\s+[a-z]+)+))");
  const Layer* layer = find_layer(folder);
  if (layer == nullptr) return {fmt::format("src/{} is no folder of the layers", folder)};

  std::vector<std::string> found;
  const std::string text(cmake_text);
  for (std::sregex_iterator match(text.begin(), text.end(), kDepends), end; match != end; ++match) {
    std::istringstream names((*match)[1].str());
    for (std::string name; names >> name;) {
      if (!contains(layer->may_include, name)) {
        found.push_back(fmt::format("src/{}/CMakeLists.txt links {}", folder, name));
      }
    }
  }
  return found;
}

}  // namespace normcert
