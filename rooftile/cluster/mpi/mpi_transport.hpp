// Messages between the ranks of an MPI program. The only folder that sees MPI's header.
//
// Uses sends and probes that do not wait, and MPI_ERRORS_RETURN, so that the death of another rank stops none of them
// where the MPI lets the program live (docs/cluster.md).
#pragma once

#include <list>
#include <memory>
#include <mpi.h>
#include <string>

#include "rooftile/cluster/transport.hpp"

namespace rooftile::cluster {

// One a program, on the thread that made it alone.
class MpiTransport : public Transport {
 public:
  // Starts MPI and takes its own options from the command line.
  MpiTransport(int& argc, char**& argv);
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  void send(std::size_t to, MessageKind kind, std::string bytes) override;
  std::optional<Message> receive() override;

  // CPU threads for this rank: the cores that it may run on, shared fairly with the ranks that may run on the same.
  unsigned threads() const { return threads_; }

  // Ends the program. Where a rank was lost, or one does not come to the end within seconds, without MPI_Finalize,
  // which waits for all ranks.
  [[noreturn]] void end(int status, bool rank_lost);

 private:
  struct Sending {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Receiving {
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void forget_sent();
  void begin_receiving();

  std::size_t rank_ = 0, size_ = 1;
  unsigned threads_ = 1;
  std::list<Sending> sending_;
  std::list<Receiving> receiving_;  // a sender may die in the middle of a long one, which then stays
};

}  // namespace rooftile::cluster
