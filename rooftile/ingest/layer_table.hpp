// Layer tables: CSV with a header, one op a row, with or without measurements (docs/formats.md).
//
//     const std::string csv = "gpu,M,N,K,time_us\nt4,64,64,64,12\n";
//     const LayerTable table = parse_layer_table(csv, "mine.csv", {.measurements = true}).value();
//     assert(table.rows.front().measured.time == Seconds(12e-6));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/collectives/collective.hpp"
#include "rooftile/execution/parallelism.hpp"
#include "rooftile/fabric/told_cluster.hpp"
#include "rooftile/ops/optimizer.hpp"
#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/execution.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// What somebody measured for a row; a blank cell is nothing.
struct Measured {
  std::optional<Seconds> time;                    // time_us, time_ms or time_s; else batch over throughput
  std::string_view untimed = "no measured time";  // why there is none
  Seconds host_overhead;           // host_overhead_us: the part of `time` that is the harness's and not the GPU's
  std::optional<Bytes> l1;         // l1_bytes_measured: loads and stores
  std::optional<Bytes> l2;         // l2_bytes_measured
  std::optional<Bytes> dram;       // dram_bytes_measured
  std::optional<double> launches;  // kernel_launches
};

// What the column `model` says where the row itself gives the geometry.
constexpr std::string_view kTransformerModel = "transformer";

// What was timed of requests to a server that writes text. The tokens are those of one of them.
struct ServedRequest {
  bool reads = false;   // the prompt
  bool writes = false;  // the answer, token by token
  std::int64_t input_tokens = 0, output_tokens = 0;

  bool operator==(const ServedRequest&) const = default;
};

// A whole network, by the name or the path of its model.
struct NetworkRun {
  std::string model;
  std::optional<std::int64_t> batch;    // none: the model's own
  std::optional<std::int64_t> seq_len;  // none: the model's own
  std::int64_t gpus = 1;
  std::optional<std::int64_t> image_size = {};  // height and width; none: the model's own
  Execution execution = Execution::eager;
  std::optional<Optimizer> optimizer = {};        // none: what the network is usually trained with
  bool folded_norms = false;                      // batch norms, into convolutions
  bool narrow_norms = false;                      // of rows, in mixed precision (AutocastRules)
  bool cuda_graphs = false;                       // launches are recorded once and replayed
  bool host_copy = false;                         // the inputs come from the host within the time
  std::optional<double> host_single_thread = {};  // PassMark's rating of its processor; none: assumed by the GPU
  std::optional<Transformer> transformer = {};    // of columns hidden, layers, heads, …; passed check()
  std::optional<ServedRequest> request = {};
  std::optional<Parallelism> parallel = {};  // of several GPUs or micro-batches; passed check()
  ToldFabric fabric = {};                    // what joins them, as far as the row says
  bool one_process = false;                  // several GPUs as threads of one program (torch.nn.DataParallel)
  std::optional<DType> weights = {};         // narrower than the arithmetic
  std::optional<DType> expert_weights = {};  // the same of experts
  std::optional<DType> cache = {};           // column kv_cache: of earlier keys and values

  bool operator==(const NetworkRun&) const = default;
};

using RowOp = std::variant<Conv, Gemm, Attention, Recurrent, StreamLayer, NetworkRun, Collective>;

// The name in the column `op`: "conv", "rnn", "network", …
std::string_view name_of(const RowOp& op);

struct LayerRow {
  std::size_t line = 0;            // in the file, the header is 1
  std::vector<std::string> cells;  // as read, one per column of LayerTable::columns
  RowOp op;
  std::string gpu;                        // the row's own; empty if the table gives none
  DType precision = DType::fp32;          // the row's own, or the default
  bool autocast = false;                  // of a network (RunPrecision)
  std::optional<DType> accumulate;        // of sums
  std::optional<DType> output_precision;  // of results
  bool nhwc = false;                      // column layout
  std::optional<Hertz> sm_clock;          // that the SMs were kept from exceeding
  Phase phase = Phase::fwd;
  // What is known of the kernel that ran; empty or zero where nothing is.
  std::string framework;
  std::string kind;                    // which call of the framework: linear, bmm, …
  std::string algorithm;               // one of the names in docs/formats.md
  bool asked = false;                  // whoever measured asked for it: the library need not have chosen it
  std::string kernel;                  // its name, as a profiler prints it
  std::int64_t split_k = 0;            // CTAs that shared a tile of the result
  std::array<std::int64_t, 3> grid{};  // CTAs along x, y, z
  std::int64_t block_threads = 0;      // threads of a CTA
  std::string flag;                    // why the row is not to be scored
  Measured measured;                   // only with LayerTableOptions::measurements
};

// A row that says what it is, but of an op that is not predicted yet.
struct UnsupportedRow {
  std::size_t line = 0;
  std::vector<std::string> cells;
  std::string what;  // "collective rows"
};

struct LayerTable {
  std::vector<std::string> columns;
  std::vector<LayerRow> rows;
  std::vector<Error> bad_rows;              // only with skip_bad_rows
  std::vector<UnsupportedRow> unsupported;  // only with keep_unsupported
};

struct LayerTableOptions {
  std::string gpu = {};                  // fills empty cells
  std::string precision = {};            // fills empty cells; empty: fp32
  bool override_cells = false;           // --gpu and --precision win over the row's own
  bool skip_bad_rows = false;            // list rows that are wrong instead of failing
  bool keep_unsupported = false;         // list rows that are not predicted yet apart, not among the wrong ones
  bool measurements = false;             // read the measured columns too; else they may hold anything
  std::vector<std::string> ignore = {};  // columns to read as if they were not there; `cells` keep them
};

// Errors name file, line and column.
Result<LayerTable> parse_layer_table(std::string_view csv, std::string_view where,
                                     const LayerTableOptions& options = {});

}  // namespace rooftile
