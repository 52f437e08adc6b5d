#include "rooftile/predict/recurrent_on_chip.hpp"

#include <string_view>

#include "rooftile/gpu/generation.hpp"

namespace rooftile {
namespace {

bool asks_for_them(std::string_view framework) {
  constexpr std::string_view kName = "PyTorch ";
  if (framework.empty()) return true;
  return framework.substr(0, kName.size()) == kName && framework.size() > kName.size() &&
         framework[kName.size()] >= '2';
}

// Any precision, any number of layers: weights that one SM or a few can hold.
bool small(const Recurrent& recurrent, Pass pass) {
  const bool forward = pass == Pass::fwd;
  if (recurrent.cell == "vanilla") return recurrent.hidden <= (forward ? 384 : 256);
  return recurrent.hidden <= (forward ? 192 : 128);
}

// In FP16. The kernels take batches of whole eights, to which a caller can pad any.
bool in_whole_eights(const Recurrent& recurrent, const Gpu& gpu) {
  constexpr double kLeastSms = 98;
  constexpr std::int64_t kMostHidden = 1024, kMostBatch = 128, kMultiple = 128;
  if (recurrent.layers > 1 || recurrent.directions > 1 || recurrent.hidden > kMostHidden ||
      recurrent.hidden % kMultiple != 0 || recurrent.input % kMultiple != 0 || recurrent.batch > kMostBatch) {
    return false;
  }
  const double generation = gpu.generation;
  if (generation < generation::kAmpere) return generation >= generation::kVolta && generation < generation::kTuring;
  return gpu.sm_count >= kLeastSms && generation != generation::kAmpereRtx && recurrent.cell != "gru";
}

}  // namespace

bool keeps_weights_on_chip(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options) {
  if (gpu.vendor != "nvidia" || gpu.generation < generation::kPascal || options.pass == Pass::bwd_weight ||
      !asks_for_them(options.framework)) {
    return false;
  }
  return small(recurrent, options.pass) || (options.precision == DType::fp16 && in_whole_eights(recurrent, gpu));
}

}  // namespace rooftile
