// Rank 0 as one of its own workers: messages to and from a thread of this process beside those of other ranks.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "rooftile/cluster/transport.hpp"

namespace rooftile::cluster {

// Messages on their way between two threads.
class Mailbox {
 public:
  void put(Message message);
  std::optional<Message> take();

 private:
  std::mutex mutex_;
  std::deque<Message> messages_;
};

// Rank 0's transport, where rank 0 is a worker too. `others` must outlive it.
class WithOwnWorker : public Transport {
 public:
  explicit WithOwnWorker(Transport& others) : others_(others), own_(*this) {}
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return others_.size(); }
  void send(std::size_t to, MessageKind kind, std::string bytes) override;
  std::optional<Message> receive() override;

  // What the worker on this rank uses, on any thread.
  Transport& own_worker() { return own_; }

 private:
  class Own : public Transport {
   public:
    explicit Own(WithOwnWorker& both) : both_(both) {}
    std::size_t rank() const override { return 0; }
    std::size_t size() const override { return both_.size(); }
    void send(std::size_t to, MessageKind kind, std::string bytes) override;
    std::optional<Message> receive() override;

   private:
    WithOwnWorker& both_;
  };

  Transport& others_;
  Mailbox to_worker_, from_worker_;
  Own own_;
};

}  // namespace rooftile::cluster
