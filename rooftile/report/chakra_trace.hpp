// A step as execution traces of MLCommons' Chakra, from which simulators of networks and of machines start (ASTRA-sim).
//
// Each GPU has a file: messages of Chakra's schema/protobuf/et_def.proto, each after its length. The first says which
// version it is; then there is a node for what is computed in a block between two exchanges, for each collective, and
// for what a pipeline stage sends and receives. Nodes wait for others by data_deps alone, streams included. Sizes are
// what Chakra's reader takes them for: of an all-gather the GPU's own part, of all others the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/parallel/step_timeline.hpp"

namespace rooftile {

class ChakraTraces {
 public:
  // `gpu`: its name.
  ChakraTraces(std::string gpu, const Parallelism& way, const StepTimeline& timeline);

  int ranks() const { return way_.gpus(); }
  std::size_t nodes() const;  // of all files together
  std::string of_rank(int rank) const;
  // {"1":[0,1],"2":[2,3]}: the GPUs of each group that a node's pg_name names; ASTRA-sim's --comm-group-configuration.
  std::string groups() const;

 private:
  struct Node {
    enum class Kind { compute, collective, send, receive } kind = Kind::compute;
    std::string name;
    std::vector<std::uint64_t> after;  // nodes of the same GPU
    Seconds start, time;
    Flops flops = {};
    Bytes dram = {};
    std::optional<StepExchange> exchange = {};
    int other_stage = 0;    // of a send or receive
    std::uint64_t tag = 0;  // that a send and its receive share
  };
  class Stages;

  std::vector<int> group_of(const Node& node, int rank) const;

  std::string gpu_;
  Parallelism way_;
  std::vector<std::vector<Node>> stages_;  // of a stage's GPUs, which all have the same; a node's number is its place
  std::map<std::vector<int>, int> groups_;
};

}  // namespace rooftile
