// The subcommands: what each takes, and the function that carries it out. Nothing here knows how a command line is
// parsed. Every function writes its result and returns the first error; nothing is half-written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/cli/format.hpp"
#include "rooftile/cluster/ranks.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/simulate/simulate.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::cli {

// What decides a prediction, shared by the commands that make one.
struct PredictionArguments {
  std::vector<std::string> gpus;
  std::optional<std::int64_t> batch_size;
  std::optional<std::int64_t> seq_len;
  std::optional<DType> precision;
  Phase phase = Phase::fwd;
  bool skip_unsupported = false;
  Method method = Method::rooftile;
  double prior_miss_rate = 1;
  PlanOptions plan;
  std::string framework;
  std::shared_ptr<const Calibration> calibration;  // null: what ships with the program
};

// They point at the arguments' calibration.
PredictOptions predict_options(const PredictionArguments& arguments);

// How the model is to be loaded.
ModelOptions model_options(const PredictionArguments& arguments);

// What the file named by --calibration says; null without one.
Result<std::shared_ptr<const Calibration>> calibration_of_option(const std::string& path);

// find_gpu(), where the selector is the value of --gpu, or one of its values.
Result<Gpu> gpu_of_option(const std::string& selector);
Result<std::vector<Gpu>> gpus_of_option(const std::vector<std::string>& selectors);

struct PredictArguments {
  std::string model;
  PredictionArguments prediction;
  Format format = Format::table;
  bool all_layers = false;
  std::string output;  // empty or "-": standard output
  bool save = false;
  std::string db, calibration;  // with save: the store, empty: the user's own; the calibration's file
};
Result<void> predict_model(const PredictArguments& arguments);

struct LayersArguments {
  std::string table;
  PredictionArguments prediction;
  bool override_cells = false;
  bool skip_bad_rows = false;
  std::string output;
};
Result<void> predict_layers(const LayersArguments& arguments);

struct ValidateArguments {
  std::vector<std::string> tables;
  std::string method = "rooftile";                   // several with commas
  std::string by, where, ignore, quantity = "time";  // as the user typed them
  std::string gpu, precision, calibration, tier;
  std::string fitted;                      // a fitted model to judge instead of methods; empty: none
  std::string db;                          // the store of `fitted`; empty: the user's own
  std::string format, output, rows, plot;  // rows and plot: files to write besides; empty: none
  bool flagged = false, bias_kernel = false, override_cells = false, skip_bad_rows = false, choice = false;
};
Result<void> validate(const ValidateArguments& arguments);
Result<void> validate_by_fitted(const ValidateArguments& arguments);
void list_bad_rows(const std::vector<Error>& bad_rows);  // on standard error, where there are any

struct FitArguments {
  std::vector<std::string> tables;
  std::string where, ignore, date, output;
  bool skip_bad_rows = false;
};
Result<void> fit(const FitArguments& arguments);

struct RooflineArguments {
  std::string model;
  PredictionArguments prediction;            // one GPU
  std::vector<std::string> profiles;         // files of profilers, layer tables
  std::string study, measured;               // instead of a model: the study's name, and a table of measured rows
  std::optional<std::int64_t> tensor_flops;  // of a tensor instruction in a profile; none: as the program knows it
  // As the user typed them; empty: the default.
  std::string level, roof, ceilings, chart, axes, format, output;
  bool all = false;  // every kernel, not those with the most to win
};
Result<void> draw_roofline(const RooflineArguments& arguments);

struct CostArguments {
  std::string model;               // whose energy to add; empty: none
  PredictionArguments prediction;  // no GPU: the catalogue
  std::string costs;               // a user's own cost file; empty: none
  bool sources = false;
  std::string format, output;
};
Result<void> cost(const CostArguments& arguments);

struct SensitivityArguments {
  std::string model;
  PredictionArguments prediction;  // one GPU
  bool all_layers = false;
  std::string format, output;
};
Result<void> show_sensitivity(const SensitivityArguments& arguments);

struct ExplainArguments {
  std::string model;
  std::string layer;
  PredictionArguments prediction;
};
Result<void> explain(const ExplainArguments& arguments);

struct SimulateArguments {
  std::vector<std::string> models;
  std::string table;               // a layer table beside or instead of models; its GPUs are not looked at
  std::string layer;               // only layers with this in their names; empty: all
  bool convolutions_only = false;  // leave out plain GEMMs
  std::int64_t random_layers = 0;  // and so many at random
  std::int64_t seed = 1;
  PredictionArguments prediction;  // one GPU
  SimulateOptions options;
  std::vector<std::string> against;  // closed forms to set beside
  bool scores_only = false;
  Format format = Format::table;
  std::string output;
};
Result<void> simulate_layers(const SimulateArguments& arguments);

struct EvaluateArguments {
  std::string folder;
  std::vector<std::string> gpus = {"titan-xp-delta", "p100-delta", "v100-delta"};
  std::int64_t batch_size = 256;
  std::vector<std::string> only;  // names of tables and figures; empty: all
};
Result<void> evaluate(const EvaluateArguments& arguments);

struct ExploreArguments {
  std::string space;  // the space file; of --scaling a model
  bool scaling = false;
  bool all_layers = false;  // of --scaling: not only convolutions
  PredictionArguments prediction;
  std::int64_t best = 10;
  std::string rank_by = "time";       // an axis, or what comes of a design
  std::vector<std::string> pareto;    // the same
  bool with_costs = false;            // though nothing names one
  std::string costs;                  // a cost file; empty: those built in
  std::vector<std::string> heat_map;  // two axes, or none
  std::string csv, rows;              // files for all designs; empty: none
  bool layer_times = false;           // in the CSV too
  std::string checkpoint;             // a file of what is done; empty: none
  double checkpoint_every = 60;       // seconds
  std::optional<std::int64_t> threads;
  std::string folder;               // empty: the table alone
  cluster::Ranks* ranks = nullptr;  // null: this program alone
  double rank_timeout = 30;         // seconds without a word after which a rank counts as lost
};
Result<void> explore(const ExploreArguments& arguments);

struct OptimiseArguments {
  std::string space;  // the space file
  PredictionArguments prediction;
  std::vector<std::string> minimise;     // metrics
  std::vector<std::string> constraints;  // besides those of the file
  std::string costs;                     // a user's own cost file; empty: none
  std::int64_t trials = 10000, seed = 1;
  std::optional<std::int64_t> threads;
  std::string format, plot, output;  // plot: an SVG besides; empty: none
};
Result<void> optimise(const OptimiseArguments& arguments);

struct SupportArguments {
  std::string model;
};
Result<void> support(const SupportArguments& arguments);

struct DiffArguments {
  std::string a, b;
};
Result<void> diff(const DiffArguments& arguments);

struct GpusArguments {
  std::string id;  // empty: all
  Format format = Format::table;
  bool names_only = false;
};
Result<void> gpus(const GpusArguments& arguments);

struct ModelsArguments {
  std::string name;  // empty: all
  Format format = Format::table;
  bool names_only = false;
  std::optional<std::int64_t> batch_size;
};
Result<void> models(const ModelsArguments& arguments);

struct StripArguments {
  std::string model;
  std::string output;
};
Result<void> strip(const StripArguments& arguments);

}  // namespace rooftile::cli
