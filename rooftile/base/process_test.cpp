#include "rooftile/base/process.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

class ProcessTest : public testing::Test {
 protected:
  ProcessTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-process-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~ProcessTest() override { fs::remove_all(folder); }
  std::string output() const { return (folder / "out").string(); }

  fs::path folder;
};

TEST_F(ProcessTest, OutputAndStatus) {
  EXPECT_EQ(run_process({"sh", "-c", "echo \"$1\"; echo wrong >&2; exit 3", "sh", "a b"}, output()).value(), 3);
  EXPECT_EQ(*read_text_file(output()), "a b\nwrong\n");
}

TEST_F(ProcessTest, ASignalShows) {
  constexpr int kTerminated = 128 + 15;
  EXPECT_EQ(run_process({"sh", "-c", "kill -TERM $$"}, output()).value(), kTerminated);
}

TEST_F(ProcessTest, NoSuchProgram) {
  const auto status = run_process({"no-such-program-of-rooftile"}, output());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().text(), "no-such-program-of-rooftile: No such file or directory");
  EXPECT_FALSE(run_process({"true"}, "/nowhere/at/all").has_value());
}

}  // namespace
}  // namespace rooftile
