#include "cli/signals.hpp"

#include <unistd.h>

#include <array>
#include <csignal>

#include "formats/temporary_registry.hpp"

namespace normcert {
namespace {

constexpr std::array<int, 4> kSignals = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

void end_by_signal(int number) {
  remove_temporaries_in_signal_handler();
  _exit(128 + number);
}

sigset_t signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  return set;
}

}  // namespace

void install_signal_handlers() {
  for (const int number : kSignals) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_handler = end_by_signal;
    ours.sa_mask = signal_set();
    sigaction(number, &ours, nullptr);
  }
}

void hold_signals() {
  const sigset_t set = signal_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace normcert
