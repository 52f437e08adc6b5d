#include "rooftile/explore/pareto.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rooftile {
namespace {

constexpr std::size_t kLeaf = 16;  // points at most

bool no_more(const double* a, const double* b, std::size_t keys) {
  for (std::size_t k = 0; k < keys; ++k) {
    if (a[k] > b[k]) return false;
  }
  return true;
}

}  // namespace

bool ParetoSet::beats(const double* keys, std::uint64_t index) const { return beats(nodes_.front(), keys, index); }

bool ParetoSet::beats(const Node& node, const double* keys, std::uint64_t index) const {
  if (node.low.empty() || !no_more(node.low.data(), keys, keys_)) return false;
  if (node.less != 0) return beats(nodes_[node.less], keys, index) || beats(nodes_[node.more], keys, index);
  for (std::size_t m = 0; m < node.members.size(); ++m) {
    const double* other = &node.keys[m * keys_];
    if (!no_more(other, keys, keys_)) continue;
    if (node.members[m].index < index || !std::equal(other, other + keys_, keys)) return true;
  }
  return false;
}

std::size_t ParetoSet::insert(const double* keys, std::uint64_t index) {
  take_out(nodes_.front(), keys);
  std::size_t place = size_;
  if (!free_.empty()) {
    place = free_.back();
    free_.pop_back();
  }
  ++size_;
  add(keys, {index, place});
  if (nodes_.size() > kLeaf + size_) build_again();
  return place;
}

// Without the nodes whose points went, and halves of halves throughout.
void ParetoSet::build_again() {
  const std::vector<Node> before = std::exchange(nodes_, std::vector<Node>(1));
  Node& root = nodes_.front();
  for (const Node& node : before) {
    for (std::size_t m = 0; m < node.members.size(); ++m) widen(root, &node.keys[m * keys_]);
    root.members.insert(root.members.end(), node.members.begin(), node.members.end());
    root.keys.insert(root.keys.end(), node.keys.begin(), node.keys.end());
  }
  std::vector<std::size_t> depths = {0};
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].members.size() <= kLeaf) continue;
    split(node);  // puts the halves behind the others
    depths.resize(nodes_.size(), depths[node] + 1);
  }
  depth_ = depths.back();
  steps_ = 0;
}

// Those in the tree from `node` that have no less of any key.
void ParetoSet::take_out(Node& node, const double* keys) {
  if (node.high.empty() || !no_more(keys, node.high.data(), keys_)) return;
  if (node.less != 0) {
    take_out(nodes_[node.less], keys);
    take_out(nodes_[node.more], keys);
    return;
  }
  for (std::size_t m = node.members.size(); m-- > 0;) {
    if (!no_more(keys, &node.keys[m * keys_], keys_)) continue;
    free_.push_back(node.members[m].place);
    --size_;
    node.members[m] = node.members.back();
    std::copy(node.keys.end() - static_cast<std::ptrdiff_t>(keys_), node.keys.end(), &node.keys[m * keys_]);
    node.members.pop_back();
    node.keys.resize(node.keys.size() - keys_);
  }
}

void ParetoSet::widen(Node& node, const double* keys) const {
  if (node.low.empty()) {
    node.low.assign(keys, keys + keys_);
    node.high = node.low;
  }
  for (std::size_t k = 0; k < keys_; ++k) {
    node.low[k] = std::min(node.low[k], keys[k]);
    node.high[k] = std::max(node.high[k], keys[k]);
  }
}

void ParetoSet::add(const double* keys, Member member) {
  std::size_t node = 0, depth = 0;
  widen(nodes_[node], keys);
  while (nodes_[node].less != 0) {
    node = keys[nodes_[node].key] < nodes_[node].split ? nodes_[node].less : nodes_[node].more;
    widen(nodes_[node], keys);
    ++depth;
  }
  nodes_[node].members.push_back(member);
  nodes_[node].keys.insert(nodes_[node].keys.end(), keys, keys + keys_);
  if (nodes_[node].members.size() > kLeaf) split(node);
  // Points that come in order make a list of the tree: once its length has cost more than a new tree does, a new one.
  constexpr std::size_t kStepsOfBuilding = 32;  // for each point
  steps_ += depth > depth_ ? depth - depth_ : 0;
  if (steps_ > kStepsOfBuilding * (kLeaf + size_)) build_again();
}

// Halves a leaf along the key in which its points lie widest apart, as a share of the width of all.
void ParetoSet::split(std::size_t node) {
  Node leaf = std::exchange(nodes_[node], {});
  const Node& root = node == 0 ? leaf : nodes_.front();
  double widest = 0;
  std::size_t key = 0;
  std::vector<double> values(leaf.members.size());
  const auto values_of = [&](std::size_t k) {
    for (std::size_t m = 0; m < values.size(); ++m) values[m] = leaf.keys[m * keys_ + k];
  };
  for (std::size_t k = 0; k < keys_; ++k) {
    values_of(k);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double width = (*most - *least) / (root.high[k] - root.low[k]);
    if (width > widest) {
      widest = width;
      key = k;
    }
  }
  if (widest == 0) {
    nodes_[node] = std::move(leaf);
    return;
  }
  values_of(key);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  // Where half of the values are the least one, the next one: each half gets points.
  const double least = *std::min_element(values.begin(), values.end());
  double at = *middle;
  if (at == least) {
    at = std::numeric_limits<double>::infinity();
    for (const double value : values) at = value > least ? std::min(at, value) : at;
  }
  Node inner;
  inner.key = key;
  inner.split = at;
  inner.low = leaf.low;
  inner.high = leaf.high;
  inner.less = nodes_.size();
  inner.more = nodes_.size() + 1;
  const std::size_t less = inner.less, more = inner.more;
  nodes_[node] = std::move(inner);
  nodes_.resize(nodes_.size() + 2);
  for (std::size_t m = 0; m < leaf.members.size(); ++m) {
    const double* keys = &leaf.keys[m * keys_];
    Node& half = nodes_[keys[key] < at ? less : more];
    widen(half, keys);
    half.members.push_back(leaf.members[m]);
    half.keys.insert(half.keys.end(), keys, keys + keys_);
  }
}

std::vector<std::size_t> ParetoSet::taken() const {
  std::vector<std::size_t> places;
  for (const Node& node : nodes_) {
    for (const Member& member : node.members) places.push_back(member.place);
  }
  return places;
}

}  // namespace rooftile
