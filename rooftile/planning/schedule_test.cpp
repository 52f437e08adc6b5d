#include "rooftile/planning/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rooftile/planning/job_queue.hpp"
#include "rooftile/planning/schedule_builder.hpp"
#include "rooftile/planning/schedule_fault.hpp"
#include "rooftile/planning/scheduler.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

struct Instance {
  std::vector<ClusterMachine> machines;
  std::vector<Job> jobs;
};

// Up to `most` jobs on one to three machines, two of which may be alike; times by the kind of GPU.
Instance any_instance(int most) {
  Instance instance;
  const int machines = *rc::gen::inRange(1, 4);
  for (int m = 0; m < machines; ++m) {
    instance.machines.push_back(
        {"m" + std::to_string(m), *rc::gen::element<std::string>("a", "b"), *rc::gen::inRange(1, 4)});
  }
  const int jobs = *rc::gen::inRange(1, most + 1);
  for (int j = 0; j < jobs; ++j) {
    Job job;
    job.name = "j" + std::to_string(j);
    if (*rc::gen::inRange(0, 5) > 0) job.deadline = Seconds(*rc::gen::inRange(1, 30));
    job.weight = *rc::gen::inRange(0, 4);
    const int time_a = *rc::gen::inRange(2, 12), time_b = *rc::gen::inRange(2, 12);
    const int most_gpus = *rc::gen::inRange(1, 4);
    for (std::size_t m = 0; m < instance.machines.size(); ++m) {
      const ClusterMachine& machine = instance.machines[m];
      for (int gpus = 1; gpus <= std::min(most_gpus, machine.gpus); ++gpus) {
        const double time = (machine.gpu == "a" ? time_a : time_b) / (1 + 0.8 * (gpus - 1));
        job.modes.push_back({m, gpus, Seconds(time)});
      }
    }
    instance.jobs.push_back(job);
  }
  return instance;
}

// Every order of the jobs with every choice of their modes.
void try_all(const Instance& instance, ScheduleBuilder& builder, std::vector<bool>& placed, ScheduleCost& best) {
  if (builder.placements().size() == instance.jobs.size()) {
    const ScheduleCost cost = cost_of(instance.jobs, builder.placements());
    if (better(cost, best)) best = cost;  // a sum that is rounded down is not
    return;
  }
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    if (placed[j]) continue;
    placed[j] = true;
    for (const JobMode& mode : instance.jobs[j].modes) {
      builder.place(j, mode, builder.earliest_start(mode));
      try_all(instance, builder, placed, best);
      builder.take_back();
    }
    placed[j] = false;
  }
}

RC_GTEST_PROP(Scheduler, HeuristicSchedulesAreFeasible, ()) {
  const Instance instance = any_instance(15);
  const Schedule schedule = schedule_heuristically(instance.jobs, instance.machines, {.moves = 300});
  RC_ASSERT(fault_of(instance.jobs, instance.machines, schedule) == "");
  RC_ASSERT(schedule.cost == cost_of(instance.jobs, schedule.placements));
}

RC_GTEST_PROP(Scheduler, ExactIsWhatTryingEverythingSays, ()) {
  const Instance instance = *rc::gen::resize(rc::kNominalSize, rc::gen::exec([] { return any_instance(4); }));
  const Schedule heuristic = schedule_heuristically(instance.jobs, instance.machines, {.moves = 0});
  const ExactSchedule exact = schedule_exactly(instance.jobs, instance.machines, heuristic);
  RC_ASSERT(exact.proved);
  RC_ASSERT(fault_of(instance.jobs, instance.machines, exact.schedule) == "");
  RC_ASSERT(exact.schedule.cost <= heuristic.cost);
  ScheduleBuilder builder(instance.machines);
  std::vector<bool> placed(instance.jobs.size());
  ScheduleCost best = heuristic.cost;
  try_all(instance, builder, placed, best);
  RC_ASSERT(std::abs(best.tardiness - exact.schedule.cost.tardiness) < 1e-9);
  RC_ASSERT(std::abs((best.makespan - exact.schedule.cost.makespan).value()) < 1e-9);
}

// Twenty queues of eight jobs on two machines of four GPUs, each on one, two or four GPUs, half of them too late
// whatever is done. The figure of docs/planning.md.
TEST(Scheduler, HeuristicIsNearTheBestOfShortQueues) {
  const std::vector<ClusterMachine> machines = {{"m0", "a", 4}, {"m1", "b", 4}};
  std::mt19937_64 random(1);
  const auto whole = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  int proved = 0, best = 0;
  double heuristics = 0, exacts = 0;  // tardiness
  for (int queue = 0; queue < 10; ++queue) {
    std::vector<Job> jobs;
    for (int j = 0; j < 8; ++j) {
      Job job{"j" + std::to_string(j), Seconds(whole(5, 40)), 1.0 * whole(1, 4), {}};
      const int time = whole(10, 60);
      for (std::size_t m = 0; m < machines.size(); ++m) {
        for (const int gpus : {1, 2, 4}) {
          job.modes.push_back({m, gpus, Seconds(time * (m == 0 ? 1.0 : 1.5) / (1 + 0.8 * (gpus - 1)))});
        }
      }
      jobs.push_back(job);
    }
    const Schedule heuristic = schedule_heuristically(jobs, machines);
    const ExactSchedule exact = schedule_exactly(jobs, machines, heuristic, {.starts = 10000000});
    EXPECT_EQ(fault_of(jobs, machines, heuristic), "");
    proved += exact.proved ? 1 : 0;
    heuristics += heuristic.cost.tardiness;
    exacts += exact.schedule.cost.tardiness;
    best += heuristic.cost.tardiness <= exact.schedule.cost.tardiness + 1e-9 ? 1 : 0;
  }
  RecordProperty("proved", proved);
  RecordProperty("best", best);
  RecordProperty("percent_over", std::to_string(100 * (heuristics / exacts - 1)));
  EXPECT_GE(proved, 9);
  EXPECT_LT(heuristics, 1.03 * exacts);
}

// One machine, total tardiness: Pinedo, Scheduling, 5th edition, example 3.4.5 (the least is 370).
TEST(Scheduler, PinedosExampleOnOneMachine) {
  const std::vector<ClusterMachine> machines = {{"m", "a", 1}};
  const std::vector<double> times = {121, 79, 147, 83, 130}, due = {260, 266, 266, 336, 337};
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    jobs.push_back({"j" + std::to_string(i + 1), Seconds(due[i]), 1, {{0, 1, Seconds(times[i])}}});
  }
  const Schedule heuristic = schedule_heuristically(jobs, machines);
  EXPECT_EQ(schedule_exactly(jobs, machines, heuristic).schedule.cost.tardiness, 370);
  EXPECT_EQ(heuristic.cost.tardiness, 370);
}

TEST(Scheduler, NothingIsLateWhereEarliestDueDateIsNotLate) {
  const std::vector<ClusterMachine> machines = {{"m", "a", 1}};
  std::vector<Job> jobs;
  for (int i = 0; i < 30; ++i) jobs.push_back({"j", Seconds(10.0 * (30 - i)), 1, {{0, 1, Seconds(10)}}});
  EXPECT_EQ(schedule_heuristically(jobs, machines, {.moves = 0}).cost.tardiness, 0);
}

TEST(Scheduler, TheSameQueueGivesTheSameScheduleAndASearchThatEndsEarlySaysSo) {
  const std::vector<ClusterMachine> machines = {{"m", "a", 2}};
  std::vector<Job> jobs;
  for (int i = 0; i < 9; ++i) {
    jobs.push_back({"j", Seconds(7.0 + i), 1.0 + i % 3, {{0, 1, Seconds(3.0 + i % 4)}, {0, 2, Seconds(2.0 + i % 3)}}});
  }
  const Schedule a = schedule_heuristically(jobs, machines), b = schedule_heuristically(jobs, machines);
  EXPECT_EQ(a.cost, b.cost);
  const ExactSchedule cut = schedule_exactly(jobs, machines, a, {.starts = 30});
  EXPECT_FALSE(cut.proved);
  EXPECT_LE(cut.schedule.cost, a.cost);
}

// A thousand jobs take minutes where each place is looked for among all jobs placed before.
TEST(Scheduler, LongQueuesTakeSecondsAndStopWhenAskedTo) {
  const std::vector<ClusterMachine> machines = {{"m0", "a", 2}, {"m1", "b", 2}};
  std::vector<Job> jobs;
  for (int i = 0; i < 1000; ++i) {
    const Seconds time(5.0 + i * 37 % 85);
    jobs.push_back({"j", Seconds(20.0 * i), 1.0 + i % 5, {{0, 1 + i % 2, time}, {1, 1 + i % 2, time * 0.7}}});
  }
  const auto seconds = [&](const SchedulerOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    const Schedule schedule = schedule_heuristically(jobs, machines, options);
    EXPECT_EQ(fault_of(jobs, machines, schedule), "");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  EXPECT_LT(seconds({.moves = 100}), 30);  // 0.1 s without sanitizers on an idle core
  const std::atomic<bool> stop = true;
  EXPECT_LT(seconds({.stop = &stop}), 3);
}

// Beside a search second by second.
TEST(ScheduleBuilder, StartsAreTheEarliestAndTakingBackLeavesNothing) {
  std::mt19937_64 random(1);
  const std::vector<ClusterMachine> machines = {{"m", "a", 3}};
  for (int round = 0; round < 50; ++round) {
    ScheduleBuilder builder(machines);
    std::vector<Placement> placed;
    const auto used_at = [&](double time) {
      int used = 0;
      for (const Placement& p : placed) used += p.start.value() <= time && time < p.end().value() ? p.mode.gpus : 0;
      return used;
    };
    for (int job = 0; job < 12; ++job) {
      const JobMode mode{0, 1 + static_cast<int>(random() % 3), Seconds(static_cast<double>(1 + random() % 5))};
      int start = 0;  // all times are whole
      for (int time = 0; time < start + mode.time.value(); ++time) {
        if (used_at(time) > 3 - mode.gpus) start = time + 1;
      }
      ASSERT_EQ(builder.earliest_start(mode), Seconds(start));
      if (random() % 4 == 0 && !placed.empty()) {
        builder.take_back();
        placed.pop_back();
      } else {
        builder.place(0, mode, Seconds(start));
        placed.push_back({0, mode, Seconds(start), {}});
      }
    }
    while (!placed.empty()) builder.take_back(), placed.pop_back();
    EXPECT_TRUE(builder.idle(0));
  }
}

// Eight jobs on any of 1 to 8 GPUs of one of 32 machines: 2048 ways to go on with an empty schedule.
TEST(Scheduler, ExactSearchOfManyMachinesEnds) {
  std::vector<ClusterMachine> machines;
  for (int m = 0; m < 32; ++m) machines.push_back({"m", std::to_string(m), 8});
  std::vector<Job> jobs;
  for (int j = 0; j < 8; ++j) {
    Job job{"j", Seconds(1.5), 1, {}};
    for (std::size_t m = 0; m < machines.size(); ++m) {
      for (int gpus = 1; gpus <= 8; ++gpus) {
        job.modes.push_back(
            {m, gpus, Seconds((10.0 + j % 3) * (1 + 0.1 * static_cast<double>(m % 8)) / (1 + 0.7 * gpus))});
      }
    }
    jobs.push_back(job);
  }
  const auto start = std::chrono::steady_clock::now();
  schedule_exactly(jobs, machines, schedule_heuristically(jobs, machines, {.moves = 10}));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
            60);  // 4 s on an idle core
}

// 0.1 + 0.2 is not 0.3: tardiness added up in another order is no improvement that longer work is worth.
TEST(Scheduler, EqualTardinessIsEqualInWhateverOrderItIsAddedUp) {
  std::mt19937_64 random(1);
  const std::vector<ClusterMachine> machines = {{"m0", "a", 2}, {"m1", "b", 1}};
  for (int queue = 0; queue < 300; ++queue) {
    std::vector<Job> jobs;
    for (int j = 0; j < 5; ++j) {
      Job job{"j", Seconds(0.1 * static_cast<double>(random() % 10)), 1, {}};
      const double time = 0.1 * static_cast<double>(1 + random() % 6);
      for (std::size_t m = 0; m < machines.size(); ++m) job.modes.push_back({m, 1, Seconds(time)});
      jobs.push_back(job);
    }
    const Schedule heuristic = schedule_heuristically(jobs, machines, {.moves = 1000});
    const Schedule exact = schedule_exactly(jobs, machines, heuristic).schedule;
    if (heuristic.cost.tardiness < exact.cost.tardiness + 1e-9) {
      EXPECT_LE(exact.cost.makespan.value(), heuristic.cost.makespan.value() + 1e-9) << queue;
    }
  }
}

TEST(Schedule, FaultsAreFound) {
  const std::vector<ClusterMachine> machines = {{"m", "a", 1}};
  const std::vector<Job> jobs = {{"x", {}, 1, {{0, 1, Seconds(2)}}}, {"y", {}, 1, {{0, 1, Seconds(2)}}}};
  Schedule schedule = schedule_heuristically(jobs, machines);
  EXPECT_EQ(fault_of(jobs, machines, schedule), "");
  schedule.placements[1].start = Seconds(1);
  EXPECT_EQ(fault_of(jobs, machines, schedule), "x and y share a GPU");
  schedule.placements.pop_back();
  EXPECT_EQ(fault_of(jobs, machines, schedule), "y is there 0 times");
  schedule.placements[0].mode.time = Seconds(1);
  EXPECT_EQ(fault_of(jobs, machines, schedule), "x runs in none of its modes");
}

constexpr const char* kCluster = R"([[machine]]
name = "node"
gpu = "t4"
gpus = 4
count = 2
[[machine]]
name = "big"
gpu = "a100-sxm4-80gb"
)";

TEST(JobQueue, ReadsJobsAndTheirModes) {
  const auto cluster = parse_cluster(kCluster, "c.toml");
  ASSERT_TRUE(cluster) << cluster.error().text();
  ASSERT_EQ(cluster->machines.size(), 3U);
  EXPECT_EQ(cluster->machines[1].name, "node-2");
  const auto queue = parse_queue(
      "job,model,samples,batch_size,gpus,deadline,weight,time:t4\n"
      "train,resnet50,1000,32,1-2,12h,3,\n"
      "given,,,,4,,,90min\n"
      "now,,,,1,0s,,1h\n",
      "q.csv", *cluster);
  ASSERT_TRUE(queue) << queue.error().text();
  const auto times = [](const QueuedJob& job, const Gpu& gpu, int most) -> Result<std::map<int, Seconds>> {
    EXPECT_EQ(job.model, "resnet50");
    if (gpu.id != "t4") return fail(ErrorCode::unsupported, "too small");
    EXPECT_EQ(most, 2);
    return std::map<int, Seconds>{{1, Seconds(10)}, {2, Seconds(6)}};
  };
  const auto jobs = jobs_of(*queue, *cluster, times);
  ASSERT_TRUE(jobs) << jobs.error().text();
  EXPECT_EQ((*jobs)[0].modes.size(), 4U);  // two numbers on two machines
  EXPECT_EQ((*jobs)[0].deadline, Seconds(43200));
  EXPECT_EQ((*jobs)[0].weight, 3);
  ASSERT_EQ((*jobs)[1].modes.size(), 2U);
  EXPECT_EQ((*jobs)[1].modes[0].time, Seconds(5400));
  EXPECT_FALSE((*jobs)[1].deadline);
  EXPECT_EQ((*jobs)[2].deadline, Seconds(0));  // as soon as it can be
  const auto wide = parse_queue("job,time:t4,gpus\nw,1h,8\n", "q.csv", *cluster);
  EXPECT_EQ(jobs_of(*wide, *cluster, times).error().text(), "q.csv:2: no machine can run job 'w' on 8 GPUs");
}

TEST(JobQueue, SaysWhereAQueueOrAClusterIsWrong) {
  const Cluster cluster = parse_cluster(kCluster, "c.toml").value();
  const auto queue = [&](const char* text) { return parse_queue(text, "q.csv", cluster).error().text(); };
  EXPECT_THAT(queue("job,tiem:t4\na,1h\n"), HasSubstr("q.csv:1: unknown column 'tiem:t4'; did you mean 'time:t4'?"));
  EXPECT_THAT(queue("job,time:t4\na,1\n"), HasSubstr("q.csv:2: time:t4: '1' is not a time"));
  EXPECT_THAT(queue("job,time:t4\na,1h\na,1h\n"), HasSubstr("q.csv:3: duplicate job 'a'"));
  EXPECT_THAT(queue("job,time:t4\na\n"), HasSubstr("1 cells"));
  EXPECT_THAT(queue("job,time:t4\na,\n"), HasSubstr("either a model or times"));
  EXPECT_THAT(queue("job,model\na,resnet50\n"), HasSubstr("samples"));
  EXPECT_THAT(queue("job,gpus,time:t4\na,2-1,1h\n"), HasSubstr("'2-1'"));
  EXPECT_THAT(queue("job,gpus,time:t4\na,1-2,1h\n"), HasSubstr("one number"));
  EXPECT_THAT(queue("job,weight,time:t4\na,nan,1h\n"), HasSubstr("weight"));
  EXPECT_THAT(queue("job,time:t4\n"), HasSubstr("no job"));
  EXPECT_THAT(queue(""), HasSubstr("no job"));
  EXPECT_THAT(queue("time:t4\n1h\n"), HasSubstr("no column job"));
  const auto machines = [](const char* text) { return parse_cluster(text, "c.toml").error().text(); };
  EXPECT_THAT(machines(""), HasSubstr("no [[machine]]"));
  EXPECT_THAT(machines("[[machine]]\nname = \"a\"\ngpu = \"t44\"\n"), HasSubstr("c.toml:3:7"));
  EXPECT_THAT(machines("[[machine]]\nnme = \"a\"\n"), HasSubstr("did you mean 'name'"));
  EXPECT_THAT(machines("[[machine]]\nname = \"a\"\ngpu = \"t4\"\ngpus = 0\n"), HasSubstr("1 to 1024"));
  EXPECT_THAT(machines("[[machine]]\nname = \"a\"\n"), HasSubstr("a name and a gpu"));
  EXPECT_THAT(machines("machine = 3\n"), HasSubstr("[[machine]]"));
}

}  // namespace
}  // namespace rooftile
