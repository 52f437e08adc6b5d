// The exact search: branch and bound.
#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "rooftile/planning/schedule_builder.hpp"
#include "rooftile/planning/scheduler.hpp"

namespace rooftile {
namespace {

class Search {
 public:
  Search(std::span<const Job> jobs, std::span<const ClusterMachine> machines, const Schedule& known,
         const SchedulerOptions& options)
      : jobs_(jobs), machines_(machines), options_(options), builder_(machines), best_(known), placed_(jobs.size()) {}

  ExactSchedule run() {
    branch({}, Seconds(0), 0, {0, 1});
    return {best_, !ended_};
  }

 private:
  // One job next, in one mode.
  struct Choice {
    std::size_t job = 0;
    const JobMode* mode = nullptr;
    Seconds start;
  };

  // A branch's part of the search, from 0 to 1.
  struct Part {
    double begin = 0, size = 1;
  };

  // Now and then: from one branch to the next it is a matter of microseconds. In the middle of a branch, as a search
  // that stays in its first branches is not at its beginning.
  void tell(const Part& part) {
    constexpr std::uint64_t kOften = 1 << 14;
    constexpr double kAll = 1e18;
    if (!options_.progress || ++branches_ % kOften != 0) return;
    const double done = std::max(1.0, (part.begin + part.size / 2) * kAll);
    options_.progress(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(kAll));
  }

  // `cost` is that of what is placed; the last of it is job `last`, which starts at `now`.
  void branch(ScheduleCost cost, Seconds now, std::size_t last, Part part) {
    if (ended_) return;
    tell(part);
    if (looked_ > options_.starts || (options_.stop != nullptr && *options_.stop)) {
      ended_ = true;
      return;
    }
    if (builder_.placements().size() == jobs_.size()) {
      if (better(cost, best_.cost)) best_ = builder_.schedule(jobs_);
      return;
    }
    std::vector<Choice> choices;
    if (!better(bound(cost, now, choices), best_.cost)) return;
    std::sort(choices.begin(), choices.end(), [&](const Choice& a, const Choice& b) {
      const auto key = [&](const Choice& c) {
        const Job& job = jobs_[c.job];
        return std::tuple(c.start, job.deadline.value_or(Seconds(std::numeric_limits<double>::infinity())), c.job,
                          c.start + c.mode->time);
      };
      return key(a) < key(b);
    });
    const double each = part.size / static_cast<double>(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const Choice& choice = choices[i];
      const Part own{part.begin + static_cast<double>(i) * each, each};
      // Lists in the order of their starts, of equal ones by job, give every schedule once.
      const bool first = builder_.placements().empty();
      if (!first && (choice.start < now || (choice.start == now && choice.job < last))) continue;
      const Job& job = jobs_[choice.job];
      const Seconds end = choice.start + choice.mode->time;
      const ScheduleCost next{cost.tardiness + job.weight * tardiness_of(job, end).value(),
                              std::max(cost.makespan, end)};
      if (!better(next, best_.cost)) continue;
      builder_.place(choice.job, *choice.mode, choice.start);
      placed_[choice.job] = true;
      branch(next, choice.start, choice.job, own);
      placed_[choice.job] = false;
      builder_.take_back();
    }
  }

  // What the schedule costs at least: each job that is left as if it were the only one, none before `now`. Lists what
  // could come next.
  ScheduleCost bound(ScheduleCost cost, Seconds now, std::vector<Choice>& choices) {
    std::vector<bool> skipped(machines_.size());
    for (std::size_t m = 0; m < machines_.size(); ++m) skipped[m] = twin_is_idle(m);
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (placed_[j]) continue;
      Seconds soonest(std::numeric_limits<double>::infinity());
      for (const JobMode& mode : jobs_[j].modes) {
        if (skipped[mode.machine]) continue;
        const Seconds start = builder_.earliest_start(mode);
        ++looked_;
        choices.push_back({j, &mode, start});
        soonest = std::min(soonest, std::max(start, now) + mode.time);
      }
      cost.tardiness += jobs_[j].weight * tardiness_of(jobs_[j], soonest).value();
      cost.makespan = std::max(cost.makespan, soonest);
    }
    return cost;
  }

  // Whether an earlier machine of the same kind has nothing to do either: it is as good.
  bool twin_is_idle(std::size_t machine) const {
    if (!builder_.idle(machine)) return false;
    for (std::size_t other = 0; other < machine; ++other) {
      if (builder_.idle(other) && machines_[other].gpu == machines_[machine].gpu &&
          machines_[other].gpus == machines_[machine].gpus) {
        return true;
      }
    }
    return false;
  }

  std::span<const Job> jobs_;
  std::span<const ClusterMachine> machines_;
  const SchedulerOptions& options_;
  ScheduleBuilder builder_;
  Schedule best_;
  std::vector<bool> placed_;
  std::uint64_t looked_ = 0;  // starts
  std::uint64_t branches_ = 0;
  bool ended_ = false;
};

}  // namespace

ExactSchedule schedule_exactly(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                               const Schedule& known, const SchedulerOptions& options) {
  return Search(jobs, machines, known, options).run();
}

}  // namespace rooftile
