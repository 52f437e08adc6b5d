// Points that no other beats, found fast among many: a k-d tree with a few points a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooftile {

// One point beats another if none of its keys is more, and one is less; of points with equal keys the lowest index
// beats the others. What stays does not depend on the order of the points. Keys are not NaN.
class ParetoSet {
 public:
  explicit ParetoSet(std::size_t keys) : keys_(keys), nodes_(1) {}

  // Whether a point of the set beats this one.
  bool beats(const double* keys, std::uint64_t index) const;
  // Takes out those that a point beats, which none beats, and puts it in. Returns its place: a number below
  // `places()`, no other point's at the time.
  std::size_t insert(const double* keys, std::uint64_t index);

  std::size_t size() const { return size_; }
  std::size_t places() const { return size_ + free_.size(); }
  // The places of all points, in no order.
  std::vector<std::size_t> taken() const;

 private:
  struct Member {
    std::uint64_t index = 0;
    std::size_t place = 0;
  };
  // A leaf has points, an inner node two others: those with less of one key than `split`, and the rest.
  struct Node {
    std::size_t key = 0;
    double split = 0;
    std::size_t less = 0, more = 0;  // nodes; 0: this is a leaf
    std::vector<double> low, high;   // holds its points; empty if it never had any
    std::vector<double> keys;        // of a leaf's points, one after another
    std::vector<Member> members;
  };

  bool beats(const Node& node, const double* keys, std::uint64_t index) const;
  void take_out(Node& node, const double* keys);
  void add(const double* keys, Member member);
  void widen(Node& node, const double* keys) const;
  void split(std::size_t node);
  void build_again();

  std::size_t keys_;
  std::vector<Node> nodes_;  // the root first
  std::vector<std::size_t> free_;
  std::size_t size_ = 0;
  std::size_t depth_ = 0;  // of the tree when it was built
  std::size_t steps_ = 0;  // beyond that depth, of all points put in since
};

}  // namespace rooftile
