#include "formats/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

using Names = std::vector<std::string>;
namespace fs = std::filesystem;

// Runs `action` in a child process and returns its status as waitpid gives it.
template <typename Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

fs::perms permissions_of(const fs::path& path) { return fs::status(path).permissions(); }

TEST(AtomicFile, WritesAndReplaces) {
  const TemporaryFolder folder;
  const std::string content("a\0b\xFF\n", 5);
  write_file_atomically(folder / "report.json", content);
  EXPECT_EQ(file_content(folder / "report.json"), content);
  write_file_atomically(folder / "report.json", "");
  EXPECT_EQ(file_content(folder / "report.json"), "");
  const std::string large(5'000'000, 'x');
  write_file_atomically(folder / "report.json", large);
  EXPECT_EQ(file_content(folder / "report.json"), large);
  EXPECT_EQ(folder.names(), Names{"report.json"});
}

TEST(AtomicFile, TakesRelativeAndLongNames) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("report", "1");
  write_file_atomically("./report", "2");
  fs::current_path(before);
  EXPECT_EQ(file_content(folder / "report"), "2");
  // The longest name that a file may have: the temporary's must not be longer.
  const std::string longest(255, 'n');
  write_file_atomically(folder / longest, "3");
  EXPECT_EQ(file_content(folder / longest), "3");
}

TEST(AtomicFile, RespectsUmaskAndKeepsPermissions) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  write_file_atomically(folder / "f", "1");
  umask(before);
  EXPECT_EQ(permissions_of(folder / "f"), fs::perms(0640));
  fs::permissions(folder / "f", fs::perms(0604));
  write_file_atomically(folder / "f", "2");
  EXPECT_EQ(permissions_of(folder / "f"), fs::perms(0604));
  EXPECT_EQ(file_content(folder / "f"), "2");
}

TEST(AtomicFile, KeepsLinksAndReplacesTheirTargets) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "below");
  put_file(folder / "below" / "target", "old");
  fs::create_symlink("below/target", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(file_content(folder / "below" / "target"), "new");

  fs::create_symlink("below/missing", folder / "dangling");
  write_file_atomically(folder / "dangling", "made");
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(file_content(folder / "below" / "missing"), "made");

  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(
      thrown_message([&] { write_file_atomically(folder / "loop", ""); }),
      (folder / "loop").string() +
          ": found a path that cannot be written (Too many levels of symbolic links), expected "
          "a writable file");
}

// Refused by the check in advance and by the write, in the same words.
void expect_refused(const fs::path& path, const std::string& message) {
  const std::string file = path.empty() ? "" : printable(path.string(), 1000) + ": ";
  EXPECT_EQ(thrown_message([&] { check_output_path(path); }), file + message);
  EXPECT_EQ(thrown_message([&] { write_file_atomically(path, "x"); }), file + message);
}

TEST(AtomicFile, RefusesPathsWhereNoFileCanBe) {
  const TemporaryFolder folder;
  put_file(folder / "f", "old");
  fs::create_directory(folder / "below");
  expect_refused("", "found an empty file name, expected a file name");
  expect_refused(folder.path(), "found a folder, expected a file name");
  expect_refused(folder / "below/", "found a folder, expected a file name");
  expect_refused(folder / "missing" / "f", "found no folder " + (folder / "missing").string() +
                                               ", expected an existing folder for the file");
  expect_refused(folder / "missing/", "found a folder's name, expected a file name");
  expect_refused(folder / "f" / "g",
                 "found the file " + (folder / "f").string() + ", expected a folder in its place");
  expect_refused(fs::path(std::string("a\0b", 3)),
                 "found a file name with a NUL byte, expected a file name");
  expect_refused("/dev/fd/987",
                 "found a path that cannot be written (Bad file descriptor), expected "
                 "a writable file");
  expect_refused(folder / std::string(256, 'n'),
                 "found a path that cannot be written (File name too long), expected a writable "
                 "file");
  EXPECT_EQ(folder.names(), (Names{"below", "f"}));
  EXPECT_EQ(file_content(folder / "f"), "old");
  EXPECT_EQ(thrown_message([&] { check_output_path(folder.path(), "--report"); }),
            folder.path().string() + ": --report: found a folder, expected a file name");
}

TEST(AtomicFile, RefusesWithoutPermission) {
  const TemporaryFolder folder;
  put_file(folder / "f", "old");
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "f", fs::perms(0444));
  fs::permissions(folder / "closed", fs::perms(0555));
  fs::permissions(folder.path(), fs::perms(0777));
  const int status = in_child([&] {
    // The root user may write everywhere: become somebody else.
    if (geteuid() == 0 && seteuid(65534) != 0) _exit(1);
    for (const fs::path& path : {folder / "f", folder / "closed" / "g"}) {
      for (int i = 0; i < 2; ++i) {
        try {
          i == 0 ? check_output_path(path) : write_file_atomically(path, "x");
          _exit(2);
        } catch (const InputError& error) {
          if (error.parts().found != "a path that cannot be written (Permission denied)") _exit(3);
        }
      }
    }
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file_content(folder / "f"), "old");
}

TEST(AtomicFile, CheckingChangesNothing) {
  const TemporaryFolder folder;
  put_file(folder / "old", "old");
  check_output_path(folder / "new", "--report");
  check_output_path(folder / "old", "--report");
  check_output_path("/dev/null", "--report");
  check_output_path("/dev/stdout", "--report");
  EXPECT_EQ(folder.names(), Names{"old"});
  EXPECT_EQ(file_content(folder / "old"), "old");
}

TEST(AtomicFile, WritesThroughDevicesAndPipes) {
  const TemporaryFolder folder;
  write_file_atomically("/dev/null", "content");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(thrown_message([] { write_file_atomically("/dev/full", "content"); }),
            "/dev/full: found a path that cannot be written (No space left on device), expected a "
            "writable file");

  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = file_content(folder / "pipe"); });
  write_file_atomically(folder / "pipe", std::string(200'000, 'p'));
  reader.join();
  EXPECT_EQ(received, std::string(200'000, 'p'));
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

TEST(AtomicFile, AppendsToAnOpenDescriptor) {
  const TemporaryFolder folder;
  const int descriptor = open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(descriptor, "before ", 7), 7);
  const std::string number = std::to_string(descriptor);
  write_file_atomically("/dev/fd/" + number, "one ");
  write_file_atomically("/proc/self/fd/" + number, "two ");
  ASSERT_EQ(write(descriptor, "after", 5), 5);
  close(descriptor);
  EXPECT_EQ(file_content(folder / "out"), "before one two after");

  // Standard output that was redirected to a file: written to, not replaced.
  const int status = in_child([&] {
    const int out = open((folder / "stdout").c_str(), O_WRONLY | O_CREAT, 0600);
    if (dup2(out, STDOUT_FILENO) < 0) _exit(1);
    write_file_atomically("/dev/stdout", "report ");
    if (write(STDOUT_FILENO, "text", 4) != 4) _exit(1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file_content(folder / "stdout"), "report text");
  EXPECT_EQ(folder.names(), (Names{"out", "stdout"}));
}

TEST(AtomicFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  put_file(folder / "f", "old");
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};  // the largest file that this process may write
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    try {
      write_file_atomically(folder / "f", std::string(2000, 'n'));
      _exit(2);
    } catch (const InputError& error) {
      if (error.parts().found != "a path that cannot be written (File too large)") _exit(3);
      if (error.parts().file != (folder / "f").string()) _exit(4);
    }
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file_content(folder / "f"), "old");
  EXPECT_EQ(folder.names(), Names{"f"});
}

TEST(AtomicFile, ReadersNeverSeeAPart) {
  const TemporaryFolder folder;
  const fs::path path = folder / "f";
  write_file_atomically(path, std::string(100'000, 'a'));
  std::atomic<bool> done = false;
  int partial = 0;
  int seen = 0;
  std::thread reader([&] {
    while (!done) {
      const std::string content = file_content(path);
      ++seen;
      if (content.size() != 100'000 || content.find_first_not_of(content[0]) != std::string::npos) {
        ++partial;
      }
    }
  });
  for (int i = 0; i < 50; ++i) {
    write_file_atomically(path, std::string(100'000, static_cast<char>('a' + i % 26)));
  }
  done = true;
  reader.join();
  EXPECT_EQ(partial, 0);
  EXPECT_GT(seen, 0);
}

TEST(PendingFiles, AppearTogetherOrNotAtAll) {
  const TemporaryFolder folder;
  put_file(folder / "a", "old");
  {
    PendingFiles files;
    files.add(folder / "a", "new a");
    files.add(folder / "b", "new b");
    EXPECT_EQ(file_content(folder / "a"), "old");
    EXPECT_FALSE(fs::exists(folder / "b"));
    EXPECT_EQ(folder.names().size(), 3U);
  }
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(file_content(folder / "a"), "old");

  PendingFiles files;
  files.add(folder / "a", "new a");
  files.add(folder / "b", "new b");
  files.commit();
  EXPECT_EQ(folder.names(), (Names{"a", "b"}));
  EXPECT_EQ(file_content(folder / "a"), "new a");
  EXPECT_EQ(file_content(folder / "b"), "new b");
}

TEST(PendingFiles, AFailureLeavesEverythingAsItWas) {
  const TemporaryFolder folder;
  put_file(folder / "a", "old");
  const auto write_both = [&](const fs::path& second) {
    PendingFiles files;
    files.add(folder / "a", "new");
    files.add(second, "content");
    files.commit();
  };
  EXPECT_NE(thrown_message([&] { write_both(folder / "missing" / "b"); }), "");
  EXPECT_NE(thrown_message([&] { write_both("/dev/full"); }), "");
  EXPECT_EQ(file_content(folder / "a"), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(PendingFiles, HaveALimit) {
  const TemporaryFolder folder;
  {
    PendingFiles files;
    for (int i = 0; i < 64; ++i) files.add(folder / std::to_string(i), "content");
    EXPECT_EQ(thrown_message([&] { files.add(folder / "64", "content"); }),
              (folder / "64").string() + ": found more than 64 open reports, expected fewer");
  }
  EXPECT_EQ(folder.names(), Names{});
  write_file_atomically(folder / "again", "content");
  EXPECT_EQ(folder.names(), Names{"again"});
}

void remove_and_exit(int signal_number) {
  remove_temporaries_in_signal_handler();
  _exit(128 + signal_number);
}

TEST(TemporaryRegistry, ASignalLeavesNothingBehind) {
  const TemporaryFolder folder;
  put_file(folder / "a", "old");
  const int status = in_child([&] {
    signal(SIGTERM, remove_and_exit);
    PendingFiles files;
    files.add(folder / "a", "new");
    files.add(folder / "b", "new");
    if (folder.names().size() != 3) _exit(1);
    kill(getpid(), SIGTERM);
  });
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(file_content(folder / "a"), "old");
}

TEST(TemporaryRegistry, ASignalAtAnyMomentLeavesWholeFiles) {
  const TemporaryFolder folder;
  put_file(folder / "a", std::string(1000, '0'));
  for (int run = 0; run < 40; ++run) {
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGTERM, remove_and_exit);
      for (int i = 0;; ++i) {
        write_file_atomically(folder / "a", std::string(1000, static_cast<char>('0' + i % 10)));
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + 97 * run));
    kill(child, SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 128 + SIGTERM);
    ASSERT_EQ(folder.names(), Names{"a"});
    const std::string content = file_content(folder / "a");
    ASSERT_EQ(content.size(), 1000U);
    ASSERT_EQ(content.find_first_not_of(content[0]), std::string::npos);
  }
}

TEST(TemporaryRegistry, ReusesItsSlots) {
  for (int i = 0; i < 1000; ++i) {
    const auto slot = register_temporary("/nonexistent/" + std::to_string(i));
    ASSERT_TRUE(slot);
    release_temporary(*slot);
  }
  EXPECT_FALSE(register_temporary(std::string(100'000, 'x')));
}

}  // namespace
}  // namespace normcert
