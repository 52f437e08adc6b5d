#include "rooftile/ingest/parallel_row.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "rooftile/execution/framework.hpp"
#include "rooftile/ingest/network_run.hpp"

namespace rooftile {
namespace {

int degree(TableRow& row, const char* column) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::int64_t value = row.optional(column, 1, 1);
  if (value > kMost) row.reject(column, fmt::format("at most {}", kMost));
  return static_cast<int>(std::min(value, kMost));
}

// GPUs that share each expert's matrices, as the row or else its framework has them; 0, as many as tp, where there are
// none.
int expert_degree(TableRow& row, const NetworkRun& run) {
  const bool told = !row.text("etp").empty();
  if (!told && !keeps_experts_whole(row.text("framework"))) return 0;
  const int wanted = told ? degree(row, "etp") : 1;
  const auto shape = transformer_of(run);  // a file's error is for whoever loads the network
  return shape && *shape && (*shape)->experts > 0 ? wanted : 0;
}

}  // namespace

std::optional<Parallelism> read_parallelism(TableRow& row, const NetworkRun& run) {
  Parallelism way;
  way.tp = degree(row, "tp"), way.pp = degree(row, "pp"), way.cp = degree(row, "cp");
  way.ep = degree(row, "ep"), way.vp = degree(row, "vp");
  way.etp = expert_degree(row, run);
  way.sequence_parallel = way.routes_apart();
  way.sharding = row.named("fsdp", parse_sharding, sharding_names()).value_or(Sharding::none);
  way.recompute = row.named("recompute", parse_recompute, recompute_names()).value_or(Recompute::none);
  way.dispatcher = row.named("dispatcher", parse_dispatcher, dispatcher_names()).value_or(Dispatcher::nccl);
  const std::int64_t accumulated = row.optional("grad_accum", 1, 0);
  const std::int64_t micro_batch = row.optional("micro_batch", 1, 0);
  const std::int64_t others = static_cast<std::int64_t>(way.tp) * way.pp * way.cp;
  if (run.gpus % others != 0) {
    row.reject("gpus",
               fmt::format("{} GPUs are no multiple of tp {} x pp {} x cp {}", run.gpus, way.tp, way.pp, way.cp));
    return {};
  }
  way.dp = static_cast<int>(run.gpus / others);
  if (!row.text("dp").empty() && degree(row, "dp") != way.dp) {
    row.reject("dp", fmt::format("{} GPUs leave {} to data parallelism", run.gpus, way.dp));
  }
  // The batch is that of all GPUs; without one the row says what each gets.
  const std::int64_t share = std::max<std::int64_t>(1, (run.batch.value_or(way.dp) + way.dp - 1) / way.dp);
  if (micro_batch > 0) {
    way.micro_batch = micro_batch;
    way.micro_batches = accumulated > 0 ? accumulated : std::max<std::int64_t>(1, share / micro_batch);
  } else {
    way.micro_batches = std::max<std::int64_t>(1, accumulated);
    way.micro_batch = std::max<std::int64_t>(1, share / way.micro_batches);
  }
  if (way.gpus() == 1 && way.micro_batches == 1) return {};
  if (auto good = check(way); !good) row.reject("", good.error().message);
  return way;
}

}  // namespace rooftile
