#include "rooftile/cli/prediction_options.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

// A framework whose calls no calibration knows would change nothing.
Result<void> check_framework(const std::string& name, const Calibration& calibration) {
  if (name.empty()) return {};
  std::vector<std::string> known;
  for (const Harness& harness : calibration.harnesses) {
    if (harness.framework == name) return {};
    known.push_back(harness.framework);
  }
  return fail(ErrorCode::not_found, fmt::format("no constants for framework '{}'{}", name, did_you_mean(name, known)),
              "--framework");
}

// What only the refined method can use.
Result<void> refined_arguments(const TypedPrediction& typed, PredictionArguments& arguments) {
  for (const auto& [option, text] : {std::pair{"--algorithm", &typed.algorithm},
                                     {"--framework", &typed.framework},
                                     {"--calibration", &typed.calibration}}) {
    if (!text->empty() && arguments.method != Method::rooftile) {
      return usage(fmt::format("{} is for --method rooftile", option));
    }
  }
  if (!typed.algorithm.empty()) {
    std::vector<std::string> known;
    for (const Algorithm algorithm : kAlgorithms) {
      known.emplace_back(name_of(algorithm));
    }
    if (auto result = check_choice("--algorithm", typed.algorithm, known, {}); !result) return result;
    arguments.plan.algorithm = typed.algorithm;
  }
  auto calibration = calibration_of_option(typed.calibration);
  if (!calibration) return tl::unexpected(calibration.error());
  arguments.calibration = std::move(*calibration);
  arguments.framework = typed.framework;
  return check_framework(typed.framework, arguments.calibration ? *arguments.calibration : builtin_calibration());
}

}  // namespace

void add_prediction_options(CLI::App* command, TypedPrediction& typed, const std::string& gpu_help) {
  command->add_option("--gpu", typed.gpu, gpu_help);
  command->add_option("-b,--batch-size", typed.batch_size, "samples a batch (default: the model's own, else 1)");
  command->add_option("--seq-len", typed.seq_len, "positions of a text, for transformers (default: the model's own)");
  command->add_option("--precision", typed.precision,
                      "fp32 (default), tf32, fp16, bf16, fp8 or int8, as the GPU has it; delta and prior: fp32");
  command->add_flag("--skip-unsupported", typed.skip_unsupported,
                    "leave out operators that are not supported, and list them");
  command->add_option("--method", typed.method,
                      "rooftile (default), delta (DeLTA as published: convolutions and GEMMs), roofline, or "
                      "prior[=RATE] (DeLTA with fixed miss rates); other operators stream");
  command->add_option("--miss-rate", typed.miss_rate, "of L1 and L2 for --method prior, 0 to 1 (default: 1)");
  command->add_option("--tile", typed.tile, "CTA tile to use instead of the method's choice, as in 128x64x4");
  command->add_option("--active-ctas", typed.active_ctas, "CTAs resident on an SM, instead of the occupancy rule");
  command->add_option("--algorithm", typed.algorithm,
                      "of convolutions: implicit_gemm, winograd, winograd_nonfused or fft, where the shape allows it "
                      "(method rooftile; default: the fastest)");
  command->add_option("--framework", typed.framework,
                      "that runs the operators, for its overhead, as in a calibration (method rooftile)");
  command->add_option("--calibration", typed.calibration,
                      "take the constants from this file, not those of the program (method rooftile)");
}

Result<PredictionArguments> prediction_arguments(const TypedPrediction& typed) {
  PredictionArguments arguments;
  arguments.skip_unsupported = typed.skip_unsupported;
  const auto phase = parse_phase(typed.pass);
  if (!phase) return tl::unexpected(check_choice("--pass", typed.pass, phase_names(), {}).error());
  arguments.phase = *phase;
  const auto method = TRY(parse_method("--method", typed.method));
  arguments.method = method.method;
  arguments.prior_miss_rate = method.prior_miss_rate;
  if (!typed.miss_rate.empty()) {
    if (arguments.method != Method::prior) return usage("--miss-rate is for --method prior");
    const auto rate = TRY(parse_rate("--miss-rate", typed.miss_rate));
    arguments.prior_miss_rate = rate;
  }
  if (!typed.gpu.empty()) {
    auto gpus = TRY(parse_list("--gpu", typed.gpu));
    arguments.gpus = std::move(gpus);
  }
  if (!typed.precision.empty()) {
    const auto precision = TRY(parse_precision("--precision", typed.precision));
    arguments.precision = precision;
  }
  if (!typed.batch_size.empty()) {
    const auto batch_size = TRY(parse_count("--batch-size", typed.batch_size, kMaxDimension));
    arguments.batch_size = batch_size;
  }
  if (!typed.seq_len.empty()) {
    const auto seq_len = TRY(parse_count("--seq-len", typed.seq_len, kMaxDimension));
    arguments.seq_len = seq_len;
  }
  if (!typed.tile.empty()) {
    const auto tile = TRY(parse_tile("--tile", typed.tile));
    arguments.plan.tile = tile;
  }
  if (!typed.active_ctas.empty()) {
    constexpr std::int64_t kMost = 1024;
    const auto active = TRY(parse_count("--active-ctas", typed.active_ctas, kMost));
    arguments.plan.active_ctas_per_sm = static_cast<int>(active);
  }
  TRY(refined_arguments(typed, arguments));
  return arguments;
}

}  // namespace rooftile::cli
