#include <gtest/gtest.h>

#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/plan/test_attention.hpp"

namespace rooftile {
namespace {

AttentionLibrary library_of(const char* kernel, const char* framework, const Gpu& gpu, DType precision = DType::bf16) {
  return attention_call(kernel, framework, precision, gpu).library;
}

TEST(AttentionCall, KnowsLibrariesByTheNamesOfKernelAndFramework) {
  const Gpu h100 = gpu("h100-sxm5-80gb"), a100 = gpu("a100-sxm4-80gb");
  EXPECT_EQ(library_of("", "", h100), AttentionLibrary::flash3);
  EXPECT_EQ(library_of("", "", a100), AttentionLibrary::flash2);
  EXPECT_FALSE(attention_call("", "PyTorch 2.5", DType::bf16, a100).serving);
  EXPECT_EQ(library_of("flash_attention", "sglang", a100), AttentionLibrary::flash3);
  EXPECT_EQ(library_of("torch_flow", "trtllm", a100), AttentionLibrary::trtllm);
  EXPECT_EQ(library_of("", "TensorRT-LLM 1.0", a100), AttentionLibrary::trtllm);
  const AttentionCall call = attention_call("vllm_flashinfer_fidecode", "vllm", DType::bf16, h100);
  EXPECT_EQ(call.library, AttentionLibrary::flashinfer);
  EXPECT_TRUE(call.serving && call.vllm);
  EXPECT_EQ(library_of("vllm_triton_attn", "vllm", h100), AttentionLibrary::triton);
  EXPECT_EQ(library_of("vllm_flash_attn_fa3", "vllm", a100), AttentionLibrary::flash3);
  EXPECT_EQ(library_of("FlashAttention 2", "", h100), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("flash_attn_2", "", h100), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("cudnn cuDNN 92200", "cudnn-frontend", h100), AttentionLibrary::cudnn);
  EXPECT_EQ(library_of("fa20", "", h100), AttentionLibrary::flash3);  // a name of its own
  EXPECT_EQ(library_of("", "", gpu("b200-sxm-180gb")), AttentionLibrary::flash4);
}

// aten/src/ATen/native/transformers/cuda/sdp_utils.cpp: FlashAttention-2 first, from 2.10 on cuDNN where it is fast.
TEST(AttentionCall, PyTorchRunsFlashAttention2UntilItPrefersCudnn) {
  const Gpu h100 = gpu("h100-sxm5-80gb"), a100 = gpu("a100-sxm4-80gb"), b200 = gpu("b200-sxm-180gb");
  EXPECT_EQ(library_of("", "PyTorch 2.6 torchtitan", h100), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "PyTorch 2.9.1", b200), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "PyTorch 2.11.0 CUDA 13.0", h100), AttentionLibrary::cudnn);
  EXPECT_EQ(library_of("", "PyTorch 2.11.0 CUDA 13.0", a100), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "PyTorch", h100), AttentionLibrary::flash3) << "of no release";
  EXPECT_EQ(library_of("fa3", "PyTorch 2.6", h100), AttentionLibrary::flash3);
  EXPECT_EQ(library_of("cudnn", "PyTorch 2.6", h100), AttentionLibrary::cudnn);
}

// What vLLM, SGLang and TensorRT-LLM run on Blackwell of data centres, by the names that aiconfigurator's rows have.
TEST(AttentionCall, BlackwellOfDataCentresRunsTensorRtLlmsKernelsUnderAnyName) {
  const Gpu b200 = gpu("b200-sxm-180gb"), rtx = gpu("rtx-pro-6000-server"), h100 = gpu("h100-sxm5-80gb");
  for (const char* kernel : {"vllm_flashinfer", "vllm_flashinfer_trtllmprefill", "vllm_flashinfer_trtllmdecode",
                             "vllm_flashinfer_flashinfertrtllmapidecode", ""}) {
    EXPECT_EQ(library_of(kernel, "vllm", b200), AttentionLibrary::trtllm_gen) << kernel;
  }
  EXPECT_EQ(library_of("trtllm_mha", "sglang", b200), AttentionLibrary::trtllm_gen);
  EXPECT_EQ(library_of("torch_flow", "trtllm", b200), AttentionLibrary::trtllm_gen);
  EXPECT_EQ(library_of("", "TensorRT-LLM 1.0", b200), AttentionLibrary::trtllm_gen);
  EXPECT_EQ(library_of("flashinfer", "sglang", b200), AttentionLibrary::flashinfer);
  EXPECT_EQ(library_of("torch_flow_flashinfer", "trtllm", b200), AttentionLibrary::flashinfer);
  EXPECT_EQ(library_of("vllm_triton_attn", "vllm", b200), AttentionLibrary::triton);
  EXPECT_EQ(library_of("vllm_flash_attn_fa4", "vllm", b200), AttentionLibrary::flash4);
  EXPECT_EQ(library_of("", "", b200), AttentionLibrary::flash4) << "of no serving framework";
  EXPECT_EQ(library_of("vllm_flashinfer_fidecode", "vllm", rtx), AttentionLibrary::flashinfer);
  EXPECT_EQ(library_of("torch_flow", "trtllm", h100), AttentionLibrary::trtllm);
}

// Of llm-foundry in 2023; the second is about twice as fast.
TEST(AttentionCall, PyTorchRanTheFirstFlashAttentionUntil22AndBeforeAmpereXformers) {
  EXPECT_EQ(library_of("", "PyTorch 2.1", *find_gpu("a100-sxm4-80gb")), AttentionLibrary::flash1);
  EXPECT_EQ(library_of("", "PyTorch 2.2", *find_gpu("a100-sxm4-80gb")), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "PyTorch 2.4", *find_gpu("t4")), AttentionLibrary::xformers);
  EXPECT_EQ(library_of("", "", *find_gpu("t4")), AttentionLibrary::xformers) << "taken for PyTorch";
  EXPECT_EQ(attention_call("", "FasterTransformer; PyTorch", DType::bf16, *find_gpu("t4")).library,
            AttentionLibrary::flash1);
  EXPECT_EQ(library_of("xformers", "", *find_gpu("a100-sxm4-80gb")), AttentionLibrary::xformers);
  EXPECT_EQ(library_of("", "AITemplate", *find_gpu("a100-sxm4-80gb")), AttentionLibrary::flash1);
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
  EXPECT_EQ(library_of("", "vLLM 0.5.4", h100), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "vLLM v0.5.4", h100), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "vLLM 0.6", gpu("b200-sxm-180gb")), AttentionLibrary::flash2);
  EXPECT_EQ(library_of("", "vLLM 0.7.3", h100), AttentionLibrary::flash3);
  EXPECT_EQ(library_of("", "vLLM 1.0", h100), AttentionLibrary::flash3);
  EXPECT_EQ(library_of("", "vLLM", h100), AttentionLibrary::flash3);
}

TEST(AttentionCall, OfPyTorchsKernelsOnlyXformersTakeFp32) {
  const Gpu a100 = gpu("a100-sxm4-80gb"), v100 = gpu("v100-sxm2-16gb");
  for (const DType wide : {DType::fp32, DType::tf32}) {
    EXPECT_EQ(library_of("", "PyTorch 2.11.0", a100, wide), AttentionLibrary::xformers);
    EXPECT_EQ(library_of("triton", "", a100, wide), AttentionLibrary::triton);
    EXPECT_EQ(library_of("", "vLLM 0.6", a100, wide), AttentionLibrary::flash2) << "a server's own";
    EXPECT_EQ(library_of("fa2", "", v100, wide), AttentionLibrary::flash2) << "no such tensor cores";
  }
}

}  // namespace
}  // namespace rooftile
