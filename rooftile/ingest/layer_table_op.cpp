#include "rooftile/ingest/layer_table_op.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/ingest/corrections.hpp"
#include "rooftile/ingest/network_meant.hpp"
#include "rooftile/ingest/parallel_row.hpp"
#include "rooftile/ingest/published_run.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/sequence.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

ConvAxis read_axis(TableRow& row, const char* in, const char* filter, const std::string& suffix) {
  ConvAxis axis;
  axis.in = row.required(in, 1);
  axis.filter = row.required(filter, 1);
  axis.pad_begin = row.required("pad" + suffix, 0);
  axis.pad_end = row.optional("pad" + suffix + "_end", 0, axis.pad_begin);
  axis.stride = row.required("stride" + suffix, 1);
  axis.dilation = row.optional("dilation" + suffix, 1, 1);
  return axis;
}

void check_outputs(TableRow& row, const std::string& column, const ConvAxis& axis) {
  const std::int64_t geometry = out_positions(axis, false);
  const std::int64_t stated = row.optional(column, 1, geometry);
  if (stated != geometry) row.reject(column, fmt::format("{}, but the geometry gives {}", stated, geometry));
}

// The op's own check, once every cell is a number.
template <class Op>
void reject_bad_numbers(TableRow& row, const Op& op) {
  if (row.error()) return;
  if (auto numbers = check(op); !numbers) row.reject("", numbers.error().message);
}

// GPT-2's, in Megatron-LM's benchmarks and wherever a table does not say another.
constexpr std::int64_t kUsualVocabulary = 50257;

// A decoder of those sizes (docs/networks.md); nothing where the row has none.
std::optional<Transformer> read_transformer(TableRow& row, const NetworkRun& run) {
  const bool named = run.model == kTransformerModel;
  if (!named && (row.text("hidden").empty() || row.text("layers").empty() || row.text("heads").empty())) return {};
  Transformer shape;
  shape.layers = row.required("layers", 1);
  shape.hidden = row.required("hidden", 1);
  shape.heads = row.required("heads", 1);
  shape.kv_heads = row.optional("kv_heads", 1, 0);
  shape.ffn = row.optional("ffn", 1, 0);
  shape.vocab = row.optional("vocab", 1, kUsualVocabulary);
  shape.experts = row.optional("experts", 1, 0);
  shape.seq_len = named ? row.required("seq_len", 1) : run.seq_len.value_or(1);
  if (shape.experts == 1) shape.experts = 0;
  if (row.error()) return {};
  shape = completed(std::move(shape));
  shape.name = fmt::format("{}_l{}_h{}_a{}_kv{}_ffn{}_v{}_e{}", kTransformerModel, shape.layers, shape.hidden,
                           shape.heads, shape.kv_heads, shape.ffn, shape.vocab, shape.experts);
  if (auto good = check(shape); !good) {
    if (named) row.reject("", good.error().message);
    return {};
  }
  return shape;
}

// Also a single step of decoding: what `--set context=N` predicts.
std::optional<ServedRequest> read_request(TableRow& row) {
  const std::string phase = lower_case(row.text("phase"));
  const std::int64_t context = row.optional("context", 0, 0);
  if (context > 0 && !phase.empty()) row.reject("context", "a row with a phase has input_tokens");
  if (context > 0 && row.optional("input_tokens", 0, 0) > 0)
    row.reject("context", "a row with input_tokens has a phase");
  if (context > 0 && parse_phase(lower_case(row.text("pass"))).value_or(Phase::fwd) != Phase::fwd) {
    row.reject("context", "a training step reads no cache");
  }
  if (context > 0 && row.optional("seq_len", 1, 1) > 1) row.reject("context", "one position follows it; seq_len is 1");
  if (phase.empty() && context > 0) return ServedRequest{.writes = true, .input_tokens = context, .output_tokens = 1};
  if (phase.empty()) return {};
  ServedRequest request;
  request.reads = phase == "prefill" || phase == "prefill and decode";
  request.writes = phase == "decode" || phase == "prefill and decode";
  if (!request.reads && !request.writes) {
    row.reject("phase", fmt::format("unknown phase '{}'; one of prefill, decode, prefill and decode", shown(phase)));
  }
  request.input_tokens = row.optional("input_tokens", 0, 0);
  if (request.writes) request.output_tokens = row.required("output_tokens", 1);
  if (request.reads && request.writes) request.input_tokens = row.required("input_tokens", 1);
  return request;
}

// "q4_k_m" of "q4_k_m (4.58 GiB)"; none where the arithmetic's precision is the same.
std::optional<DType> read_weights(TableRow& row, const char* column) {
  const std::string cell = lower_case(row.text(column));
  const std::string name = cell.substr(0, cell.find(' '));
  const auto type = parse_dtype(name);
  if (name.empty() || (type && type == parse_dtype(lower_case(row.text("precision"))))) return std::nullopt;
  const std::vector<std::string> known = weight_type_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return type;
  row.reject(column, fmt::format("unknown weights '{}'{}, or the precision", shown(name), one_of(name, known)),
             ErrorCode::unsupported);
  return std::nullopt;
}

std::optional<DType> parse_cache_type(std::string_view name) {
  const std::vector<std::string> known = cache_type_names();
  return std::find(known.begin(), known.end(), name) != known.end() ? parse_dtype(name) : std::nullopt;
}

// Of a host's processor: as in data/hosts.
std::optional<double> read_single_thread(TableRow& row) {
  constexpr double kLeast = 100, kMost = 1e6;
  const std::string_view cell = corrected(row, "single_thread");
  if (cell.empty()) return std::nullopt;
  const auto rating = parse_number(cell);
  if (rating && *rating >= kLeast && *rating <= kMost) return rating;
  row.reject("single_thread",
             fmt::format("'{}' is not PassMark's rating of a processor, 100 to 1,000,000", shown(cell)));
  return std::nullopt;
}

// Whether batch norms are folded into convolutions, which says something of eager inference alone.
bool read_folded_norms(TableRow& row, const NetworkRun& run) {
  if (!row.either("batch_norms", "folded", "apart", false)) return false;
  if (parse_phase(lower_case(row.text("pass"))).value_or(Phase::fwd) != Phase::fwd) {
    row.reject("batch_norms", "folded is for inference");
  } else if (run.execution != Execution::eager) {
    row.reject("batch_norms", "folded is for eager inference; compiled programs and engines fold them anyway");
  }
  return true;
}

}  // namespace

Conv read_conv(TableRow& row) {
  Conv conv;
  conv.batch = row.required("N", 1);
  conv.in_channels = row.required("C", 1);
  conv.axes[1] = read_axis(row, "H", "R", "_h");
  conv.axes[2] = read_axis(row, "W", "S", "_w");
  conv.out_channels = row.required("K", 1);
  conv.groups = row.optional("groups", 1, 1);
  if (row.error()) return conv;
  if (auto geometry = check(conv); !geometry) {
    row.reject("", geometry.error().message);
    return conv;
  }
  check_outputs(row, "out_h", conv.axes[1]);
  check_outputs(row, "out_w", conv.axes[2]);
  const Shape input = {conv.batch, conv.in_channels, conv.axes[1].in, conv.axes[2].in};
  const Shape filter = {conv.out_channels, conv.in_channels / conv.groups, conv.axes[1].filter, conv.axes[2].filter};
  const Shape output = {conv.batch, conv.out_channels, out_positions(conv.axes[1], false),
                        out_positions(conv.axes[2], false)};
  for (const Shape& shape : {input, filter, output}) {
    if (elements(shape) > kMaxElements) row.reject("", fmt::format("a tensor of {} is too large", print(shape)));
  }
  return conv;
}

Gemm read_gemm(TableRow& row) {
  Gemm gemm;
  gemm.batch = row.optional("batch", 1, 1);
  gemm.m = row.required("M", 1);
  gemm.n = row.required("N", 1);
  gemm.k = row.required("K", 1);
  gemm.trans_a = row.transposed("transA");
  gemm.trans_b = row.transposed("transB");
  gemm.bias = row.optional("bias", 0, 0) != 0;
  for (const Shape& shape :
       {Shape{gemm.batch, gemm.m, gemm.k}, Shape{gemm.batch, gemm.k, gemm.n}, Shape{gemm.batch, gemm.m, gemm.n}}) {
    if (elements(shape) > kMaxElements) row.reject("", fmt::format("a matrix of {} is too large", print(shape)));
  }
  if (elements({gemm.batch, gemm.m, gemm.n, gemm.k}) > kMaxMacs) row.reject("", "too many multiply-accumulates");
  return gemm;
}

Attention read_attention(TableRow& row) {
  Attention attention;
  attention.batch = row.required("batch", 1);
  attention.q_len = row.required("q_len", 1);
  attention.kv_len = row.required("kv_len", 1);
  attention.heads = row.required("heads", 1);
  attention.kv_heads = row.required("kv_heads", 1);
  attention.head_dim = row.required("head_dim", 1);
  attention.head_dim_v = row.optional("head_dim_v", 1, 0);
  attention.window = row.optional("window", 0, 0);
  attention.causal = row.either("mask", "causal", "none", true);
  attention.deterministic = row.either("deterministic", "true", "false", false);
  attention.block_scaled = lower_case(row.text("precision_detail")) == "mxfp8";
  const std::string phase = lower_case(row.text("phase"));
  if (!phase.empty() && phase != "prefill" && phase != "decode") {
    row.reject("phase", fmt::format("unknown phase '{}'; one of prefill, decode", shown(phase)));
  }
  if (phase == "decode" && attention.q_len != 1) row.reject("q_len", "decode has one query a sequence");
  reject_bad_numbers(row, attention);
  return attention;
}

Recurrent read_recurrent(TableRow& row) {
  Recurrent recurrent;
  recurrent.cell = lower_case(row.text("cell"));
  recurrent.batch = row.required("batch", 1);
  recurrent.steps = row.required("steps", 1);
  recurrent.input = row.required("input", 1);
  recurrent.hidden = row.required("hidden", 1);
  recurrent.layers = row.optional("layers", 1, 1);
  recurrent.directions = row.optional("directions", 1, 1);
  recurrent.input_projection = row.optional("input_projection", 0, 1) != 0;
  reject_bad_numbers(row, recurrent);
  return recurrent;
}

StreamLayer read_stream(TableRow& row) {
  StreamLayer layer;
  layer.rows = row.required("rows", 1);
  layer.columns = row.required("columns", 1);
  const std::string kind = lower_case(row.text("kind"));
  const auto known = parse_stream_kind(kind);
  if (known) {
    layer.kind = *known;
  } else {
    std::vector<std::string> names;
    for (const StreamKind one : kStreamKinds) names.emplace_back(name_of(one));
    row.reject("kind", fmt::format("unknown kind '{}'{}", shown(kind), one_of(kind, names)));
  }
  if (elements({layer.rows, layer.columns}) > kMaxElements) row.reject("", "a tensor is too large");
  return layer;
}

Collective read_collective(TableRow& row) {
  constexpr std::int64_t kMostGpus = 1 << 20;
  constexpr double kMostBytes = 1e15;
  Collective collective;
  const std::string kind = lower_case(row.text("kind"));
  if (const auto known = parse_collective_kind(kind)) {
    collective.kind = *known;
  } else {
    const std::vector<std::string> names = collective_kind_names();
    row.reject("kind", fmt::format("unknown kind '{}'{}", shown(kind), one_of(kind, names)));
  }
  const std::int64_t gpus = row.required("gpus", 2);
  if (gpus > kMostGpus) row.reject("gpus", fmt::format("at most {}", kMostGpus));
  collective.gpus = static_cast<int>(std::min(gpus, kMostGpus));
  const auto bytes = row.amount("bytes", true);
  if (!bytes || *bytes > kMostBytes) row.reject("bytes", "must be a number of bytes above 0, at most 1e15");
  collective.bytes = Bytes(std::min(bytes.value_or(1), kMostBytes));
  return collective;
}

NetworkRun read_network(TableRow& row) {
  NetworkRun run;
  run.model = network_meant(row.text("model"), row.text("framework"));
  if (run.model.empty()) row.reject("model", "the cell is empty");
  if (!row.text("batch").empty()) run.batch = row.required("batch", 1);
  run.seq_len = published_positions(row, run.model);
  if (!row.text("image_size").empty()) run.image_size = row.required("image_size", 1);
  run.gpus = row.optional("gpus", 1, 1);
  run.optimizer = row.named("optimizer", parse_optimizer, optimizer_names());
  if (!run.optimizer) run.optimizer = published_optimizer(row, run.model);
  run.host_copy = row.either("host_copy", "1", "0", false);
  run.host_single_thread = read_single_thread(row);
  run.cuda_graphs = row.either("cuda_graphs", "1", "0", false);
  run.narrow_norms = row.either("norms", "narrow", "wide", published_narrow_norms(row, run.model));
  run.request = read_request(row);
  const bool served = !row.text("phase").empty();
  const Execution usual = served ? Execution::engine : published_execution(row);  // servers run engines
  run.execution = row.named("execution", parse_execution, execution_names()).value_or(usual);
  run.folded_norms = read_folded_norms(row, run);
  run.weights = read_weights(row, "weights");
  run.expert_weights = read_weights(row, "expert_weights");
  run.cache = row.named("kv_cache", parse_cache_type, cache_type_names());
  if (run.cache && !run.request) row.reject("kv_cache", "a row without a phase reads no cache");
  if (run.request && run.request->reads && !run.seq_len && run.request->input_tokens > 0) {
    run.seq_len = run.request->input_tokens;
  }
  run.transformer = read_transformer(row, run);
  run.parallel = read_parallelism(row, run);
  run.fabric = {row.optional("nodes", 0, 0), std::string(row.text("interconnect")), std::string(row.text("network"))};
  if (const auto link = link_of_text(run.fabric.interconnect); !link) row.reject("interconnect", link.error().message);
  run.one_process = lower_case(row.text("parallelism")) == "dataparallel";
  return run;
}

}  // namespace rooftile
