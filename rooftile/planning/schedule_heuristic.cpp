// The heuristic: list schedules, then a search among lists near the best of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "rooftile/planning/schedule_builder.hpp"
#include "rooftile/planning/scheduler.hpp"

namespace rooftile {
namespace {

// A job of a list with the mode that it is to run in.
struct Listed {
  std::size_t job = 0, mode = 0;
};

Schedule built(std::span<const Job> jobs, std::span<const ClusterMachine> machines, const std::vector<Listed>& list) {
  ScheduleBuilder builder(machines);
  for (const Listed& each : list) {
    const JobMode& mode = jobs[each.job].modes[each.mode];
    builder.place(each.job, mode, builder.earliest_start(mode));
  }
  return builder.schedule(jobs);
}

ScheduleCost cost_of_list(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                          const std::vector<Listed>& list) {
  ScheduleBuilder builder(machines);
  for (const Listed& each : list) {
    const JobMode& mode = jobs[each.job].modes[each.mode];
    builder.place(each.job, mode, builder.earliest_start(mode));
  }
  return cost_of(jobs, builder.placements());
}

// A job that is not placed yet.
class Waiting {
 public:
  Waiting(std::size_t index, const Job& job) : index_(index), job_(&job), starts_(job.modes.size()) { choose(); }

  std::size_t index() const { return index_; }
  const Job& job() const { return *job_; }
  // The mode in which it would end first.
  std::size_t mode() const { return mode_; }
  Seconds start() const { return starts_[mode_]; }
  Seconds time() const { return job_->modes[mode_].time; }

  // After another job was placed on a machine.
  void look_again(std::size_t machine, const ScheduleBuilder& builder) {
    bool later = false;
    for (std::size_t m = 0; m < starts_.size(); ++m) {
      if (job_->modes[m].machine != machine) continue;
      const Seconds start = builder.earliest_start(job_->modes[m], starts_[m]);
      later = later || (m == mode_ && start > starts_[m]);
      starts_[m] = start;
    }
    if (later) choose();
  }

 private:
  Seconds end_in(std::size_t mode) const { return starts_[mode] + job_->modes[mode].time; }
  void choose() {
    mode_ = 0;
    for (std::size_t m = 1; m < starts_.size(); ++m) {
      if (end_in(m) < end_in(mode_)) mode_ = m;
    }
  }

  std::size_t index_;
  const Job* job_;
  std::vector<Seconds> starts_;  // of each mode, at the earliest
  std::size_t mode_ = 0;
};

double least_time(const Job& job) {
  const auto least = std::min_element(job.modes.begin(), job.modes.end(),
                                      [](const JobMode& a, const JobMode& b) { return a.time < b.time; });
  return least->time.value();
}

bool stopped(const SchedulerOptions& options) { return options.stop != nullptr && *options.stop; }

// Takes, of the jobs that could start first, the one of the highest index, again and again. When stopped, those that
// are left come as they stand in the queue.
template <class Index>
std::vector<Listed> list_by(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                            const SchedulerOptions& options, const Index& index) {
  ScheduleBuilder builder(machines);
  std::vector<Waiting> waiting;
  for (std::size_t i = 0; i < jobs.size(); ++i) waiting.emplace_back(i, jobs[i]);
  std::vector<Listed> list;
  while (!waiting.empty() && !stopped(options)) {
    Seconds now(std::numeric_limits<double>::infinity());
    for (const Waiting& each : waiting) now = std::min(now, each.start());
    auto best = waiting.end();
    double most = 0;
    for (auto each = waiting.begin(); each != waiting.end(); ++each) {
      if (each->start() > now) continue;
      const double value = index(each->job(), now, each->time());
      if (best == waiting.end() || value > most) best = each, most = value;
    }
    const JobMode& mode = best->job().modes[best->mode()];
    builder.place(best->index(), mode, best->start());
    list.push_back({best->index(), best->mode()});
    waiting.erase(best);
    for (Waiting& each : waiting) each.look_again(mode.machine, builder);
  }
  for (const Waiting& each : waiting) list.push_back({each.index(), each.mode()});
  return list;
}

std::vector<std::vector<Listed>> lists_of(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                                          const SchedulerOptions& options) {
  double mean = 0;
  for (const Job& job : jobs) mean += least_time(job) / static_cast<double>(jobs.size());
  std::vector<std::vector<Listed>> lists;
  lists.push_back(list_by(jobs, machines, options, [](const Job& job, Seconds, Seconds) {
    return job.deadline ? -job.deadline->value() : -std::numeric_limits<double>::infinity();
  }));
  lists.push_back(list_by(jobs, machines, options,
                          [](const Job& job, Seconds, Seconds time) { return job.weight / time.value(); }));
  // A job without a deadline costs nothing, however late: it comes after all others, the longest first.
  for (const double horizon : {0.5, 1.0, 2.0, 4.0}) {
    lists.push_back(list_by(jobs, machines, options, [&](const Job& job, Seconds now, Seconds time) {
      if (!job.deadline) return -1 / time.value();
      const double slack = std::max(0.0, (*job.deadline - time - now).value());
      return job.weight / time.value() * std::exp(-slack / (horizon * mean));
    }));
  }
  return lists;
}

// The same on every platform, unlike the distributions of <random>.
std::size_t below(std::mt19937_64& random, std::size_t limit) { return static_cast<std::size_t>(random() % limit); }

void move_something(std::vector<Listed>& list, std::span<const Job> jobs, std::mt19937_64& random) {
  const std::size_t from = below(random, list.size()), to = below(random, list.size());
  switch (below(random, 3)) {
    case 0:
      std::swap(list[from], list[to]);
      break;
    case 1: {
      const Listed moved = list[from];
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(from));
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), moved);
      break;
    }
    default:
      list[from].mode = below(random, jobs[list[from].job].modes.size());
  }
}

// What the search goes by. Time until all is done counts a little, so that there is a way down where nothing is late.
double height(const ScheduleCost& cost) {
  constexpr double kMakespan = 0.01;
  return cost.tardiness + kMakespan * cost.makespan.value();
}

// Threshold accepting (Dueck and Scheuer 1990): goes on to a list that is worse by less than a threshold, which falls
// to nothing; several times, each from the best list so far.
void improve(std::vector<Listed>& best, ScheduleCost& cost, std::span<const Job> jobs,
             std::span<const ClusterMachine> machines, const SchedulerOptions& options) {
  constexpr std::uint64_t kRounds = 5;
  constexpr double kFirst = 0.5;  // threshold, of a typical job's weighted time
  double typical = 0;
  for (const Job& job : jobs) typical += job.weight * least_time(job) / static_cast<double>(jobs.size());
  std::mt19937_64 random(options.seed);
  const std::uint64_t moves = options.moves / kRounds;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    std::vector<Listed> list = best;
    double own = height(cost);
    for (std::uint64_t move = 0; move < moves; ++move) {
      if (stopped(options)) return;
      const double threshold = kFirst * typical * (1 - static_cast<double>(move) / static_cast<double>(moves));
      std::vector<Listed> tried = list;
      move_something(tried, jobs, random);
      const ScheduleCost found = cost_of_list(jobs, machines, tried);
      if (height(found) <= own + threshold) {
        list = std::move(tried);
        own = height(found);
        if (better(found, cost)) best = list, cost = found;
      }
      if (options.progress) options.progress(round * moves + move + 1, kRounds * moves);
    }
  }
}

}  // namespace

Schedule schedule_heuristically(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                                const SchedulerOptions& options) {
  if (jobs.empty()) return {};
  std::vector<Listed> best;
  ScheduleCost cost;
  for (std::vector<Listed>& list : lists_of(jobs, machines, options)) {
    const ScheduleCost own = cost_of_list(jobs, machines, list);
    if (best.empty() || better(own, cost)) best = std::move(list), cost = own;
  }
  improve(best, cost, jobs, machines, options);
  return built(jobs, machines, best);
}

}  // namespace rooftile
