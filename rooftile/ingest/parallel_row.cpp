#include "rooftile/ingest/parallel_row.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/execution/framework.hpp"

namespace rooftile {
namespace {

int degree(TableRow& row, const char* column) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::int64_t value = row.optional(column, 1, 1);
  if (value > kMost) row.reject(column, fmt::format("at most {}", kMost));
  return static_cast<int>(std::min(value, kMost));
}

Sharding sharding_of(TableRow& row) {
  const std::string cell = lower_case(row.text("fsdp"));
  if (cell.empty()) return Sharding::none;
  const auto known = parse_sharding(cell);
  if (!known) {
    row.reject("fsdp", fmt::format("unknown sharding '{}'; one of {}", shown(cell), fmt::join(sharding_names(), ", ")));
  }
  return known.value_or(Sharding::none);
}

Recompute recompute_of(TableRow& row) {
  const std::string cell = lower_case(row.text("recompute"));
  if (cell.empty()) return Recompute::none;
  const auto known = parse_recompute(cell);
  if (!known) {
    row.reject("recompute",
               fmt::format("unknown recompute '{}'; one of {}", shown(cell), fmt::join(recompute_names(), ", ")));
  }
  return known.value_or(Recompute::none);
}

Dispatcher dispatcher_of(TableRow& row) {
  const std::string cell = lower_case(row.text("dispatcher"));
  if (cell.empty()) return Dispatcher::nccl;
  const auto known = parse_dispatcher(cell);
  if (!known) {
    row.reject("dispatcher",
               fmt::format("unknown dispatcher '{}'; one of {}", shown(cell), fmt::join(dispatcher_names(), ", ")));
  }
  return known.value_or(Dispatcher::nccl);
}

}  // namespace

std::optional<Parallelism> read_parallelism(TableRow& row, const NetworkRun& run) {
  Parallelism way;
  way.tp = degree(row, "tp"), way.pp = degree(row, "pp"), way.cp = degree(row, "cp");
  way.ep = degree(row, "ep"), way.vp = degree(row, "vp");
  if (!row.text("etp").empty()) {
    way.etp = degree(row, "etp");
  } else if (keeps_experts_whole(row.text("framework"))) {
    way.etp = 1;
  }
  way.sequence_parallel = way.routes_apart();
  way.sharding = sharding_of(row);
  way.recompute = recompute_of(row);
  way.dispatcher = dispatcher_of(row);
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
