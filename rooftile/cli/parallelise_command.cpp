// rooftile parallelise: ways to spread a training step over the GPUs of a cluster, the fastest first.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/headroom_option.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/rank_timeout_option.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/cli/version.hpp"
#include "rooftile/cluster/cluster_explore.hpp"
#include "rooftile/cluster/cluster_search.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/gzip.hpp"
#include "rooftile/parallel/search.hpp"
#include "rooftile/parallel/transformer_slice.hpp"
#include "rooftile/report/chakra_trace.hpp"
#include "rooftile/report/parallelisation.hpp"
#include "rooftile/report/step_trace.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<const ParallelisationReport&> kParallelisationWriters = {{Format::table, parallelisation_table},
                                                                           {Format::json, parallelisation_json},
                                                                           {Format::csv, parallelisation_csv},
                                                                           {Format::svg, parallelisation_svg}};

struct ParalleliseArguments {
  std::string model, cluster;
  std::optional<std::int64_t> gpus, batch;
  std::vector<std::string> fixed;  // "tp=8"
  PredictionArguments prediction;
  std::size_t top = 10;
  double headroom = 0;
  cluster::Ranks* ranks = nullptr;  // null: this program alone
  double rank_timeout = 30;         // seconds
  std::string trace;                // file; empty: none
  std::vector<SlowGpu> slow;
  std::string chakra;  // begin of files' names; empty: none
  OutputArguments output;
};

tl::unexpected<Error> bad_fix(std::string message) { return fail(ErrorCode::usage, std::move(message), "--fix"); }

template <class Value>
Result<Value> parse_degree(const std::string& text) {
  constexpr Value kMost = 1 << 20;
  const auto number = parse_number<Value>(text);
  if (!number || *number < 1 || *number > kMost) {
    return bad_fix(fmt::format("'{}' is not a whole number from 1 to {}", text, kMost));
  }
  return *number;
}

template <class Value, class Parse>
Result<void> put_choice(std::vector<Value>& into, const std::string& text, const Parse& parse,
                        const std::vector<std::string>& known) {
  const auto value = parse(text);
  if (!value) return bad_fix(fmt::format("unknown '{}'; one of {}", text, fmt::join(known, ", ")));
  into.push_back(*value);
  return {};
}

// "tp=8", one of several values of a degree where it is given again.
Result<void> fix(WaysAsked& asked, std::vector<std::string>& named, const std::string& pair) {
  const std::size_t equals = pair.find('=');
  const std::string name = pair.substr(0, equals), value = equals == std::string::npos ? "" : pair.substr(equals + 1);
  const bool first = std::find(named.begin(), named.end(), name) == named.end();
  named.push_back(name);
  const std::array<std::pair<std::string_view, std::vector<int>*>, 7> degrees = {{{"tp", &asked.tp},
                                                                                  {"pp", &asked.pp},
                                                                                  {"dp", &asked.dp},
                                                                                  {"cp", &asked.cp},
                                                                                  {"ep", &asked.ep},
                                                                                  {"etp", &asked.etp},
                                                                                  {"vp", &asked.vp}}};
  for (const auto& [known, values] : degrees) {
    if (name != known) continue;
    if (first) values->clear();
    values->push_back(TRY(parse_degree<int>(value)));
    return {};
  }
  if (name == "micro-batch") {
    asked.micro_batch.push_back(TRY(parse_degree<std::int64_t>(value)));
    return {};
  }
  if (name == "sharding") return put_choice(asked.sharding, value, parse_sharding, sharding_names());
  if (name == "recompute") return put_choice(asked.recompute, value, parse_recompute, recompute_names());
  if (name == "offload") {
    if (first) asked.offload.clear();
    return put_choice(asked.offload, value, parse_offload, offload_names());
  }
  if (name == "dispatcher") {
    if (first) asked.dispatcher.clear();
    return put_choice(asked.dispatcher, value, parse_dispatcher, dispatcher_names());
  }
  const std::vector<std::string> known = {"tp", "pp",          "dp",       "cp",        "ep",      "etp",
                                          "vp", "micro-batch", "sharding", "recompute", "offload", "dispatcher"};
  return bad_fix(fmt::format("unknown degree '{}'{}", name, one_of(name, known)));
}

Result<WaysAsked> asked_of(const ParalleliseArguments& arguments) {
  WaysAsked asked;
  std::vector<std::string> named;
  for (const std::string& pair : arguments.fixed) TRY(fix(asked, named, pair));
  return asked;
}

Result<ParallelNetwork> network_of(const ParalleliseArguments& arguments) {
  NetworkRun run;
  run.model = arguments.model;
  run.seq_len = arguments.prediction.set.seq_len;
  run.image_size = arguments.prediction.sizes.image_size;
  return parallel_network(run);
}

// "3=0.8,5=0.9"
Result<std::vector<SlowGpu>> parse_slow(const std::string& option, const std::string& text) {
  constexpr int kMostRank = 1 << 20;
  constexpr double kLeastSpeed = 0.01;
  std::vector<SlowGpu> slow;
  for (const auto& [name, value] : TRY(parse_pairs(option, text))) {
    const auto rank = parse_number<int>(name);
    const auto speed = parse_number(value);
    if (!rank || *rank < 0 || *rank > kMostRank || !speed || !(*speed >= kLeastSpeed && *speed < 1)) {
      return fail(ErrorCode::usage,
                  fmt::format("'{}={}' is not GPU=SHARE with a share from {} to below 1, as in 3=0.8", one_line(name),
                              one_line(value), kLeastSpeed),
                  option);
    }
    slow.push_back({*rank, *speed});
  }
  return slow;
}

// "GPU 3 at 0.8 of its speed", "8 GPUs at 0.5 to 0.8 of their speed"
std::string text_of(const std::vector<SlowGpu>& slow) {
  if (slow.size() == 1) return fmt::format("GPU {} at {} of its speed", slow.front().rank, slow.front().speed);
  const auto [least, most] = std::minmax_element(slow.begin(), slow.end(),
                                                 [](const SlowGpu& a, const SlowGpu& b) { return a.speed < b.speed; });
  const std::string range = least->speed < most->speed ? fmt::format(" to {}", most->speed) : "";
  return fmt::format("{} at {}{} of their speed", counted(slow.size(), "GPU"), least->speed, range);
}

// Traces show one replica's GPUs in the place of all others'.
Result<void> check_slow(const ParalleliseArguments& arguments, int gpus) {
  if (arguments.slow.empty()) return {};
  for (const SlowGpu& one : arguments.slow) {
    if (one.rank < gpus) continue;
    return fail(ErrorCode::usage,
                fmt::format("there is no GPU {}: the {} GPUs are numbered 0 to {}", one.rank, gpus, gpus - 1),
                "--slow");
  }
  if (arguments.trace.empty() && arguments.chakra.empty()) return {};
  return fail(ErrorCode::usage, "--trace and --chakra show GPUs of equal speed; leave them out", "--slow");
}

// On what the report is about.
Result<std::string> note_of(const ParalleliseArguments& arguments, const ParallelNetwork& network) {
  std::string note = network.shape ? TRY(check_positions(*network.shape, network.seq_len)) : "";
  if (!arguments.slow.empty()) note += (note.empty() ? "" : "; ") + text_of(arguments.slow);
  return note;
}

// What training runs in where nothing is said: BF16 where tensor cores have it, else FP16.
DType usual_precision(const Gpu& gpu) {
  return peak_of(DType::bf16, gpu) ? DType::bf16 : peak_of(DType::fp16, gpu) ? DType::fp16 : DType::fp32;
}

// Which of the degrees asked for neither the network nor the GPUs can have, as far as one alone says so.
std::optional<std::string> impossible_degree(const WaysAsked& asked, const ParallelNetwork& network, int gpus) {
  Parallelism way;
  const auto only = [](const std::vector<int>& values) { return values.size() == 1 ? values.front() : 1; };
  way.tp = only(asked.tp), way.pp = only(asked.pp), way.dp = only(asked.dp);
  way.cp = only(asked.cp), way.ep = only(asked.ep), way.vp = only(asked.vp);
  if (asked.etp.size() == 1) way.etp = asked.etp.front();
  if (!network.shape) return {};
  if (const auto part = slice(*network.shape, way); !part) return part.error().message;
  const std::int64_t taken = std::int64_t{way.tp} * way.pp * way.dp * way.cp;
  if (gpus % taken == 0) return {};
  return fmt::format("{} are no multiple of {} ({})", counted(static_cast<std::size_t>(gpus), "GPU"), taken,
                     print(way));
}

std::string none_of(const ParalleliseArguments& arguments, const WaysAsked& asked, const ParallelNetwork& network,
                    int gpus, std::int64_t batch) {
  if (const auto reason = impossible_degree(asked, network, gpus)) return *reason;
  const bool splits = network.shape && network.shape->form != TransformerForm::encoder_decoder;
  return fmt::format(
      "no way to spread {} over {}{}: {}", counted(static_cast<std::size_t>(batch), "sample"),
      counted(static_cast<std::size_t>(gpus), "GPU"), arguments.fixed.empty() ? "" : " with what --fix asks for",
      splits ? "the degrees must divide the GPUs, dp and the micro-batches the samples, tp the heads and the MLP, cp "
               "the positions, ep the experts and, times etp, the GPUs of a stage; etp is 1 or tp; pp is at most the "
               "layers, and not combined with sharding gradients or all"
             : "only dp can spread this network, so it must be all GPUs and, with the micro-batches, divide the "
               "samples");
}

Result<void> write_chakra(const std::string& begin, const Gpu& gpu, const Parallelism& way,
                          const StepTimeline& timeline) {
  constexpr std::size_t kMostNodes = 50'000'000;  // 5 GB
  const ChakraTraces traces(gpu.name, way, timeline);
  if (traces.nodes() > kMostNodes) {
    return fail(ErrorCode::unsupported,
                fmt::format("traces of {} GPUs would have {:.0f} million nodes; at most {:.0f}: take fewer GPUs or "
                            "micro-batches",
                            traces.ranks(), static_cast<double>(traces.nodes()) * 1e-6, kMostNodes * 1e-6),
                "--chakra");
  }
  Progress progress("traces");
  for (int rank = 0; rank < traces.ranks(); ++rank) {
    TRY(write_bytes(fmt::format("{}.{}.et", begin, rank), traces.of_rank(rank)));
    progress.show(static_cast<std::uint64_t>(rank) + 1, static_cast<std::uint64_t>(traces.ranks()));
  }
  return write_bytes(begin + ".json", traces.groups());
}

Result<void> write_traces(const ParalleliseArguments& arguments, const ParallelNetwork& network, const Parallelism& way,
                          const GpuCluster& cluster, const Gpu& gpu, const ParallelOptions& options) {
  const OneSecondToStop limit;
  const NetworkBlocks blocks = TRY(blocks_of(network, way, gpu, options.predict, BlockDetail::kernels));
  StepTimeline timeline;
  TRY(parallel_step(blocks, way, cluster, gpu, options, &timeline));
  if (!arguments.chakra.empty()) TRY(write_chakra(arguments.chakra, gpu, way, timeline));
  const std::string& path = arguments.trace;
  if (path.empty()) return {};
  const std::string text = step_trace(network.name, gpu, way, timeline);
  return path.ends_with(".gz") ? write_bytes(path, TRY(gzip(text))) : write_output(path, text);
}

Result<std::string> parse_trace_file(const std::string& option, const std::string& path) {
  TRY(check_named(option, path));
  constexpr std::string_view kCompressed = ".gz";
  const bool compressed = path.ends_with(kCompressed);
  TRY(check_suffix(option, compressed ? path.substr(0, path.size() - kCompressed.size()) : path, {Format::json}));
  return path;
}

cluster::WorkerSettings settings_of(const ParalleliseArguments& arguments) {
  constexpr double kMorePatience = 4;  // rank 0 may be long over a file
  cluster::WorkerSettings settings;
  settings.patience = kMorePatience * arguments.rank_timeout;
  return settings;
}

// By this program alone, or by all ranks; other ranks than the first have nothing then.
Result<std::vector<WayTried>> search(const ParalleliseArguments& arguments, const cluster::WaySearch& search) {
  if (arguments.ranks == nullptr) {
    const OneSecondToStop limit;
    return search_ways(search.network, search.ways, search.cluster, search.gpu, search.options);
  }
  cluster::Ranks& ranks = *arguments.ranks;
  ranks.over = true;
  const Fingerprint fingerprint = search.fingerprint(version());
  if (ranks.transport.rank() != 0) {
    const auto finish = cluster::help_search(search, fingerprint, ranks.transport, settings_of(arguments));
    ranks.rank_lost = !finish || finish->rank_lost;
    TRY(finish);
    return std::vector<WayTried>();
  }
  auto searched = cluster::search_by_ranks(search, fingerprint, ranks.transport, arguments.rank_timeout,
                                           [&](const std::string& line) { write_error(line); });
  ranks.rank_lost = searched.rank_lost;
  return std::move(searched.tried);
}

// What is fixed of experts needs some.
Result<void> check_experts(const WaysAsked& asked, const ParallelNetwork& network) {
  if (network.shape && network.shape->experts > 0) return {};
  const bool dispatches = asked.dispatcher != std::vector{Dispatcher::nccl};
  if (asked.etp.empty() && !dispatches) return {};
  return fail(ErrorCode::usage, fmt::format("has no experts for {}", dispatches ? "a dispatcher" : "etp"),
              network.name);
}

Result<SearchOptions> options_of(const ParalleliseArguments& arguments, const ParallelNetwork& network, const Gpu& gpu,
                                 int gpus) {
  SearchOptions options;
  PredictOptions& predict = options.parallel.predict;
  predict = predict_options(arguments.prediction);
  predict.precision = arguments.prediction.precision.value_or(usual_precision(gpu));
  predict.optimizer = arguments.prediction.set.optimizer.value_or(network.shape ? Optimizer::adamw : Optimizer::sgd);
  predict.training = true;
  TRY(check(predict, gpu));
  if (!is_floating(predict.precision)) {
    return fail(ErrorCode::unsupported, fmt::format("{} has no gradients", name_of(predict.precision)), "--precision");
  }
  options.parallel.style = style_of(predict.framework);
  TRY(check_slow(arguments, gpus));
  options.parallel.slow = arguments.slow;
  options.memory_share = 1 - arguments.headroom;
  options.threads = arguments.ranks != nullptr ? arguments.ranks->threads : machine_threads();
  return options;
}

// An error where none of the ways is of use; the best comes first.
Result<void> check_best(const WayTried& best, const std::string& model) {
  if (best.fate == WayFate::fits) return {};
  if (best.fate == WayFate::impossible) return fail(ErrorCode::unsupported, best.reason, model);
  return fail(ErrorCode::not_found, "no way fits the GPUs' memory", model);
}

Result<void> spread(ParalleliseArguments& arguments) {
  TRY(check_keys(arguments.prediction.set, "parallelise",
                 {"seq-len", "framework", "optimizer", "clip", "loss", "host", "algorithm", "tile", "active-ctas"}));
  TRY(complete(arguments.prediction));
  const WaysAsked asked = TRY(asked_of(arguments));
  auto found = find_gpu_cluster(arguments.cluster);
  if (!found && found.error().where.empty()) found.error().where = "--cluster";
  const GpuCluster cluster = TRY(std::move(found));
  const Gpu gpu = TRY(find_gpu(cluster.gpu));
  const auto gpus = static_cast<int>(arguments.gpus.value_or(cluster.gpus_per_node));
  if (gpus > cluster.gpus()) {
    return fail(ErrorCode::usage, fmt::format("{} has at most {} GPUs", cluster.id, cluster.gpus()), "--gpus");
  }
  const std::int64_t batch = arguments.batch.value_or(gpus);
  const ParallelNetwork network = TRY(network_of(arguments));
  TRY(check_experts(asked, network));
  const std::vector<Parallelism> ways = ways_of(network, cluster, gpus, batch, asked);
  if (ways.empty()) return fail(ErrorCode::usage, none_of(arguments, asked, network, gpus, batch), network.name);

  SearchOptions options = TRY(options_of(arguments, network, gpu, gpus));
  const InterruptAsked signals;
  options.stop = &InterruptAsked::flag();
  std::vector<WayTried> tried;
  {
    Progress progress("ways");
    options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
    tried = TRY(search(arguments, {network, ways, cluster, gpu, options}));
  }
  if (arguments.ranks != nullptr && arguments.ranks->transport.rank() != 0) return {};
  if (tried.empty()) return fail(ErrorCode::interrupted, "stopped before any way was tried", network.name);
  std::string note = TRY(note_of(arguments, network));
  const ParallelisationReport report{
      .model = network.name,
      .precision = name_of(RunPrecision{options.parallel.predict.precision, options.parallel.predict.autocast}),
      .cluster = cluster,
      .gpu = gpu,
      .gpus = gpus,
      .batch = batch,
      .seq_len = network.shape ? network.seq_len : 0,
      .tried = tried,
      .shown = arguments.top,
      .memory_share = options.memory_share,
      .stopped = tried.size() < ways.size(),
      .note = std::move(note)};
  const bool traced = !arguments.trace.empty() || !arguments.chakra.empty();
  if (report.stopped) {
    InterruptAsked::say_partial(fmt::format("{} of {} were tried; the best of these{}",
                                            grouped(static_cast<double>(tried.size())), counted(ways.size(), "way"),
                                            traced ? ", without traces" : ""));
  }
  if (traced && !report.stopped && tried.front().fate == WayFate::fits) {
    TRY(write_traces(arguments, network, tried.front().way, cluster, gpu, options.parallel));
  }
  TRY(write_report(arguments.output, kParallelisationWriters, report));
  return check_best(tried.front(), network.name);
}

// Rank 0 waits for the others, and hears what keeps one of them from working.
Result<void> run(ParalleliseArguments& arguments) {
  auto done = spread(arguments);
  cluster::Ranks* ranks = arguments.ranks;
  if (!done && ranks != nullptr && ranks->transport.rank() != 0 && !ranks->over) {
    ranks->over = true;
    ranks->rank_lost =
        cluster::report_failure(ranks->transport, {cluster::host_name(), done.error()}, settings_of(arguments))
            .rank_lost;
  }
  return done;
}

}  // namespace

void add_parallelise(CommandList& commands, cluster::Ranks* ranks) {
  auto [app, arguments] = commands.add<ParalleliseArguments>(
      "parallelise", "Spread a training step over the GPUs of a cluster: the fastest of all ways",
      "rooftile parallelise gpt3_175b --cluster dgx-a100 --gpus 1024 -b 1536", run);
  app->alias("parallelize");
  arguments.ranks = ranks;
  constexpr std::int64_t kMostGpus = 1 << 20, kMostBatch = std::int64_t{1} << 31, kMostTop = 1000000;
  constexpr double kUsuallyFree = 0.1;  // for what allocators and NCCL keep
  add_model(app, arguments.model)->required();
  add_text(app, "--cluster", arguments.cluster, "CLUSTER|FILE",
           "machines and what joins them: an id of data/clusters or a .toml file (docs/parallel.md)")
      ->required();
  add_count(app, "--gpus", arguments.gpus, kMostGpus, "GPUs to use (default: those of one node)");
  add_count(app, "-b,--batch-size", arguments.batch, kMostBatch,
            "samples of a step, all GPUs together (default: one for each GPU)");
  add_texts(
      app, "--fix", arguments.fixed,
      fmt::format("tp=N|pp=N|dp=N|cp=N|ep=N|etp=N|vp=N|micro-batch=N|sharding={}|recompute={}|offload={}|dispatcher={}",
                  fmt::join(sharding_names(), "/"), fmt::join(recompute_names(), "/"), fmt::join(offload_names(), "/"),
                  fmt::join(dispatcher_names(), "/")),
      "only ways with that degree; again for several")
      ->delimiter(',')
      ->group("Search");
  add_count(app, "--top", arguments.top, kMostTop, "ways to list (default: 10)")->group("Search");
  add_value(app, "--slow", arguments.slow, "GPU=SHARE,…", parse_slow,
            "GPUs (from 0) that run at a share of their speed, as in 3=0.8, and slow down those that wait for them")
      ->group("Prediction");
  add_headroom(app, arguments.headroom, kUsuallyFree)->group("Search");
  add_precision(app, arguments.prediction.precision)
      ->description("of weights and arithmetic (default: bf16, or fp16 where there is none)")
      ->group("Prediction");
  add_set(app, arguments.prediction.set)->description("seq-len, framework, optimizer")->group("Prediction");
  add_value(app, "--trace", arguments.trace, "FILE.json[.gz]", parse_trace_file,
            "write the timeline of the fastest way for Perfetto or chrome://tracing, compressed where it ends in .gz");
  add_value(
      app, "--chakra", arguments.chakra, "NAME",
      [](const std::string& option, const std::string& begin) -> Result<std::string> {
        TRY(check_named(option, begin));
        return begin;
      },
      "write it as Chakra execution traces: NAME.0.et and so on, one for each GPU, and their groups to NAME.json");
  if (ranks != nullptr) add_rank_timeout(app, arguments.rank_timeout)->group("Search");
  add_output_options(app, arguments.output, kParallelisationWriters);
}

}  // namespace rooftile::cli
