// rooftile-mpi: one of the ranks that an MPI has started.
#include <cstddef>

#include "rooftile/cli/app.hpp"
#include "rooftile/cluster/messages.hpp"
#include "rooftile/cluster/mpi/mpi_transport.hpp"

int main(int argc, char** argv) {
  namespace cluster = rooftile::cluster;
  cluster::MpiTransport transport(argc, argv);
  cluster::Ranks ranks = {transport, transport.threads()};
  const int status = rooftile::cli::run(
      argc, argv,
      {.name = "rooftile-mpi",
       .description = "Explores GPU designs and ways to spread training steps on many machines, as 'rooftile' "
                      "does on one.",
       .example = "mpirun -n 4 rooftile-mpi explore space.toml --checkpoint space.checkpoint",
       .add_commands =
           [&](rooftile::cli::CommandList& commands) {
             add_explore(commands, &ranks);
             add_parallelise(commands, &ranks);
           },
       .speaks = transport.rank() == 0});
  // Rank 0 may have ended before it came to the work, which the others wait for.
  for (std::size_t rank = 1; rank < transport.size() && transport.rank() == 0 && !ranks.over; ++rank) {
    transport.send(rank, cluster::MessageKind::finish, bytes_of(cluster::Finish{}));
  }
  transport.end(status, ranks.rank_lost);
}
