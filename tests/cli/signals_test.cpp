// A signal ends the program with 128 + its number and leaves no report. The program is caught while
// it waits for a reader of its stdout.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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

}  // namespace
}  // namespace normcert
