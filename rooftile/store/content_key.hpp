// What a measurement is known by: a digest of its cells by the names of their columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile::store {

// The first half of a SHA-256: two different rows of a billion share one with a probability below 1e-20.
class ContentKey {
 public:
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }
  bool operator==(const ContentKey&) const = default;

 private:
  friend class ContentKeyer;
  std::array<char, 16> bytes_{};
};

// Keys of the rows of one table.
class ContentKeyer {
 public:
  explicit ContentKeyer(const std::vector<std::string>& columns);

  // Of the n-th row with this content in its file (from 1). Empty cells do not count, nor do blanks around a cell, nor
  // the columns `source` and `date`; `cells` are as many as there are columns.
  ContentKey key(std::span<const std::string> cells, std::uint32_t copy) const;

 private:
  struct Column {
    std::string name;
    std::size_t place = 0;
  };
  std::vector<Column> columns_;  // by name
};

}  // namespace rooftile::store
