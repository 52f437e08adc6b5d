// One running kernel: its CTAs, its threads as fibers, and the time of each.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "tests/measure/on_cpu/machine.hpp"
#include "tests/measure/on_cpu/on_cpu.hpp"

namespace on_cpu {

struct Cta;

// Threads that wait for one another: a CTA, a warp.
struct Group {
  int alive = 0;
  int arrived = 0;
  std::uint64_t generation = 0;
  double latest = 0;  // cycles, of those that arrived
  double released = 0;
};

struct Thread {
  Here here;
  Cta* cta = nullptr;
  Group* warp = nullptr;
  int lane = 0;
  std::uint64_t* exchanged = nullptr;  // the warp's
  double cycles = 0;
  double ready[Model::loads_in_flight] = {};  // when loads that nothing waited for yet are there
  int next = 0;
  boost::context::fiber fiber;      // the thread's, while it does not run
  boost::context::fiber scheduler;  // while it does

  void yield() { scheduler = std::move(scheduler).resume(); }
  void issue(double load_cycles);  // of a load that nothing waits for yet
  void wait_for_loads();
};

struct Cta {
  int sm = 0;
  Group all;
  std::vector<Group> warps;
  std::vector<std::uint64_t> exchanged;  // a slot a lane
  std::vector<Thread> threads;
  std::map<const void*, std::size_t> places;  // of shared variables
  std::vector<std::byte> memory;
};

struct UnknownInstruction : std::exception {};

// The thread that runs now.
Thread& me();
Machine& machine();
double now_seconds();

}  // namespace on_cpu
