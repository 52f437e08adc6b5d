// Jobs on the GPUs of a cluster: who runs where and when, and how late that makes them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

struct ClusterMachine {
  std::string name, gpu;
  int gpus = 1;  // all of that kind
};

// One way to run a job: on so many GPUs of a machine.
struct JobMode {
  std::size_t machine = 0;
  int gpus = 1;
  Seconds time;
};

struct Job {
  std::string name;
  std::optional<Seconds> deadline;  // from the start of the schedule
  double weight = 1;                // of its tardiness
  // At least one, each of which fits its machine; machines with as many GPUs of a kind have the same ones.
  std::vector<JobMode> modes;
};

struct Placement {
  std::size_t job = 0;
  JobMode mode;
  Seconds start;
  std::vector<int> gpus;  // of the machine, from 0

  Seconds end() const { return start + mode.time; }
};

// What a schedule is judged by: the first, and of equals the second.
struct ScheduleCost {
  double tardiness = 0;  // sum of weight x seconds after the deadline
  Seconds makespan;      // until all jobs are done

  auto operator<=>(const ScheduleCost&) const = default;
};

// Whether the first is less by more than rounding: sums in another order differ by a few units of the last digit.
bool better(const ScheduleCost& a, const ScheduleCost& b);

struct Schedule {
  std::vector<Placement> placements;  // one a job, by start
  ScheduleCost cost;
};

Seconds tardiness_of(const Job& job, Seconds end);
ScheduleCost cost_of(std::span<const Job> jobs, std::span<const Placement> placements);

}  // namespace rooftile
