// Memory that the blocks of a thread take one after the other.
#pragma once

#include <cstddef>
#include <memory>

namespace normcert {

// At least `size` bytes, uninitialised: free again when the last pointer to them is gone. The first
// ones of a thread lie in one huge page, where the system has any to give: the first touch of a
// page costs more than what a block computes from it.
[[nodiscard]] std::shared_ptr<std::byte[]> block_memory(std::size_t size);

}  // namespace normcert
