// Building a schedule job by job.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooftile/planning/schedule.hpp"

namespace rooftile {

// How many GPUs of a machine are in use, from 0 on.
class GpusInUse {
 public:
  // The first time, not before `from`, from which so many are in use at most for so long.
  Seconds earliest(int most, Seconds length, Seconds from) const;
  // `gpus` more, fewer if negative, from one time to another.
  void add(Seconds from, Seconds to, int gpus);
  bool none() const { return steps_.size() == 1; }

 private:
  // In use from a time to that of the next step, which differs; the last one is of none and has no end.
  struct Step {
    Seconds from;
    int used = 0;
  };

  std::size_t step_of(Seconds time) const;
  std::size_t step_from(Seconds time);  // made if there is none
  void join(std::size_t step);          // to the one before, where they do not differ

  std::vector<Step> steps_ = {Step{}};
};

// Places jobs one after another, each as early as the GPUs that are left allow.
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(std::span<const ClusterMachine> machines) : machines_(machines), in_use_(machines.size()) {}

  // Not before `from`. As jobs are placed it only grows, so that an earlier answer is a place to begin.
  Seconds earliest_start(const JobMode& mode, Seconds from = Seconds(0)) const;
  void place(std::size_t job, const JobMode& mode, Seconds start);
  void take_back();  // the last one
  bool idle(std::size_t machine) const { return in_use_[machine].none(); }

  std::span<const Placement> placements() const { return placements_; }  // without their GPUs
  // With the GPUs of each, and the cost.
  Schedule schedule(std::span<const Job> jobs) const;

 private:
  std::span<const ClusterMachine> machines_;
  std::vector<GpusInUse> in_use_;  // of each machine
  std::vector<Placement> placements_;
};

}  // namespace rooftile
