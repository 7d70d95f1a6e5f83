// Files out: a file is there whole or not at all. Content goes to a temporary in the same folder,
// which is renamed over the target when it is complete and on the disk; whatever fails leaves the
// old file as it was. Errors are InputErrors that name the path and the system's reason.
//
// Pipes and devices (/dev/stdout, /dev/null, /dev/fd/63) are written through instead of replaced;
// an open descriptor shares its position with the program's own output, so flush that before.
// A symbolic link stays, its target is replaced. A replaced file keeps its permissions.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "formats/temporary_registry.hpp"

namespace normcert {

void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Several files that appear together: add() writes the temporaries, write_through() what goes to
// pipes and devices, so that commit() only renames, which hardly can fail.
// What was not committed is removed. (If a rename itself fails, those before it have been done.)
// On a signal the program calls remove_temporaries_in_signal_handler (temporary_registry.hpp).
class PendingFiles {
 public:
  PendingFiles();
  ~PendingFiles();
  PendingFiles(const PendingFiles&) = delete;
  PendingFiles& operator=(const PendingFiles&) = delete;

  void add(const std::filesystem::path& path, std::string_view content);
  // What commit() would else begin with.
  void write_through();
  void commit();

 private:
  struct Entry;
  std::vector<Entry> entries_;
};

// Throws what write_file_atomically would most probably throw, before any work is done: no folder
// of that name, no permission, a folder where a file is to be. `option` becomes the error's place.
void check_output_path(const std::filesystem::path& path, std::string_view option = "");

}  // namespace normcert
