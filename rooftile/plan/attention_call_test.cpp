#include <gtest/gtest.h>

#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

TEST(AttentionCall, KnowsLibrariesByTheNamesOfKernelAndFramework) {
  const Gpu h100 = gpu("h100-sxm5-80gb"), a100 = gpu("a100-sxm4-80gb");
  EXPECT_EQ(attention_call("", "", h100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("", "", a100).library, AttentionLibrary::flash2);
  EXPECT_FALSE(attention_call("", "PyTorch 2.5", a100).serving);
  EXPECT_EQ(attention_call("flash_attention", "sglang", a100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("torch_flow", "trtllm", a100).library, AttentionLibrary::trtllm);
  EXPECT_EQ(attention_call("", "TensorRT-LLM 1.0", a100).library, AttentionLibrary::trtllm);
  const AttentionCall call = attention_call("vllm_flashinfer_fidecode", "vllm", h100);
  EXPECT_EQ(call.library, AttentionLibrary::flashinfer);
  EXPECT_TRUE(call.serving && call.vllm);
  EXPECT_EQ(attention_call("vllm_triton_attn", "vllm", h100).library, AttentionLibrary::triton);
  EXPECT_EQ(attention_call("vllm_flash_attn_fa3", "vllm", a100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("FlashAttention 2", "", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("flash_attn_2", "", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("cudnn cuDNN 92200", "cudnn-frontend", h100).library, AttentionLibrary::cudnn);
  EXPECT_EQ(attention_call("fa20", "", h100).library, AttentionLibrary::flash3);  // a name of its own
  EXPECT_EQ(attention_call("", "", gpu("b200-sxm-180gb")).library, AttentionLibrary::flash4);
}

// aten/src/ATen/native/transformers/cuda/sdp_utils.cpp: FlashAttention-2 first, from 2.10 on cuDNN where it is fast.
TEST(AttentionCall, PyTorchRunsFlashAttention2UntilItPrefersCudnn) {
  const Gpu h100 = gpu("h100-sxm5-80gb"), a100 = gpu("a100-sxm4-80gb"), b200 = gpu("b200-sxm-180gb");
  EXPECT_EQ(attention_call("", "PyTorch 2.6 torchtitan", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "PyTorch 2.9.1", b200).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "PyTorch 2.11.0 CUDA 13.0", h100).library, AttentionLibrary::cudnn);
  EXPECT_EQ(attention_call("", "PyTorch 2.11.0 CUDA 13.0", a100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "PyTorch", h100).library, AttentionLibrary::flash3) << "of no release";
  EXPECT_EQ(attention_call("fa3", "PyTorch 2.6", h100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("cudnn", "PyTorch 2.6", h100).library, AttentionLibrary::cudnn);
}

// What vLLM, SGLang and TensorRT-LLM run on Blackwell of data centres, by the names that aiconfigurator's rows have.
TEST(AttentionCall, BlackwellOfDataCentresRunsTensorRtLlmsKernelsUnderAnyName) {
  const Gpu b200 = gpu("b200-sxm-180gb"), rtx = gpu("rtx-pro-6000-server"), h100 = gpu("h100-sxm5-80gb");
  const auto library = [](const char* kernel, const char* framework, const Gpu& on) {
    return attention_call(kernel, framework, on).library;
  };
  for (const char* kernel : {"vllm_flashinfer", "vllm_flashinfer_trtllmprefill", "vllm_flashinfer_trtllmdecode",
                             "vllm_flashinfer_flashinfertrtllmapidecode", ""}) {
    EXPECT_EQ(library(kernel, "vllm", b200), AttentionLibrary::trtllm_gen) << kernel;
  }
  EXPECT_EQ(library("trtllm_mha", "sglang", b200), AttentionLibrary::trtllm_gen);
  EXPECT_EQ(library("torch_flow", "trtllm", b200), AttentionLibrary::trtllm_gen);
  EXPECT_EQ(library("", "TensorRT-LLM 1.0", b200), AttentionLibrary::trtllm_gen);
  EXPECT_EQ(library("flashinfer", "sglang", b200), AttentionLibrary::flashinfer);
  EXPECT_EQ(library("torch_flow_flashinfer", "trtllm", b200), AttentionLibrary::flashinfer);
  EXPECT_EQ(library("vllm_triton_attn", "vllm", b200), AttentionLibrary::triton);
  EXPECT_EQ(library("vllm_flash_attn_fa4", "vllm", b200), AttentionLibrary::flash4);
  EXPECT_EQ(library("", "", b200), AttentionLibrary::flash4) << "of no serving framework";
  EXPECT_EQ(library("vllm_flashinfer_fidecode", "vllm", rtx), AttentionLibrary::flashinfer);
  EXPECT_EQ(library("torch_flow", "trtllm", h100), AttentionLibrary::trtllm);
}

// Of llm-foundry in 2023; the second is about twice as fast.
TEST(AttentionCall, PyTorchRanTheFirstFlashAttentionUntil22AndBeforeAmpereXformers) {
  EXPECT_EQ(attention_call("", "PyTorch 2.1", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::flash1);
  EXPECT_EQ(attention_call("", "PyTorch 2.2", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "PyTorch 2.4", *find_gpu("t4")).library, AttentionLibrary::xformers);
  EXPECT_EQ(attention_call("", "", *find_gpu("t4")).library, AttentionLibrary::xformers) << "taken for PyTorch";
  EXPECT_EQ(attention_call("", "FasterTransformer; PyTorch", *find_gpu("t4")).library, AttentionLibrary::flash1);
  EXPECT_EQ(attention_call("xformers", "", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::xformers);
  EXPECT_EQ(attention_call("", "AITemplate", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::flash1);
}

TEST(AttentionCall, ComposerCallsTheFirstFlashAttention) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "", "composer, FSDP", "a100-sxm4-80gb");
  EXPECT_EQ(plan.library, AttentionLibrary::flash1);
  EXPECT_TRUE(plan.early);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "", "PyTorch 2.2", "a100-sxm4-80gb").early);
  EXPECT_LT(plan_of(prompt(1024, 4, 4), "", "composer, FSDP", "h100-sxm5-80gb").issued, 1) << "older instructions";
}

TEST(AttentionCall, VllmCallsFlashAttention3FromRelease07On) {
  const Gpu h100 = gpu("h100-sxm5-80gb");
  EXPECT_EQ(attention_call("", "vLLM 0.5.4", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "vLLM v0.5.4", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "vLLM 0.6", gpu("b200-sxm-180gb")).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "vLLM 0.7.3", h100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("", "vLLM 1.0", h100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("", "vLLM", h100).library, AttentionLibrary::flash3);
}

}  // namespace
}  // namespace rooftile
