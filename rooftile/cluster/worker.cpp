#include "rooftile/cluster/worker.hpp"

#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "rooftile/cluster/clock.hpp"

namespace rooftile::cluster {
namespace {

// An interrupted rank waits for rank 0 no longer than this: whatever interrupts will kill soon.
constexpr double kLastWords = 5;

// Between two words to rank 0, and since its last one.
class Listening {
 public:
  Listening(Transport& transport, const WorkerSettings& settings) : transport_(transport), settings_(settings) {}

  void send(MessageKind kind, std::string bytes) {
    transport_.send(0, kind, std::move(bytes));
    spoken_ = seconds_now();
  }
  void say_alive() {
    if (seconds_now() - spoken_ >= settings_.alive_every) send(MessageKind::alive, {});
  }
  std::optional<Message> receive() {
    auto message = transport_.receive();
    if (message) heard_ = seconds_now();
    return message;
  }
  bool silent(double patience) const { return seconds_now() - heard_ > patience; }
  bool silent() const { return silent(settings_.patience); }

 private:
  Transport& transport_;
  const WorkerSettings& settings_;
  double heard_ = seconds_now(), spoken_ = seconds_now();
};

}  // namespace

Result<Finish> work_for(Transport& transport, const Hello& hello, const Compute& compute,
                        const std::atomic<bool>& interrupted, const WorkerSettings& settings) {
  Listening rank0(transport, settings);
  rank0.send(MessageKind::hello, bytes_of(hello));
  std::atomic<bool> stop = false;
  std::deque<Work> waiting;
  std::uint64_t chunk = 0;
  std::future<Result<Part>> begun;
  std::optional<Finish> finish;
  std::optional<double> interrupted_at;
  while (true) {
    if (interrupted && !interrupted_at) {
      interrupted_at = seconds_now();
      stop = true;
      waiting.clear();
    }
    if (begun.valid() && begun.wait_for(kIdle) == std::future_status::ready) {
      auto part = begun.get();
      if (!part) {
        report_failure(transport, {hello.host, part.error()}, settings);
        return tl::unexpected(part.error());
      }
      rank0.send(MessageKind::done, bytes_of(Done{chunk, part->blocks, std::move(part->results)}));
    }
    if (!begun.valid() && finish) return *finish;
    const bool left_alone = interrupted_at && seconds_now() - *interrupted_at > kLastWords;
    if (!begun.valid() && left_alone) return Finish{.rank_lost = true};
    if (!begun.valid() && !waiting.empty()) {
      const Work work = waiting.front();
      waiting.pop_front();
      chunk = work.chunk;
      begun = std::async(std::launch::async, [&compute, &stop, work] { return compute(work.blocks, stop); });
    }
    const auto message = rank0.receive();
    if (message && message->kind == MessageKind::work && !stop) {
      if (const auto work = read_work(message->bytes)) waiting.push_back(*work);
    } else if (message && message->kind == MessageKind::finish) {
      finish = read_finish(message->bytes).value_or(Finish{.rank_lost = true});
      stop = true;
      waiting.clear();
    }
    if (!message && !begun.valid()) std::this_thread::sleep_for(kIdle);
    if (!interrupted_at) rank0.say_alive();
    if (rank0.silent()) {
      stop = true;
      return fail(ErrorCode::io, fmt::format("has been silent for {:.0f} s", settings.patience), "rank 0");
    }
  }
}

Finish report_failure(Transport& transport, const Failed& failed, const WorkerSettings& settings) {
  Listening rank0(transport, settings);
  rank0.send(MessageKind::failed, bytes_of(failed));
  while (!rank0.silent()) {
    const auto message = rank0.receive();
    if (message && message->kind == MessageKind::finish) {
      return read_finish(message->bytes).value_or(Finish{.rank_lost = true});
    }
    if (!message) std::this_thread::sleep_for(kIdle);
  }
  return Finish{.rank_lost = true};
}

}  // namespace rooftile::cluster
