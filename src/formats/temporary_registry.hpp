// The temporaries that exist right now, kept where a signal handler can reach them: fixed storage,
// lock-free atomics, nothing that allocates.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace normcert {

// Notes the path of a temporary that is about to be created. Nothing if the path is longer than the
// system allows or if too many temporaries exist (64).
[[nodiscard]] std::optional<std::size_t> register_temporary(std::string_view path);

// The temporary was renamed or removed.
void release_temporary(std::size_t slot);

// Unlinks all registered temporaries. Async-signal-safe; keeps errno.
void remove_temporaries_in_signal_handler();

}  // namespace normcert
