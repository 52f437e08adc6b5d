// A sequence in which some elements come more than once: each of them as it is, and which one each place has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace rooftile {

// Refers to the elements and the order.
template <class T>
class InOrder {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): each once
  InOrder(std::span<const T> elements) : elements_(elements) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  InOrder(const std::vector<T>& elements) : elements_(elements) {}
  // Of each place which element it has; empty: each once.
  InOrder(std::span<const T> elements, std::span<const std::uint32_t> order) : elements_(elements), order_(order) {}

  bool empty() const { return elements_.empty(); }
  std::size_t size() const { return order_.empty() ? elements_.size() : order_.size(); }
  std::size_t which(std::size_t place) const { return order_.empty() ? place : order_[place]; }
  const T& operator[](std::size_t place) const { return elements_[which(place)]; }

  std::span<const T> elements() const { return elements_; }
  // The first places.
  InOrder first(std::size_t count) const {
    return order_.empty() || count == 0 ? InOrder(elements_.first(count)) : InOrder(elements_, order_.first(count));
  }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator(const InOrder& of, std::size_t place) : of_(&of), place_(place) {}
    reference operator*() const { return (*of_)[place_]; }
    pointer operator->() const { return &(*of_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.place_) - static_cast<difference_type>(b.place_);
    }

   private:
    const InOrder* of_;
    std::size_t place_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::span<const T> elements_;
  std::span<const std::uint32_t> order_;
};

}  // namespace rooftile
