#include "rooftile/ingest/export_memo.hpp"

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "rooftile/workload/any_batch.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMostOps = 100'000;  // of all networks kept, about a KB each

struct Kept {
  std::string key;
  std::int64_t batch = 0;
  Workload workload;            // at that batch size
  std::optional<AnyBatch> any;  // in its place
  std::size_t ops = 0;
};

class Memo {
 public:
  std::optional<Workload> find(const std::string& key, std::int64_t batch) {
    const std::lock_guard lock(mutex_);
    const auto known = places_.find(key);
    if (known == places_.end()) return std::nullopt;
    kept_.splice(kept_.begin(), kept_, known->second);
    Kept& kept = kept_.front();
    if (kept.any) return kept.any->at(batch);
    if (kept.batch == batch) return kept.workload;
    return std::nullopt;
  }

  void keep(const std::string& key, std::int64_t batch, Workload workload) {
    const std::lock_guard lock(mutex_);
    const auto known = places_.find(key);
    if (known != places_.end()) return keep_another(*known->second, batch, std::move(workload));
    const std::size_t ops = workload.ops.size();
    kept_.push_front({key, batch, std::move(workload), std::nullopt, ops});
    places_[key] = kept_.begin();
    ops_ += ops;
    while (ops_ > kMostOps) {
      ops_ -= kept_.back().ops;
      places_.erase(kept_.back().key);
      kept_.pop_back();
    }
  }

 private:
  // The same network at another batch size, which the first one gives way to where no third follows from the two.
  static void keep_another(Kept& kept, std::int64_t batch, Workload workload) {
    if (kept.any || kept.batch == batch) return;
    kept.any = AnyBatch::from(std::move(kept.workload), workload);
    kept.workload = kept.any ? Workload() : std::move(workload);
    kept.batch = batch;
  }

  std::mutex mutex_;
  std::list<Kept> kept_;  // the one used last first
  std::unordered_map<std::string, std::list<Kept>::iterator> places_;
  std::size_t ops_ = 0;
};

}  // namespace

Result<Workload> read_once(const std::string& key, std::int64_t batch, const std::function<Result<Workload>()>& read) {
  static Memo memo;
  if (auto known = memo.find(key, batch)) return *std::move(known);
  auto workload = read();
  if (workload) memo.keep(key, batch, *workload);
  return workload;
}

}  // namespace rooftile
