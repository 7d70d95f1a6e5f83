// The three descriptors that a program starts with, written without buffering: what could not be
// written is known at once.
#pragma once

#include <string_view>

namespace normcert {

// Descriptors 0, 1 and 2 exist afterwards: a file opened later must not become standard output.
// What was closed stays unusable (writing to it fails).
void reserve_standard_streams();

// All of `text`, or an InputError with the system's reason (a full disk, a closed descriptor).
void write_stdout(std::string_view text);

// All of `text`, as far as possible: there is nobody to tell that it failed.
void write_stderr(std::string_view text) noexcept;

[[nodiscard]] bool stdout_is_terminal();

}  // namespace normcert
