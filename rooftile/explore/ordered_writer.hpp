// Rows that many threads encode, written in the order of their blocks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/design_block.hpp"

namespace rooftile {

// Where all designs go, block after block in the order of their index.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual bool wants_layers() const = 0;
  // A block as it is to be written, added to `bytes`; any thread, several at once.
  virtual void encode(const DesignBlock& block, const OutcomeBlock& outcome, std::string& bytes) const = 0;
  // One thread at a time. Errors stop the exploration.
  virtual Result<void> write(std::string_view bytes) = 0;
};

// One thread writes at a time, all blocks whose turn has come; the others hand theirs over and go on. Only who is far
// ahead of the writing waits, so that memory is bounded. After an error nobody writes.
class OrderedWriter {
 public:
  // `progress` is told the designs of the blocks done, one thread at a time.
  OrderedWriter(const std::vector<RowSink*>& sinks, const std::function<void(std::uint64_t)>& progress,
                unsigned threads)
      : sinks_(sinks), progress_(progress), ahead_(2 * static_cast<std::uint64_t>(threads)) {}

  // Empty texts to encode a block into, one a sink; they have the room of those written before.
  std::vector<std::string> texts();
  // Blocks are numbered from 0 without gaps.
  void write(std::uint64_t block, std::vector<std::string> texts, std::uint64_t designs);

  // Nothing more is written, and nobody waits: a thread ends without the block that was its.
  void give_up();

  bool failed() const { return failed_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Block {
    std::vector<std::string> texts;
    std::uint64_t designs = 0;
  };
  void write_out(const Block& block);

  const std::vector<RowSink*>& sinks_;
  const std::function<void(std::uint64_t)>& progress_;
  std::uint64_t ahead_;  // blocks that may wait
  std::mutex mutex_;
  std::condition_variable caught_up_;
  std::map<std::uint64_t, Block> waiting_;       // by number
  std::vector<std::vector<std::string>> spare_;  // texts of blocks written
  std::uint64_t next_ = 0, done_ = 0;            // block to be written; designs of those written
  bool writing_ = false;
  std::optional<Error> error_;
  std::atomic<bool> failed_ = false;
};

}  // namespace rooftile
