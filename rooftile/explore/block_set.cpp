#include "rooftile/explore/block_set.hpp"

#include <algorithm>
#include <iterator>

namespace rooftile {
namespace {

// Appends a range that begins no earlier than the last one.
void append(std::vector<BlockRange>& ranges, BlockRange range) {
  if (range.count() == 0) return;
  if (!ranges.empty() && range.first <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, range.end);
  } else {
    ranges.push_back(range);
  }
}

bool begins_before(const BlockRange& a, const BlockRange& b) { return a.first < b.first; }

}  // namespace

void BlockSet::add(BlockRange range) {
  if (ranges_.empty() || range.first >= ranges_.back().first) {
    append(ranges_, range);
  } else {
    add(BlockSet(range));
  }
}

void BlockSet::add(const BlockSet& other) {
  std::vector<BlockRange> all, joined;
  all.reserve(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(), std::back_inserter(all),
             begins_before);
  for (const BlockRange& range : all) append(joined, range);
  ranges_ = std::move(joined);
}

BlockRange BlockSet::take(std::uint64_t most) {
  if (ranges_.empty()) return {};
  BlockRange& range = ranges_.front();
  const BlockRange taken = {range.first, range.first + std::min(most, range.count())};
  range.first = taken.end;
  if (range.count() == 0) ranges_.erase(ranges_.begin());
  return taken;
}

std::uint64_t BlockSet::count() const {
  std::uint64_t sum = 0;
  for (const BlockRange& range : ranges_) sum += range.count();
  return sum;
}

BlockSet BlockSet::others(std::uint64_t end) const {
  BlockSet result;
  std::uint64_t next = 0;
  for (const BlockRange& range : ranges_) {
    result.add(BlockRange{next, std::min(range.first, end)});
    next = std::min(range.end, end);
  }
  result.add(BlockRange{next, end});
  return result;
}

void BlockSet::write(ByteWriter& bytes) const {
  bytes.u64(ranges_.size());
  for (const BlockRange& range : ranges_) {
    bytes.u64(range.first);
    bytes.u64(range.end);
  }
}

std::optional<BlockSet> BlockSet::read(ByteReader& bytes, std::uint64_t end) {
  constexpr std::size_t kRangeBytes = 16;
  BlockSet set;
  const std::size_t count = bytes.count(kRangeBytes);
  for (std::size_t i = 0; i < count; ++i) {
    BlockRange range;
    range.first = bytes.u64();
    range.end = bytes.u64();
    const bool apart = set.empty() || range.first > set.ranges_.back().end;
    if (!apart || range.first >= range.end || range.end > end) return std::nullopt;
    set.ranges_.push_back(range);
  }
  if (!bytes.ok()) return std::nullopt;
  return set;
}

BlockList::BlockList(const BlockSet& set) : ranges_(set.ranges()) {
  for (const BlockRange& range : ranges_) {
    places_.push_back(count_);
    count_ += range.count();
  }
}

std::uint64_t BlockList::at(std::uint64_t place) const {
  const auto range =
      static_cast<std::size_t>(std::upper_bound(places_.begin(), places_.end(), place) - places_.begin() - 1);
  return ranges_[range].first + (place - places_[range]);
}

}  // namespace rooftile
