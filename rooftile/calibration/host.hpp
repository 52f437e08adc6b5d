// What the host takes to issue the operators of a network: a fit by framework and execution (tools/fit_hosts.py).
//
// It belongs to the machine's processor as much as to the framework, so it comes with a range.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rooftile/base/units.hpp"
#include "rooftile/workload/execution.hpp"

namespace rooftile {

// Of one operator: a kernel, or the few that a framework issues at once.
struct HostCosts {
  std::string framework;  // as tables name it, or the beginning of such names; empty: not known
  Execution execution = Execution::eager;
  Seconds forward;
  Seconds gradient;  // of one gradient of an operator
  Seconds update;    // of the weights of an operator
  // What frameworks launch by themselves, with no module or node of the network's around it: sums of gradients, casts
  // of mixed precision, biases of convolutions. A call of ATen takes 5 to 10 us.
  Seconds dispatch = Seconds(8e-6);
  Seconds request;   // of a request to a server, beside its passes: its input, its setup, its first token
  Seconds sequence;  // of each sequence of a server's pass: scheduling it, sampling its token, making text of it
  Seconds step;      // of a server's pass, whatever it has: scheduler, tensors of the batch, what was sampled
  double range = 1;  // either way, on other machines
  bool any_machine = false;  // fitted to servers and desktops alike, rather than a server's
  std::string data;          // what it was fitted on

  bool operator==(const HostCosts&) const = default;
};

// The costs of the framework that is named the longest way, else those of an unknown one; null where the execution has
// none.
const HostCosts* find_host(std::span<const HostCosts> hosts, std::string_view framework, Execution execution);

}  // namespace rooftile
