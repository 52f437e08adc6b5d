// Any text as machines full of GPUs and what joins them: an error, or a cluster within its ranges.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/fabric/gpu_cluster.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cluster = parse_gpu_cluster(text, "cluster.toml");
  if (!cluster) {
    require(is_one_line_error(cluster.error()));
    return 0;
  }
  require(!cluster->id.empty() && !cluster->gpu.empty());
  require(cluster->gpus_per_node >= 1 && cluster->nodes >= 1 && cluster->gpus() >= cluster->nodes);
  require(is_positive(cluster->link.bandwidth.value()));
  require(cluster->nodes == 1 || is_positive(cluster->network.value()));
  return 0;
}
