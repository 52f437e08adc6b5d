// rooftile simulate: the traffic of layers by replaying their addresses, beside closed forms.
#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/report/simulation.hpp"
#include "rooftile/simulate/random_layer.hpp"
#include "rooftile/traffic/delta.hpp"
#include "rooftile/traffic/refined.hpp"

namespace rooftile::cli {
namespace {

using Shape = std::variant<Conv, Gemm>;

struct RandomLayers {
  std::int64_t count = 0, seed = 1;
};

struct Simulated {
  SimulationReport report;
  bool scores_only = false;
};

constexpr Writers<const Simulated&> kSimulationWriters = {
    {Format::table,
     [](const Simulated& of, std::size_t width) {
       return of.scores_only ? simulation_scores(of.report, width) : simulation_table(of.report, width);
     }},
    {Format::json, [](const Simulated& of) { return simulation_json(of.report); }},
    {Format::csv, [](const Simulated& of) { return simulation_csv(of.report); }}};

struct SimulateArguments {
  std::vector<std::string> models;  // or layer tables, whose GPUs are not looked at
  std::string layer;                // only layers with this in their names; empty: all
  bool convolutions_only = false;   // leave out plain GEMMs
  RandomLayers random;
  PredictionArguments prediction;  // one GPU
  SimulateOptions options;
  std::vector<std::string> against;  // closed forms to set beside
  bool scores_only = false;
  OutputArguments output;
};

// The kernels of layers; equal layers of one model or table are one.
class Layers {
 public:
  explicit Layers(const SimulateArguments& arguments) : arguments_(arguments) {}

  Result<void> add_all() {
    for (const std::string& model : arguments_.models) {
      TRY(model.ends_with(".csv") ? add_table(model) : add_model(model));
    }
    for (std::int64_t i = 0; i < arguments_.random.count; ++i) {
      seen_.clear();
      add(fmt::format("random {}", i), i % 2 == 0 ? "random, even" : "random, odd",
          random_layer(static_cast<std::uint64_t>(arguments_.random.seed), static_cast<std::uint64_t>(i)));
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
    write_notes(workload);
    for (const Op& op : workload.ops) {
      if (op.name.find(arguments_.layer) == std::string::npos) continue;
      const std::string name = arguments_.models.size() > 1 ? fmt::format("{}/{}", workload.name, op.name) : op.name;
      if (const auto* conv = std::get_if<Conv>(&op.kind)) add(name, "", *conv);
      const auto* gemm = std::get_if<Gemm>(&op.kind);
      if (gemm != nullptr && !arguments_.convolutions_only) add(name, "", *gemm);
    }
    return {};
  }

  Result<void> add_table(const std::string& path) {
    seen_.clear();
    const auto text = TRY(read_text_file(path));
    LayerTableOptions options;
    options.keep_unsupported = true;
    const auto table = TRY(parse_layer_table(text, path, options));
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

// Leaves out the layers that an interrupt kept from being simulated, and says so.
Result<void> keep_simulated(SimulationReport& report, const std::vector<std::optional<Error>>& errors) {
  const auto failed = [](const std::optional<Error>& error) { return error.has_value(); };
  if (std::none_of(errors.begin(), errors.end(), failed)) return {};
  std::vector<SimulatedLayer> kept;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i]) kept.push_back(std::move(report.layers[i]));
  }
  if (kept.empty()) return fail(ErrorCode::interrupted, "stopped before any kernel was simulated");
  InterruptAsked::say_partial(
      fmt::format("{} of {} kernels are simulated; the others are left out", kept.size(), errors.size()));
  report.layers = std::move(kept);
  return {};
}

// How far all kernels are together. Any thread.
class Shares {
 public:
  explicit Shares(std::size_t kernels) : all_(static_cast<double>(kernels)) {}

  // Of one kernel, whose share was `before` when it was told last.
  void tell(double& before, double share) {
    if (share <= before) return;  // of a kernel whose rest turned out larger
    const double more = share - std::exchange(before, share);
    progress_.show_part(done_.fetch_add(more) + more, all_);
  }

 private:
  Progress progress_{"kernels"};
  std::atomic<double> done_ = 0;
  double all_;
};

// Simulates all layers on the machine's cores; each writes its own place, so that their order does not matter.
Result<void> simulate_all(SimulationReport& report, const Gpu& gpu, const PlanOptions& plan) {
  const InterruptAsked signals;
  report.options.stop = &InterruptAsked::flag();
  Shares shares(report.layers.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::optional<Error>> errors(report.layers.size());
  const auto work = [&](std::size_t) {
    for (std::size_t i = next++; i < report.layers.size(); i = next++) {
      if (InterruptAsked::flag()) {
        errors[i] = Error{ErrorCode::interrupted, "stopped", ""};
        continue;
      }
      SimulatedLayer& layer = report.layers[i];
      layer.plan = delta_plan(layer.gemm, gpu, plan);
      double share = 0;
      SimulateOptions options = report.options;
      options.progress = [&](double now) { shares.tell(share, now); };
      auto simulation = simulate(layer.gemm, layer.plan, gpu, options);
      if (!simulation) {
        errors[i] = simulation.error();
        continue;
      }
      layer.simulation = *simulation;
      shares.tell(share, 1);
      for (const std::string& method : report.methods) {
        layer.closed_forms.push_back(closed_form(method, layer, gpu, report.options.element));
      }
    }
  };
  on_threads(machine_threads(), work);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] && errors[i]->code != ErrorCode::interrupted) {
      return fail(errors[i]->code, errors[i]->text(), report.layers[i].name);
    }
  }
  return keep_simulated(report, errors);
}

// "1000" or, with a seed, "1000,7".
Result<RandomLayers> parse_random(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMost = 1000000;
  const std::size_t comma = text.find(',');
  RandomLayers random;
  random.count = TRY(parse_count(option, text.substr(0, comma), kMost));
  if (comma != std::string::npos) random.seed = TRY(parse_count(option, text.substr(comma + 1), kMost));
  return random;
}

// "policy=random,start=warm,l1=32KiB".
Result<SimulateOptions> parse_caches(const std::string& option, const std::string& text, SimulateOptions options) {
  for (const auto& [key, value] : TRY(parse_pairs(option, text))) {
    if (key == "policy") {
      options.policy =
          TRY(parse_choice(option, value, {"lru", "random"})) == "lru" ? Replacement::lru : Replacement::random;
    } else if (key == "start") {
      options.start = TRY(parse_choice(option, value, {"cold", "warm"})) == "warm" ? Start::warm : Start::cold;
    } else if (key == "l1") {
      options.l1 = lower_case(value) != "off";
      if (!options.l1) continue;
      const auto capacity = parse<Bytes>(value);
      if (!capacity) return fail(ErrorCode::usage, "l1: " + capacity.error().message + "; or off", option);
      options.l1_capacity = *capacity;
    } else {
      const std::vector<std::string> known = {"policy", "start", "l1"};
      return fail(ErrorCode::usage, fmt::format("unknown key '{}'{}", key, one_of(key, known)), option);
    }
  }
  return options;
}

Result<void> run(SimulateArguments& arguments) {
  TRY(check_keys(arguments.prediction.set, "simulate", {"seq-len", "context", "tile", "active-ctas"}));
  TRY(complete(arguments.prediction));
  const PlanOptions& plan = arguments.prediction.set.plan;
  const PredictOptions checked = {.plan = plan};
  TRY(check(checked));
  const auto gpu = TRY(gpu_of_option(arguments.prediction.gpus.front()));
  TRY(check(checked, gpu));
  Layers layers(arguments);
  TRY(layers.add_all());
  SimulationReport report = {
      .gpu = gpu.id, .options = arguments.options, .methods = arguments.against, .layers = std::move(layers.kernels())};
  TRY(simulate_all(report, gpu, plan));
  return write_report(arguments.output, kSimulationWriters, {std::move(report), arguments.scores_only});
}

}  // namespace

void add_simulate(CommandList& commands) {
  auto [app, arguments] = commands.add<SimulateArguments>(
      "simulate", "Count the bytes of convolutions and GEMMs by replaying their addresses",
      "rooftile simulate vgg16 --gpu titan-xp --batch-size 256 --layer conv3", run);
  PredictionArguments& prediction = arguments.prediction;
  CLI::Option* model =
      add_texts(app, "MODEL", arguments.models, "MODEL", "as for predict, or a layer table (.csv); repeatable");
  std::vector<CLI::Option*> of_model = {
      add_text(app, "--layer", arguments.layer, "NAME", "only layers with this in their names"),
      app->add_flag("--convolutions", arguments.convolutions_only, "leave out plain GEMMs"),
      add_batch_size(app, prediction.batch_size)};
  for (CLI::Option* option : of_model) option->group("Layers");
  const std::vector<CLI::Option*> rare = {add_input_sizes(app, prediction.sizes),
                                          add_skip_unsupported(app, prediction.skip_unsupported)};
  add_rare(app, rare);
  of_model.insert(of_model.end(), rare.begin(), rare.end());
  for (CLI::Option* option : of_model) option->needs(model);
  CLI::Option* random = add_value(app, "--random", arguments.random, "N[,SEED]", parse_random,
                                  "also simulate N random convolutions (default seed: 1)");
  random->group("Layers");
  commands.need_any(app, {model, random});
  add_gpu(app, prediction.gpus)->required()->group("Simulation");
  add_set(app, prediction.set)
      ->description("seq-len, tile (128x64x4), active-ctas; in place of DeLTA's choice")
      ->group("Simulation");
  SimulateOptions& options = arguments.options;
  add_value(
      app, "--caches", options, "policy=lru/random|start=cold/warm|l1=SIZE/off,…",
      [&options](const std::string& option, const std::string& text) { return parse_caches(option, text, options); },
      "the simulated caches (default: lru, cold, half of what shared memory leaves)")
      ->group("Simulation");
  app->add_flag_callback(
         "--exact", [&options] { options.exact_up_to = std::numeric_limits<double>::infinity(); },
         "replay every CTA, however long it takes; else large layers are sampled")
      ->group("Simulation");
  CLI::Option* against = add_value(
      app, "--against", arguments.against, "delta|refined,…",
      [](const std::string& option, const std::string& text) -> Result<std::vector<std::string>> {
        auto methods = TRY(parse_names(option, text));
        for (std::string& method : methods) method = TRY(parse_choice(option, method, {"delta", "refined"}));
        return methods;
      },
      "closed forms to compare with");
  against->group("Output");
  app->add_flag("--scores", arguments.scores_only, "print the errors of --against, not each layer")
      ->needs(against)
      ->group("Output");
  add_output_options(app, arguments.output, kSimulationWriters);
}

}  // namespace rooftile::cli
