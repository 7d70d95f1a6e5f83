// The rules that every file of src/ keeps: who may include whom, which third-party library is used
// where, size, names, what a header opens with. Works on text, so that it can be tried on planted
// violations as well as on the tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normcert {

struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_include;  // folders of src/, besides itself
  std::vector<std::string_view> third_party;  // in .cpp files and *_parts.hpp, as library_of()
  std::vector<std::string_view> in_headers;   // the part of it that headers may show
};

// From the bottom to the top; a folder may only name folders that stand before it.
const std::vector<Layer>& layers();

struct SourceFile {
  std::string path;  // from src/: "numeric/code.hpp"
  std::string text;
};

struct Include {
  std::string name;
  bool quoted = false;  // with "", which is for our own files
  int line = 0;         // from 1
};

std::vector<Include> includes_of(std::string_view text);

// "Boost", "CLI11", "threads", ...; "standard" and "system" for what everybody may use; empty for
// a header that nobody has agreed on.
std::string_view library_of(std::string_view header);

// One line per broken rule, "path:line: what"; empty when all are kept.
std::vector<std::string> violations(const SourceFile& file);

// The same for the DEPENDS of src/<folder>/CMakeLists.txt: links no more than it may include.
std::vector<std::string> link_violations(std::string_view folder, std::string_view cmake_text);

}  // namespace normcert
