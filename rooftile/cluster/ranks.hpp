// The ranks of which this program is one, as the command line knows them.
#pragma once

#include "rooftile/cluster/transport.hpp"

namespace rooftile::cluster {

struct Ranks {
  Transport& transport;
  unsigned threads = 1;    // for this rank, unless the user says how many
  bool over = false;       // rank 0 has told all ranks that it is over, or this one was told
  bool rank_lost = false;  // then nobody may wait for the others
};

}  // namespace rooftile::cluster
