#include "rooftile/base/input_file.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;

class InputFileTest : public testing::Test {
 protected:
  InputFileTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-inputs-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~InputFileTest() override { fs::remove_all(folder); }

  std::string in(const char* file) const { return (folder / file).string(); }
  static std::string text_or_error(const std::string& path, std::size_t limit = kMaxTextFile) {
    const auto text = read_text_file(path, limit);
    return text ? *text : text.error().text();
  }

  fs::path folder;
};

TEST_F(InputFileTest, ReadsWholeFiles) {
  const std::string text(std::size_t{200000}, 'x');
  std::ofstream(in("a")) << text;
  EXPECT_EQ(text_or_error(in("a")), text);
  fs::create_symlink(in("a"), in("link"));
  EXPECT_EQ(text_or_error(in("link")), text);
  std::ofstream(in("empty")) << "";
  EXPECT_EQ(text_or_error(in("empty")), "");
}

TEST_F(InputFileTest, WhatIsNoFileIsRefusedAtOnce) {
  EXPECT_EQ(text_or_error(in("none")), in("none") + ": No such file or directory");
  EXPECT_EQ(read_text_file(in("none")).error().code, ErrorCode::not_found);
  EXPECT_EQ(text_or_error(folder.string()), folder.string() + ": is a directory");
  EXPECT_EQ(text_or_error("/dev/zero"), "/dev/zero: is a device, not a file");
  EXPECT_EQ(text_or_error("/dev/urandom"), "/dev/urandom: is a device, not a file");
  ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
  EXPECT_THAT(text_or_error(in("pipe")), EndsWith("is a pipe, not a file; give - and redirect it to standard input"));
}

TEST_F(InputFileTest, LargerThanTheLimitIsNotRead) {
  std::ofstream(in("a")) << "12345";
  EXPECT_EQ(text_or_error(in("a"), 5), "12345");
  EXPECT_EQ(text_or_error(in("a"), 4), in("a") + ": larger than 4 bytes");
  fs::resize_file(in("a"), std::uintmax_t{10} << 30);  // takes no room on the disk
  EXPECT_EQ(text_or_error(in("a")), in("a") + ": larger than 256 MiB");
}

TEST_F(InputFileTest, APipeThatTheShellHasOpenedIsRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(text_or_error("/dev/fd/" + std::to_string(ends[0])), "text");
  ::close(ends[0]);
}

}  // namespace
}  // namespace rooftile
