// Reading queues, and the modes of their jobs.
#include "rooftile/planning/job_queue.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/duration.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMostJobs = 1000;
constexpr std::string_view kTime = "time:";
constexpr int kMostGpus = 1024;

class QueueReader {
 public:
  QueueReader(std::string_view where, const Cluster& cluster) : where_(where), cluster_(cluster) {}

  Result<std::vector<QueuedJob>> read(std::string_view csv) {
    const auto rows = TRY(parse_csv(csv, where_));
    if (rows.size() < 2) return fail(ErrorCode::bad_input, "has no job", where_);
    if (rows.size() > kMostJobs + 1) {
      return fail(ErrorCode::bad_input, fmt::format("more than {} jobs", kMostJobs), where_);
    }
    TRY(read_header(rows.front()));
    std::vector<QueuedJob> queue;
    std::set<std::string> names;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      auto job = TRY(read_job(rows[i]));
      if (!names.insert(job.job.name).second) {
        return fail(ErrorCode::bad_input, fmt::format("duplicate job '{}'", one_line(job.job.name)), job.where);
      }
      queue.push_back(std::move(job));
    }
    return queue;
  }

 private:
  Result<void> read_header(const CsvRow& row) {
    std::vector<std::string> known = {"job",     "gpus",   "deadline",   "weight",   "model",
                                      "samples", "epochs", "batch_size", "precision"};
    for (const auto& [id, gpu] : cluster_.gpus) known.push_back(std::string(kTime) + id);
    for (const std::string& column : row.cells) {
      const std::string where = fmt::format("{}:{}", where_, row.line);
      if (std::find(known.begin(), known.end(), column) == known.end()) {
        std::string hint = did_you_mean(column, known);
        if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(known, ", "));
        return fail(ErrorCode::bad_input, fmt::format("unknown column '{}'{}", one_line(column), hint), where);
      }
      if (std::find(columns_.begin(), columns_.end(), column) != columns_.end()) {
        return fail(ErrorCode::bad_input, fmt::format("duplicate column '{}'", column), where);
      }
      columns_.push_back(column);
    }
    if (std::find(columns_.begin(), columns_.end(), "job") == columns_.end()) {
      return fail(ErrorCode::bad_input, "has no column job", where_);
    }
    return {};
  }

  Result<QueuedJob> read_job(const CsvRow& row) const {
    QueuedJob job;
    job.where = fmt::format("{}:{}", where_, row.line);
    if (row.cells.size() != columns_.size()) {
      return fail(ErrorCode::bad_input, fmt::format("{} cells, the header has {}", row.cells.size(), columns_.size()),
                  job.where);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (row.cells[i].empty()) continue;
      if (auto done = read_cell(columns_[i], row.cells[i], job); !done) {
        return fail(ErrorCode::bad_input, done.error().message, fmt::format("{}: {}", job.where, columns_[i]));
      }
    }
    const auto wrong = [&](const char* message) { return fail(ErrorCode::bad_input, message, job.where); };
    if (job.job.name.empty()) return wrong("a job without a name");
    if (job.times.empty() == job.model.empty()) return wrong("a job has either a model or times");
    if (!job.model.empty() && job.samples == 0) return wrong("a model needs samples");
    if (!job.times.empty() && job.least_gpus != job.most_gpus) {
      return wrong("a job with given times has one number of GPUs, not a range");
    }
    return job;
  }

  Result<void> read_cell(const std::string& column, const std::string& text, QueuedJob& job) const {
    if (column == "job") {
      job.job.name = one_line(text);
    } else if (column == "model") {
      job.model = text;
    } else if (column == "gpus") {
      return read_gpus(text, job);
    } else if (column == "deadline") {
      return parse_duration(text, true).map([&](Seconds time) { job.job.deadline = time; });
    } else if (column == "weight") {
      const auto weight = parse_number<double>(text);
      constexpr double kMost = 1e9;
      if (!weight || !(*weight >= 0 && *weight <= kMost)) return wrong(text, "a weight from 0 to 1e9");
      job.job.weight = *weight;
    } else if (column == "precision") {
      const auto precision = parse_run_precision(text);
      if (!precision || !is_floating(precision->dtype)) {
        return wrong(text, "a precision: fp32, tf32, fp16, bf16, fp8, amp-fp16 or amp-bf16");
      }
      job.precision = *precision;
    } else if (column.starts_with(kTime)) {
      return parse_duration(text).map([&](Seconds time) { job.times[column.substr(kTime.size())] = time; });
    } else {
      const auto count = parse_number<std::int64_t>(text);
      constexpr std::int64_t kMost = std::int64_t{1} << 50;
      const std::int64_t most = column == "batch_size" ? kMaxDimension : kMost;
      if (!count || *count < 1 || *count > most) return wrong(text, fmt::format("a whole number from 1 to {}", most));
      (column == "samples" ? job.samples : column == "epochs" ? job.epochs : job.batch) = *count;
    }
    return {};
  }

  static Result<void> read_gpus(const std::string& text, QueuedJob& job) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<int>(std::string_view(text).substr(0, dash));
    const auto most = dash == std::string::npos ? least : parse_number<int>(std::string_view(text).substr(dash + 1));
    if (!least || !most || *least < 1 || *most < *least || *most > kMostGpus) {
      return wrong(text, "a number of GPUs, as in 2, or a range, as in 1-4");
    }
    job.least_gpus = *least;
    job.most_gpus = *most;
    return {};
  }

  static tl::unexpected<Error> wrong(const std::string& text, const std::string& what) {
    return fail(ErrorCode::bad_input, fmt::format("'{}' is not {}", one_line(text), what));
  }

  std::string where_;
  const Cluster& cluster_;
  std::vector<std::string> columns_;
};

// The times of a job on a kind of GPU, by their number.
Result<std::map<int, Seconds>> times_of(const QueuedJob& job, const std::string& id, const Gpu& gpu, int most_gpus,
                                        const TrainingTimes& training_times) {
  if (job.times.empty()) return training_times(job, gpu, std::min(job.most_gpus, most_gpus));
  std::map<int, Seconds> times;
  if (const auto found = job.times.find(id); found != job.times.end()) times[job.most_gpus] = found->second;
  return times;
}

}  // namespace

Result<std::vector<QueuedJob>> parse_queue(std::string_view csv, std::string_view where, const Cluster& cluster) {
  return QueueReader(where, cluster).read(csv);
}

Result<std::vector<Job>> jobs_of(const std::vector<QueuedJob>& queue, const Cluster& cluster,
                                 const TrainingTimes& training_times) {
  std::map<std::string, int> largest;  // machine of each kind of GPU
  for (const ClusterMachine& machine : cluster.machines) {
    int& most = largest[machine.gpu];
    most = std::max(most, machine.gpus);
  }
  std::vector<Job> jobs;
  for (const QueuedJob& queued : queue) {
    Job job = queued.job;
    std::string why;
    for (const auto& [id, gpu] : cluster.gpus) {
      const auto times = times_of(queued, id, gpu, largest.at(id), training_times);
      if (!times) {
        why = fmt::format("; {}: {}", id, times.error().message);
        continue;
      }
      for (std::size_t m = 0; m < cluster.machines.size(); ++m) {
        for (const auto& [gpus, time] : *times) {
          const bool wanted = gpus >= queued.least_gpus && gpus <= queued.most_gpus;
          if (cluster.machines[m].gpu == id && wanted && gpus <= cluster.machines[m].gpus) {
            job.modes.push_back({.machine = m, .gpus = gpus, .time = time});
          }
        }
      }
    }
    if (job.modes.empty()) {
      const std::string numbers = queued.least_gpus == queued.most_gpus
                                      ? fmt::format("{}", queued.least_gpus)
                                      : fmt::format("{} to {}", queued.least_gpus, queued.most_gpus);
      return fail(ErrorCode::not_found,
                  fmt::format("no machine can run job '{}' on {} GPU{}{}", job.name, numbers,
                              queued.most_gpus == 1 ? "" : "s", why),
                  queued.where);
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace rooftile
