#include "rooftile/ingest/published_run.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kExamples = "DeepLearningExamples";

bool in_fp16(TableRow& row) { return lower_case(row.text("precision")) == "fp16"; }

bool is_bert(std::string_view model) { return lower_case(model).starts_with("bert"); }

// Fine-tuning of BERT by NVIDIA's examples, which they do on SQuAD; `bert_large_squad` is that in Lambda's runs of
// them.
bool fine_tunes_bert(TableRow& row, std::string_view model) {
  if (!is_bert(model)) return false;
  if (row.text("framework").find(kExamples) != std::string_view::npos) return model.ends_with("_squad");
  return row.text("source") == kExamples && row.text("note").starts_with("Fine-tuning");
}

bool bins_its_texts(TableRow& row, std::string_view model) {
  return is_bert(model) && row.text("source") == kExamples && row.text("note").starts_with("Pre-training") &&
         row.text("path").starts_with("PyTorch/");
}

// As notes end: "XLA", "XLA=Yes".
bool runs_xla(std::string_view note) {
  return note.ends_with("XLA") || note.ends_with("XLA=Yes") || note.ends_with("XLA=ON");
}

}  // namespace

// Submitters to MLPerf run what a board's vendor tuned for it. NVIDIA's implementations, and its build of MXNet (but
// not Apache's), train with channels last and fuse batch norms with what surrounds them (DeepLearningExamples,
// MxNet/Classification/RN50v1.5: BNAddRelu); AMD's are taken for alike.
Execution published_execution(TableRow& row) {
  if (row.text("source").starts_with("MLPerf Training")) return Execution::compiled;
  const std::string framework = lower_case(row.text("framework"));
  const bool fuses = runs_xla(row.text("note")) || framework.starts_with("mxnet");
  if (row.text("source") == kExamples && fuses) return Execution::compiled;
  for (const char* fused : {"nvidia release", "ngc "}) {
    if (framework.find(fused) != std::string::npos) return Execution::compiled;
  }
  const bool infers = parse_phase(lower_case(row.text("pass"))).value_or(Phase::fwd) == Phase::fwd;
  return infers && is_engine(row.text("framework")) ? Execution::engine : Execution::eager;
}

// MLPerf's BERT reads up to 512 positions, about half of them padding (the rows' notes). NVIDIA's implementation, which
// all submitters of its GPUs run, computes the padding in v0.7 and skips it later (mlcommons/training_results_v1.1,
// config_DGXA100_1x8x56x1.sh: --unpad --unpad_fmha --exchange_padding). NVIDIA's examples pad questions to 384
// (DeepLearningExamples, PyTorch and TensorFlow/LanguageModeling/BERT/scripts/run_squad.sh: max_seq_length).
//
// PyTorch's example sorts the texts of its second phase, of at most 512 positions, into bins of 64 (LDDL;
// PyTorch/LanguageModeling/BERT/data/create_datasets_from_start.sh: phase2_bin_size), so that a batch is padded by half
// a bin only; in samples of 512 positions it would run faster than of 128.
std::optional<std::int64_t> published_positions(TableRow& row, std::string_view model) {
  constexpr std::int64_t kWithoutPadding = 256, kQuestion = 384, kLongest = 512, kBin = 64;
  constexpr std::string_view kRound = "MLPerf Training v";
  const std::string_view source = row.text("source");
  std::optional<std::int64_t> told;
  if (!row.text("seq_len").empty()) told = row.required("seq_len", 1);
  if (told == kLongest && bins_its_texts(row, model)) return kWithoutPadding + kBin / 2;
  if (told) return told;
  const bool mlperf = source.starts_with(kRound) && !source.substr(kRound.size()).starts_with("0.");
  if (mlperf && is_bert(model)) return kWithoutPadding;
  if (source == kExamples && fine_tunes_bert(row, model)) return kQuestion;
  return {};
}

// PyTorch/LanguageModeling/BERT/run_squad.py: Apex's FusedAdam with --fp16, else the BertAdam of optimization.py.
// EfficientNet: PyTorch/Classification/ConvNets/configs.yml.
std::optional<Optimizer> published_optimizer(TableRow& row, std::string_view model) {
  const std::string_view framework = row.text("framework");
  if (row.text("source") == kExamples && row.text("path").find("ConvNets/efficientnet") != std::string_view::npos) {
    return Optimizer::rmsprop;
  }
  const bool pytorch = framework == "PyTorch" || framework.find(kExamples) != std::string_view::npos;
  if (!pytorch || !fine_tunes_bert(row, model)) return {};
  return in_fp16(row) ? Optimizer::fused_adam : Optimizer::bert_adam;
}

// timm's results for PyTorch 1.13 and later are taken for those of `--fast-norm` (docs/measurements.md says why). It is
// for timm's own norms (timm/layers/norm.py): of ConvNeXt and MaxViT, since 2025 of ViT as well, whose results come
// with PyTorch 2.9 (timm/models/vision_transformer.py); Swin calls PyTorch's.
bool published_narrow_norms(TableRow& row, std::string_view model) {
  constexpr std::pair kFirst(1, 13), kFirstOfVit(2, 9);
  if (row.text("timm_model").empty()) return false;
  const std::pair release = pytorch_release(row.text("framework"));
  if (model.starts_with("vit_")) return release >= kFirstOfVit;
  return (model.starts_with("convnext") || model.starts_with("maxvit")) && release >= kFirst;
}

// NVIDIA's own runs of its examples in mixed precision: PyTorch's classifiers and SSD by their configurations
// (DeepLearningExamples, PyTorch/Classification/ConvNets/configs.yml, memory_format; PyTorch/Detection/SSD/main.py,
// --data-layout), TensorFlow's because its layout optimiser prefers channels last where tensor cores multiply FP16
// (tensorflow/core/grappler/optimizers/generic_layout_optimizer.cc).
bool published_nhwc(TableRow& row) {
  if (row.text("source") != kExamples || !in_fp16(row)) return false;
  const std::string_view path = row.text("path");
  return path.starts_with("TensorFlow") || path.starts_with("PyTorch/Classification") ||
         path.starts_with("PyTorch/Detection/SSD");
}

}  // namespace rooftile
