#include "rooftile/ingest/onnx_file.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

class OnnxFile : public testing::Test {
 protected:
  OnnxFile() : folder_(testing::TempDir() + "rooftile_onnx_file_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~OnnxFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string error_of(const std::string& file) {
    const auto workload = read_onnx(file);
    return workload ? "no error" : workload.error().text();
  }

 private:
  std::string folder_;
};

std::string small_model() { return TestModel().input("x", {2, 3}).node("Relu", {"x"}, {"y"}).output("y").bytes(); }

TEST_F(OnnxFile, GivesTheWorkloadItsName) {
  const auto workload = read_onnx(write("tiny.net.onnx", small_model()));
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->name, "tiny.net");
  EXPECT_EQ(workload->batch_size, 2);
}

TEST_F(OnnxFile, LargerThanAnyModel) {
  const std::string sparse = write("large.onnx", small_model());
  constexpr std::uintmax_t kMost = std::uintmax_t{64} << 30;
  std::filesystem::resize_file(sparse, kMost + 1);
  EXPECT_EQ(error_of(sparse), sparse + ": larger than 64 GiB");
  EXPECT_EQ(read_onnx(sparse).error().code, ErrorCode::io);
  std::filesystem::resize_file(sparse, kMost);
  EXPECT_THAT(error_of(sparse), HasSubstr("large.onnx: byte "));
}

TEST_F(OnnxFile, MissingEmptyFolderOrNoneOfOurs) {
  EXPECT_EQ(error_of(path("none.onnx")), path("none.onnx") + ": No such file or directory");
  EXPECT_EQ(read_onnx(path("none.onnx")).error().code, ErrorCode::not_found);
  EXPECT_EQ(error_of(write("empty.onnx", "")), path("empty.onnx") + ": the file is empty");
  EXPECT_EQ(error_of(path("")), path("") + ": is a directory");
  EXPECT_THAT(error_of(write("text.onnx", "not a model")), HasSubstr("text.onnx: byte "));
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: is a device, not a file");
  EXPECT_EQ(error_of("/dev/null"), "/dev/null: is a device, not a file");
}

TEST_F(OnnxFile, UnreadableUnlessRoot) {
  const std::string file = write("secret.onnx", small_model());
  std::filesystem::permissions(file, std::filesystem::perms::none);
  EXPECT_EQ(error_of(file), geteuid() == 0 ? "no error" : file + ": Permission denied");
}

TEST_F(OnnxFile, ReadsAPipeThatIsOpen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::thread writer([&] {
    const std::string model = small_model();
    EXPECT_EQ(::write(ends[1], model.data(), model.size()), static_cast<ssize_t>(model.size()));
    ::close(ends[1]);
  });
  const auto workload = read_onnx("/dev/fd/" + std::to_string(ends[0]));
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops.size(), 1u);
}

// A weight of 32 GiB that takes no room on disk: reading it would not end in time, or in memory.
TEST_F(OnnxFile, NeverReadsTheWeights) {
  const std::uint64_t payload = std::uint64_t{1} << 35;
  const auto varint = [](std::uint64_t value) {
    std::string text;
    for (; value >= 128; value >>= 7) text.push_back(static_cast<char>(value | 0x80));
    return text + static_cast<char>(value);
  };
  const std::string tensor_head = "\x42\x01w\x10\x01" + ("\x08" + varint(1 << 20)) + ("\x08" + varint(1 << 13));
  const std::string raw_head = "\x4a" + varint(payload);
  const std::uint64_t tensor_size = tensor_head.size() + raw_head.size() + payload;
  const std::string initializer_head = "\x2a" + varint(tensor_size);
  const std::string graph_head = "\x3a" + varint(initializer_head.size() + tensor_size);
  const std::string head = graph_head + initializer_head + tensor_head + raw_head;

  // The rest of the model follows the weight; fields of one number in several places are merged.
  const std::string rest = TestModel().input("x", {2, 1 << 20}).node("MatMul", {"x", "w"}, {"y"}).output("y").bytes();
  const std::string file = write("huge.onnx", head);
  FILE* end = std::fopen(file.c_str(), "r+b");
  ASSERT_NE(end, nullptr);
  const bool fits = fseeko(end, static_cast<off_t>(head.size() + payload), SEEK_SET) == 0 &&
                    std::fwrite(rest.data(), 1, rest.size(), end) == rest.size() && std::fflush(end) == 0;
  std::fclose(end);
  if (!fits) GTEST_SKIP() << "the file system takes no sparse file of 32 GiB";

  const auto workload = read_onnx(file);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops[0].kind, OpKind(Gemm{.m = 2, .n = 1 << 13, .k = 1 << 20}));
}

}  // namespace
}  // namespace rooftile
