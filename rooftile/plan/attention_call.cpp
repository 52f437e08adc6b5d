// Which library a call of attention runs, by the names of kernels and frameworks.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/attention_plan.hpp"

namespace rooftile {
namespace {

// What a framework's name or a kernel's is made of: "vllm_flash_attn_fa3" is vllm, flash, attn and fa3.
class Words {
 public:
  explicit Words(std::string_view text) {
    std::string word;
    for (const char c : lower_case(text)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        word += c;
      } else if (!word.empty()) {
        words_.push_back(std::exchange(word, {}));
      }
    }
    if (!word.empty()) words_.push_back(std::move(word));
  }

  bool has(std::string_view word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }

  // The digit of "fa3", "flashattention3", "FlashAttention 3" and "flash_attn_3".
  bool is_flash(std::string_view digit) const {
    constexpr std::array<std::string_view, 4> kNames = {"fa", "flashattention", "attention", "attn"};
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (const std::string_view name : kNames) {
        if (words_[i] == std::string(name) + std::string(digit)) return true;
        if (words_[i] == name && i + 1 < words_.size() && words_[i + 1] == digit) return true;
      }
    }
    return false;
  }

  // Of "TensorRT-LLM 0.8" or "v0.8" and "llm" the 8; none of a release from 1.0 on.
  std::optional<int> release_0(std::string_view name) const {
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (words_[i] == name && (words_[i + 1] == "0" || words_[i + 1] == "v0")) return parse_number<int>(words_[i + 2]);
    }
    return std::nullopt;
  }

  // Of "PyTorch 2.6" and "pytorch" the 2 and the 6.
  std::optional<std::pair<int, int>> release(std::string_view name) const {
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (words_[i] != name) continue;
      const auto major = parse_number<int>(words_[i + 1]), minor = parse_number<int>(words_[i + 2]);
      if (major && minor) return std::pair(*major, *minor);
    }
    return std::nullopt;
  }

 private:
  std::vector<std::string> words_;
};

// scaled_dot_product_attention runs FlashAttention-2 since 2.2, and the first until then. PyTorch's copy is for Ampere,
// on later GPUs as well; from 2.10 on it prefers cuDNN on Hopper and on Blackwell of data centres
// (check_prefer_cudnn_attention() in aten/src/ATen/native/transformers/cuda/sdp_utils.cpp).
void set_pytorch(AttentionCall& call, std::pair<int, int> release, const AttentionUnits& units) {
  constexpr std::pair kFlash2(2, 2), kPrefersCudnn(2, 10);
  const bool prefers = units.asynchronous || units.overlapped;
  call.library = release < kFlash2 ? AttentionLibrary::flash1 : AttentionLibrary::flash2;
  if (release >= kPrefersCudnn && prefers) call.library = AttentionLibrary::cudnn;
}

// Release notes of TensorRT-LLM 0.13: "Enabled multi_block_mode by default".
void set_tensorrt_llm(AttentionCall& call, const Words& words) {
  constexpr int kFirst = 8, kAny = 13;  // releases 0.8, 0.13
  call.library = AttentionLibrary::trtllm;
  const auto release = words.release_0("llm");
  if (!release || *release >= kAny) return;
  call.xqa = *release >= kFirst ? XqaGroups::common : XqaGroups::none;
  call.splits_cache = false;
}

// The kernels that TensorRT-LLM has for Blackwell of data centres. vLLM and SGLang call them through FlashInfer, unless
// a row names FlashInfer's own; TensorRT-LLM can be told to call those.
bool runs_trtllm_gen(const AttentionCall& call, const Words& words) {
  constexpr std::array<std::string_view, 5> kTheirs = {"trtllmprefill", "trtllmdecode", "flashinfertrtllmapidecode",
                                                       "mha", "gen"};
  if (std::any_of(kTheirs.begin(), kTheirs.end(), [&](std::string_view name) { return words.has(name); })) return true;
  if (words.has("fidecode") || words.has("fiprefill")) return false;
  if (words.has("flashinfer")) return call.vllm;
  const bool named = words.has("triton") || words.has("cudnn") || words.has("unfused") || words.has("flash") ||
                     words.is_flash("2") || words.is_flash("3") || words.is_flash("4");
  return call.serving && !named;
}

bool of_pytorch(AttentionLibrary library) {
  return precedes_flash3(library) || library == AttentionLibrary::flash3 || library == AttentionLibrary::flash4 ||
         library == AttentionLibrary::cudnn;
}

}  // namespace

AttentionCall attention_call(std::string_view kernel, std::string_view framework, DType precision, const Gpu& gpu) {
  if (framework.starts_with("Triton do_bench")) framework = {};  // how a call was timed, and not what ran
  const Words words(std::string(kernel) + " " + std::string(framework));
  const AttentionUnits units = attention_units(gpu);
  AttentionCall call;
  call.vllm = words.has("vllm");
  const bool tensorrt = words.has("trtllm") || words.has("tensorrt");
  call.whole_heads = tensorrt && !words.has("llm") && !words.has("trtllm");
  call.aitemplate = words.has("aitemplate") && gpu.vendor == "nvidia";
  call.serving = call.vllm || words.has("sglang") || tensorrt;
  call.tensorrt = tensorrt && !call.vllm && !words.has("sglang");
  call.library = units.asynchronous ? AttentionLibrary::flash3 : AttentionLibrary::flash2;
  if (words.has("sglang")) call.library = AttentionLibrary::flash3;
  if (units.overlapped) call.library = AttentionLibrary::flash4;
  constexpr int kFlash3 = 7;  // release 0.7 of vLLM, pull request 12093
  if (words.release_0("vllm").value_or(kFlash3) < kFlash3) call.library = AttentionLibrary::flash2;
  if (const auto pytorch = words.release("pytorch")) set_pytorch(call, *pytorch, units);
  // There is no FlashAttention-2 for GPUs before Ampere; PyTorch, which an unnamed framework is taken for, runs
  // xFormers' kernels.
  const bool pytorch = words.has("pytorch") || framework.empty();
  const bool own = words.has("fastertransformer");  // kernels of its own, taken for the first FlashAttention
  if (pytorch && gpu.generation < generation::kAmpere) {
    call.library = gpu.vendor == "nvidia" && !own ? AttentionLibrary::xformers : AttentionLibrary::flash1;
  }
  if (words.has("cudnn")) call.library = AttentionLibrary::cudnn;
  if (tensorrt) set_tensorrt_llm(call, words);
  // llm-foundry in 2023: attn_impl flash or triton, both as of 2022. AITemplate has a copy of its own
  // (python/aitemplate/backend/cuda/attention/src/fmha).
  if (words.has("composer") || words.has("aitemplate") || words.is_flash("1")) call.library = AttentionLibrary::flash1;
  if (words.is_flash("2")) call.library = AttentionLibrary::flash2;
  if (words.is_flash("3")) call.library = AttentionLibrary::flash3;
  if (words.is_flash("4")) call.library = AttentionLibrary::flash4;
  constexpr std::array<std::string_view, 3> kFlashInfer = {"flashinfer", "fidecode", "fiprefill"};
  for (const std::string_view name : kFlashInfer) {
    if (words.has(name)) call.library = AttentionLibrary::flashinfer;
  }
  if (words.has("xformers") && gpu.vendor == "nvidia") call.library = AttentionLibrary::xformers;
  if (words.has("triton")) call.library = AttentionLibrary::triton;
  if (words.has("unfused")) call.library = AttentionLibrary::unfused;
  const bool since = words.release_0("vllm").value_or(kFlash3) >= kFlash3;
  if (units.overlapped && since && runs_trtllm_gen(call, words)) call.library = AttentionLibrary::trtllm_gen;
  const bool wide = size_of(precision) == size_of(DType::fp32) && gpu.peak(Peak::tensor_tf32) > FlopsPerSecond(0);
  if (wide && !call.serving && of_pytorch(call.library) && gpu.vendor == "nvidia") {
    call.library = AttentionLibrary::xformers;
  }
  call.writes_cache = call.serving && !words.has("readonly");
  return call;
}

std::string_view name_of(AttentionLibrary library) {
  switch (library) {
    case AttentionLibrary::flash1:
      return "FlashAttention";
    case AttentionLibrary::flash2:
      return "FlashAttention-2";
    case AttentionLibrary::flash3:
      return "FlashAttention-3";
    case AttentionLibrary::flash4:
      return "FlashAttention-4";
    case AttentionLibrary::cudnn:
      return "cuDNN";
    case AttentionLibrary::trtllm:
      return "TensorRT-LLM";
    case AttentionLibrary::trtllm_gen:
      return "TensorRT-LLM for Blackwell";
    case AttentionLibrary::flashinfer:
      return "FlashInfer";
    case AttentionLibrary::xformers:
      return "xFormers";
    case AttentionLibrary::triton:
      return "Triton";
    case AttentionLibrary::unfused:
      return "products and a softmax";
  }
  return "";
}

std::string_view name_of(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::tile:
      return "tile";
    case AttentionKernel::small:
      return "small";
    case AttentionKernel::group:
      return "group";
    case AttentionKernel::stacked:
      return "stacked";
    case AttentionKernel::vector:
      return "vector";
    case AttentionKernel::converted:
      return "converted";
    case AttentionKernel::paged:
      return "paged";
  }
  return "";
}

}  // namespace rooftile
