#include "formats/temporary_registry.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

namespace normcert {
namespace {

enum class SlotState : int { kFree, kClaimed, kRegistered };

struct Slot {
  std::atomic<SlotState> state{SlotState::kFree};
  std::array<char, PATH_MAX> path{};
};

// A handler may run at any moment, also between two instructions of the functions below: only
// lock-free atomics are safe then (POSIX 2.4.3, [support.signal] in the C++ standard).
static_assert(std::atomic<SlotState>::is_always_lock_free);

std::array<Slot, 64> slots;

}  // namespace

std::optional<std::size_t> register_temporary(std::string_view path) {
  if (path.size() >= PATH_MAX) return std::nullopt;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    SlotState free = SlotState::kFree;
    if (!slots[i].state.compare_exchange_strong(free, SlotState::kClaimed)) continue;
    std::memcpy(slots[i].path.data(), path.data(), path.size());
    slots[i].path[path.size()] = '\0';
    slots[i].state.store(SlotState::kRegistered);
    return i;
  }
  return std::nullopt;
}

void release_temporary(std::size_t slot) { slots[slot].state.store(SlotState::kFree); }

void remove_temporaries_in_signal_handler() {
  const int saved_errno = errno;
  for (const Slot& slot : slots) {
    if (slot.state.load() == SlotState::kRegistered) unlink(slot.path.data());
  }
  errno = saved_errno;
}

}  // namespace normcert
