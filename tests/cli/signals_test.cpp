// A signal ends the program with 128 + its number and leaves no report. The program is caught while
// it waits for a reader of its stdout, and in the middle of a long comparison.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

namespace normcert {
namespace {

// The program, writing more into a pipe than the pipe holds. Its temporary report exists by then.
class WaitingProgram {
 public:
  explicit WaitingProgram(const EmptyFolder& folder, bool ignore = false) {
    EXPECT_EQ(pipe(pipe_), 0);
    child_ = fork();
    if (child_ == 0) {
      for (const int number : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
        if (ignore) signal(number, SIG_IGN);
      }
      close(pipe_[0]);
      dup2(pipe_[1], STDOUT_FILENO);
      dup2(pipe_[1], STDERR_FILENO);
      if (chdir(folder.path().c_str()) != 0) _exit(126);
      std::vector<std::string> words = {"normcert", "attenuation", "--epsilon", "1e-6",
                                        "--report", "a.json",      "--format",  "json"};
      for (int i = 0; i < 1000; ++i) words.insert(words.end(), {"--q", "0.125"});
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv(NORMCERT_BINARY, argv.data());
      _exit(127);
    }
    close(pipe_[1]);
    pollfd readable{pipe_[0], POLLIN, 0};
    EXPECT_EQ(poll(&readable, 1, 60000), 1);
  }
  ~WaitingProgram() { close_reader(); }
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;

  void send(int number) const { kill(child_, number); }
  void close_reader() {
    if (pipe_[0] >= 0) close(pipe_[0]);
    pipe_[0] = -1;
  }
  // Takes the rest of its output.
  std::string read_all() const {
    std::string text;
    std::vector<char> buffer(65536);
    for (ssize_t size = 0; (size = read(pipe_[0], buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
  }
  int status() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

 private:
  int pipe_[2] = {-1, -1};
  pid_t child_ = -1;
};

TEST(Signals, EndWithTheirNumberAndLeaveNoReport) {
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) {
    SCOPED_TRACE(number);
    const EmptyFolder folder;
    const WaitingProgram program(folder);
    // Hidden, but there: what has to be removed.
    ASSERT_EQ(folder.names().size(), 1U);
    program.send(number);
    EXPECT_EQ(program.status(), 128 + number);
    EXPECT_EQ(folder.names(), std::vector<std::string>{});
  }
}

TEST(Signals, AReaderThatGoesAwayIsSigpipe) {
  const EmptyFolder folder;
  WaitingProgram program(folder);
  program.close_reader();
  EXPECT_EQ(program.status(), 128 + SIGPIPE);
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(Signals, IgnoredOnesStayIgnored) {
  const EmptyFolder folder;
  const WaitingProgram program(folder, true);
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) program.send(number);
  const std::string text = program.read_all();
  EXPECT_EQ(program.status(), 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.json"});
  EXPECT_EQ(text, read_whole_file(folder.path() / "a.json"));
}

TEST(Signals, AnIgnoredSigpipeIsAnErrorOfStdout) {
  const EmptyFolder folder;
  WaitingProgram program(folder, true);
  program.close_reader();
  EXPECT_EQ(program.status(), 2);
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

// A run that would take minutes, with reports to write and hashes under way.
TEST(Signals, AnInterruptedComparisonLeavesNothing) {
  const EmptyFolder folder;
  {
    // As large as it must be for a run that lasts, without a byte on the disk: zeros.
    const std::string header =
        R"({"__metadata__":{"epsilon":"1e-6","weight_offset":"0","weight":"none"},)"
        R"("x":{"dtype":"F32","shape":[65536,4096],"data_offsets":[0,1073741824]},)"
        R"("y":{"dtype":"F32","shape":[65536,4096],"data_offsets":[1073741824,2147483648]}})";
    std::ofstream file(folder.path() / "zeros.safetensors", std::ios::binary);
    for (std::size_t i = 0; i < 8; ++i) file.put(static_cast<char>(header.size() >> 8 * i & 0xFFU));
    file << header;
    file.close();
    std::filesystem::resize_file(folder.path() / "zeros.safetensors",
                                 8 + header.size() + 2147483648U);
  }
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(126);
    execl(NORMCERT_BINARY, "normcert", "verify", "zeros.safetensors", "--max-ulp", "1",
          "--candidate", "hf.llama", "--report", "a.json", "--report", "a.md", nullptr);
    _exit(127);
  }
  // Once it has read a part of the file it is at work.
  const std::string path = "/proc/" + std::to_string(child) + "/status";
  for (int i = 0; i < 6000; ++i) {
    std::ifstream status(path);
    std::string word;
    long resident = 0;
    while (status >> word && word != "VmRSS:") {
    }
    status >> resident;
    if (resident > 32 * 1024) break;
    usleep(10000);
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"zeros.safetensors"});
}

}  // namespace
}  // namespace normcert
