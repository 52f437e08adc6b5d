#include "tests/measure/on_cpu/kernel.hpp"

#include <algorithm>
#include <sanitizer/asan_interface.h>

#include "tests/measure/on_cpu/runtime.hpp"

namespace on_cpu {
namespace {

constexpr std::size_t kStack = 64 << 10;
constexpr double kLaunchCycles = 3;   // from the end of one kernel to the start of the next
constexpr double kPlainCycles = 100;  // of a thread without PTX: what C++ does takes no cycles of its own

Thread* running = nullptr;

// Of all kernels, so that a stack is made once.
const boost::context::pooled_fixedsize_stack& stacks() {
  static const boost::context::pooled_fixedsize_stack only(kStack);
  return only;
}

double device_seconds = 0;

void leave(Group& group) {
  --group.alive;
  if (group.alive > 0 && group.arrived == group.alive) {
    group.released = group.latest;
    group.arrived = 0;
    ++group.generation;
  }
}

void wait_for(Group& group) {
  Thread& thread = me();
  thread.wait_for_loads();
  group.latest = std::max(group.latest, thread.cycles);
  const std::uint64_t generation = group.generation;
  if (++group.arrived == group.alive) {
    group.released = group.latest;
    group.arrived = 0;
    ++group.generation;
  }
  while (group.generation == generation) {
    thread.yield();
  }
  thread.cycles = std::max(thread.cycles, group.released);
}

// Runs the CTAs of one launch, as many at a time as fit.
class Run {
 public:
  Run(const std::function<void()>& body, const Config& config)
      : body_(body), config_(config), count_(config.blocks.x) {}

  void to_the_end() {
    const std::size_t fit = std::max<std::size_t>(1, Model::threads_per_sm / config_.threads.x) * Model::sms;
    while (begun_ < count_ || !resident_.empty()) {
      while (begun_ < count_ && resident_.size() < fit) {
        begin();
      }
      for (const auto& cta : resident_) {
        for (Thread& thread : cta->threads) {
          if (thread.fiber) {
            running = &thread;
            thread.fiber = std::move(thread.fiber).resume();
            running = nullptr;
          }
        }
        if (failed_) {
          std::rethrow_exception(failed_);
        }
      }
      std::erase_if(resident_, [&](const auto& cta) { return cta->all.alive == 0; });
    }
  }

  double longest_cycles() const { return longest_; }

 private:
  void begin() {
    resident_.push_back(std::make_unique<Cta>());
    Cta& cta = *resident_.back();
    const unsigned threads = config_.threads.x;
    cta.sm = static_cast<int>(begun_ % Model::sms);
    cta.all.alive = static_cast<int>(threads);
    cta.warps.resize((threads + 31) / 32);
    cta.exchanged.resize(cta.warps.size() * 32);
    cta.threads.resize(threads);
    for (unsigned i = 0; i < threads; ++i) {
      Thread& thread = cta.threads[i];
      thread.here = {dim3(i, 0, 0), dim3(static_cast<unsigned>(begun_), 0, 0), config_.threads, config_.blocks};
      thread.cta = &cta;
      thread.warp = &cta.warps[i / 32];
      ++thread.warp->alive;
      thread.lane = static_cast<int>(i % 32);
      thread.exchanged = &cta.exchanged[i / 32 * 32];
      thread.fiber = boost::context::fiber(std::allocator_arg, boost::context::pooled_fixedsize_stack(stacks()),
                                           [this, &thread](boost::context::fiber&& scheduler) {
                                             thread.scheduler = std::move(scheduler);
                                             try {
                                               body_();
                                             } catch (const UnknownInstruction&) {
                                               failed_ = std::current_exception();
                                             }
                                             thread.wait_for_loads();
                                             longest_ =
                                                 std::max(longest_, thread.cycles > 0 ? thread.cycles : kPlainCycles);
                                             leave(*thread.warp);
                                             leave(thread.cta->all);
                                             return std::move(thread.scheduler);
                                           });
    }
    ++begun_;
  }

  const std::function<void()>& body_;
  Config config_;
  std::uint64_t count_;
  std::uint64_t begun_ = 0;
  std::vector<std::unique_ptr<Cta>> resident_;
  std::exception_ptr failed_;
  double longest_ = 0;
};

}  // namespace

Thread& me() { return *running; }

Machine& machine() {
  static Machine only;
  return only;
}

const Here& here() { return running->here; }
void wait_for_cta() { wait_for(me().cta->all); }
void wait_for_warp() { wait_for(*me().warp); }

void* shared_memory(const void* key, std::size_t bytes) {
  Cta& cta = *me().cta;
  constexpr std::size_t kAlignment = 1024;
  if (cta.memory.empty()) {
    cta.memory.resize(Model::l1_bytes);
    ASAN_POISON_MEMORY_REGION(cta.memory.data(), cta.memory.size());  // but for what variables take of it
  }
  const auto [at, added] = cta.places.try_emplace(key, 0);
  if (added) {
    // Behind all others; places[nullptr] is where they end.
    std::size_t& free = cta.places[nullptr];
    at->second = (free + kAlignment - 1) / kAlignment * kAlignment;
    free = at->second + bytes;
    if (free > cta.memory.size()) {
      throw UnknownInstruction();
    }
    ASAN_UNPOISON_MEMORY_REGION(cta.memory.data() + at->second, bytes);
  }
  return cta.memory.data() + at->second;
}

std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(place) - me().cta->memory.data());
}

unsigned this_lane() { return static_cast<unsigned>(me().lane); }

std::uint64_t from_lane(std::uint64_t mine, unsigned lane) {
  Thread& thread = me();
  thread.exchanged[thread.lane] = mine;
  wait_for(*thread.warp);
  const std::uint64_t got = thread.exchanged[lane];
  wait_for(*thread.warp);
  return got;
}

void Thread::issue(double load_cycles) {
  double& slot = ready[next];
  next = (next + 1) % Model::loads_in_flight;
  cycles = std::max(cycles, slot);  // the oldest makes room
  slot = cycles + load_cycles;
}

void Thread::wait_for_loads() {
  for (const double when : ready) {
    cycles = std::max(cycles, when);
  }
}

double now_seconds() { return device_seconds; }
void pass_cycles(double cycles) { device_seconds += cycles / Model::hertz; }

bool run_kernel(const std::function<void()>& body, const Config& config) {
  machine().begin_kernel();
  Run run(body, config);
  bool known = true;
  try {
    run.to_the_end();
  } catch (const UnknownInstruction&) {
    known = false;
  }
  pass_cycles(std::max(run.longest_cycles(), machine().busiest_cycles()) + kLaunchCycles);
  return known;
}

}  // namespace on_cpu
