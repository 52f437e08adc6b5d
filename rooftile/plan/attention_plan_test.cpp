#include "rooftile/plan/attention_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/attention_shape.hpp"

namespace rooftile {
namespace {

Gpu gpu(const char* id) { return *find_gpu(id); }

Attention prompt(std::int64_t tokens, std::int64_t heads, std::int64_t kv_heads) {
  Attention attention;
  attention.batch = 2;
  attention.q_len = attention.kv_len = tokens;
  attention.heads = heads;
  attention.kv_heads = kv_heads;
  attention.head_dim = 128;
  attention.causal = true;
  return attention;
}

Attention query(std::int64_t cached, std::int64_t heads, std::int64_t kv_heads) {
  Attention attention = prompt(cached, heads, kv_heads);
  attention.q_len = 1;
  return attention;
}

AttentionPlan plan_of(const Attention& attention, const char* kernel, const char* framework, const char* id,
                      DType precision = DType::bf16) {
  const Gpu on = gpu(id);
  return attention_plan(attention, precision, attention_call(kernel, framework, on), on);
}

// DeepSeek-V3's 128 heads share latent vectors of 576 numbers, of which the values are the first 512.
TEST(AttentionPlan, HeadsThatShareLatentVectorsAreRowsOfATile) {
  Attention latent = query(1536, 128, 1);
  latent.batch = 128, latent.head_dim = 576, latent.head_dim_v = 512;
  for (const char* framework : {"vLLM 0.20", "TensorRT-LLM 1.2", "sglang"}) {
    const AttentionPlan plan = plan_of(latent, "", framework, "h200-sxm-141gb");
    EXPECT_EQ(plan.tile_q, 64) << framework;
    EXPECT_EQ(plan.packed, 128);
    EXPECT_EQ(plan.ctas, 256) << "two tiles of heads for each text";
    EXPECT_EQ(plan.ctas * plan.split, 264) << "which 132 SMs share evenly";
    EXPECT_EQ(plan.keys, Bytes(128.0 * 1536 * 576 * 2)) << "values are not read again";
  }
  EXPECT_EQ(plan_of(latent, "", "TensorRT-LLM 1.2", "b200-sxm-180gb").tile_q, 128);
}

TEST(AttentionPlan, KnowsLibrariesByTheNamesOfKernelAndFramework) {
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

TEST(AttentionPlan, TensorRtTakesAHeadOfAShortTextAtOnce) {
  Attention attention = prompt(384, 12, 12);
  attention.head_dim = 64;
  attention.causal = false;
  const auto ctas = [&](const char* framework) { return plan_of(attention, "", framework, "a100-sxm4-80gb").ctas; };
  const double heads = 12. * 2;
  EXPECT_EQ(ctas("TensorRT 8.6"), heads);
  EXPECT_GT(ctas("TensorRT-LLM 0.9"), heads);
  EXPECT_GT(ctas("FasterTransformer"), heads);
  EXPECT_EQ(ctas("AITemplate CUDA 11.6"), heads);
  attention.q_len = attention.kv_len = 512;
  EXPECT_GT(ctas("TensorRT 8.6"), heads);
  EXPECT_GT(ctas("AITemplate CUDA 11.6"), heads);
  attention.batch = 3;
  EXPECT_EQ(ctas("AITemplate CUDA 11.6"), 12. * 3);
}

// aten/src/ATen/native/transformers/cuda/sdp_utils.cpp: FlashAttention-2 first, from 2.10 on cuDNN where it is fast.
TEST(AttentionPlan, PyTorchRunsFlashAttention2UntilItPrefersCudnn) {
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
TEST(AttentionPlan, BlackwellOfDataCentresRunsTensorRtLlmsKernelsUnderAnyName) {
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

TEST(AttentionPlan, KernelsForBlackwellStackTheHeadsOfAGroupAndSplitTheirKeys) {
  const AttentionPlan few = plan_of(query(8192, 32, 8), "", "vllm", "b200-sxm-180gb");
  EXPECT_EQ(few.kernel, AttentionKernel::stacked);
  EXPECT_EQ(few.packed, 4);
  EXPECT_EQ(few.ctas, 16) << "of two sequences and 8 groups";
  EXPECT_GT(few.split, 4);
  EXPECT_TRUE(few.merged);
  EXPECT_FALSE(few.waits) << "keys of 16 bits stream in ahead";
  Attention narrow = query(8192, 32, 8);
  narrow.kv_precision = DType::fp8;
  EXPECT_TRUE(plan_of(narrow, "", "vllm", "b200-sxm-180gb").waits) << "FP8 values are transposed on the way";
  EXPECT_EQ(plan_of(prompt(1, 32, 8), "", "vllm", "b200-sxm-180gb").kernel, AttentionKernel::stacked);
  const AttentionPlan tokens = plan_of(prompt(2048, 32, 8), "", "vllm", "b200-sxm-180gb");
  EXPECT_EQ(tokens.tile_q, 256);
  EXPECT_EQ(tokens.ctas, 2 * 32 * 8) << "each head alone";
}

// Tiles of tile_size_fwd_sm90 with paged_kv_non_TMA.
TEST(AttentionPlan, FlashAttention3GathersPagedKeysOfSingleQueriesOnHopper) {
  const AttentionPlan plan = plan_of(query(4096, 32, 8), "vllm_flash_attn_fa3", "vllm", "h100-sxm5-80gb");
  EXPECT_EQ(plan.kernel, AttentionKernel::paged);
  EXPECT_EQ(plan.tile_q, 128);
  EXPECT_EQ(plan.tile_kv, 128);
  EXPECT_FALSE(plan.transposed);
  EXPECT_EQ(plan.scans, 1) << "both lengths at once";
  Attention narrow = query(4096, 32, 8);
  narrow.kv_precision = DType::fp8;
  narrow.batch = 32;
  const AttentionPlan fp8 = plan_of(narrow, "flash_attention", "sglang", "h100-sxm5-80gb");
  EXPECT_EQ(fp8.tile_kv, 160);
  EXPECT_TRUE(fp8.transposed);
  EXPECT_EQ(fp8.scans, 2) << "31 lengths, and the last";
  EXPECT_EQ(plan_of(query(4096, 32, 8), "", "", "h100-sxm5-80gb").kernel, AttentionKernel::tile) << "without pages";
  EXPECT_EQ(plan_of(query(4096, 32, 8), "", "sglang", "a100-sxm4-80gb").kernel, AttentionKernel::tile);
  EXPECT_EQ(plan_of(prompt(4096, 32, 8), "", "vllm", "h100-sxm5-80gb").kernel, AttentionKernel::tile);
}

TEST(AttentionPlan, MasksOfAWindowSpillWhereRegistersAreShort) {
  const auto spills = [](std::int64_t dim, std::int64_t window, DType keys) {
    Attention attention = query(4096, 32, 8);
    attention.head_dim = dim;
    attention.window = window;
    attention.kv_precision = keys;
    return plan_of(attention, "", "vllm", "h100-sxm5-80gb").spills_masks;
  };
  EXPECT_FALSE(spills(128, 128, DType::bf16));
  EXPECT_TRUE(spills(64, 128, DType::bf16));
  EXPECT_TRUE(spills(128, 128, DType::fp8));
  EXPECT_FALSE(spills(64, 0, DType::bf16));
  EXPECT_FALSE(spills(64, 8192, DType::bf16)) << "longer than the cache";
}

// prepare_varlen_num_blocks: 16 tiles of 64 blocks on 132 SMs: 9 blocks each with the margin, so 8 splits.
TEST(AttentionPlan, SplitsOfUnknownLengthsGiveEverySmItsShareOfTheBlocks) {
  EXPECT_EQ(flash3_split(16, 132, 64, 32), 8);
  EXPECT_EQ(flash3_split(16, 132, 64, 4), 4);
  EXPECT_EQ(flash3_split(1, 132, 2, 32), 2) << "few blocks are split, too";
  EXPECT_EQ(flash3_split(1000, 132, 64, 32), 1);
  // vLLM's graphs are split where other callers' four blocks are not.
  EXPECT_EQ(plan_of(query(512, 32, 8), "", "vllm", "h100-sxm5-80gb").split, 4);
  EXPECT_EQ(plan_of(query(512, 32, 8), "", "sglang", "h100-sxm5-80gb").split, 1);
  Attention window = query(65536, 32, 8);
  window.window = 128;
  EXPECT_EQ(plan_of(window, "", "vllm", "h100-sxm5-80gb").split, 2) << "no more than blocks that the window touches";
}

TEST(AttentionPlan, CallsThatOnlyReadTheCacheWriteNothing) {
  for (const char* id : {"a100-sxm4-80gb", "b200-sxm-180gb"}) {
    const AttentionPlan writes = plan_of(query(4096, 32, 8), "vllm_flash_attn", "vllm", id);
    const AttentionPlan reads = plan_of(query(4096, 32, 8), "vllm_flash_attn_readonly", "vllm", id);
    EXPECT_GT(writes.around, Bytes(0)) << id;
    const Bytes copies = reads.copied ? 2 * (reads.queries + reads.results) : Bytes(0);
    EXPECT_EQ(reads.around, copies) << id;
    EXPECT_EQ(reads.token_ctas, 0) << id;
    EXPECT_EQ(reads.kernels, writes.kernels - 1) << id;
    EXPECT_TRUE(reads.warm) << id;
  }
}

// A group of heads that has all keys lies in memory as queries would: nothing is copied.
TEST(AttentionPlan, FlashAttention2CopiesQueriesOnlyOfSeveralGroups) {
  const AttentionPlan one = plan_of(query(4096, 32, 1), "vllm_flash_attn_fa2", "vllm", "l40s");
  const AttentionPlan several = plan_of(query(4096, 32, 8), "vllm_flash_attn_fa2", "vllm", "l40s");
  const AttentionPlan none = plan_of(query(4096, 32, 32), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_GT(several.kernels, one.kernels + 1);
  EXPECT_LT(one.kernels, none.kernels + 1);
  EXPECT_EQ((several.around - one.around).value(),
            2.0 * 2 * 7 * 128 * (2 + 2) + 2 * (several.queries + several.results).value())
      << "seven groups more of new keys and values, and both copies";
  Attention text = query(4096, 32, 8);
  text.batch = 1;
  EXPECT_EQ(plan_of(text, "vllm_flash_attn_fa2", "vllm", "l40s").kernels, one.kernels)
      << "one text's heads lie so, too";
  const AttentionPlan first = plan_of(prompt(1, 32, 8), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(first.kernels, several.kernels) << "a prompt of one token as well";
}

// Its kernel for pages and split keys (run_mha_fwd_splitkv_dispatch).
TEST(AttentionPlan, FlashAttention2HasFewRowsAndManyKeysInATileOfPages) {
  const auto tile = [](std::int64_t dim) {
    Attention attention = query(4096, 32, 8);
    attention.head_dim = dim;
    const AttentionPlan plan = plan_of(attention, "vllm_flash_attn_fa2", "vllm", "l40s");
    EXPECT_TRUE(plan.split_tile);
    EXPECT_EQ(plan.tile_q, 64);
    return plan.tile_kv;
  };
  EXPECT_EQ(tile(64), 256);
  EXPECT_EQ(tile(128), 128);
  EXPECT_EQ(tile(192), 64);
  EXPECT_FALSE(plan_of(query(4096, 32, 8), "flash_attention", "sglang", "l40s").split_tile);
  const AttentionPlan few = plan_of(prompt(96, 4, 4), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(few.steps, 1) << "a prompt skips whole tiles of keys alone";
}

// 164 KB hold two CTAs of 128 dimensions, 100 KB hold one.
TEST(AttentionPlan, FlashAttention2HasAnSmToItselfWhereItsMemoryHoldsNoOther) {
  const auto lone = [](const char* id, std::int64_t dim) {
    Attention attention = prompt(2048, 32, 8);
    attention.head_dim = dim;
    return plan_of(attention, "vllm_flash_attn_fa2", "vllm", id).lone;
  };
  EXPECT_FALSE(lone("a100-sxm4-80gb", 128));
  EXPECT_TRUE(lone("a100-sxm4-80gb", 256));
  EXPECT_TRUE(lone("l40s", 128));
}

// Of llm-foundry in 2023; the second is about twice as fast.
TEST(AttentionPlan, PyTorchRanTheFirstFlashAttentionUntil22AndBeforeAmpereXformers) {
  EXPECT_EQ(attention_call("", "PyTorch 2.1", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::flash1);
  EXPECT_EQ(attention_call("", "PyTorch 2.2", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "PyTorch 2.4", *find_gpu("t4")).library, AttentionLibrary::xformers);
  EXPECT_EQ(attention_call("", "", *find_gpu("t4")).library, AttentionLibrary::xformers) << "taken for PyTorch";
  EXPECT_EQ(attention_call("", "FasterTransformer; PyTorch", *find_gpu("t4")).library, AttentionLibrary::flash1);
  EXPECT_EQ(attention_call("xformers", "", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::xformers);
  EXPECT_EQ(attention_call("", "AITemplate", *find_gpu("a100-sxm4-80gb")).library, AttentionLibrary::flash1);
}

TEST(AttentionPlan, KernelsAreMadeForAFewDimensions) {
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash1, 40), 64);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash1, 80), 128);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash2, 80), 96);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash3, 32), 64);
  EXPECT_EQ(kernel_dim(AttentionLibrary::flash2, 512), 512) << "more than any";
  EXPECT_EQ(kernel_dim(AttentionLibrary::cudnn, 40), 40);
  for (const AttentionLibrary library :
       {AttentionLibrary::flash1, AttentionLibrary::flash2, AttentionLibrary::flash3}) {
    EXPECT_EQ(kernel_dim(library, 64), 64);
    EXPECT_EQ(kernel_dim(library, 128), 128);
  }
}

TEST(AttentionPlan, ComposerCallsTheFirstFlashAttention) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "", "composer, FSDP", "a100-sxm4-80gb");
  EXPECT_EQ(plan.library, AttentionLibrary::flash1);
  EXPECT_TRUE(plan.early);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "", "PyTorch 2.2", "a100-sxm4-80gb").early);
  EXPECT_LT(plan_of(prompt(1024, 4, 4), "", "composer, FSDP", "h100-sxm5-80gb").issued, 1) << "older instructions";
}

TEST(AttentionPlan, VllmCallsFlashAttention3FromRelease07On) {
  const Gpu h100 = gpu("h100-sxm5-80gb");
  EXPECT_EQ(attention_call("", "vLLM 0.5.4", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "vLLM v0.5.4", h100).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "vLLM 0.6", gpu("b200-sxm-180gb")).library, AttentionLibrary::flash2);
  EXPECT_EQ(attention_call("", "vLLM 0.7.3", h100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("", "vLLM 1.0", h100).library, AttentionLibrary::flash3);
  EXPECT_EQ(attention_call("", "vLLM", h100).library, AttentionLibrary::flash3);
}

// multi_block_mode was off by default until then; without it few CTAs gain nothing by XQA (mayHavePerfGain).
TEST(AttentionPlan, TensorRtLlmSplitsCachesFromRelease013On) {
  const Attention few = query(4096, 32, 8);
  const AttentionPlan before = plan_of(few, "", "TensorRT-LLM 0.11", "h100-sxm5-80gb");
  EXPECT_EQ(before.split, 1);
  EXPECT_EQ(before.kernel, AttentionKernel::vector) << "masked multi-head attention";
  const AttentionPlan after = plan_of(few, "", "TensorRT-LLM 0.13", "h100-sxm5-80gb");
  EXPECT_GT(after.split, 1);
  EXPECT_EQ(after.kernel, AttentionKernel::group) << "XQA";
  Attention many = few;
  many.batch = 64;
  EXPECT_EQ(plan_of(many, "", "TensorRT-LLM 0.11", "h100-sxm5-80gb").kernel, AttentionKernel::group);
}

TEST(AttentionPlan, BlackwellMultipliesTwoTilesInTurn) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "", "", "b200-sxm-180gb", DType::fp8);
  EXPECT_TRUE(plan.overlapped);
  EXPECT_EQ(plan.tile_q, 256);
  EXPECT_EQ(plan.rate, AttentionRate::full);
  EXPECT_EQ(plan.exponentials, 16);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "", "", "b300-sxm-288gb").exponentials, 32);
}

TEST(AttentionPlan, OlderInstructionsDoNotReachThePeakOfLaterGpus) {
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "a100-sxm4-80gb").issued, 1);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "h100-sxm5-80gb").issued, 0.63);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "FlashAttention 3", "", "h100-sxm5-80gb").issued, 1);
}

TEST(AttentionPlan, WarpsLoadOperandsBeforeHopperAndInOlderKernels) {
  const auto loads = [](const char* kernel, const char* id) {
    return plan_of(prompt(1024, 4, 4), kernel, "", id).loads_operands;
  };
  EXPECT_TRUE(loads("FlashAttention 2", "a100-sxm4-80gb"));
  EXPECT_TRUE(loads("cudnn", "rtx-5090"));
  EXPECT_TRUE(loads("FlashAttention 2", "b200-sxm-180gb"));
  EXPECT_FALSE(loads("FlashAttention 3", "h100-sxm5-80gb"));
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "FlashAttention 2", "", "b200-sxm-180gb").overlapped);
  EXPECT_TRUE(plan_of(prompt(1024, 4, 4), "", "", "b200-sxm-180gb").overlapped);
}

TEST(AttentionPlan, FusedProductsOfFp32AreThreeOfTf32) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "", "PyTorch 2.4", "a100-sxm4-80gb", DType::fp32);
  EXPECT_EQ(plan.library, AttentionLibrary::xformers);
  EXPECT_EQ(plan.precision, DType::tf32);
  EXPECT_DOUBLE_EQ(plan.issued, 1.0 / 3);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "", "PyTorch 2.4", "p100-sxm2-16gb", DType::fp32).precision, DType::fp32);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "unfused", "", "a100-sxm4-80gb", DType::fp32).precision, DType::fp32);
}

TEST(AttentionPlan, ServersAndTheLanesKeepTheirKernelsInFp32) {
  EXPECT_GT(plan_of(query(65536, 32, 8), "", "vLLM 0.6", "rtx-4090", DType::fp32).split, 1) << "its own, which split";
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "triton", "", "a100-sxm4-80gb", DType::fp32).precision, DType::fp32);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "", "", "v100-sxm2-16gb", DType::fp32).loads_operands);
  EXPECT_FALSE(plan_of(prompt(1024, 4, 4), "", "", "p100-sxm2-16gb", DType::fp16).loads_operands);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "triton", "", "v100-sxm2-16gb", DType::fp32).rate, AttentionRate::full);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "", "", "titan-xp", DType::tf32).issued, 1) << "has no such units";
}

TEST(AttentionPlan, OnlyFlashAttention2CopiesHeadsAndHasTilesOfSplits) {
  const auto copied = [](const char* kernel, const char* id) {
    const AttentionPlan plan = plan_of(query(4096, 32, 8), kernel, "", id);
    EXPECT_EQ(plan.copied, plan.split_tile) << kernel;
    return plan.copied;
  };
  EXPECT_TRUE(copied("fa2", "a100-sxm4-80gb"));
  EXPECT_FALSE(copied("fa3", "h100-sxm5-80gb"));
  EXPECT_FALSE(copied("fa3", "a100-sxm4-80gb"));
}

TEST(AttentionPlan, TritonReachesAShareOfFlashAttention3OnHopper) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "triton", "", "h100-sxm5-80gb");
  EXPECT_EQ(plan.rate, AttentionRate::full);
  EXPECT_EQ(plan.issued, 0.77);
  EXPECT_FALSE(plan.loads_operands);
  EXPECT_EQ(plan_of(prompt(1024, 4, 4), "triton", "", "l40s").rate, AttentionRate::older);
}

// Eight queries are a tile like nine.
TEST(AttentionPlan, XformersHasNoKernelForFewQueries) {
  const auto plan = [](std::int64_t queries) {
    Attention attention = prompt(65536, 32, 8);
    attention.q_len = queries;
    return plan_of(attention, "xformers", "", "t4", DType::fp16);
  };
  EXPECT_FALSE(plan(8).decode);
  EXPECT_EQ(plan(8).steps, plan(9).steps);
  EXPECT_EQ(plan(8).ctas, plan(9).ctas);
}

// 64 keys a step, or 128; sums as wide as a step has keys.
TEST(AttentionPlan, XformersPadsHeadsToItsTiles) {
  Attention attention = prompt(4096, 16, 16);
  attention.head_dim = 40;
  const AttentionPlan narrow = plan_of(attention, "", "PyTorch 2.1", "v100-sxm2-16gb", DType::fp16);
  EXPECT_EQ(narrow.tile_q, 64);
  EXPECT_EQ(narrow.pair_macs, 64 + 64);
  EXPECT_TRUE(narrow.shares_scores);
  attention.head_dim = 80;
  const AttentionPlan wide = plan_of(attention, "", "PyTorch 2.1", "v100-sxm2-16gb", DType::fp16);
  EXPECT_EQ(wide.tile_kv, 128);
  EXPECT_EQ(wide.pair_macs, 96 + 128);
  EXPECT_EQ(wide.resident, 3);
  EXPECT_FALSE(plan_of(attention, "", "PyTorch 2.1", "v100-sxm2-16gb", DType::fp32).shares_scores) << "on the lanes";
  EXPECT_FALSE(plan_of(attention, "xformers", "", "a100-sxm4-80gb").shares_scores);
}

TEST(AttentionPlan, UnfusedProductsLeaveNothingOut) {
  const AttentionPlan plan = plan_of(prompt(1024, 4, 4), "PyTorch unfused", "", "a100-sxm4-80gb");
  EXPECT_DOUBLE_EQ(plan.steps, 8);
  EXPECT_EQ(plan.around.value(), 2.0 * (4 + 2) * 2 * 4 * 1024 * 1024);
}

TEST(AttentionPlan, ValuesMayHaveOtherDimensions) {
  Attention attention = prompt(256, 4, 4);
  attention.head_dim = 192;
  attention.head_dim_v = 128;
  const AttentionPlan plan = plan_of(attention, "", "", "h100-sxm5-80gb");
  EXPECT_EQ(plan.pair_macs, 192 + 128);
  EXPECT_EQ(plan.results.value() / plan.queries.value(), 128.0 / 192);
  EXPECT_EQ(plan.keys.value(), 2.0 * 2 * 256 * 4 * (192 + 128));
}

TEST(AttentionPlan, StacksTheHeadsOfAGroupAsRows) {
  // 4 heads of 256 queries are 8 tiles of 128 rows or 32 queries; those see 32, 64, … 256 keys, in steps of 128.
  const AttentionPlan plan = plan_of(prompt(256, 4, 1), "vllm_flash_attn_fa3", "vllm", "h100-sxm5-80gb");
  EXPECT_EQ(plan.packed, 4);
  EXPECT_EQ(plan.ctas, 2 * 8);
  EXPECT_DOUBLE_EQ(plan.steps, 4.5 * 32 / 128);
  EXPECT_DOUBLE_EQ(plan.most_steps, 2);
  EXPECT_EQ(plan.split, 1);
}

TEST(AttentionPlan, EachHeadAloneInFlashAttention2) {
  const AttentionPlan plan = plan_of(prompt(256, 4, 1), "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(plan.packed, 1);
  EXPECT_EQ(plan.ctas, 2 * 4 * 4);  // tiles of 64 queries
}

TEST(AttentionPlan, WithoutCausalityEveryQuerySeesEveryKey) {
  Attention attention = prompt(256, 4, 4);
  attention.causal = false;
  const AttentionPlan plan = plan_of(attention, "", "", "h100-sxm5-80gb");
  EXPECT_DOUBLE_EQ(plan.steps, 2);
  EXPECT_DOUBLE_EQ(plan.most_steps, 2);
}

TEST(AttentionPlan, AWindowSkipsKeysInWholeSteps) {
  Attention attention = prompt(512, 4, 4);
  attention.window = 128;
  // Queries 0 to 127 see keys 0 to 127; those from 128 on see from key 1 on, and so on: 1, 2, 2, 2 steps of 128.
  const AttentionPlan plan = plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb");
  EXPECT_DOUBLE_EQ(plan.steps, 7.0 / 4);
  EXPECT_EQ(plan.keys.value(), 2.0 * 2 * 4 * 512 * 128 * 2);  // all are seen by some query
}

// fmhaRunner.cpp and setup.py of TensorRT-LLM's fmha_v2.
TEST(AttentionPlan, TensorRtLlmsKernelsPadHeadsOfPrompts) {
  Attention attention = prompt(4096, 8, 1);
  const auto padded = [&](std::int64_t dim, const char* id, DType precision = DType::bf16) {
    attention.head_dim = dim;
    return plan_of(attention, "torch_flow", "trtllm", id, precision).padded_dim;
  };
  EXPECT_EQ(padded(192, "h100-sxm5-80gb"), 192) << "whole rows of 128 bytes";
  EXPECT_EQ(padded(192, "h100-sxm5-80gb", DType::fp8), 256);
  EXPECT_EQ(padded(80, "h100-sxm5-80gb"), 128);
  EXPECT_EQ(padded(64, "h100-sxm5-80gb", DType::fp8), 64) << "no more than the next power of two";
  EXPECT_EQ(padded(192, "l40s"), 256);
  EXPECT_EQ(padded(80, "l40s"), 80);
}

TEST(AttentionPlan, TensorRtLlmGoesOverLongHeadsInPartsButNotOnAda) {
  Attention attention = prompt(4096, 8, 1);
  const auto keys = [&](std::int64_t dim, const char* id, DType precision = DType::bf16) {
    attention.head_dim = dim;
    const AttentionPlan plan = plan_of(attention, "torch_flow", "trtllm", id, precision);
    EXPECT_EQ(plan.lone, plan.tile_kv == 16) << id;
    return plan.tile_kv;
  };
  EXPECT_EQ(keys(192, "l40s"), 16);
  EXPECT_EQ(keys(192, "rtx-5090"), 16);
  EXPECT_EQ(keys(256, "l40s"), 32);
  EXPECT_EQ(keys(128, "l40s"), 32);
  EXPECT_EQ(keys(192, "l40s", DType::fp8), 32);
  EXPECT_EQ(keys(192, "a100-sxm4-80gb"), 32);
}

TEST(AttentionPlan, TensorRtLlmsFp8KernelsForWindowsSpill) {
  Attention attention = prompt(4096, 8, 1);
  const auto spills = [&](DType precision) {
    return plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb", precision).spills_masks;
  };
  EXPECT_FALSE(spills(DType::fp8));
  attention.window = 128;
  EXPECT_TRUE(spills(DType::fp8));
  EXPECT_FALSE(spills(DType::bf16));
  attention.q_len = attention.kv_len = 128;
  EXPECT_FALSE(spills(DType::fp8)) << "the window leaves nothing out";
}

// The last 128 of 256 keys are one block; other kernels load a key more, and with it a block.
TEST(AttentionPlan, FlashAttention2LoadsNoKeyBeyondAWindow) {
  Attention attention = query(256, 8, 8);
  attention.window = 128;
  const AttentionPlan plan = plan_of(attention, "vllm_flash_attn_fa2", "vllm", "l40s");
  EXPECT_EQ(plan.tile_kv, 128);
  EXPECT_EQ(plan.steps, 1);
  attention.kv_len = 257;
  EXPECT_EQ(plan_of(attention, "vllm_flash_attn_fa2", "vllm", "l40s").steps, 2);
}

TEST(AttentionPlan, AWindowBoundsWhatASingleQueryLoads) {
  Attention attention = query(4096, 8, 8);
  const double whole = plan_of(attention, "", "", "h100-sxm5-80gb").keys.value();
  EXPECT_EQ(whole, 2.0 * 2 * 8 * 4096 * 128 * 2);
  attention.window = 1024;
  EXPECT_EQ(plan_of(attention, "", "", "h100-sxm5-80gb").keys.value(), whole / 4);
}

TEST(AttentionPlan, SplitsKeysUntilTheSmsAreBusy) {
  EXPECT_EQ(attention_split(4, 100, 64), 22);      // 88 of 100 SMs; 25 would be the best
  EXPECT_EQ(attention_split(80, 100, 64), 1);      // busy enough
  EXPECT_EQ(attention_split(4, 100, 4), 1);        // too few keys
  EXPECT_EQ(attention_split(1, 1000, 1000), 109);  // 85 % of the most, 128
  const AttentionPlan plan = plan_of(query(65536, 8, 1), "flash_attention", "sglang", "h100-sxm5-80gb");
  EXPECT_EQ(plan.ctas, 2);
  EXPECT_EQ(plan.split, 57);  // 114 of 132 SMs
  EXPECT_EQ(plan.steps, 9);   // of 512
  EXPECT_EQ(plan.partial.value(), 8.0 * 2 * 8 * 128 * 57);
}

TEST(AttentionPlan, FlashAttention2SplitsForTwoCtasAnSm) {
  EXPECT_EQ(flash2_split(4, 100, 64), 32);   // 128 of 200 places; more than 32 leave CTAs two of 64 blocks until 64
  EXPECT_EQ(flash2_split(159, 100, 64), 5);  // four leave a fifth of the places empty
  EXPECT_EQ(flash2_split(160, 100, 64), 1);  // busy enough
  EXPECT_EQ(flash2_split(4, 100, 2), 2);     // however few
  EXPECT_EQ(flash2_split(1, 142, 128), 128);
}

TEST(AttentionPlan, FlashAttention2SplitsOnlyWhereItSwapsHeadsAndQueries) {
  EXPECT_GT(plan_of(query(65536, 8, 1), "", "", "a100-sxm4-80gb").split, 1);
  EXPECT_EQ(plan_of(query(65536, 8, 8), "", "", "a100-sxm4-80gb").split, 1);
  Attention windowed = query(65536, 8, 1);
  windowed.window = 8192;
  const AttentionPlan plan = plan_of(windowed, "", "", "a100-sxm4-80gb");
  EXPECT_EQ(plan.split, 1);
  EXPECT_EQ(plan.key_loads, 8);
  EXPECT_EQ(plan.reuse.value(), 2.0 * 2 * 8192 * 128 * 2);
}

TEST(AttentionPlan, XqaSplitsByTheLengthOfTheCacheWhateverTheWindow) {
  Attention attention = query(8192, 8, 1);
  attention.batch = 64;
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb").split, 16);  // 8 waves of 132
  attention.batch = 16;
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb").split, 23);  // the root of 8 x 64
  attention.window = 128;
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "h100-sxm5-80gb").split, 23);
}

TEST(AttentionPlan, TensorRtLlmPacksOnlyWhatFillsAQuarterOfTheSms) {
  const Attention few = query(64, 32, 4);  // 2 x 4 CTAs
  EXPECT_EQ(plan_of(few, "torch_flow", "trtllm", "h100-sxm5-80gb").kernel, AttentionKernel::vector);
  EXPECT_EQ(plan_of(query(1024, 32, 4), "torch_flow", "trtllm", "h100-sxm5-80gb").kernel, AttentionKernel::group);
}

TEST(AttentionPlan, TensorRtLlmPacksUpTo32Heads) {
  const AttentionPlan packed = plan_of(query(4096, 32, 1), "torch_flow", "trtllm", "h100-sxm5-80gb");
  EXPECT_EQ(packed.kernel, AttentionKernel::group);
  EXPECT_EQ(packed.ctas, 2);
  EXPECT_EQ(packed.key_loads, 1);
  const AttentionPlan alone = plan_of(query(1024, 64, 1), "torch_flow", "trtllm", "h100-sxm5-80gb");
  EXPECT_EQ(alone.kernel, AttentionKernel::vector);
  EXPECT_EQ(alone.ctas, 2 * 64);
  EXPECT_EQ(alone.key_loads, 64);
}

// 512 queries in 4 tiles of 128, which see 128 to 512 keys: 1,280 keys and values of 128 numbers, of 2 x 8 heads.
TEST(AttentionPlan, EveryTileOfAPromptStreamsTheKeysItSees) {
  const AttentionPlan plan = plan_of(prompt(512, 8, 8), "", "", "a100-sxm4-80gb");
  EXPECT_EQ(plan.tile_q, 128);
  EXPECT_EQ(plan.streamed.value(), 2.0 * 8 * 1280 * 2 * 128 * 2);
  EXPECT_EQ(plan.streamed_again(), plan.streamed - plan.keys);
  EXPECT_EQ(plan_of(query(512, 8, 8), "", "", "a100-sxm4-80gb").streamed_again(), Bytes(0));
}

TEST(AttentionPlan, Fp8KeysAreHalfTheBytes) {
  Attention attention = query(4096, 8, 8);
  const double bf16 = plan_of(attention, "", "", "l40s").keys.value();
  attention.kv_precision = DType::fp8;
  EXPECT_EQ(plan_of(attention, "", "", "l40s").keys.value(), bf16 / 2);
}

TEST(AttentionPlan, Fp8KeysAreMultipliedAsSuchFromHopperOn) {
  Attention attention = prompt(256, 8, 8);
  attention.kv_precision = DType::fp8;
  EXPECT_EQ(attention_precision(attention, DType::bf16, {}, gpu("h100-sxm5-80gb")), DType::fp8);
  EXPECT_EQ(attention_precision(attention, DType::bf16, {}, gpu("l40s")), DType::bf16);
  EXPECT_EQ(attention_precision(attention, DType::fp8, {}, gpu("l40s")), DType::fp8);
  EXPECT_EQ(attention_precision(attention, DType::fp8, {}, gpu("a100-sxm4-80gb")), DType::bf16);
  EXPECT_EQ(plan_of(attention, "vllm_flash_attn_fa3", "vllm", "h100-sxm5-80gb").rate, AttentionRate::promoted);
  EXPECT_EQ(plan_of(attention, "flash_attention", "sglang", "h100-sxm5-80gb").rate, AttentionRate::fp8);
  EXPECT_EQ(plan_of(attention, "torch_flow", "trtllm", "l40s").rate, AttentionRate::older);
}

TEST(AttentionPlan, ServingFrameworksWriteTheirCache) {
  const Attention attention = prompt(256, 4, 2);
  const double query_bytes = 2.0 * 256 * 4 * 128 * 2, key_bytes = 2.0 * 2 * 256 * 2 * 128 * 2;
  EXPECT_EQ(plan_of(attention, "", "", "h100-sxm5-80gb").around.value(), 0);
  EXPECT_EQ(plan_of(attention, "", "sglang", "h100-sxm5-80gb").around.value(), 2 * key_bytes);
  EXPECT_EQ(plan_of(attention, "", "trtllm", "h100-sxm5-80gb").around.value(), 2 * key_bytes + 2 * query_bytes);
  // 512 tokens, each 2 x 128 threads of what an SM holds.
  EXPECT_DOUBLE_EQ(plan_of(attention, "", "sglang", "h100-sxm5-80gb").token_ctas, 512 * 256.0 / 2048);
  EXPECT_DOUBLE_EQ(plan_of(attention, "", "sglang", "l40s").token_ctas, 512 * 256.0 / 1536);
}

TEST(AttentionPlan, LongPromptsAreCountedAsShortOnes) {
  // Beyond 4096 tiles some stand for all: half of the keys are seen, on average.
  const AttentionPlan plan = plan_of(prompt(1 << 22, 1, 1), "", "", "h100-sxm5-80gb");
  EXPECT_NEAR(plan.steps / plan.most_steps, 0.5, 0.001);
}

TEST(AttentionPlan, StepsCoverThePairs) {
  EXPECT_TRUE(rc::check([] {
    Attention attention;
    attention.batch = *rc::gen::inRange(1, 100);
    attention.kv_len = *rc::gen::inRange(1, 20000);
    attention.q_len = *rc::gen::element<std::int64_t>(1, 2, attention.kv_len);
    RC_PRE(attention.q_len <= attention.kv_len);
    attention.kv_heads = *rc::gen::inRange(1, 9);
    attention.heads = attention.kv_heads * *rc::gen::inRange(1, 20);
    attention.head_dim = *rc::gen::element(64, 128, 192, 256);
    attention.window = *rc::gen::element(0, 1, 128, 4096);
    attention.causal = true;
    const char* id = *rc::gen::element("a100-sxm4-80gb", "h100-sxm5-80gb", "l40s", "b200-sxm-180gb", "v100-sxm2-16gb");
    const char* kernel = *rc::gen::element("fa2", "fa3", "flashinfer", "triton", "");
    const char* framework = *rc::gen::element("vllm", "sglang", "trtllm", "");
    const AttentionPlan plan = plan_of(attention, kernel, framework, id);
    const double last =
        static_cast<double>(attention.window > 0 ? std::min(attention.window, attention.kv_len) : attention.kv_len);
    RC_ASSERT(plan.most_steps * plan.split * plan.tile_kv >= last * (1 - 1e-12));
    RC_ASSERT(plan.most_steps >= plan.steps);
    RC_ASSERT(plan.ctas >= 1);
    RC_ASSERT(plan.padded_dim >= plan.head_dim);
  }));
}

}  // namespace
}  // namespace rooftile
