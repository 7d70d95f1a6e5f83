#include "report/environment.hpp"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "report/build_info.hpp"

namespace normcert {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(std::string_view text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

// The first part of /proc/cpuinfo: it has a block per processor, and the kernel makes them as they
// are read.
std::string start_of_cpuinfo() {
  std::array<char, 4096> buffer;
  const int descriptor = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t size = read(descriptor, buffer.data(), buffer.size());
  close(descriptor);
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

// "model name : X" as x86 has it; empty elsewhere.
std::string processor_name() {
  const std::string info = start_of_cpuinfo();
  constexpr std::string_view kKey = "model name";
  const std::size_t key = info.find(kKey);
  if (key == std::string::npos) return {};
  const std::size_t end = info.find('\n', key);
  const std::size_t start = info.find_first_not_of(" \t:", key + kKey.size());
  return end == std::string::npos || start >= end ? std::string() : info.substr(start, end - start);
}

}  // namespace

ordered_json environment_json() {
  const BuildInfo& build = build_info();
  utsname system{};
  const bool known = uname(&system) == 0;
  const std::string machine = known ? system.machine : "";
  const std::string processor = processor_name();
  ordered_json environment;
  environment["commit"] = text_or_null(build.commit);
  environment["compiler"] = text_or_null(build.compiler);
  environment["flags"] = text_or_null(build.flags);
  environment["cpu"] = text_or_null(processor.empty() ? machine : processor);
  environment["os"] =
      text_or_null(known ? std::string(system.sysname) + ' ' + system.release + ' ' + machine : "");
  return environment;
}

}  // namespace normcert
