// Queues of jobs (CSV) and clusters (TOML) as people write them (docs/planning.md).
//
//     const Cluster cluster = parse_cluster(R"(
//       [[machine]]
//       name = "one"
//       gpu = "t4"
//       gpus = 4
//     )", "cluster.toml").value();
//     const auto queue = parse_queue("job,time:t4\nfirst,12h\n", "queue.csv", cluster).value();
//     assert(queue.front().times.at("t4") == Seconds(12 * 3600));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/planning/schedule.hpp"
#include "rooftile/workload/execution.hpp"

namespace rooftile {

struct Cluster {
  std::vector<ClusterMachine> machines;
  std::map<std::string, Gpu> gpus;  // by the names of ClusterMachine::gpu
};

// [[machine]] with name, gpu and gpus (1 if not given) and count (1: machines alike, then named name-1, name-2, …).
// Errors, with line and column: not TOML, an unknown key or GPU, a number out of range, no machine, a name twice.
Result<Cluster> parse_cluster(std::string_view toml, std::string_view where);

struct QueuedJob {
  Job job;            // without modes
  std::string where;  // "queue.csv:3"
  int least_gpus = 1, most_gpus = 1;
  std::map<std::string, Seconds> times;  // given, by GPU; else the training below
  std::string model;
  std::int64_t samples = 0, epochs = 1, batch = 1;  // `batch`: of all GPUs together
  RunPrecision precision;
};

// Columns: job; gpus ("2", "1-4"), deadline, weight; a column "time:ID" for each kind of GPU of the cluster, or model,
// samples, epochs, batch_size, precision. Errors, with line and column: an unknown column, a value that is none, a job
// without a time or with both kinds of it, no job, a name twice.
Result<std::vector<QueuedJob>> parse_queue(std::string_view csv, std::string_view where, const Cluster& cluster);

// The time to train a job on a number of GPUs, by that number; an error says why not on any.
using TrainingTimes =
    std::function<Result<std::map<int, Seconds>>(const QueuedJob& job, const Gpu& gpu, int most_gpus)>;

// The jobs with all modes that the cluster has for them. Errors: no machine can run a job, and why.
Result<std::vector<Job>> jobs_of(const std::vector<QueuedJob>& queue, const Cluster& cluster,
                                 const TrainingTimes& training_times);

}  // namespace rooftile
