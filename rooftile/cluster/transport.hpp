// How ranks of one exploration talk: short messages between rank 0 and each other rank, and nothing besides.
//
// Only what survives the loss of a rank is asked of it: no message between others, no barrier, no common operation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rooftile::cluster {

enum class MessageKind : int {
  hello,   // to rank 0: what the rank is about to compute
  alive,   // both ways, when there is nothing else to say
  work,    // from rank 0: a chunk
  done,    // to rank 0: what came of it
  failed,  // to rank 0: an error that ends the exploration
  finish,  // from rank 0: there is no more work
};

struct Message {
  std::size_t rank = 0;  // who sent it
  MessageKind kind = MessageKind::alive;
  std::string bytes = {};
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;  // ranks
  // Never waits. A message to a rank that is gone is lost.
  virtual void send(std::size_t to, MessageKind kind, std::string bytes) = 0;
  // The next message, if one is there. Never waits.
  virtual std::optional<Message> receive() = 0;
};

}  // namespace rooftile::cluster
