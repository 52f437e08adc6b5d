// Ranks as threads of one process, for the tests of this folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/cluster/own_worker.hpp"

namespace rooftile::cluster {

// Mailboxes from rank 0 and to it.
class ThreadRank : public Transport {
 public:
  ThreadRank(std::vector<Mailbox>& boxes, std::size_t rank) : boxes_(boxes), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return boxes_.size(); }
  void send(std::size_t to, MessageKind kind, std::string bytes) override {
    boxes_[to].put({rank_, kind, std::move(bytes)});
  }
  std::optional<Message> receive() override { return boxes_[rank_].take(); }

 private:
  std::vector<Mailbox>& boxes_;
  std::size_t rank_;
};

}  // namespace rooftile::cluster
