#include "rooftile/measure/row_file.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RowFileTest : public testing::Test {
 protected:
  RowFileTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-rows-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~RowFileTest() override { fs::remove_all(folder); }

  std::string path() const { return (folder / "t.csv").string(); }
  std::string text() const { return *read_text_file(path()); }

  fs::path folder;
};

const std::vector<std::string> kColumns = {"a", "b"};

TEST_F(RowFileTest, GrowsAndIsReadAgain) {
  {
    auto file = RowFile::open(path(), kColumns);
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_TRUE(file->rows().empty());
    ASSERT_TRUE(file->append({"1", "x, \"y\""}).has_value());
    EXPECT_EQ(text(), "a,b\n1,\"x, \"\"y\"\"\"\n");  // on the disk at once
  }
  const auto again = RowFile::open(path(), kColumns);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->rows(), (std::vector<std::vector<std::string>>{{"1", "x, \"y\""}}));
}

TEST_F(RowFileTest, ATornLineIsDropped) {
  std::ofstream(path()) << "a,b\n1,2\n3,\"to";
  {
    auto file = RowFile::open(path(), kColumns);
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_EQ(file->rows().size(), 1);
    ASSERT_TRUE(file->append({"3", "4"}).has_value());
  }
  EXPECT_EQ(text(), "a,b\n1,2\n3,4\n");
}

TEST_F(RowFileTest, ATornHeaderIsWrittenAgain) {
  std::ofstream(path()) << "a";
  ASSERT_TRUE(RowFile::open(path(), kColumns).has_value());
  EXPECT_EQ(text(), "a,b\n");
}

TEST_F(RowFileTest, OtherTablesAreLeftAlone) {
  std::ofstream(path()) << "x,y\n1,2\n";
  EXPECT_THAT(RowFile::open(path(), kColumns).error().text(), HasSubstr("has other columns"));
  EXPECT_EQ(text(), "x,y\n1,2\n");
  EXPECT_FALSE(RowFile::open("/nowhere/at/all.csv", kColumns).has_value());
}

TEST_F(RowFileTest, TwoRunsDoNotMix) {
  const auto first = RowFile::open(path(), kColumns);
  ASSERT_TRUE(first.has_value());
  EXPECT_THAT(RowFile::open(path(), kColumns).error().text(), HasSubstr("another run is writing here"));
}

// The limit on a file's size stands in for a full disk.
TEST_F(RowFileTest, AFullDiskKeepsTheRowsBefore) {
  auto file = RowFile::open(path(), kColumns);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->append({"1", "2"}).has_value());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{11, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto appended = file->append({"333333", "444444"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(appended.has_value());
  EXPECT_THAT(appended.error().text(), HasSubstr("t.csv: "));
  EXPECT_EQ(text(), "a,b\n1,2\n");
}

}  // namespace
}  // namespace rooftile::measure
