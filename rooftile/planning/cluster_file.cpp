// Reading clusters.
#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/planning/job_queue.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kMostMachines = 256, kMostGpusOfMachine = 1024;

class ClusterReader : TomlReader {
 public:
  explicit ClusterReader(std::string_view where) : TomlReader(where), where_(where) {}

  Result<Cluster> read(const toml::table& root) {
    for (auto&& [key, node] : root) {
      if (key.str() != "machine") return unknown(key, "", {"machine"});
      const auto* machines = node.as_array();
      if (machines == nullptr) return error(node.source(), "'machine' must be a list of tables: [[machine]]");
      for (const toml::node& machine : *machines) {
        const auto* table = machine.as_table();
        if (table == nullptr) return error(machine.source(), "'machine' must be a list of tables: [[machine]]");
        TRY(read_machine(*table));
      }
    }
    if (cluster_.machines.empty()) {
      return fail(ErrorCode::bad_input, "has no [[machine]] with a name, a gpu and gpus", std::string(where_));
    }
    return std::move(cluster_);
  }

 private:
  Result<std::int64_t> count(const toml::node& node, std::string_view what, std::int64_t most) const {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 || number->get() > most) {
      return error(node.source(), fmt::format("{} must be a whole number from 1 to {}", what, most));
    }
    return number->get();
  }

  Result<void> read_machine(const toml::table& table) {
    ClusterMachine machine;
    std::int64_t alike = 1;
    for (auto&& [key, node] : table) {
      Result<void> done;
      if (key.str() == "name") {
        done = words(node, "name").map([&](std::string text) { machine.name = std::move(text); });
      } else if (key.str() == "gpu") {
        done = read_gpu(node, machine);
      } else if (key.str() == "gpus") {
        done = count(node, "gpus", kMostGpusOfMachine).map([&](std::int64_t n) { machine.gpus = static_cast<int>(n); });
      } else if (key.str() == "count") {
        done = count(node, "count", kMostMachines).map([&](std::int64_t n) { alike = n; });
      } else {
        return unknown(key, " of [[machine]]", {"name", "gpu", "gpus", "count"});
      }
      if (!done) return done;
    }
    if (machine.name.empty() || machine.gpu.empty()) return error(table.source(), "a machine needs a name and a gpu");
    for (std::int64_t i = 1; i <= alike; ++i) {
      ClusterMachine one = machine;
      if (alike > 1) one.name += fmt::format("-{}", i);
      const bool there = std::any_of(cluster_.machines.begin(), cluster_.machines.end(),
                                     [&](const ClusterMachine& other) { return other.name == one.name; });
      if (there) return error(table.source(), fmt::format("duplicate machine '{}'", one_line(one.name)));
      if (static_cast<std::int64_t>(cluster_.machines.size()) == kMostMachines) {
        return error(table.source(), fmt::format("more than {} machines", kMostMachines));
      }
      cluster_.machines.push_back(std::move(one));
    }
    return {};
  }

  Result<void> read_gpu(const toml::node& node, ClusterMachine& machine) {
    const auto name = TRY(words(node, "gpu"));
    auto gpu = find_gpu(name);
    if (!gpu) return error(node.source(), one_line(gpu.error().text()));
    machine.gpu = gpu->id;
    cluster_.gpus.emplace(machine.gpu, std::move(*gpu));
    return {};
  }

  std::string_view where_;
  Cluster cluster_;
};

}  // namespace

Result<Cluster> parse_cluster(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a cluster file"));
  return ClusterReader(where).read(root);
}

}  // namespace rooftile
