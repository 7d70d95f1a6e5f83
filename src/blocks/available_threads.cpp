#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "blocks/for_each_block.hpp"

namespace normcert {
namespace {

unsigned affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

// cpu.max of cgroup v2 is "quota period" or "max period"; a container sees its own at the root.
unsigned quota_count(unsigned unlimited) {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return unlimited;
  const double share = std::atof(quota.c_str()) / period;
  return share < 1 ? 1U : static_cast<unsigned>(share);
}

}  // namespace

unsigned available_threads() {
  const unsigned by_affinity = std::max(1U, affinity_count());
  return std::min(by_affinity, quota_count(by_affinity));
}

}  // namespace normcert
