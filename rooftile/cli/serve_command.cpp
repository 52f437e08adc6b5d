// rooftile serve: a language model behind a server, its latencies and what its tokens cost.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/price_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/serving.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<const ServingReport&> kServingWriters = {
    {Format::table, serving_table}, {Format::csv, serving_csv}, {Format::json, serving_json}};

struct Tokens {
  std::int64_t input = 512, output = 128;
};

struct ServeArguments {
  std::string model, cluster;
  PredictionArguments prediction;
  Parallelism way;  // tp, pp, dp, ep and the dispatcher
  Tokens tokens;
  std::string arrivals;          // a rate or a file; empty: none
  std::int64_t concurrency = 0;  // users; 0: none
  LatencyBound bound;
  ServerOptions server;
  double headroom = 0;
  PriceArguments prices;
  OutputArguments output;
};

constexpr std::int64_t kMostTokens = 10'000'000, kMostUsers = 100'000;

// "512:128"
Result<Tokens> parse_tokens(const std::string& option, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return fail(ErrorCode::usage, "write INPUT:OUTPUT, as in 512:128", option);
  return Tokens{TRY(parse_count(option, text.substr(0, colon), kMostTokens)),
                TRY(parse_count(option, text.substr(colon + 1), kMostTokens))};
}

Result<Seconds> parse_latency(const std::string& option, const std::string& text) {
  const auto time = parse<Seconds>(text);
  if (time && *time > Seconds(0)) return *time;
  return fail(ErrorCode::usage, fmt::format("'{}' is no time; write 500ms or 1.5s", text), option);
}

// "first=500ms,each=50ms"
Result<LatencyBound> parse_bound(const std::string& option, const std::string& text) {
  LatencyBound bound;
  for (const auto& [name, value] : TRY(parse_pairs(option, text))) {
    if (name != "first" && name != "each") {
      return fail(ErrorCode::usage, fmt::format("unknown bound '{}'; write first=500ms,each=50ms", name), option);
    }
    (name == "first" ? bound.first_token : bound.each_token) = TRY(parse_latency(option, value));
  }
  return bound;
}

// "batching=static,max=64,chunk=8192,cached=0.5,drafted=4,accepted=0.7,share=0.1"
Result<ServerOptions> parse_server(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMostSequences = 1 << 20, kMostDrafted = 64;
  ServerOptions server;
  const auto speculation = [&]() -> Speculation& {
    if (!server.speculation) server.speculation.emplace();
    return *server.speculation;
  };
  for (const auto& [name, value] : TRY(parse_pairs(option, text))) {
    if (name == "batching") {
      const auto batching = TRY(parse_choice(option, value, {"continuous", "static"}));
      server.batching = batching == "static" ? Batching::fixed : Batching::continuous;
    } else if (name == "max") {
      server.most_sequences = TRY(parse_count(option, value, kMostSequences));
    } else if (name == "cached") {
      server.cached = TRY(parse_rate(option, value));
    } else if (name == "chunk") {
      server.step_tokens = TRY(parse_count(option, value, kMostTokens));
    } else if (name == "drafted") {
      speculation().drafted = static_cast<int>(TRY(parse_count(option, value, kMostDrafted)));
    } else if (name == "accepted") {
      speculation().accepted = TRY(parse_rate(option, value));
    } else if (name == "share") {
      speculation().share = TRY(parse_rate(option, value));
    } else {
      const std::vector<std::string> known = {"batching", "max", "chunk", "cached", "drafted", "accepted", "share"};
      return fail(ErrorCode::usage, fmt::format("unknown key '{}'{}", name, one_of(name, known)), option);
    }
  }
  if (server.step_tokens > 0 && server.batching == Batching::fixed) {
    return fail(ErrorCode::usage, "chunk is for batching=continuous: a static batch reads its prompts at once", option);
  }
  return server;
}

// "tp=8,pp=2", "dp=8,ep=8,dispatcher=deepep"
Result<Parallelism> parse_split(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMostDegree = 1 << 16;
  Parallelism way;
  const std::map<std::string, int*> degrees = {{"tp", &way.tp}, {"pp", &way.pp}, {"dp", &way.dp}, {"ep", &way.ep}};
  std::optional<Dispatcher> dispatcher;
  for (const auto& [name, value] : TRY(parse_pairs(option, text))) {
    if (name == "dispatcher") {
      dispatcher = parse_dispatcher(TRY(parse_choice(option, value, dispatcher_names())));
      continue;
    }
    const auto found = degrees.find(name);
    if (found == degrees.end()) {
      const std::vector<std::string> known = {"tp", "pp", "dp", "ep", "dispatcher"};
      return fail(ErrorCode::usage, fmt::format("unknown degree '{}'{}", name, one_of(name, known)), option);
    }
    *found->second = static_cast<int>(TRY(parse_count(option, value, kMostDegree)));
  }
  if (dispatcher && way.dp == 1) {
    return fail(ErrorCode::usage, "a dispatcher is for dp: without it all GPUs have all positions", option);
  }
  if (way.dp > 1) way.dispatcher = dispatcher.value_or(Dispatcher::gather);
  return way;
}

Result<EngineSetup> setup_of(const ServeArguments& arguments) {
  EngineSetup setup;
  auto shape = TRY(find_transformer(arguments.model));
  if (!shape || shape->patch > 0 || shape->form != TransformerForm::decoder) {
    return fail(ErrorCode::unsupported, "only transformers that write a text are served ('rooftile models list')",
                arguments.model);
  }
  setup.shape = std::move(*shape);
  if (arguments.cluster.empty()) {
    setup.gpu = TRY(gpu_of_option(arguments.prediction.gpus.front()));
    setup.cluster = usual_cluster(setup.gpu);
  } else {
    setup.cluster = TRY(find_gpu_cluster(arguments.cluster));
    setup.gpu = TRY(find_gpu(setup.cluster.gpu));
  }
  setup.way = arguments.way;
  if (setup.way.gpus() > setup.cluster.gpus()) {
    return fail(ErrorCode::usage, fmt::format("{} has at most {} GPUs", setup.cluster.id, setup.cluster.gpus()),
                "--fix");
  }
  if (setup.way.dp > 1 && setup.shape.experts == 0) {
    return fail(
        ErrorCode::usage,
        fmt::format("has no experts for {} replicas to share (dp): ask for one of them, at its share of the load",
                    setup.way.dp),
        arguments.model);
  }
  setup.continuous = arguments.server.batching == Batching::continuous;
  setup.options = predict_options(arguments.prediction);
  setup.options.execution = Execution::engine;  // servers run engines
  if (!arguments.prediction.precision) setup.options.precision = DType::fp16;
  TRY(check(setup.options, setup.gpu));
  return setup;
}

// With the framework's budget of a step, where none is given, raised to what so many sequences need.
Result<ServerOptions> server_of(const ServeArguments& arguments, const EngineSetup& setup) {
  ServerOptions server = arguments.server;
  server.replicas = setup.way.dp;
  if (server.step_tokens == 0 && server.batching == Batching::continuous) {
    const std::int64_t own = tokens_of_a_step(setup.options.framework, setup.gpu.id, setup.gpu.level("DRAM").capacity);
    if (own > 0) server.step_tokens = std::max(own, least_step_tokens(server));
  }
  if (auto checked = check(server); !checked) return fail(checked.error().code, checked.error().message, "--server");
  return server;
}

// The fewest GPUs that have room for so many tokens beside the weights: first a node's share each layer, then nodes are
// stages. None where not even all of them do.
std::optional<Parallelism> way_with_room(EngineSetup setup, double memory_share, double tokens) {
  while (true) {
    (setup.way.tp * setup.way.dp < setup.cluster.gpus_per_node ? setup.way.tp : setup.way.pp) *= 2;
    if (setup.way.gpus() > setup.cluster.gpus()) return std::nullopt;
    const auto room = cache_room(setup, memory_share);
    if (room && *room >= tokens) return setup.way;
  }
}

// `room`: tokens of cache.
Result<void> check_room(const ServeArguments& arguments, const EngineSetup& setup, double room) {
  const auto tokens = static_cast<double>(arguments.tokens.input + arguments.tokens.output);
  if (room >= tokens) return {};
  const double share = 1 - arguments.headroom;
  const double share_of_weights = shares_what_weights_leave(setup.options.framework) ? 1 : share;
  const ForwardRun run = {.batch = 1, .seq_len = 1, .context = 1};
  const auto one = TRY(parallel_forward(setup.shape, run, setup.way, setup.cluster, setup.gpu, setup.options));
  std::string text =
      room > 0 ? fmt::format("beside the weights there is room for {} tokens of cache; a request takes {}",
                             grouped(std::floor(room)), grouped(tokens))
               : fmt::format("its weights do not fit {} x {}: {}{}", grouped(static_cast<double>(setup.way.gpus())),
                             setup.gpu.id, used_of(one.weights, setup.gpu.level("DRAM").capacity * share_of_weights),
                             setup.way.gpus() > 1 ? " each" : "");
  if (const auto way = way_with_room(setup, share, tokens)) {
    text += fmt::format("; --fix tp={}", way->tp);
    for (const auto& [name, degree] : {std::pair{"pp", way->pp}, std::pair{"dp", way->dp}, std::pair{"ep", way->ep}}) {
      if (degree > 1) text += fmt::format(",{}={}", name, degree);
    }
    text += " has room";
  }
  return fail(ErrorCode::unsupported, std::move(text), arguments.model);
}

Result<std::vector<ServingBatch>> batches_of(const ServeArguments& arguments, const EngineSetup& setup, double room) {
  std::vector<ServingBatch> batches;
  for (std::int64_t sequences = 1;; sequences = std::min(sequences * 4, arguments.server.most_sequences)) {
    ServingBatch one;
    one.sequences = sequences * setup.way.dp;
    const ForwardRun prompt = {.batch = sequences, .seq_len = arguments.tokens.input};
    const ForwardRun step = {.batch = sequences,
                             .seq_len = 1,
                             .context = arguments.tokens.input + arguments.tokens.output / 2,
                             .stages_full = setup.continuous};
    one.prompt = TRY(parallel_forward(setup.shape, prompt, setup.way, setup.cluster, setup.gpu, setup.options));
    one.step = TRY(parallel_forward(setup.shape, step, setup.way, setup.cluster, setup.gpu, setup.options));
    const auto tokens = static_cast<double>(arguments.tokens.input + arguments.tokens.output);
    one.fits = static_cast<double>(sequences) * tokens <= room;
    batches.push_back(one);
    if (sequences == arguments.server.most_sequences) return batches;
  }
}

std::string precision_text(const PredictOptions& options) {
  std::string text(name_of(options.precision));
  if (options.weights) text += fmt::format(", weights {}", name_of(*options.weights));
  if (options.expert_weights) text += fmt::format(", experts' weights {}", name_of(*options.expert_weights));
  if (options.cache) text += fmt::format(", cache {}", name_of(*options.cache));
  return text;
}

// Of a file, or at a rate.
Result<std::vector<Request>> requests_of(const ServeArguments& arguments, ServingReport& report) {
  constexpr std::size_t kRequests = 2000;
  constexpr double kMostRate = 1e6;
  if (const auto rate = parse_number(arguments.arrivals)) {
    if (!(*rate > 0 && *rate <= kMostRate)) {
      return fail(ErrorCode::usage, fmt::format("{} requests a second are not above 0 and at most 1e6", *rate),
                  "--arrivals");
    }
    report.rate = *rate;
    return poisson_arrivals(*rate, kRequests, arguments.tokens.input, arguments.tokens.output);
  }
  const auto text = TRY(read_text_file(arguments.arrivals));
  return read_arrivals(text, arguments.arrivals);
}

// Ten requests a user, so that the start and the end, when the server is not full, count little.
Result<void> serve_users(const ServeArguments& arguments, const EngineTimes& engine, ServingReport& report) {
  constexpr std::int64_t kEach = 10;
  const auto [input, output] = arguments.tokens;
  const std::vector<Request> requests(static_cast<std::size_t>(arguments.concurrency * kEach), {{}, input, output});
  ServerOptions options = report.server;
  options.users = arguments.concurrency;
  const ServingRun served = TRY(serve(requests, engine, options));
  report.users = UsersServed{arguments.concurrency, requests.size(), figures_of(requests, served), served.mean_batch()};
  return {};
}

Result<void> run(ServeArguments& arguments) {
  TRY(check_keys(arguments.prediction.set, "serve",
                 {"weights", "expert-weights", "kv-cache", "framework", "host", "tile", "active-ctas"}));
  TRY(complete(arguments.prediction));
  const bool simulated = !arguments.arrivals.empty() || arguments.concurrency > 0 || arguments.bound.first_token ||
                         arguments.bound.each_token;
  if (arguments.server.speculation && !simulated) {
    return usage("speculative decoding is simulated: it needs --arrivals, --concurrency or --bound");
  }
  if (arguments.server.cached > 0 && !simulated) {
    return usage("prompts that are cached in part are simulated: cached needs --arrivals, --concurrency or --bound");
  }
  if (arguments.server.step_tokens > 0 && !simulated) {
    return usage("steps with part of a prompt are simulated: chunk needs --arrivals, --concurrency or --bound");
  }
  const EngineSetup setup = TRY(setup_of(arguments));
  const ServerOptions server = TRY(server_of(arguments, setup));
  std::string note = TRY(check_positions(setup.shape, arguments.tokens.input + arguments.tokens.output));
  if (simulated && server.step_tokens == 0 && is_vllm_of_no_release(setup.options.framework)) {
    note += fmt::format("{}vLLM without a release is taken for one before 0.8: prompts run by themselves",
                        note.empty() ? "" : "; ");
  }
  const double room = TRY(cache_room(setup, 1 - arguments.headroom));
  TRY(check_room(arguments, setup, room));
  ServingReport report{.model = setup.shape.name,
                       .precision = precision_text(setup.options),
                       .setup = setup,
                       .input_tokens = arguments.tokens.input,
                       .output_tokens = arguments.tokens.output,
                       .server = server,
                       .batches = TRY(batches_of(arguments, setup, room))};
  report.note = std::move(note);
  report.server.cache_tokens = room;
  report.price = price_of(setup.gpu, TRY(price_rules(arguments.prices, {&setup.gpu, 1})));
  const EngineTimes engine = engine_times(setup);
  if (!arguments.arrivals.empty()) {
    const std::vector<Request> requests = TRY(requests_of(arguments, report));
    const ServingRun served = TRY(serve(requests, engine, report.server));
    report.requests = requests.size();
    report.figures = figures_of(requests, served);
    report.mean_batch = served.mean_batch();
    if (report.rate) {
      const auto most =
          TRY(most_served(arguments.tokens.input, arguments.tokens.output, engine, report.server, requests.size()));
      if (*report.rate > most) report.most_served = most;
    }
  }
  if (arguments.concurrency > 0) TRY(serve_users(arguments, engine, report));
  report.bound = arguments.bound;
  if (arguments.bound.first_token || arguments.bound.each_token) {
    constexpr std::size_t kRequests = 1000;
    report.knee = TRY(
        knee_of(arguments.tokens.input, arguments.tokens.output, arguments.bound, engine, report.server, kRequests, 1));
  }
  return write_report(arguments.output, kServingWriters, report);
}

}  // namespace

void add_serve(CommandList& commands) {
  auto [app, arguments] =
      commands.add<ServeArguments>("serve", "Serve a language model under load: latency, throughput and cost",
                                   "rooftile serve llama2_70b --cluster dgx-h100 --fix tp=8 --arrivals 5", run);
  constexpr double kUsuallyFree = 0.1;  // of the memory, for what engines and NCCL keep
  arguments.headroom = kUsuallyFree;
  add_model(app, arguments.model)
      ->required()
      ->description(
          "a transformer that writes text: a name from 'rooftile models list', a .toml, or a Hugging Face config.json");
  CLI::Option* gpu = add_gpu(app, arguments.prediction.gpus);
  CLI::Option* cluster =
      add_text(app, "--cluster", arguments.cluster, "CLUSTER|FILE", "in place of --gpu: machines (docs/parallel.md)");
  cluster->excludes(gpu);
  commands.need_any(app, {gpu, cluster});
  add_value(
      app, "--fix", arguments.way,
      fmt::format("tp=N|pp=N|dp=N|ep=N|dispatcher={},…", fmt::join(dispatcher_names(), "/")), parse_split,
      "GPUs that share each layer, stages of layers, replicas of all but the experts, GPUs with different experts "
      "(default: 1 each); with dp, how positions reach the experts (default: gather)");
  add_value(app, "--tokens", arguments.tokens, "INPUT:OUTPUT", parse_tokens,
            "tokens read and written by a request (default: 512:128)")
      ->group("Load");
  add_text(app, "--arrivals", arguments.arrivals, "RATE|FILE",
           "requests a second at random, or a CSV with arrival_s, input_tokens, output_tokens")
      ->group("Load");
  add_count(app, "--concurrency", arguments.concurrency, kMostUsers,
            "users who each send their next request when the last is answered")
      ->group("Load");
  add_value(app, "--bound", arguments.bound, "first=TIME|each=TIME,…", parse_bound,
            "find the highest rate at which nine in ten first tokens, and times per token, stay within")
      ->group("Load");
  add_value(app, "--server", arguments.server,
            "batching=continuous/static|max=N|chunk=N|cached=RATE|drafted=N|accepted=RATE|share=RATE,…", parse_server,
            "max=256 sequences at once; chunk=8192 tokens a step, prompts in parts beside answers; cached=0.5 of "
            "each prompt is there already; speculative decoding: "
            "drafted=4, accepted=0.7, share=0.1 of a step to draft one. Steps in parts, caches and drafts need a load: "
            "--arrivals, "
            "--concurrency or --bound")
      ->group("Load");
  add_precision(app, arguments.prediction.precision)
      ->description("of weights and arithmetic (default: fp16)")
      ->group("Prediction");
  add_set(app, arguments.prediction.set)
      ->description("weights=int4, expert-weights=mxfp4, kv-cache=fp8, framework")
      ->group("Prediction");
  for (CLI::Option* option : add_price_options(app, arguments.prices)) option->group("Prices");
  add_rare(app, {app->get_option("--price-kind")});
  add_output_options(app, arguments.output, kServingWriters);
}

}  // namespace rooftile::cli
