// The facts of a GPU or architecture file while they are read, completed and turned into a Gpu.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// A fact and its number in base units (0 for words and dates).
struct NumberedFact {
  Fact fact;
  double number = 0;
};

// Facts in the order of the file; a key occurs once. A few dozen entries: a linear search is the fastest.
class FactTable {
 public:
  const NumberedFact* find(std::string_view key) const {
    for (const NumberedFact& entry : entries_) {
      if (entry.fact.key == key) return &entry;
    }
    return nullptr;
  }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  void add(NumberedFact entry) { entries_.push_back(std::move(entry)); }
  const std::vector<NumberedFact>& entries() const { return entries_; }

 private:
  std::vector<NumberedFact> entries_;
};

}  // namespace rooftile
