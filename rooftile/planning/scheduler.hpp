// Schedules of little total weighted tardiness: a heuristic for any queue, the least for short ones.
//
//     const std::vector<ClusterMachine> machines = {{.name = "one", .gpu = "t4", .gpus = 2}};
//     const std::vector<Job> jobs = {{.name = "a", .modes = {{.machine = 0, .gpus = 2, .time = Seconds(60)}}},
//                                    {.name = "b", .modes = {{.machine = 0, .gpus = 1, .time = Seconds(30)}}}};
//     const ExactSchedule found = schedule_exactly(jobs, machines, schedule_heuristically(jobs, machines));
//     assert(found.proved && found.schedule.cost.makespan == Seconds(90));
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "rooftile/planning/schedule.hpp"

namespace rooftile {

struct SchedulerOptions {
  std::uint64_t seed = 1;
  std::uint64_t moves = 20000;      // of the search among lists
  std::uint64_t starts = 30000000;  // that the exact search looks at, at most
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

// List schedules by earliest due date, by apparent tardiness cost (Vepsalainen and Morton 1987) with several horizons
// and by shortest weighted time, the best of them improved by moving jobs in the list and by other modes (threshold
// accepting, with a fixed seed: the same queue gives the same schedule).
Schedule schedule_heuristically(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                                const SchedulerOptions& options = {});

struct ExactSchedule {
  Schedule schedule;
  bool proved = false;  // nothing better exists; else the search ended early
};

// Branch and bound over lists: each job as early as those before it allow, starts never decreasing, which reaches some
// best schedule (active schedules: Kolisch 1996). Begins with `known`. For up to about ten jobs. How far it is it tells
// by the branches that are done, as if those of one place in the list took equal time.
ExactSchedule schedule_exactly(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                               const Schedule& known, const SchedulerOptions& options = {});

}  // namespace rooftile
