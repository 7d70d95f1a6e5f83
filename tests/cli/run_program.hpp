// Runs the real program, as a script would, and says what came of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normcert {

struct ProgramResult {
  int status = -1;  // exit status; 1000 + the signal's number where one ended it
  std::string out;
  std::string err;
  long most_own_memory = 0;  // of its own (RssAnon: not mapped files), KiB; where that is watched
};

struct ProgramSetting {
  std::vector<std::string> environment = {};  // "NAME=value", added to what the tests have
  std::string stdout_path = {};               // where stdout goes instead of `out`, e.g. /dev/full
  bool stdout_closed = false;                 // the program starts without one
  std::filesystem::path folder = {};          // to start it in; empty: here
  bool watches_memory = false;                // looks every 2 ms
};

// Throws std::runtime_error where it cannot be started.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& words,
                                        const ProgramSetting& setting = {});

// A folder that is empty at first and goes with this object.
class EmptyFolder {
 public:
  EmptyFolder();
  ~EmptyFolder();
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> names() const;  // sorted, hidden ones too

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path);

// Whether all of it is well-formed UTF-8.
[[nodiscard]] bool is_utf8(const std::string& text);

}  // namespace normcert
