#include "rooftile/base/whole_file.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

namespace fs = std::filesystem;

class WholeFileTest : public testing::Test {
 protected:
  WholeFileTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-files-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~WholeFileTest() override { fs::remove_all(folder); }

  std::string in(const char* file) const { return (folder / file).string(); }
  std::string text(const char* file) const {
    std::ifstream stream(folder / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t files() const { return std::distance(fs::directory_iterator(folder), {}); }
  mode_t mode(const char* file) const {
    struct stat status {};
    EXPECT_EQ(::stat(in(file).c_str(), &status), 0);
    return status.st_mode & 07777U;
  }

  fs::path folder;
};

// The program's files stop growing at `bytes`, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit small{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(WholeFileTest, ReplacesOrStays) {
  for (const Durability durability : {Durability::cache, Durability::disk}) {
    ASSERT_TRUE(write_whole_file(in("a"), "1", durability).has_value());
    ASSERT_TRUE(write_whole_file(in("a"), "22", durability).has_value());
    EXPECT_EQ(text("a"), "22");
  }
  fs::create_directories(in("b/c"));
  EXPECT_EQ(write_whole_file(in("b"), "1").error().text(), in("b") + ": is a directory; name a file in it");
  EXPECT_EQ(files(), 2);  // nothing beside a and b
}

TEST_F(WholeFileTest, AFullDiskLeavesTheOldFile) {
  ASSERT_TRUE(write_whole_file(in("a"), "old").has_value());
  const FullDisk full(4);
  EXPECT_EQ(write_whole_file(in("a"), "something new").error().text(), in("a") + ": File too large");
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFileTest, GrowsOutOfSight) {
  {
    auto file = WholeFile::create(in("a"));
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE(file->write("one ").has_value());
    EXPECT_FALSE(fs::exists(in("a")));
    WholeFile moved = std::move(*file);
    ASSERT_TRUE(moved.write("two").has_value());
    ASSERT_TRUE(moved.finish().has_value());
  }
  EXPECT_EQ(text("a"), "one two");
  {
    auto file = WholeFile::create(in("b"));
    ASSERT_TRUE(file->write("half").has_value());
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(files(), 1);  // what is not finished is gone
}

// Longer than the pieces that go to the disk, in parts that do not divide them.
TEST_F(WholeFileTest, LongFilesComeWhole) {
  constexpr std::size_t kPart = 300'007, kParts = 40;
  std::string all;
  auto file = WholeFile::create(in("a"));
  ASSERT_TRUE(file.has_value());
  for (std::size_t p = 0; p < kParts; ++p) {
    const std::string part(kPart, static_cast<char>('A' + p));
    all += part;
    ASSERT_TRUE(file->write(part).has_value());
  }
  ASSERT_TRUE(file->finish(Durability::disk).has_value());
  EXPECT_EQ(file->bytes(), kPart * kParts);
  EXPECT_TRUE(text("a") == all);
}

// Not at the end of a block, so that the last write that fits is a part of what was asked for.
TEST_F(WholeFileTest, ADiskThatFillsUpLate) {
  const FullDisk full(9'000'001);
  auto file = WholeFile::create(in("a"));
  ASSERT_TRUE(file.has_value());
  Result<void> written;
  for (int part = 0; part < 20 && written; ++part) written = file->write(std::string(1'000'000, 'x'));
  if (written) written = file->finish();
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().text(), in("a") + ": File too large");
  EXPECT_FALSE(fs::exists(in("a")));
}

TEST_F(WholeFileTest, SharedMemoryIsAFolderLikeOthers) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm to write to";
  const std::string path = "/dev/shm/rooftile-files-" + std::to_string(::getpid());
  EXPECT_TRUE(write_whole_file(path, "1").has_value());
  EXPECT_TRUE(fs::remove(path));
}

TEST_F(WholeFileTest, NoFolderToWriteIn) {
  EXPECT_EQ(write_whole_file(in("no/a"), "1").error().text(), in("no/a") + ": No such file or directory");
  EXPECT_EQ(write_whole_file(in("no/a"), "1").error().code, ErrorCode::io);
  if (::geteuid() == 0) return;  // root may write anywhere
  fs::create_directory(in("locked"));
  fs::permissions(in("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(write_whole_file(in("locked/a"), "1").error().text(), in("locked/a") + ": Permission denied");
}

TEST_F(WholeFileTest, PermissionsAreTheOldFilesOrTheMasks) {
  const mode_t before = ::umask(027);
  const auto written = write_whole_file(in("new"), "1");
  ::umask(before);
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(mode("new"), 0640U);
  ASSERT_EQ(::chmod(in("new").c_str(), 0604), 0);
  ASSERT_TRUE(write_whole_file(in("new"), "2").has_value());
  EXPECT_EQ(mode("new"), 0604U);
}

TEST_F(WholeFileTest, ALinkStays) {
  fs::create_symlink("target", in("link"));
  ASSERT_TRUE(write_whole_file(in("link"), "1").has_value());
  EXPECT_TRUE(fs::is_symlink(in("link")));
  EXPECT_EQ(text("target"), "1");
  fs::create_symlink("circle", in("circle"));
  EXPECT_EQ(write_whole_file(in("circle"), "1").error().text(), in("circle") + ": Too many levels of symbolic links");
}

TEST_F(WholeFileTest, DevicesAreWrittenTo) {
  EXPECT_TRUE(write_whole_file("/dev/null", "1", Durability::disk).has_value());
  EXPECT_EQ(write_whole_file("/dev/full", "1").error().text(), "/dev/full: No space left on device");
}

TEST_F(WholeFileTest, AnOpenFileIsAppendedTo) {
  std::ofstream(in("a")) << "1";
  std::FILE* stream = std::fopen(in("a").c_str(), "a");
  const std::string name = "/dev/fd/" + std::to_string(::fileno(stream));
  EXPECT_TRUE(write_whole_file(name, "2").has_value());
  std::fclose(stream);
  EXPECT_EQ(text("a"), "12");
}

TEST_F(WholeFileTest, SignalsAreLetThroughAgain) {
  sigset_t before, after;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  ASSERT_TRUE(write_whole_file(in("a"), "1").has_value());
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  EXPECT_EQ(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

}  // namespace
}  // namespace rooftile
