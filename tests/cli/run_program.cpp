#include "cli/run_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "problem/utf8.hpp"

namespace normcert {
namespace {

// Reads to the end and closes.
std::string drain(FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    text.push_back(static_cast<char>(c));
  std::fclose(file);
  return text;
}

[[noreturn]] void become_program(const std::vector<std::string>& words,
                                 const ProgramSetting& setting, int out, int err) {
  if (!setting.folder.empty() && chdir(setting.folder.c_str()) != 0) _exit(126);
  for (const std::string& entry : setting.environment) {
    const std::size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  if (!setting.stdout_path.empty()) out = open(setting.stdout_path.c_str(), O_WRONLY);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(126);
  if (setting.stdout_closed) close(STDOUT_FILENO);
  std::vector<char*> argv = {const_cast<char*>("normcert")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(NORMCERT_BINARY, argv.data());
  _exit(127);
}

// Before it has become the program, a child has this process's memory.
bool has_become_program(pid_t process) {
  std::error_code ignored;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", ignored) != own;
}

// KiB; 0 where it cannot be read.
long own_memory_of(pid_t process) {
  if (!has_become_program(process)) return 0;
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
  }
  return 0;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words, const ProgramSetting& setting) {
  FILE* const out = std::tmpfile();
  FILE* const err = std::tmpfile();
  if (out == nullptr || err == nullptr) throw std::runtime_error("no temporary file");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become_program(words, setting, fileno(out), fileno(err));
  int wait_status = 0;
  long most_own_memory = 0;
  while (setting.watches_memory && waitpid(child, &wait_status, WNOHANG) == 0) {
    most_own_memory = std::max(most_own_memory, own_memory_of(child));
    usleep(2000);
  }
  if (!setting.watches_memory) {
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
  }
  ProgramResult result{-1, drain(out), drain(err), most_own_memory};
  result.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1000 + WTERMSIG(wait_status);
  if (result.status == 126 || result.status == 127) {
    throw std::runtime_error(std::string("cannot start ") + NORMCERT_BINARY);
  }
  return result;
}

EmptyFolder::EmptyFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "normcert-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

EmptyFolder::~EmptyFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> EmptyFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read_whole_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool is_utf8(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = first_character(rest).length;
    if (length == 0) return false;
    rest.remove_prefix(length);
  }
  return true;
}

}  // namespace normcert
