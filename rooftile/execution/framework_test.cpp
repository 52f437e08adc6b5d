#include "rooftile/execution/framework.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Framework, RecentGradientsOfGroupsRunOnTensorCores) {
  EXPECT_TRUE(multiplies_groups_apart(""));
  EXPECT_TRUE(multiplies_groups_apart("PyTorch 2.0"));
  EXPECT_FALSE(multiplies_groups_apart("PyTorch 1.12 CUDA 11.3"));
}

TEST(Framework, LinearLayersTakeTheirBiasByReleaseAndDimensions) {
  EXPECT_EQ(dimensions_with_fused_bias(""), std::nullopt);
  EXPECT_EQ(dimensions_with_fused_bias("PyTorch"), std::nullopt);
  EXPECT_EQ(dimensions_with_fused_bias("PyTorch 2.1.0 CUDA 12.1"), std::nullopt);
  EXPECT_EQ(dimensions_with_fused_bias("PyTorch 1.12 CUDA 11.3"), 3U);
  EXPECT_EQ(dimensions_with_fused_bias("PyTorch 2.0.1"), 3U);
  EXPECT_EQ(dimensions_with_fused_bias("PyTorch 1.11 CUDA 11.3"), 2U);
  EXPECT_EQ(dimensions_with_fused_bias("PyTorch; PyTorch, CUDA 11.4"), 2U) << "by the CUDA of its time";
  EXPECT_EQ(dimensions_with_fused_bias("TensorFlow 1.15"), std::nullopt);
}

TEST(Framework, PyTorch111BroughtKernelsForRowsAndWideFilters) {
  for (const char* early : {"PyTorch 1.10 CUDA 11.3", "PyTorch CUDA 10.0 cuDNN 7600", "PyTorch; PyTorch, CUDA 11.4",
                            "TorchScript (traced); PyTorch, CUDA 11.4"}) {
    EXPECT_TRUE(reads_rows_by_numbers(early)) << early;
    EXPECT_TRUE(lacks_wide_depthwise(early)) << early;
  }
  for (const char* recent : {"", "PyTorch", "PyTorch 1.11 CUDA 11.3", "PyTorch CUDA 11.7", "TensorFlow 1.15"}) {
    EXPECT_FALSE(reads_rows_by_numbers(recent)) << recent;
    EXPECT_FALSE(lacks_wide_depthwise(recent)) << recent;
  }
}

TEST(Framework, PyTorchHasNoKernelsForComposites) {
  EXPECT_TRUE(lacks_silu("PyTorch 1.6"));
  EXPECT_TRUE(lacks_silu("TensorFlow 2.4"));
  EXPECT_FALSE(lacks_silu("PyTorch 1.7.1"));
  EXPECT_FALSE(lacks_silu("PyTorch"));
  EXPECT_FALSE(lacks_silu(""));
  EXPECT_TRUE(lacks_composites(""));
  EXPECT_TRUE(lacks_composites("PyTorch 2.6 torchtitan"));
  EXPECT_FALSE(lacks_composites("NeMo 25.09"));
  EXPECT_FALSE(lacks_composites("Megatron-LM"));
}

TEST(Framework, TensorRtSumsInFp16) {
  EXPECT_TRUE(sums_in_fp16("TensorRT 8.6"));
  EXPECT_TRUE(sums_in_fp16("AITemplate CUDA 11.6"));
  EXPECT_FALSE(sums_in_fp16("TensorRT-LLM 0.9"));
  EXPECT_FALSE(sums_in_fp16("PyTorch 2.4.0"));
  EXPECT_FALSE(sums_in_fp16(""));
}

TEST(Framework, RecentNetworksCallFusedAttention) {
  EXPECT_TRUE(networks_call_fused_attention(""));
  EXPECT_TRUE(networks_call_fused_attention("PyTorch 2.4.0 CUDA 12.4"));
  EXPECT_TRUE(networks_call_fused_attention("PyTorch 2.11.0 CUDA 13.0")) << "eleven is more than four";
  EXPECT_FALSE(networks_call_fused_attention("PyTorch 2.1.0 CUDA 12.1"));
  EXPECT_FALSE(networks_call_fused_attention("PyTorch"));
  EXPECT_FALSE(networks_call_fused_attention("TensorFlow 2.9"));
}

TEST(Framework, ProductsAreInTf32WhereItsReleaseLetsThem) {
  EXPECT_TRUE(multiplies_in_tf32(""));
  EXPECT_TRUE(multiplies_in_tf32("PyTorch 1.11 CUDA 11.3"));
  EXPECT_FALSE(multiplies_in_tf32("PyTorch 1.12 CUDA 11.3"));
  EXPECT_FALSE(multiplies_in_tf32("PyTorch 2.1.0 CUDA 12.1"));
  EXPECT_FALSE(multiplies_in_tf32("FasterTransformer v2; TensorFlow"));
}

TEST(Framework, PadsProductsAndFusesTargetsAsItsCompilerDoes) {
  EXPECT_FALSE(pads_products("PyTorch 2.0.1"));
  for (const char* framework : {"", "PyTorch 2.1", "JAX 0.4"}) EXPECT_TRUE(pads_products(framework)) << framework;
  EXPECT_TRUE(scatters_targets("PyTorch 2.4.1"));
  for (const char* framework : {"", "PyTorch 2.5", "JAX 0.4"}) EXPECT_FALSE(scatters_targets(framework)) << framework;
}

TEST(Framework, LeavesTheUpdateToEagerPyTorch) {
  EXPECT_FALSE(compiles_update(""));
  EXPECT_FALSE(compiles_update("PyTorch 2.3"));
  EXPECT_FALSE(compiles_update("TorchScript; PyTorch 1.13"));
  for (const char* framework : {"TensorFlow 2.4 XLA", "Megatron Core 0.9"}) EXPECT_TRUE(compiles_update(framework));
}

TEST(Framework, SomeNarrowTheHeadOfALanguageModel) {
  for (const char* framework : {"llama.cpp", "MLC LLM", "ExLlamaV2", "gpt-fast"}) {
    EXPECT_TRUE(quantises_heads(framework)) << framework;
  }
  for (const char* framework : {"", "vLLM 0.6", "TensorRT-LLM 1.0"})
    EXPECT_FALSE(quantises_heads(framework)) << framework;
}

TEST(Framework, AttentionIsFusedSincePyTorch2) {
  EXPECT_TRUE(calls_fused_attention(""));
  EXPECT_TRUE(calls_fused_attention("PyTorch"));
  EXPECT_TRUE(calls_fused_attention("PyTorch 2.4.0"));
  EXPECT_FALSE(calls_fused_attention("PyTorch 1.13 CUDA 11.7"));
  EXPECT_FALSE(calls_fused_attention("TensorFlow 1.15"));
  EXPECT_FALSE(calls_fused_attention("PyTorch; PyTorch, CUDA 11.4"));
  EXPECT_FALSE(calls_fused_attention("PyTorch CUDA 10.0 cuDNN 7600"));
  EXPECT_TRUE(calls_fused_attention("PyTorch CUDA 12.1"));
  EXPECT_TRUE(calls_fused_attention("PyTorch CUDA"));
}

TEST(Framework, OldLibrariesRunWhatIsNotPyTorch) {
  EXPECT_FALSE(of_early_years(""));
  EXPECT_FALSE(of_early_years("PyTorch 0.3.0"));
  EXPECT_TRUE(of_early_years("Torch7 cuDNN 5.1.05"));
}

TEST(Framework, TorchScriptInterprets) {
  EXPECT_TRUE(interprets_its_graph("TorchScript (traced); PyTorch, CUDA 11.4"));
  EXPECT_FALSE(interprets_its_graph("PyTorch 2.4.0"));
}

TEST(Framework, IsMeantHoweverItIsWritten) {
  for (const auto& [written, known] : {std::pair{"pytorch 2.1", "PyTorch 2.1"},
                                       std::pair{"Pytorch", "PyTorch"},
                                       std::pair{"torch==2.1.0+cu118", "PyTorch 2.1.0+cu118"},
                                       std::pair{"PyTorch-2.1", "PyTorch 2.1"},
                                       std::pair{"PyTorch2.1", "PyTorch 2.1"},
                                       std::pair{"tensorrt 8.6", "TensorRT 8.6"},
                                       std::pair{"trtllm v0.9", "TensorRT-LLM 0.9"},
                                       std::pair{"onnxruntime 1.16", "ONNX Runtime 1.16"},
                                       std::pair{"tensorflow 2.4", "TensorFlow 2.4"},
                                       std::pair{"vllm 0.6", "vLLM 0.6"},
                                       std::pair{"TensorRT LLM 0.9", "TensorRT-LLM 0.9"},
                                       std::pair{"ONNX-Runtime 1.10", "ONNX Runtime 1.10"},
                                       std::pair{"onnxruntime_gpu 1.10", "ONNX Runtime 1.10"},
                                       std::pair{"Torch 2.1", "PyTorch 2.1"},
                                       std::pair{"PyTorch:2.1", "PyTorch 2.1"},
                                       std::pair{"Torch", "PyTorch"},
                                       std::pair{"torch7", "Torch7"},
                                       std::pair{"Torch 7 cuDNN 5.1", "Torch7 cuDNN 5.1"},
                                       std::pair{"tensorflow2", "TensorFlow2"},
                                       std::pair{"TensorFlow2.4", "TensorFlow 2.4"},
                                       std::pair{"vLLM v0.8", "vLLM 0.8"},
                                       std::pair{"TensorRT-LLM v0.9", "TensorRT-LLM 0.9"},
                                       std::pair{"FasterTransformer v5.3", "FasterTransformer 5.3"},
                                       std::pair{"FasterTransformer v1.0", "FasterTransformer 1.0"}}) {
    EXPECT_EQ(framework_meant(written), known) << written;
  }
  for (const char* known :
       {"", "PyTorch", "PyTorch CUDA 10.0 cuDNN 7600", "TorchScript (traced); PyTorch, CUDA 11.4",
        "Torch7 cuDNN 5.1.05", "TensorFlow2", "TensorFlow 20", "TensorFlow 1.1 cuda 8.0", "TensorFlow XLA",
        "TensorRT (Paddle Inference)", "MxNet", "TensorRT-LLM 0.9", "llama.cpp, spring 2024", "AITemplate ROCm",
        "torchtitan", "vllm_custom", "FasterTransformer v1; PyTorch"}) {
    EXPECT_EQ(framework_meant(known), known) << known;
  }
}

TEST(Framework, EnginesAreKnownByName) {
  for (const char* engine :
       {"TensorRT 8.6", "TensorRT (Paddle Inference)", "FasterTransformer v4", "AITemplate", "ONNX Runtime 1.16"}) {
    EXPECT_TRUE(is_engine(engine)) << engine;
  }
  for (const char* other : {"", "PyTorch 2.4.0", "TorchScript", "TensorFlow 2.4"})
    EXPECT_FALSE(is_engine(other)) << other;
}

TEST(Framework, OnnxRuntimeCallsLibraries) {
  EXPECT_TRUE(leaves_products_bare("ONNX Runtime 1.4.0"));
  EXPECT_TRUE(fuses_into_convolutions("ONNX Runtime 1.16"));
  EXPECT_FALSE(fuses_into_convolutions("FasterTransformer"));
  EXPECT_TRUE(multiplies_scores("ONNX Runtime 1.12"));
  for (const char* fused : {"ONNX Runtime 1.13.1", "ONNX Runtime", "FasterTransformer v4"}) {
    EXPECT_FALSE(multiplies_scores(fused)) << fused;
  }
}

TEST(Framework, TensorFlowAndMxnetKeepPlanesOf32Bits) {
  EXPECT_TRUE(keeps_wide_planes("TensorFlow2"));
  EXPECT_TRUE(keeps_wide_planes("MxNet"));
  EXPECT_FALSE(keeps_wide_planes("PyTorch 2.4.0"));
  EXPECT_FALSE(keeps_wide_planes(""));
}

TEST(Framework, LibrariesBeforeCuda11AreThoseOfPyTorchUpTo16) {
  for (const char* early : {"Torch7 cuDNN 5.1.05", "PyTorch 0.3.0", "PyTorch 1.6", "PyTorch CUDA 10.0 cuDNN 7600"}) {
    EXPECT_TRUE(precedes_cuda11(early)) << early;
  }
  for (const char* recent :
       {"", "PyTorch", "PyTorch 1.7", "PyTorch 1.10 CUDA 11.3", "PyTorch; PyTorch, CUDA 11.4", "NeMo 24.07"}) {
    EXPECT_FALSE(precedes_cuda11(recent)) << recent;
  }
}

TEST(Framework, EarlyBatchNormsAreThoseOfCudnnUpTo70) {
  for (const char* early : {"Torch7 cuDNN 5.1.10", "Torch7 cuDNN 7.0.04", "MXNet cuDNN 7005", "PyTorch 0.3.0"}) {
    EXPECT_TRUE(has_early_batch_norms(early)) << early;
  }
  for (const char* later :
       {"", "PyTorch", "PyTorch 1.0.0", "PyTorch CUDA 10.0 cuDNN 7600", "cuDNN 91901", "Torch7 nn (no cuDNN)"}) {
    EXPECT_FALSE(has_early_batch_norms(later)) << later;
  }
}

TEST(Framework, WinogradBeforeMaxwellCameWithCudnn51) {
  EXPECT_FALSE(has_winograd_before_maxwell("Torch7 cuDNN 5.0.05"));
  EXPECT_TRUE(has_winograd_before_maxwell("Torch7 cuDNN 5.1.10"));
  EXPECT_TRUE(has_winograd_before_maxwell("PyTorch CUDA 10.0 cuDNN 7600"));
  EXPECT_TRUE(has_winograd_before_maxwell("Torch7 nn (no cuDNN)"));
  EXPECT_TRUE(has_winograd_before_maxwell(""));
}

TEST(Framework, TensorRtLlmHasFp8ExpertsFrom010On) {
  EXPECT_FALSE(multiplies_experts_in_fp8("TensorRT-LLM 0.9"));
  EXPECT_TRUE(multiplies_experts_in_fp8("TensorRT-LLM 0.10"));
  EXPECT_TRUE(multiplies_experts_in_fp8("vLLM 0.6"));
  EXPECT_TRUE(multiplies_experts_in_fp8(""));
}

TEST(Framework, ServersHaveTheirOwnWays) {
  EXPECT_TRUE(attends_in_fp8("TensorRT-LLM 1.0"));
  EXPECT_FALSE(attends_in_fp8("TensorRT-LLM 0.20"));
  EXPECT_FALSE(attends_in_fp8("vLLM 0.11"));
  for (const char* own : {"vLLM 0.6", "SGLang 0.4", "TensorRT-LLM 0.9"}) EXPECT_TRUE(sums_in_own_kernels(own)) << own;
  EXPECT_FALSE(sums_in_own_kernels("PyTorch 2.4"));
  EXPECT_FALSE(sums_in_own_kernels(""));
  EXPECT_TRUE(shares_what_weights_leave("TensorRT-LLM 1.0"));
  EXPECT_FALSE(shares_what_weights_leave("vLLM 0.11"));
}

TEST(Framework, VllmsStepsTakeAsManyTokensAsItsGpuIsLarge) {
  constexpr Bytes kGib(std::int64_t{1} << 30);
  EXPECT_EQ(tokens_of_a_step("vLLM 0.8", "h100-sxm5-80gb", kGib * 80), 8192);
  EXPECT_EQ(tokens_of_a_step("vLLM 0.22.1", "h200-sxm-141gb", kGib * 141), 8192);
  EXPECT_EQ(tokens_of_a_step("vLLM 0.8", "a100-sxm4-80gb", kGib * 80), 2048);
  EXPECT_EQ(tokens_of_a_step("vLLM 0.8", "t4", kGib * 16), 2048);
  EXPECT_EQ(tokens_of_a_step("vLLM 0.7", "h100-sxm5-80gb", kGib * 80), 0);
  EXPECT_EQ(tokens_of_a_step("TensorRT-LLM 1.0", "h100-sxm5-80gb", kGib * 80), 0);
  EXPECT_EQ(tokens_of_a_step("vLLM", "h100-sxm5-80gb", kGib * 80), 0);
  EXPECT_TRUE(is_vllm_of_no_release("vLLM"));
  EXPECT_FALSE(is_vllm_of_no_release("vLLM 0.6"));
  EXPECT_FALSE(is_vllm_of_no_release(""));
}

TEST(Framework, MegatronsExpertsAreNotThoseOfNemoAutomodel) {
  for (const char* own : {"Megatron Core", "NeMo 25.09", "NeMo 26.02; Megatron Bridge"}) {
    EXPECT_TRUE(runs_megatron_layers(own)) << own;
  }
  for (const char* other :
       {"NeMo Automodel", "NVIDIA NeMo Automodel 26.02", "NeMo 26.02 Automodel", "Megatron-LM", ""}) {
    EXPECT_FALSE(runs_megatron_layers(other)) << other;
  }
  EXPECT_TRUE(runs_megatron_layers("NeMo Automodeling")) << "another word";
}

TEST(Framework, WhatTrainsOnPyTorchIsKnownByName) {
  EXPECT_TRUE(hides_tensor_exchanges("NeMo 25.09"));
  EXPECT_FALSE(hides_tensor_exchanges("Megatron-LM"));
  EXPECT_TRUE(runs_megatron_deepspeed("Megatron-DeepSpeed"));
  EXPECT_FALSE(runs_megatron_deepspeed("Megatron-LM"));
  EXPECT_TRUE(runs_pytorch("TorchScript; PyTorch, CUDA 11.4"));
  EXPECT_TRUE(lacks_composites("TorchScript; PyTorch, CUDA 11.4"));
  EXPECT_EQ(pytorch_release("PyTorch 1.13 CUDA 11.7"), std::pair(1, 13));
  EXPECT_EQ(pytorch_release("TensorFlow 1.15"), std::pair(0, 0));
}

TEST(Framework, TensorRtLlmRoundsForMxfp4From10On) {
  EXPECT_TRUE(rounds_for_mxfp4("TensorRT-LLM 1.2"));
  EXPECT_FALSE(rounds_for_mxfp4("TensorRT-LLM 0.21"));
  EXPECT_FALSE(rounds_for_mxfp4("vLLM 0.11"));
  EXPECT_FALSE(rounds_for_mxfp4(""));
}

TEST(Framework, TensorRtKeepsGatesApart) {
  EXPECT_TRUE(keeps_gates_apart("TensorRT 10"));
  EXPECT_FALSE(keeps_gates_apart("TensorRT-LLM 1.0"));
  EXPECT_FALSE(keeps_gates_apart(""));
}

TEST(Framework, GradientsAreKeptBeforePyTorch2) {
  EXPECT_TRUE(keeps_gradients("PyTorch 0.3.0"));
  EXPECT_TRUE(keeps_gradients("PyTorch 1.13 CUDA 11.7"));
  EXPECT_TRUE(keeps_gradients("PyTorch CUDA 10.0 cuDNN 7600"));
  EXPECT_FALSE(keeps_gradients("PyTorch 2.0"));
  EXPECT_FALSE(keeps_gradients("PyTorch"));
  EXPECT_FALSE(keeps_gradients("TensorFlow 1.15"));
  EXPECT_FALSE(keeps_gradients(""));
}

TEST(Framework, PyTorchNormalisesInNarrowTypesItself) {
  EXPECT_TRUE(normalizes_itself(""));
  EXPECT_TRUE(normalizes_itself("PyTorch 0.3.0"));
  EXPECT_FALSE(normalizes_itself("TensorFlow 1.12.0"));
  EXPECT_FALSE(normalizes_itself("NVIDIA DeepLearningExamples"));
}

TEST(Framework, TorchTrainsUnlessTold) {
  EXPECT_TRUE(trains_unless_told("Torch7 cuDNN 5.1.05"));
  EXPECT_FALSE(trains_unless_told("PyTorch 1.0"));
}

}  // namespace
}  // namespace rooftile
