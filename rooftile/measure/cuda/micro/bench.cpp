#include "rooftile/measure/cuda/micro/bench.hpp"

#include <algorithm>
#include <utility>

#include "rooftile/measure/summary.hpp"

namespace rooftile::measure {
namespace {

Outcome<Chip> query_chip() {
  int device = 0;
  if (auto done = check(cudaGetDevice(&device), "asking for the GPU in use"); !done) {
    return tl::unexpected(done.error());
  }
  const auto attribute = [&](cudaDeviceAttr which, int& value) {
    return check(cudaDeviceGetAttribute(&value, which, device), "asking for the GPU's limits");
  };
  Chip chip;
  int l2 = 0;
  int smem_per_sm = 0;
  int smem_per_cta = 0;
  const std::pair<cudaDeviceAttr, int*> wanted[] = {
      {cudaDevAttrMultiProcessorCount, &chip.sm_count},
      {cudaDevAttrComputeCapabilityMajor, &chip.major},
      {cudaDevAttrComputeCapabilityMinor, &chip.minor},
      {cudaDevAttrL2CacheSize, &l2},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &smem_per_sm},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, &smem_per_cta},
  };
  for (const auto& [which, value] : wanted) {
    if (auto done = attribute(which, *value); !done) {
      return tl::unexpected(done.error());
    }
  }
  std::size_t total = 0;
  if (auto done = check(cudaMemGetInfo(&chip.free_bytes, &total), "asking for free memory"); !done) {
    return tl::unexpected(done.error());
  }
  if (l2 <= 0 || smem_per_sm <= 0) {
    return tl::unexpected(Refused{Refusal::unsupported, "the GPU does not tell the sizes of its caches"});
  }
  chip.l2_bytes = static_cast<std::size_t>(l2);
  chip.smem_per_sm_bytes = static_cast<std::size_t>(smem_per_sm);
  chip.smem_per_cta_bytes = static_cast<std::size_t>(smem_per_cta);
  return chip;
}

}  // namespace

Bench::Bench(std::string name, const MicroOptions& options) : name_(std::move(name)), options_(options) {
  const auto take = [this](auto&& outcome, auto& to) {
    if (outcome) {
      to = std::move(*outcome);
    } else {
      refuse(outcome.error().why, outcome.error().message);
    }
  };
  take(query_chip(), chip_);
  take(make_stream(), stream_);
  take(make_event(), begin_);
  take(make_event(), end_);
  span_ = allocate<Span>(1);
}

void Bench::refuse(Refusal why, std::string message) {
  if (!refused_) {
    refused_ = Refused{why, name_ + ": " + std::move(message)};
  }
}

void Bench::need(const Outcome<void>& outcome) {
  if (!outcome) {
    refuse(outcome.error().why, outcome.error().message);
  }
}

void* Bench::allocate_bytes(std::size_t bytes) {
  if (refused_) {
    return nullptr;
  }
  auto buffer = Buffer<std::byte>::make(bytes);
  if (!buffer) {
    refuse(buffer.error().why, buffer.error().message);
    return nullptr;
  }
  buffers_.push_back(std::move(*buffer));
  return buffers_.back().get();
}

void Bench::copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (refused_ || bytes == 0) {
    return;
  }
  need(check(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()), "copying"));
  wait("copying");
}

void Bench::clear(void* memory, std::size_t bytes) {
  if (!refused_) {
    need(check(cudaMemsetAsync(memory, 0, bytes, stream_.get()), "clearing memory"));
  }
}

void Bench::carve_out(const void* kernel, int share) {
  if (!refused_) {
    need(check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, share),
               "choosing the size of the L1"));
  }
}

int Bench::ctas_per_sm(const void* kernel, int threads) {
  int ctas = 1;
  if (!refused_) {
    need(check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, kernel, threads, 0), "asking how many CTAs fit"));
  }
  return std::max(ctas, 1);
}

int Bench::code_capability(const void* kernel) {
  cudaFuncAttributes attributes{};
  if (!refused_) {
    need(check(cudaFuncGetAttributes(&attributes, kernel), "asking what a kernel was compiled for"));
  }
  return attributes.ptxVersion > 0 ? attributes.ptxVersion : chip_.compute_capability();  // not told: as the GPU
}

double Bench::seconds(const std::function<void()>& work) {
  if (refused_) {
    return 0;
  }
  need(check(cudaEventRecord(begin_.get(), stream_.get()), "recording an event"));
  work();
  if (refused_) {
    return 0;
  }
  need(check(cudaEventRecord(end_.get(), stream_.get()), "recording an event"));
  if (refused_) {
    return 0;
  }
  const auto time = seconds_between(begin_, end_);
  if (!time) {
    refuse(time.error().why, time.error().message);
    return 0;
  }
  return *time;
}

void Bench::wait(std::string_view what) {
  if (!refused_) {
    need(check(cudaStreamSynchronize(stream_.get()), what));
  }
}

void Bench::add(std::string_view variant, double parameter, const std::vector<double>& values, std::string_view unit) {
  if (!refused_ && !values.empty()) {
    points_.push_back({name_, std::string(variant), parameter, summarise(values), std::string(unit)});
  }
}

void Bench::note_clock() {
  const Span span = download(span_, 1).front();
  if (!refused_ && span.nanoseconds >= 1'000'000) {
    clocks_.push_back(static_cast<double>(span.cycles) / static_cast<double>(span.nanoseconds) * 1e9);
  }
}

Outcome<std::vector<Point>> run_parts(std::string_view benchmark, const MicroOptions& options,
                                      const std::vector<Part>& parts) {
  std::vector<Point> points;
  std::vector<double> clocks;
  std::vector<Refused> refused;
  for (const Part& part : parts) {
    Bench bench{std::string(benchmark), options};
    if (bench.go()) {
      part(bench);
    } else if (!bench.refused()) {  // the user wants to stop
      break;
    }
    // What a part found before it failed is sound: each figure is checked before it is added.
    points.insert(points.end(), bench.points().begin(), bench.points().end());
    clocks.insert(clocks.end(), bench.clocks().begin(), bench.clocks().end());
    if (bench.refused()) {
      refused.push_back(*bench.refused());
      if (bench.refused()->why == Refusal::device_lost) {
        break;
      }
    }
  }
  if (points.empty() && !refused.empty()) {
    return tl::unexpected(refused.back());  // the last says it where the GPU was lost
  }
  if (options.refused) {
    for (const Refused& part : refused) {
      options.refused(part);
    }
  }
  if (!clocks.empty()) {
    points.push_back({"clock", std::string(benchmark), 0, summarise(clocks), "Hz"});
  }
  return points;
}

}  // namespace rooftile::measure
