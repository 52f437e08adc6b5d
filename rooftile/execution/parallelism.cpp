#include "rooftile/execution/parallelism.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 4> kShardingNames = {"none", "optimizer", "gradients", "all"};

constexpr std::array<std::string_view, 3> kDispatcherNames = {"nccl", "deepep", "gather"};

constexpr std::array<std::string_view, 4> kOffloadNames = {"none", "optimizer", "activations", "all"};

// As frameworks call them.
constexpr std::array<std::pair<std::string_view, Sharding>, 8> kShardingAliases = {{
    {"zero0", Sharding::none},
    {"no_shard", Sharding::none},
    {"zero1", Sharding::optimizer},
    {"zero2", Sharding::gradients},
    {"shard_grad_op", Sharding::gradients},
    {"zero3", Sharding::all},
    {"fsdp", Sharding::all},
    {"full_shard", Sharding::all},
}};

tl::unexpected<Error> bad_degree(std::string message) { return fail(ErrorCode::usage, std::move(message)); }

}  // namespace

std::string_view name_of(Sharding sharding) { return kShardingNames[static_cast<std::size_t>(sharding)]; }
std::vector<std::string> sharding_names() { return {kShardingNames.begin(), kShardingNames.end()}; }

std::optional<Sharding> parse_sharding(std::string_view name) {
  const std::string text = lower_case(name.substr(0, name.find(' ')));  // "FULL_SHARD (PURE)"
  const auto own = std::find(kShardingNames.begin(), kShardingNames.end(), text);
  if (own != kShardingNames.end()) return static_cast<Sharding>(own - kShardingNames.begin());
  for (const auto& [alias, sharding] : kShardingAliases) {
    if (alias == text) return sharding;
  }
  return std::nullopt;
}

std::string_view name_of(Offload offload) { return kOffloadNames[static_cast<std::size_t>(offload)]; }
std::vector<std::string> offload_names() { return {kOffloadNames.begin(), kOffloadNames.end()}; }

std::optional<Offload> parse_offload(std::string_view name) {
  const auto found = std::find(kOffloadNames.begin(), kOffloadNames.end(), name);
  if (found == kOffloadNames.end()) return std::nullopt;
  return static_cast<Offload>(found - kOffloadNames.begin());
}

std::string_view name_of(Dispatcher dispatcher) { return kDispatcherNames[static_cast<std::size_t>(dispatcher)]; }
std::vector<std::string> dispatcher_names() { return {kDispatcherNames.begin(), kDispatcherNames.end()}; }

std::optional<Dispatcher> parse_dispatcher(std::string_view name) {
  const std::string text = lower_case(name);
  if (text == "nccl" || text == "alltoall" || text == "all-to-all") return Dispatcher::nccl;
  if (text == "deepep" || text == "hybridep") return Dispatcher::deepep;
  if (text == "gather" || text == "allgather" || text == "allgather_reducescatter") return Dispatcher::gather;
  return std::nullopt;
}

std::string print(const Parallelism& way) {
  std::vector<std::string> parts;
  const auto degree = [&](const char* name, int value) {
    if (value > 1) parts.push_back(fmt::format("{} {}", name, value));
  };
  degree("tp", way.tp);
  degree("cp", way.cp);
  degree("pp", way.pp);
  degree("vp", way.vp);
  degree("dp", way.dp);
  degree("ep", way.ep);
  if (way.routes_apart()) parts.push_back(fmt::format("etp {}", way.etp));
  if (way.sharding != Sharding::none) parts.push_back(fmt::format("sharding {}", name_of(way.sharding)));
  if (way.offload != Offload::none) parts.push_back(fmt::format("offload {}", name_of(way.offload)));
  if (way.dispatcher != Dispatcher::nccl) parts.push_back(fmt::format("dispatcher {}", name_of(way.dispatcher)));
  return parts.empty() ? "one GPU" : fmt::format("{}", fmt::join(parts, ", "));
}

Result<void> check(const Parallelism& way) {
  constexpr std::int64_t kMost = 1 << 20, kMostSamples = std::int64_t{1} << 31;
  const std::array<std::pair<const char*, std::int64_t>, 6> degrees = {
      {{"tp", way.tp}, {"pp", way.pp}, {"dp", way.dp}, {"cp", way.cp}, {"ep", way.ep}, {"vp", way.vp}}};
  const auto in_range = [](const char* name, std::int64_t value, std::int64_t most) -> Result<void> {
    if (value >= 1 && value <= most) return {};
    return bad_degree(fmt::format("{} {} is not between 1 and {}", name, value, most));
  };
  for (const auto& [name, value] : degrees) TRY(in_range(name, value, kMost));
  TRY(in_range("micro_batch", way.micro_batch, kMostSamples));
  TRY(in_range("micro_batches", way.micro_batches, kMost));
  const double gpus = static_cast<double>(way.tp) * way.pp * way.dp * way.cp;
  if (gpus > static_cast<double>(kMost)) return bad_degree(fmt::format("{:.0f} GPUs are more than {}", gpus, kMost));
  if (way.etp != 0 && way.etp != 1 && way.etp != way.tp) {
    return bad_degree(fmt::format("etp {} is neither 1 nor tp, {}", way.etp, way.tp));
  }
  const std::int64_t stage = std::int64_t{way.tp} * way.cp * way.dp;
  if (stage % (std::int64_t{way.ep} * way.expert_tp()) != 0) {
    const std::string shared = way.expert_tp() > 1 ? fmt::format(" x etp {}", way.expert_tp()) : "";
    return bad_degree(fmt::format("ep {}{} does not divide the {} of a stage", way.ep, shared,
                                  stage == 1 ? "one GPU" : fmt::format("{} GPUs", stage)));
  }
  if (way.vp > 1 && way.pp == 1)
    return bad_degree(fmt::format("vp {} interleaves pipeline stages, and pp is 1", way.vp));
  if (way.vp > 1 && way.micro_batches % way.pp != 0) {
    return bad_degree(fmt::format("interleaved stages need whole rounds: pp {} does not divide {} micro-batches",
                                  way.pp, way.micro_batches));
  }
  if (way.pp > 1 && way.sharding > Sharding::optimizer) {
    return bad_degree(
        fmt::format("sharding {} is not combined with pp: gradients of all micro-batches would be exchanged",
                    name_of(way.sharding)));
  }
  return {};
}

}  // namespace rooftile
