#include "tests/measure/on_cpu/machine.hpp"

#include <algorithm>

namespace on_cpu {
namespace {

// Spreads lines over sets, and over the two parts of the L2, as no stride of a benchmark does.
std::uint64_t hash(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 29);
}

}  // namespace

Cache::Cache(std::size_t bytes) : lines_(bytes / Model::line_bytes) {}

bool Cache::touch(std::uint64_t address) {
  const std::uint64_t number = address / Model::line_bytes;
  const unsigned sector = 1U << address % Model::line_bytes / Model::sector_bytes;
  // A run of lines fills the sets evenly, so that a set as large as the cache fits.
  const std::size_t set = number % (lines_.size() / ways) * ways;
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(set);
  const auto end = begin + ways;
  auto line = std::find_if(begin, end, [&](const Line& one) { return one.number == number; });
  if (line == end) {
    line = std::min_element(begin, end, [](const Line& a, const Line& b) { return a.used < b.used; });
    *line = {number, 0, 0};
  }
  const bool hit = (line->sectors & sector) != 0;
  line->sectors |= sector;
  line->used = ++time_;
  return hit;
}

void Cache::clear() { std::fill(lines_.begin(), lines_.end(), Line()); }

Machine::Machine() : l1_(Model::sms, Cache(Model::l1_bytes)), l1_bytes_(Model::sms), l2_(Model::l2_bytes) {}

void Machine::begin_kernel() {
  for (Cache& cache : l1_) {
    cache.clear();
  }
  std::fill(l1_bytes_.begin(), l1_bytes_.end(), 0);
  l2_bytes_ = 0;
  dram_bytes_ = 0;
}

double Machine::load(int sm, std::uint64_t address, std::size_t bytes, bool l1) {
  const auto which = static_cast<std::size_t>(sm);
  l1_bytes_[which] += static_cast<double>(bytes);
  if (l1 && l1_[which].touch(address)) {
    return Model::l1_cycles;
  }
  l2_bytes_ += static_cast<double>(bytes);
  if (l2_.touch(address)) {
    return hash(address / Model::line_bytes) % 2 == 0 ? Model::near_l2_cycles : Model::far_l2_cycles;
  }
  dram_bytes_ += Model::sector_bytes;
  return Model::dram_cycles;
}

void Machine::store(std::uint64_t address, std::size_t bytes) {
  l2_bytes_ += static_cast<double>(bytes);
  if (!l2_.touch(address)) {
    dram_bytes_ += Model::sector_bytes;
  }
}

double Machine::busiest_cycles() const {
  return std::max({*std::max_element(l1_bytes_.begin(), l1_bytes_.end()) / Model::l1_rate, l2_bytes_ / Model::l2_rate,
                   dram_bytes_ / Model::dram_rate});
}

}  // namespace on_cpu
