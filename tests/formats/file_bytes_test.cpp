#include "formats/file_bytes.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMany = 1 << 20;

// Reading and mapping refuse the same things in the same words.
void expect_refused(const std::filesystem::path& path, const std::string& message) {
  const std::string expected = printable(path.string(), 1000) + ": " + message;
  EXPECT_EQ(thrown_message([&] { (void)read_file_bytes(path, kMany); }), expected);
  EXPECT_EQ(thrown_message([&] { const MappedFile file(path); }), expected);
}

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(FileBytes, ReadsAndMapsWholeFiles) {
  const TemporaryFolder folder;
  std::string content("a\0b\xFF\n", 5);
  put_file(folder / "f", content);
  EXPECT_EQ(read_file_bytes(folder / "f", 5), content);
  EXPECT_EQ(text_of(MappedFile(folder / "f")), content);
  EXPECT_EQ(MappedFile(folder / "f").path(), folder / "f");

  content.assign(3'000'000, 'x');
  put_file(folder / "f", content);
  EXPECT_EQ(read_file_bytes(folder / "f", content.size()), content);
  EXPECT_EQ(text_of(MappedFile(folder / "f")), content);
}

TEST(FileBytes, FollowsLinks) {
  const TemporaryFolder folder;
  put_file(folder / "f", "content");
  std::filesystem::create_symlink("f", folder / "link");
  EXPECT_EQ(read_file_bytes(folder / "link", kMany), "content");
  std::filesystem::create_symlink("loop", folder / "loop");
  expect_refused(
      folder / "loop",
      "found a file that cannot be opened (Too many levels of symbolic links), expected a "
      "readable file");
}

TEST(FileBytes, RefusesWhatIsNotThere) {
  const TemporaryFolder folder;
  put_file(folder / "f", "content");
  expect_refused(folder / "missing", "found no file of this name, expected a readable file");
  expect_refused(folder / "f" / "below", "found no file of this name, expected a readable file");
  EXPECT_EQ(thrown_message([] { (void)read_file_bytes("", kMany); }),
            "found an empty file name, expected a readable file");
}

TEST(FileBytes, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  expect_refused(folder.path(), "found a folder, expected a regular file");
  expect_refused("/dev/null", "found a device, expected a regular file");
  expect_refused("/dev/zero", "found a device, expected a regular file");

  // Nobody writes to the pipe: opening it must not wait.
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refused(folder / "pipe", "found a pipe, expected a regular file");

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (folder / "socket").string();
  ASSERT_LT(name.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  expect_refused(folder / "socket", "found a socket, expected a regular file");
  close(listener);
}

TEST(FileBytes, RefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  expect_refused(
      folder / std::string(300, 'n'),
      "found a file that cannot be opened (File name too long), expected a readable file");
  EXPECT_EQ(thrown_message([&] {
              (void)read_file_bytes(std::filesystem::path(std::string("a\0b", 3)), kMany);
            }),
            R"(a\x00b: found a file name with a NUL byte, expected a readable file)");
}

TEST(FileBytes, RefusesWithoutPermission) {
  const TemporaryFolder folder;
  put_file(folder / "secret", "content");
  std::filesystem::permissions(folder / "secret", std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const pid_t child = fork();
  if (child == 0) {
    // The root user may read everything: become somebody else.
    if (geteuid() == 0 && seteuid(65534) != 0) _exit(1);
    try {
      (void)read_file_bytes(folder / "secret", kMany);
    } catch (const InputError& error) {
      _exit(error.parts().found == "a file that cannot be opened (Permission denied)" ? 0 : 2);
    }
    _exit(3);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(FileBytes, RefusesEmptyFilesUnlessAllowed) {
  const TemporaryFolder folder;
  put_file(folder / "f", "");
  expect_refused(folder / "f", "found an empty file, expected a file with content");
  EXPECT_EQ(read_file_bytes(folder / "f", kMany, EmptyFile::kAllowed), "");
  EXPECT_TRUE(MappedFile(folder / "f", EmptyFile::kAllowed).bytes().empty());
}

TEST(FileBytes, RefusesMoreThanTheLimit) {
  const TemporaryFolder folder;
  put_file(folder / "f", "12345");
  EXPECT_EQ(thrown_message([&] { (void)read_file_bytes(folder / "f", 4); }),
            (folder / "f").string() + ": found 5 bytes, expected at most 4");
  // A terabyte of nothing: refused before memory is asked for.
  std::filesystem::resize_file(folder / "f", std::uintmax_t{1} << 40);
  EXPECT_EQ(thrown_message([&] { (void)read_file_bytes(folder / "f", kMany); }),
            (folder / "f").string() + ": found 1099511627776 bytes, expected at most 1048576");
  EXPECT_EQ(MappedFile(folder / "f").bytes().size(), std::size_t{1} << 40);
}

TEST(FileBytes, NoticesAFileThatShrinks) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  bool noticed = false;
  // The reader opens and reads 16 MiB at its own pace; the writer shortens the file under it.
  for (int attempt = 0; attempt < 200 && !noticed; ++attempt) {
    put_file(path, std::string(std::size_t{1} << 24, 'x'));
    std::thread writer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(20 * attempt));
      EXPECT_EQ(truncate(path.c_str(), 100), 0);
    });
    try {
      const std::string content = read_file_bytes(path, std::size_t{1} << 24);
      EXPECT_TRUE(content.size() == 100 || content.size() == std::size_t{1} << 24);
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().expected,
                "16777216 bytes (its size when it was opened; is somebody writing it?)");
      noticed = true;
    }
    writer.join();
  }
  EXPECT_TRUE(noticed);
}

TEST(MappedFile, ReadsStretchesOfLargeFiles) {
  const TemporaryFolder folder;
  std::string content(std::size_t{1} << 20, 'x');
  for (std::size_t i = 0; i < content.size(); i += 7) content[i] = static_cast<char>('a' + i % 26);
  put_file(folder / "large", content);
  const MappedFile file(folder / "large");
  std::vector<std::byte> stretch(1000);
  ASSERT_TRUE(file.read(12345, stretch));
  EXPECT_EQ(std::memcmp(stretch.data(), content.data() + 12345, stretch.size()), 0);
  ASSERT_TRUE(file.read(content.size() - stretch.size(), stretch));
  EXPECT_FALSE(file.read(content.size() - stretch.size() + 1, stretch));
  EXPECT_FALSE(file.read(~std::size_t{0} - 10, stretch));
}

TEST(MappedFile, LeavesSmallFilesToTheMapping) {
  const TemporaryFolder folder;
  put_file(folder / "small", "content");
  std::vector<std::byte> stretch(3);
  EXPECT_FALSE(MappedFile(folder / "small").read(0, stretch));
}

TEST(MappedFile, LeavesNoDescriptorOpen) {
  const TemporaryFolder folder;
  put_file(folder / "f", "content");
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_descriptors();
  const MappedFile file(folder / "f");
  (void)read_file_bytes(folder / "f", kMany);
  (void)thrown_message([&] { (void)read_file_bytes(folder.path(), kMany); });
  (void)thrown_message([&] { (void)read_file_bytes(folder / "f", 1); });
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace normcert
