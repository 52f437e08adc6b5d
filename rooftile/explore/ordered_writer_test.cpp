#include "rooftile/explore/ordered_writer.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// Keeps what it is given, up to a number of writes.
class Kept : public RowSink {
 public:
  explicit Kept(std::size_t most) : most_(most) {}
  bool wants_layers() const override { return false; }
  void encode(const DesignBlock&, const OutcomeBlock&, std::string&) const override {}
  Result<void> write(std::string_view bytes) override {
    if (writes_++ == most_) return fail(ErrorCode::io, "full", "kept");
    text_ += bytes;
    return {};
  }
  const std::string& text() const { return text_; }
  std::size_t writes() const { return writes_; }

 private:
  std::size_t most_, writes_ = 0;
  std::string text_;
};

constexpr unsigned kThreads = 4;
constexpr std::uint64_t kBlocks = 200;

// Each block's text is its number; threads take blocks as they come and are unequally fast.
void write_all(OrderedWriter& writer) {
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&](unsigned thread) {
    for (std::uint64_t block = next++; block < kBlocks; block = next++) {
      std::vector<std::string> texts = writer.texts();
      for (std::string& text : texts) text += std::to_string(block) + ",";
      if ((block + thread) % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      writer.write(block, std::move(texts), 10);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(OrderedWriter, WritesBlocksInTheirOrderToAllSinks) {
  std::string expected;
  for (std::uint64_t block = 0; block < kBlocks; ++block) expected += std::to_string(block) + ",";
  Kept first(kBlocks), second(kBlocks);
  const std::vector<RowSink*> sinks = {&first, &second};
  std::vector<std::uint64_t> told;
  const std::function<void(std::uint64_t)> progress = [&](std::uint64_t done) { told.push_back(done); };
  OrderedWriter writer(sinks, progress, kThreads);
  write_all(writer);
  EXPECT_FALSE(writer.failed());
  EXPECT_EQ(first.text(), expected);
  EXPECT_EQ(second.text(), expected);
  ASSERT_EQ(told.size(), kBlocks);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], 10 * (i + 1));
}

TEST(OrderedWriter, NobodyWritesAfterAnError) {
  Kept sink(3);
  const std::vector<RowSink*> sinks = {&sink};
  const std::function<void(std::uint64_t)> progress;
  OrderedWriter writer(sinks, progress, kThreads);
  write_all(writer);
  ASSERT_TRUE(writer.failed());
  EXPECT_EQ(writer.error()->message, "full");
  EXPECT_EQ(sink.text(), "0,1,2,");
  EXPECT_EQ(sink.writes(), 4U);
}

}  // namespace
}  // namespace rooftile
