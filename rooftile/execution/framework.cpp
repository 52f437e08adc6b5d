#include "rooftile/execution/framework.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/cudnn_version.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

bool starts_with_any(std::string_view framework, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return framework.starts_with(name); });
}

using Version = std::pair<int, int>;

// The version of a framework or of what it was built with, named as in "PyTorch; PyTorch, CUDA 11.4" or "Torch7 cuDNN
// 5.0.05": its first two numbers.
std::optional<Version> version_after(std::string_view framework, std::string_view library) {
  const std::size_t at = framework.find(library);
  if (at == std::string_view::npos) return std::nullopt;
  framework.remove_prefix(at + library.size());
  const std::optional<int> major = take_number<int>(framework);
  if (!major) return std::nullopt;
  if (!framework.starts_with('.')) return Version(*major, 0);
  framework.remove_prefix(1);
  return Version(*major, take_number<int>(framework).value_or(0));
}

// "7.0.05", or as CUDNN_VERSION has it: 7005, and from 9 on 90100.
std::optional<Version> cudnn_version(std::string_view framework) {
  const auto version = version_after(framework, "cuDNN ");
  if (!version || version->second > 0) return version;
  return split_cudnn_version(version->first);
}

bool has_word(std::string_view framework, std::string_view word) {
  const auto ends = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
  for (std::size_t at = framework.find(word); at != std::string_view::npos; at = framework.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || ends(framework[at - 1])) && (end == framework.size() || ends(framework[end]))) return true;
  }
  return false;
}

std::optional<Version> vllm_version(std::string_view framework) {
  const auto version = version_after(framework, "vLLM ");
  return version ? version : version_after(framework, "vllm ");
}

// An unknown framework is taken for a recent PyTorch.
bool is_pytorch_since(std::string_view framework, Version first) {
  return framework.empty() || version_after(framework, "PyTorch ").value_or(Version()) >= first;
}

bool is_onnx_runtime(std::string_view framework) { return framework.starts_with("ONNX Runtime"); }

// One without a number is taken for an early one.
bool is_trtllm_since(std::string_view framework, Version first) {
  return version_after(framework, "TensorRT-LLM ").value_or(Version()) >= first;
}

// A release of PyTorch and the CUDA of its time, by which a PyTorch without a number is judged.
struct Release {
  Version pytorch, cuda;
};
constexpr Release k1_7{{1, 7}, {11, 0}}, k1_11{{1, 11}, {11, 5}}, k1_12{{1, 12}, {11, 6}}, k2_0{{2, 0}, {11, 7}},
    k2_1{{2, 1}, {11, 8}}, k2_5{{2, 5}, {12, 4}};

// PyTorch itself, which runs TorchScript too, not what is built on it.
bool is_pytorch(std::string_view framework) { return starts_with_any(framework, {"PyTorch", "TorchScript"}); }

// Neither a PyTorch without any number nor another framework precedes one.
bool precedes(std::string_view framework, const Release& release) {
  if (!is_pytorch(framework)) return false;
  if (const auto own = version_after(framework, "PyTorch ")) return *own < release.pytorch;
  return version_after(framework, "CUDA ").value_or(release.cuda) < release.cuda;
}

// Wherever it stands: rows name the release, or what ran it, too.
bool is_nemo(std::string_view framework) { return framework.find("NeMo") != std::string_view::npos; }

bool precedes_pytorch2(std::string_view framework) { return precedes(framework, k2_0); }

constexpr std::array<std::string_view, 16> kWithRules = {
    "PyTorch",   "TorchScript",       "Torch7",   "NeMo",       "Megatron-DeepSpeed", "Megatron-LM",  "composer",
    "llama.cpp", "FasterTransformer", "TensorRT", "AITemplate", "Megatron Core",      "ONNX Runtime", "gpt-fast",
    "MLC LLM",   "ExLlamaV2"};

// FasterTransformer's v1 and v2 are its kernels for INT8, not releases.
struct Spelling {
  std::string_view written, known;  // in small letters; what is longer comes first
};
constexpr Spelling kSpellings[] = {
    {"torchscript", "TorchScript"},
    {"pytorch", "PyTorch"},
    {"torch 7", "Torch7"},
    {"torch7", "Torch7"},
    {"torch", "PyTorch"},
    {"tensorrt-llm", "TensorRT-LLM"},
    {"tensorrt_llm", "TensorRT-LLM"},
    {"tensorrt llm", "TensorRT-LLM"},
    {"tensorrtllm", "TensorRT-LLM"},
    {"trt_llm", "TensorRT-LLM"},
    {"trt-llm", "TensorRT-LLM"},
    {"trtllm", "TensorRT-LLM"},
    {"tensorrt", "TensorRT"},
    {"trt", "TensorRT"},
    {"tensorflow2", "TensorFlow2"},
    {"tensorflow", "TensorFlow"},
    {"onnx runtime", "ONNX Runtime"},
    {"onnx-runtime", "ONNX Runtime"},
    {"onnx_runtime", "ONNX Runtime"},
    {"onnxruntime-gpu", "ONNX Runtime"},
    {"onnxruntime_gpu", "ONNX Runtime"},
    {"onnxruntime", "ONNX Runtime"},
    {"fastertransformer v1", "FasterTransformer v1"},
    {"fastertransformer v2", "FasterTransformer v2"},
    {"fastertransformer", "FasterTransformer"},
    {"aitemplate", "AITemplate"},
    {"llama.cpp", "llama.cpp"},
    {"gpt-fast", "gpt-fast"},
    {"mlc-llm", "MLC LLM"},
    {"mlc llm", "MLC LLM"},
    {"exllamav2", "ExLlamaV2"},
    {"sglang", "SGLang"},
    {"vllm", "vLLM"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the release begins in what follows a framework's name: in "==2.1", " v2.1" and "2.1".
std::size_t release_at(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of("-=_v:/ ");
  return at != std::string_view::npos && is_digit(rest[at]) ? at : std::string_view::npos;
}

// Whether a framework's name has ended before `rest`; "torchtitan" and "vllm_custom" are other names.
bool follows_name(std::string_view name, std::string_view rest) {
  if (rest.empty()) return true;
  const std::size_t release = release_at(rest);
  if (release != std::string_view::npos) return release > 0 || !is_digit(name.back());
  const bool in_word = std::isalnum(static_cast<unsigned char>(rest.front())) != 0;
  return !in_word && std::string_view("-._").find(rest.front()) == std::string_view::npos;
}

const Spelling* spelling_of(std::string_view name) {
  const std::string small = lower_case(name);
  const auto* const found = std::find_if(std::begin(kSpellings), std::end(kSpellings), [&](const Spelling& one) {
    return small.starts_with(one.written) &&
           follows_name(one.written, std::string_view(small).substr(one.written.size()));
  });
  return found == std::end(kSpellings) ? nullptr : found;
}

std::string with_version(std::string_view known, std::string_view rest) {
  const std::size_t release = release_at(rest);
  if (release == std::string_view::npos) return fmt::format("{}{}", known, rest);
  return fmt::format("{} {}", known, rest.substr(release));
}

}  // namespace

std::string framework_meant(std::string_view name) {
  const Spelling* const spelling = spelling_of(name);
  if (spelling == nullptr) return std::string(name);
  return with_version(spelling->known, name.substr(spelling->written.size()));
}

std::span<const std::string_view> frameworks_with_rules() { return kWithRules; }

std::pair<int, int> pytorch_release(std::string_view framework) {
  return version_after(framework, "PyTorch ").value_or(Version());
}

bool is_engine(std::string_view framework) {
  return is_onnx_runtime(framework) || starts_with_any(framework, {"TensorRT", "FasterTransformer", "AITemplate"});
}

bool is_llama_cpp(std::string_view framework) { return framework.starts_with("llama.cpp"); }

bool runs_pytorch(std::string_view framework) {
  return is_pytorch(framework) || starts_with_any(framework, {"Torch7", "Megatron-DeepSpeed", "Megatron-LM",
                                                              "Megatron Core", "NeMo", "composer"});
}

bool precedes_cuda11(std::string_view framework) {
  constexpr Version kCuda(11, 0), kPytorch(1, 7);
  return framework.starts_with("Torch7") || version_after(framework, "CUDA ").value_or(kCuda) < kCuda ||
         version_after(framework, "PyTorch ").value_or(kPytorch) < kPytorch;
}

bool of_early_years(std::string_view framework) { return !framework.empty() && !framework.starts_with("PyTorch"); }

bool has_winograd_before_maxwell(std::string_view framework) {
  constexpr Version kFirst(5, 1);
  return cudnn_version(framework).value_or(kFirst) >= kFirst;
}

bool has_early_batch_norms(std::string_view framework) {
  constexpr Version kCudnn(7, 1), kPytorch(0, 4);
  return cudnn_version(framework).value_or(kCudnn) < kCudnn ||
         version_after(framework, "PyTorch ").value_or(kPytorch) < kPytorch;
}

bool multiplies_in_tf32(std::string_view framework) {
  return !starts_with_any(framework, {"PyTorch 2", "PyTorch 1.12", "PyTorch 1.13", "TorchScript", "FasterTransformer"});
}

bool convolves_in_tf32(std::string_view framework) { return framework.starts_with("PyTorch"); }

bool calls_fused_attention(std::string_view framework) {
  if (framework.empty() || framework == "PyTorch") return true;
  return framework.starts_with("PyTorch") && !precedes_pytorch2(framework);
}

bool networks_call_fused_attention(std::string_view framework) { return is_pytorch_since(framework, Version(2, 4)); }

std::optional<std::size_t> dimensions_with_fused_bias(std::string_view framework) {
  constexpr std::size_t kRows = 2, kBatches = 3;
  if (precedes(framework, k1_12)) return kRows;
  if (precedes(framework, k2_1)) return kBatches;
  return std::nullopt;
}

bool reads_rows_by_numbers(std::string_view framework) { return precedes(framework, k1_11); }

bool lacks_wide_depthwise(std::string_view framework) { return precedes(framework, k1_11); }

bool multiplies_groups_apart(std::string_view framework) { return is_pytorch_since(framework, Version(2, 0)); }

bool interprets_its_graph(std::string_view framework) { return framework.starts_with("TorchScript"); }

bool lacks_composites(std::string_view framework) { return framework.empty() || is_pytorch(framework); }

bool pads_products(std::string_view framework) { return !precedes(framework, k2_1); }

bool compiles_update(std::string_view framework) { return !framework.empty() && !is_pytorch(framework); }

bool scatters_targets(std::string_view framework) { return precedes(framework, k2_5); }

bool lacks_silu(std::string_view framework) { return precedes(framework, k1_7) || framework.starts_with("TensorFlow"); }

bool sums_in_fp16(std::string_view framework) {
  return starts_with_any(framework, {"TensorRT", "AITemplate"}) && !framework.starts_with("TensorRT-LLM");
}

bool keeps_gates_apart(std::string_view framework) {
  return framework.starts_with("TensorRT") && !framework.starts_with("TensorRT-LLM");
}

bool leaves_products_bare(std::string_view framework) {
  return framework.starts_with("FasterTransformer") || is_onnx_runtime(framework);
}

bool fuses_into_convolutions(std::string_view framework) { return is_onnx_runtime(framework); }

bool concatenates_caches(std::string_view framework) { return is_onnx_runtime(framework); }

bool multiplies_scores(std::string_view framework) {
  constexpr Version kFused(1, 13);
  return is_onnx_runtime(framework) && version_after(framework, "ONNX Runtime ").value_or(kFused) < kFused;
}

bool fuses_short_attention(std::string_view framework) { return framework.starts_with("FasterTransformer"); }

bool keeps_experts_whole(std::string_view framework) { return is_nemo(framework); }

bool runs_megatron_core(std::string_view framework) {
  return framework.starts_with("Megatron Core") || is_nemo(framework);
}

bool runs_megatron_layers(std::string_view framework) {
  return runs_megatron_core(framework) && !has_word(framework, "Automodel");
}

bool hides_tensor_exchanges(std::string_view framework) { return is_nemo(framework); }

bool runs_megatron_deepspeed(std::string_view framework) {
  return framework.find("Megatron-DeepSpeed") != std::string_view::npos;
}

bool runs_megatron_lm(std::string_view framework) { return framework.starts_with("Megatron-LM"); }

bool halves_batches(std::string_view framework) { return framework.starts_with("FasterTransformer"); }

bool multiplies_experts_in_fp8(std::string_view framework) {
  constexpr Version kFirst(0, 10);
  return version_after(framework, "TensorRT-LLM ").value_or(kFirst) >= kFirst;
}

bool sums_in_own_kernels(std::string_view framework) {
  return starts_with_any(framework, {"vLLM", "SGLang", "TensorRT-LLM"});
}

bool attends_in_fp8(std::string_view framework) { return is_trtllm_since(framework, Version(1, 0)); }

bool rounds_for_mxfp4(std::string_view framework) { return is_trtllm_since(framework, Version(1, 0)); }

bool shares_what_weights_leave(std::string_view framework) { return framework.starts_with("TensorRT-LLM"); }

bool narrows_before_gathering(std::string_view framework) { return framework.starts_with("TensorRT-LLM"); }

bool runs_marlin(std::string_view framework) { return framework.starts_with("vLLM"); }

bool quantises_heads(std::string_view framework) {
  return starts_with_any(framework, {"llama.cpp", "MLC LLM", "ExLlama", "gpt-fast"});
}

bool scales_fp8_at_once(std::string_view framework) { return framework.starts_with("PyTorch"); }

bool writes_wide_sums(std::string_view framework) { return framework.starts_with("FasterTransformer v1"); }

bool keeps_wide_planes(std::string_view framework) {
  return starts_with_any(framework, {"TensorFlow", "MXNet", "MxNet"});
}

bool normalizes_itself(std::string_view framework) { return framework.empty() || framework.starts_with("PyTorch"); }

bool keeps_gradients(std::string_view framework) { return precedes_pytorch2(framework); }

bool trains_unless_told(std::string_view framework) { return framework.starts_with("Torch7"); }

std::int64_t tokens_of_a_step(std::string_view framework, std::string_view gpu, Bytes memory) {
  constexpr Version kFirst(0, 8);
  constexpr std::int64_t kMany = 8192, kFew = 2048;
  constexpr Bytes kLarge(70.0 * (std::int64_t{1} << 30));
  const auto version = vllm_version(framework);
  if (!version || *version < kFirst) return 0;
  return memory >= kLarge && gpu.find("a100") == std::string_view::npos ? kMany : kFew;
}

bool is_vllm_of_no_release(std::string_view framework) {
  return (has_word(framework, "vLLM") || has_word(framework, "vllm")) && !vllm_version(framework);
}

}  // namespace rooftile
