// Any text as a cluster, and as a queue of jobs for it: an error, or machines and jobs within their ranges. What stands
// before the first NUL is the cluster, what follows the queue; without one all of it is tried as both.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/planning/job_queue.hpp"
#include "rooftile/prices/gpu_price.hpp"

namespace {

constexpr std::string_view kCluster = "[[machine]]\nname = \"a\"\ngpu = \"v100-sxm2-16gb\"\ngpus = 4\n";

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t nul = text.find('\0');
  const auto cluster = parse_cluster(text.substr(0, nul), "cluster.toml");
  require(cluster ? !cluster->machines.empty() : is_one_line_error(cluster.error()));
  const auto prices = parse_gpu_prices(text.substr(0, nul), "prices.toml");
  require(prices ? !prices->empty() || text.find("[prices]") != std::string_view::npos
                 : is_one_line_error(prices.error()));
  const std::string_view csv = nul == std::string_view::npos ? text : text.substr(nul + 1);
  const auto queue = parse_queue(csv, "queue.csv", cluster ? *cluster : parse_cluster(kCluster, "").value());
  if (!queue) {
    require(is_one_line_error(queue.error()));
    return 0;
  }
  for (const QueuedJob& job : *queue) {
    require(job.least_gpus >= 1 && job.least_gpus <= job.most_gpus);
    require(job.job.weight >= 0 && std::isfinite(job.job.weight));
    for (const auto& [gpu, time] : job.times) require(time.value() > 0 && std::isfinite(time.value()));
  }
  return 0;
}
