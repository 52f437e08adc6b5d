#include "rooftile/cluster/own_worker.hpp"

#include <utility>

namespace rooftile::cluster {

void Mailbox::put(Message message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  messages_.push_back(std::move(message));
}

std::optional<Message> Mailbox::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (messages_.empty()) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void WithOwnWorker::send(std::size_t to, MessageKind kind, std::string bytes) {
  if (to == 0) {
    to_worker_.put({0, kind, std::move(bytes)});
  } else {
    others_.send(to, kind, std::move(bytes));
  }
}

std::optional<Message> WithOwnWorker::receive() {
  if (auto message = from_worker_.take()) return message;
  return others_.receive();
}

void WithOwnWorker::Own::send(std::size_t /*to*/, MessageKind kind, std::string bytes) {
  both_.from_worker_.put({0, kind, std::move(bytes)});
}

std::optional<Message> WithOwnWorker::Own::receive() { return both_.to_worker_.take(); }

}  // namespace rooftile::cluster
