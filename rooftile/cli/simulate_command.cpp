// rooftile simulate: the traffic of layers by replaying their addresses, beside closed forms.
#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/report/simulation.hpp"
#include "rooftile/simulate/random_layer.hpp"
#include "rooftile/traffic/delta.hpp"
#include "rooftile/traffic/refined.hpp"

namespace rooftile::cli {
namespace {

using Shape = std::variant<Conv, Gemm>;

// The kernels of layers; equal layers of one model or table are one.
class Layers {
 public:
  explicit Layers(const SimulateArguments& arguments) : arguments_(arguments) {}

  Result<void> add_all() {
    for (const std::string& model : arguments_.models) {
      if (auto result = add_model(model); !result) return result;
    }
    if (!arguments_.table.empty()) {
      if (auto result = add_table(); !result) return result;
    }
    for (std::int64_t i = 0; i < arguments_.random_layers; ++i) {
      seen_.clear();
      add(fmt::format("random {}", i), i % 2 == 0 ? "random, even" : "random, odd",
          random_layer(static_cast<std::uint64_t>(arguments_.seed), static_cast<std::uint64_t>(i)));
    }
    if (!kernels_.empty()) return {};
    const std::string& layer = arguments_.layer;
    return fail(ErrorCode::not_found, layer.empty()
                                          ? std::string("there is no convolution or GEMM to simulate")
                                          : fmt::format("no convolution or GEMM has '{}' in its name", layer));
  }

  std::vector<SimulatedLayer>& kernels() { return kernels_; }

 private:
  struct Seen {
    Shape shape;
    std::size_t first = 0, last = 0;  // its kernels
  };

  void add(const std::string& name, const std::string& set, const Shape& shape) {
    const auto known = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) { return seen.shape == shape; });
    if (known != seen_.end()) {
      for (std::size_t i = known->first; i < known->last; ++i) ++kernels_[i].layers;
      return;
    }
    const std::size_t first = kernels_.size();
    SimulatedLayer layer;
    layer.name = name;
    layer.set = set;
    if (const auto* gemm = std::get_if<Gemm>(&shape)) {
      layer.gemm = im2col(*gemm);
      kernels_.push_back(layer);
    } else {
      for (const ConvPart& part : direct_parts(std::get<Conv>(shape))) {
        layer.gemm = im2col(part.conv);
        layer.kernels = part.count;
        kernels_.push_back(layer);
      }
    }
    seen_.push_back({shape, first, kernels_.size()});
  }

  Result<void> add_model(const std::string& model) {
    seen_.clear();
    const auto workload = TRY(load_model(model, model_options(arguments_.prediction)));
    for (const Op& op : workload.ops) {
      if (op.name.find(arguments_.layer) == std::string::npos) continue;
      const std::string name = arguments_.models.size() > 1 ? fmt::format("{}/{}", workload.name, op.name) : op.name;
      if (const auto* conv = std::get_if<Conv>(&op.kind)) add(name, "", *conv);
      const auto* gemm = std::get_if<Gemm>(&op.kind);
      if (gemm != nullptr && !arguments_.convolutions_only) add(name, "", *gemm);
    }
    return {};
  }

  Result<void> add_table() {
    seen_.clear();
    const auto text = TRY(read_text_file(arguments_.table));
    LayerTableOptions options;
    options.keep_unsupported = true;
    const auto table = TRY(parse_layer_table(text, arguments_.table, options));
    for (const LayerRow& row : table.rows) {
      const std::string name = fmt::format("line {}", row.line);
      if (const auto* conv = std::get_if<Conv>(&row.op)) add(name, "", *conv);
      if (const auto* gemm = std::get_if<Gemm>(&row.op)) add(name, "", *gemm);
    }
    return {};
  }

  const SimulateArguments& arguments_;
  std::vector<SimulatedLayer> kernels_;
  std::vector<Seen> seen_;
};

Traffic closed_form(const std::string& method, const SimulatedLayer& layer, const Gpu& gpu, Bytes element) {
  if (method == "delta") return delta_traffic(layer.gemm, layer.plan, gpu.l1_request).total;
  return refined_traffic(layer.gemm, layer.plan, gpu, element).total;
}

// Simulates all layers on the machine's cores; each writes its own place, so that their order does not matter.
Result<void> simulate_all(SimulationReport& report, const Gpu& gpu, const PlanOptions& plan) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::optional<Error>> errors(report.layers.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < report.layers.size(); i = next++) {
      SimulatedLayer& layer = report.layers[i];
      layer.plan = delta_plan(layer.gemm, gpu, plan);
      auto simulation = simulate(layer.gemm, layer.plan, gpu, report.options);
      if (simulation) {
        layer.simulation = *simulation;
      } else {
        errors[i] = simulation.error();
      }
      for (const std::string& method : report.methods) {
        layer.closed_forms.push_back(closed_form(method, layer, gpu, report.options.element));
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i]) return fail(errors[i]->code, errors[i]->text(), report.layers[i].name);
  }
  return {};
}

}  // namespace

Result<void> simulate_layers(const SimulateArguments& arguments) {
  const PredictOptions checked = {.plan = arguments.prediction.plan};
  if (auto result = check(checked); !result) return result;
  const auto gpu = TRY(gpu_of_option(arguments.prediction.gpus.front()));
  if (auto result = check(checked, gpu); !result) return result;
  Layers layers(arguments);
  if (auto result = layers.add_all(); !result) return result;
  SimulationReport report = {
      .gpu = gpu.id, .options = arguments.options, .methods = arguments.against, .layers = std::move(layers.kernels())};
  if (auto result = simulate_all(report, gpu, arguments.prediction.plan); !result) return result;
  switch (arguments.format) {
    case Format::json:
      return write_output(arguments.output, simulation_json(report));
    case Format::csv:
      return write_output(arguments.output, simulation_csv(report));
    default:
      break;
  }
  return write_output(arguments.output, arguments.scores_only ? simulation_scores(report) : simulation_table(report));
}

}  // namespace rooftile::cli
