#include "rooftile/parallel/stream_graph.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <queue>

namespace rooftile {
namespace {

class Run {
 public:
  Run(std::span<const StreamGraph::Task> tasks, double taken) : tasks_(tasks), taken_(taken) {
    times_.start.resize(tasks.size());
    times_.end.resize(tasks.size());
    waiting_.resize(tasks.size());
    int gpus = 0;
    for (const StreamGraph::Task& task : tasks) gpus = std::max(gpus, task.gpu + 1);
    queues_.resize(static_cast<std::size_t>(gpus) * kStreams);
    for (std::size_t i = 0; i < tasks.size(); ++i) queue_of(tasks[i]).tasks.push_back(i);
  }

  template <class Edges>
  StreamTimes through(const Edges& edges) {
    std::vector<std::size_t> first(tasks_.size() + 1), next(edges.size());
    for (const auto& edge : edges) ++first[edge.from + 1], ++waiting_[edge.to];
    for (std::size_t i = 0; i < tasks_.size(); ++i) first[i + 1] += first[i];
    std::vector<std::size_t> place(first.begin(), first.end() - 1);
    for (const auto& edge : edges) next[place[edge.from]++] = edge.to;

    for (Queue& queue : queues_) start(queue);
    std::size_t done = 0;
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      Queue& queue = queues_[event.queue];
      if (event.version != queue.version) continue;  // it was slowed down or sped up since
      now_ = event.time;
      const std::size_t task = queue.tasks[queue.head];
      times_.end[task] = now_;
      ++done;
      ++queue.head;
      queue.runs = false;
      rerate(tasks_[task]);
      start(queue);
      for (std::size_t i = first[task]; i < first[task + 1]; ++i) {
        if (--waiting_[next[i]] == 0) start(queue_of(tasks_[next[i]]));
      }
    }
    assert(done == tasks_.size());
    times_.last = now_;
    return std::move(times_);
  }

 private:
  struct Queue {
    std::vector<std::size_t> tasks;
    std::size_t head = 0, version = 0;
    bool runs = false;
    double rate = 1;
    Seconds left, since;
  };
  struct Event {
    Seconds time;
    std::size_t queue, version;
    bool operator<(const Event& other) const { return time > other.time; }  // the earliest on top
  };

  std::size_t index_of(const StreamGraph::Task& task) const {
    return static_cast<std::size_t>(task.gpu) * kStreams + static_cast<std::size_t>(task.stream);
  }
  Queue& queue_of(const StreamGraph::Task& task) { return queues_[index_of(task)]; }
  Queue& queue_of(int gpu, GpuStream stream) {
    return queues_[static_cast<std::size_t>(gpu) * kStreams + static_cast<std::size_t>(stream)];
  }

  void start(Queue& queue) {
    if (queue.runs || queue.head == queue.tasks.size()) return;
    const std::size_t id = queue.tasks[queue.head];
    if (waiting_[id] > 0) return;
    const StreamGraph::Task& task = tasks_[id];
    times_.start[id] = now_;
    queue.runs = true;
    queue.left = task.work;
    queue.since = now_;
    queue.rate = rate_of(task);
    expect(queue);
    rerate(task);
  }

  double rate_of(const StreamGraph::Task& task) {
    return task.stream == GpuStream::compute && queue_of(task.gpu, GpuStream::reduce).runs ? 1 - taken_ : 1;
  }

  // A transfer began or ended: what the GPU computes goes on at another rate.
  void rerate(const StreamGraph::Task& changed) {
    if (taken_ == 0 || changed.stream != GpuStream::reduce) return;
    Queue& queue = queue_of(changed.gpu, GpuStream::compute);
    if (!queue.runs) return;
    queue.left -= (now_ - queue.since) * queue.rate;
    queue.since = now_;
    queue.rate = rate_of(tasks_[queue.tasks[queue.head]]);
    expect(queue);
  }

  void expect(Queue& queue) {
    const auto index = static_cast<std::size_t>(&queue - queues_.data());
    events_.push({now_ + std::max(queue.left, Seconds(0)) / queue.rate, index, ++queue.version});
  }

  std::span<const StreamGraph::Task> tasks_;
  double taken_;
  Seconds now_;
  StreamTimes times_;
  std::vector<std::size_t> waiting_;  // for so many others
  std::vector<Queue> queues_;
  std::priority_queue<Event> events_;
};

}  // namespace

std::size_t StreamGraph::add(int gpu, GpuStream stream, Seconds work, std::initializer_list<std::size_t> after) {
  tasks_.push_back({gpu, stream, work});
  for (const std::size_t other : after) add_dependency(tasks_.size() - 1, other);
  return tasks_.size() - 1;
}

void StreamGraph::add_dependency(std::size_t task, std::size_t after) {
  if (after != kNoTask) edges_.push_back({after, task});
}

StreamTimes StreamGraph::run(double taken) const { return Run(tasks_, taken).through(edges_); }

}  // namespace rooftile
