// Blocks of a space, as ranges: those that are done, those still to do. What is done in order takes no room.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rooftile/explore/bytes.hpp"

namespace rooftile {

// Blocks [first, end); block b is designs from b * kBlockDesigns.
struct BlockRange {
  std::uint64_t first = 0, end = 0;
  std::uint64_t count() const { return end - first; }
  bool operator==(const BlockRange&) const = default;
};

class BlockSet {
 public:
  BlockSet() = default;
  explicit BlockSet(BlockRange range) { add(range); }

  // Those that are in it already stay.
  void add(BlockRange range);
  void add(const BlockSet& other);
  // The `most` first ones that follow one another, removed; an empty range if there is none.
  BlockRange take(std::uint64_t most);

  std::uint64_t count() const;
  bool empty() const { return ranges_.empty(); }
  // Those of [0, end) that are not in it.
  BlockSet others(std::uint64_t end) const;
  // In order; none is empty, none touches the next.
  const std::vector<BlockRange>& ranges() const { return ranges_; }
  bool operator==(const BlockSet&) const = default;

  void write(ByteWriter& bytes) const;
  // None where they are not the ranges of a set within [0, end).
  static std::optional<BlockSet> read(ByteReader& bytes, std::uint64_t end);

 private:
  std::vector<BlockRange> ranges_;
};

// The blocks of a set by their place in it.
class BlockList {
 public:
  explicit BlockList(const BlockSet& set);
  std::uint64_t count() const { return count_; }
  std::uint64_t at(std::uint64_t place) const;

 private:
  std::vector<BlockRange> ranges_;
  std::vector<std::uint64_t> places_;  // of the first block of each range
  std::uint64_t count_ = 0;
};

}  // namespace rooftile
