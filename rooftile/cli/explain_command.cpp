// rooftile explain: one layer, equation by equation.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/explanation.hpp"

namespace rooftile::cli {
namespace {

struct ExplainArguments {
  std::string model, layer;
  PredictionArguments prediction;
  OutputArguments output;
};

bool runs(const Op& op, const std::string& name) {
  return op.name == name || std::find(op.members.begin(), op.members.end(), name) != op.members.end();
}

// The op of that name or that runs it, or the only one whose name contains it.
Result<const Op*> find_layer(const Workload& workload, const std::string& name) {
  std::vector<const Op*> matches;
  std::vector<std::string> names;
  for (const Op& op : workload.ops) {
    if (runs(op, name)) return &op;
    if (op.name.find(name) != std::string::npos) matches.push_back(&op);
    names.push_back(op.name);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) {
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = "; 'rooftile models show' lists layers";
    return fail(ErrorCode::not_found, fmt::format("no layer is called '{}'{}", name, hint), workload.name);
  }
  std::string list;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < matches.size() && i < kShown; ++i) list += (i == 0 ? "" : ", ") + matches[i]->name;
  if (matches.size() > kShown) list += fmt::format(", … ({} in all)", matches.size());
  return fail(ErrorCode::not_found, fmt::format("'{}' is part of several layers' names: {}", name, list),
              workload.name);
}

using Explanations = std::span<const Explanation>;

std::string explanation_texts(Explanations explanations, std::size_t width) {
  std::string text;
  for (const Explanation& explanation : explanations) {
    text += (text.empty() ? "" : "\n") + explanation_text(explanation, width);
  }
  return text;
}

constexpr Writers<Explanations> kExplanationWriters = {
    {Format::table, explanation_texts}, {Format::json, explanation_json}, {Format::csv, explanation_csv}};

Result<void> run(ExplainArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(check_no_host(given.set, "explain"));
  TRY(complete(given));
  PredictOptions options = predict_options(given);
  const Phase phase = given.phase.value_or(Phase::fwd);
  if (passes_of(phase).size() != 1) {
    return fail(ErrorCode::usage,
                fmt::format("--pass: {} has several passes; explain one of fwd, bwd_data, bwd_weight", name_of(phase)));
  }
  options.pass = passes_of(phase).front();
  options.training = phase != Phase::fwd;
  const auto gpus = TRY(gpus_of_option(given.gpus));
  TRY(check(options));
  const auto workload = TRY(load_network(arguments.model, given, options));
  std::vector<std::string> ids;
  for (const Gpu& gpu : gpus) {
    TRY(check(options, gpu));
    TRY(check(workload, options, gpu, phase));
    ids.push_back(gpu.id);
  }
  note_unused_factors(options.calibration, ids);
  write_notes(workload);
  options = network_options(options);
  const Workload stored =
      workload.captured ? launches_as_ops(workload, options.pass) : run_as(workload, options, phase);
  const auto op = TRY(find_layer(stored, arguments.layer));
  options.pass_bytes = pass_bytes(stored, phase);
  PredictOptions own = options;
  own.precision = precision_of(stored, *op, launch_options(options, phase));
  std::vector<Explanation> explanations;
  for (const Gpu& gpu : gpus) {
    explanations.push_back(explain_layer(estimate(stored, *op, gpu, options), gpu, own));
    explanations.back().model = workload.name;
    explanations.back().members = op->members;
  }
  return write_report(arguments.output, kExplanationWriters, explanations);
}

}  // namespace

void add_explain(CommandList& commands) {
  auto [app, arguments] =
      commands.add<ExplainArguments>("explain", "Show every number behind one layer's time, equation by equation",
                                     "rooftile explain alexnet --layer conv1 --gpu titan-xp --batch-size 256", run);
  add_model(app, arguments.model)->required();
  add_text(app, "--layer", arguments.layer, "NAME", "the layer's name, or a part of it found in no other")->required();
  add_gpus(app, arguments.prediction.gpus)->required()->group("Prediction");
  add_kernel_options(app, arguments.prediction);
  add_output_options(app, arguments.output, kExplanationWriters);
}

}  // namespace rooftile::cli
