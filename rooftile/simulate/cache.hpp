// A sectored, set-associative cache: which sectors of a line are there, and which are dirty. Kept in a header because
// the simulator spends its time here.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooftile {

enum class Replacement { lru, random };

struct CacheShape {
  std::uint64_t lines = 1;
  unsigned ways = 16;  // lines a set; 0: one set of all lines
  Replacement policy = Replacement::lru;
};

// Lines are numbers; a mask has bit i set for sector i of the line. A line has at most eight sectors. Sets are chosen
// by a hash, so that the pitch of a tensor does not decide which lines collide.
class SectoredCache {
 public:
  explicit SectoredCache(const CacheShape& shape)
      : ways_(shape.ways == 0 ? shape.lines : std::min<std::uint64_t>(shape.ways, shape.lines)),
        sets_(std::max<std::uint64_t>(1, shape.lines / std::max<std::uint64_t>(1, ways_))),
        policy_(shape.policy),
        entries_(ways_ * sets_) {}

  // The sectors of `mask` that were not there. They are there afterwards.
  unsigned load(std::uint64_t line, unsigned mask) {
    if (entries_.empty()) return mask;
    Entry& entry = find(line);
    const unsigned missing = mask & ~static_cast<unsigned>(entry.valid);
    entry.valid = static_cast<std::uint8_t>(entry.valid | mask);
    return missing;
  }

  // Writes the sectors of `mask` without reading them first. Returns those that were not dirty yet: each of them is
  // written back once, when its line is evicted or at the end.
  unsigned store(std::uint64_t line, unsigned mask) {
    if (entries_.empty()) return mask;
    Entry& entry = find(line);
    const unsigned clean = mask & ~static_cast<unsigned>(entry.dirty);
    entry.valid = static_cast<std::uint8_t>(entry.valid | mask);
    entry.dirty = static_cast<std::uint8_t>(entry.dirty | mask);
    return clean;
  }

  // Writes everything back; the sectors stay.
  void write_back() {
    for (Entry& entry : entries_) entry.dirty = 0;
  }

  // Empty again; what was dirty counts as written back.
  void clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

 private:
  struct Entry {
    std::uint64_t tag = 0;  // line + 1; 0: empty
    std::uint8_t valid = 0;
    std::uint8_t dirty = 0;
  };

  // The line's entry, made the most recent of its set; if it was absent, the victim's place with no sector valid.
  Entry& find(std::uint64_t line) {
    Entry* const set = &entries_[set_of(line) * ways_];
    const std::uint64_t tag = line + 1;
    std::uint64_t way = 0;
    while (way < ways_ && set[way].tag != tag) ++way;
    return policy_ == Replacement::lru ? most_recent(set, way, tag) : at_random(set, way, tag);
  }

  // The set is kept in order of use, the most recent first.
  Entry& most_recent(Entry* set, std::uint64_t way, std::uint64_t tag) const {
    if (way == 0) return set[0];
    const Entry found = way < ways_ ? set[way] : Entry{.tag = tag};
    std::move_backward(set, set + std::min(way, ways_ - 1), set + std::min(way, ways_ - 1) + 1);
    set[0] = found;
    return set[0];
  }

  Entry& at_random(Entry* set, std::uint64_t way, std::uint64_t tag) {
    if (way < ways_) return set[way];
    Entry* const last = set + ways_;
    Entry* victim = std::find_if(set, last, [](const Entry& entry) { return entry.tag == 0; });
    if (victim == last) victim = set + next_random() % ways_;
    *victim = Entry{.tag = tag};
    return *victim;
  }

  // A multiplication alone would send lines that lie a Fibonacci number apart to neighbouring sets.
  std::uint64_t set_of(std::uint64_t line) const {
    constexpr std::uint64_t kMix = 0xFF51AFD7ED558CCDULL;  // of MurmurHash3's finaliser
    constexpr unsigned kFold = 33, kHalf = 32;
    std::uint64_t hash = (line + 1) * kMix;
    hash = (hash ^ (hash >> kFold)) * kMix;
    return ((hash >> kHalf) * sets_) >> kHalf;
  }

  // Marsaglia's xorshift32; equal runs give equal counts.
  std::uint32_t next_random() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 17U;
    state_ ^= state_ << 5U;
    return state_;
  }

  std::uint64_t ways_;
  std::uint64_t sets_;
  Replacement policy_;
  std::vector<Entry> entries_;
  std::uint32_t state_ = 2463534242U;
};

}  // namespace rooftile
