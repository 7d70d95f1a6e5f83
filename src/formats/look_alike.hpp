// What a file that is not the expected one most probably is, from its first bytes: a Git LFS
// pointer, a saved web page, an archive, a pickle. Readers ask after their own check has failed, so
// that the message can say what to do about it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace normcert {

// 512 bytes of the head are enough. E.g. "a Git LFS pointer (run git lfs pull)".
[[nodiscard]] std::optional<std::string> look_alike(std::span<const std::byte> head);

}  // namespace normcert
