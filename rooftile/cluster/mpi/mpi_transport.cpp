#include "rooftile/cluster/mpi/mpi_transport.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <climits>

#include "rooftile/cluster/clock.hpp"

namespace rooftile::cluster {
namespace {

// The cores that this process may run on, divided by the processes of this machine that may run on the same.
unsigned fair_threads() {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
  MPI_Comm_free(&machine);
  const auto sharing =
      std::count_if(all.begin(), all.end(), [&](const cpu_set_t& other) { return CPU_EQUAL(&own, &other) != 0; });
  return std::max(1U,
                  static_cast<unsigned>(CPU_COUNT(&own)) / static_cast<unsigned>(std::max<std::ptrdiff_t>(sharing, 1)));
}

int end_status = 0;

}  // namespace

MpiTransport::MpiTransport(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
  threads_ = fair_threads();
  // From here on nothing is common to all ranks until the end.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

MpiTransport::~MpiTransport() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Abort(MPI_COMM_WORLD, 1);  // left by an exception: end() was not called
}

// Drops the bytes of messages that have left.
void MpiTransport::forget_sent() {
  for (auto message = sending_.begin(); message != sending_.end();) {
    int sent = 0;
    const int error = MPI_Test(&message->request, &sent, MPI_STATUS_IGNORE);
    message = sent != 0 || error != MPI_SUCCESS ? sending_.erase(message) : std::next(message);
  }
}

void MpiTransport::send(std::size_t to, MessageKind kind, std::string bytes) {
  forget_sent();
  if (bytes.size() > INT_MAX) return;  // as if lost: rank 0 gives the chunk to another, in the end to itself
  Sending& message = sending_.emplace_back();
  message.bytes = std::move(bytes);
  const int error = MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE,
                              static_cast<int>(to), static_cast<int>(kind), MPI_COMM_WORLD, &message.request);
  if (error != MPI_SUCCESS) sending_.pop_back();
}

// The next message that has begun to arrive, if there is one.
void MpiTransport::begin_receiving() {
  int found = 0, size = 0;
  MPI_Message handle = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &handle, &status) != MPI_SUCCESS) return;
  if (found == 0 || MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS) return;
  Receiving& next = receiving_.emplace_back();
  next.message.rank = static_cast<std::size_t>(status.MPI_SOURCE);
  next.message.kind = static_cast<MessageKind>(status.MPI_TAG);
  next.message.bytes.resize(static_cast<std::size_t>(size));
  const int error = MPI_Imrecv(next.message.bytes.data(), size, MPI_BYTE, &handle, &next.request);
  if (error != MPI_SUCCESS) receiving_.pop_back();
}

std::optional<Message> MpiTransport::receive() {
  forget_sent();
  begin_receiving();
  for (auto next = receiving_.begin(); next != receiving_.end(); ++next) {
    int received = 0;
    if (MPI_Test(&next->request, &received, MPI_STATUS_IGNORE) != MPI_SUCCESS || received == 0) continue;
    Message message = std::move(next->message);
    receiving_.erase(next);
    return message;
  }
  return std::nullopt;
}

void MpiTransport::end(int status, bool rank_lost) {
  // What was said last is to arrive, if there is anyone to hear it.
  constexpr double kLastWords = 2;
  constexpr unsigned kFinalizeSeconds = 10;
  std::fflush(nullptr);
  const double begun = seconds_now();
  for (forget_sent(); !sending_.empty() && seconds_now() - begun < kLastWords; forget_sent()) {
    std::this_thread::sleep_for(kIdle);
  }
  if (rank_lost) ::_exit(status);
  end_status = status;
  std::signal(SIGALRM, [](int) { ::_exit(end_status); });
  ::alarm(kFinalizeSeconds);
  MPI_Finalize();
  ::_exit(status);
}

}  // namespace rooftile::cluster
