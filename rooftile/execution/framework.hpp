// What a prediction takes from a framework's name: "PyTorch 2.1.0", "TensorFlow 1.1 cuda 8.0", "" where none is known.
// Private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "rooftile/base/units.hpp"

namespace rooftile {

// The frameworks that a rule below knows, by the first word of their names.
std::span<const std::string_view> frameworks_with_rules();

// A framework as it is known here, of its name as others write it: "PyTorch 2.1.0" of "torch==2.1.0" and
// "Pytorch-2.1.0", "TensorRT-LLM 0.9" of "trtllm v0.9". Other names as they are.
std::string framework_meant(std::string_view name);

// Of "PyTorch 1.13 CUDA 11.7" 1 and 13; (0, 0) where no release is named.
std::pair<int, int> pytorch_release(std::string_view framework);

// Whether a framework runs networks as an engine; rows need not say so.
bool is_engine(std::string_view framework);

// TensorRT: in FP32 and TF32 its convolutions take a ReLU, but leave SiLU to a kernel of its own (PointWiseV2); in FP16
// they are compiled with it.
bool keeps_gates_apart(std::string_view framework);

// llama.cpp, whose kernels for quantised weights, few rows and prompts are its own (llama_cpp.hpp).
bool is_llama_cpp(std::string_view framework);

// Whether a network runs PyTorch's kernels and scripts of its kind.
bool runs_pytorch(std::string_view framework);

// Torch and PyTorch built for CUDA 10 or earlier, as PyTorch was up to 1.6: their cuDNN 7 has no narrow kernels for
// many shapes.
bool precedes_cuda11(std::string_view framework);

// PyTorch's rows on Pascal are of this decade and its libraries; any other framework that is named ran those of the
// GPU's own years. Of GPUs since Volta both are the same.
bool of_early_years(std::string_view framework);

// cuDNN 5.0 has Winograd for Maxwell and later: a K40 convolves VGG at half the speed that a K80 reaches with 5.1
// (jcjohnson/cnn-benchmarks and its copies in the cloud). A framework names its library as in "cuDNN 5.0.05".
bool has_winograd_before_maxwell(std::string_view framework);

// cuDNN 5.0 to 7.0, with which PyTorch 0.3 came, takes 1.7 to 3.5 times as long as 7.6 for batch norms of planes in
// training (jcjohnson/cnn-benchmarks and its copies in the cloud: Torch7 on nine GPUs).
bool has_early_batch_norms(std::string_view framework);

// PyTorch has left TF32 to convolutions since 1.12 (torch.backends.cuda.matmul.allow_tf32), and cuBLAS as
// FasterTransformer calls it has FP32 for its default: BERT on an A10 runs at 8 to 11 TFLOP/s in both.
bool multiplies_in_tf32(std::string_view framework);

// PyTorch's own default, on Ampere and later: a network without convolutions runs in TF32 only if it was told to
// (torch.set_float32_matmul_precision).
bool convolves_in_tf32(std::string_view framework);

// PyTorch's attention modules have called a fused kernel since 2.0, which was built for CUDA 11.7 and later; an unknown
// framework is taken for a recent one.
bool calls_fused_attention(std::string_view framework);

// transformers' networks, which mask and scale scores themselves, call it as well since 4.41 to 4.44 (2024), when
// PyTorch was at 2.4; an unknown framework is taken for a recent one. A PyTorch of no version is that of tables that
// came before.
bool networks_call_fused_attention(std::string_view framework);

// torch.nn.functional.linear adds its bias in the product to inputs of up to so many dimensions: two, three since 1.12
// (pytorch/pytorch pull request 72728), four and more since 2.1 (106911). To others a kernel of its own adds it.
std::optional<std::size_t> dimensions_with_fused_bias(std::string_view framework);

// Before 1.11 PyTorch's layer norms read one number a thread, in two kernels
// (aten/src/ATen/native/cuda/layer_norm_kernel.cu, RowwiseMomentsCUDAKernel and LayerNormForwardCUDAKernel; pull
// requests 67977 and 68238).
bool reads_rows_by_numbers(std::string_view framework);

// And cuDNN had no depthwise filters of 5x5 over planes in FP16 for it (pull request 58749).
bool lacks_wide_depthwise(std::string_view framework);

// Gradients of groups over contiguous channels: PyTorch up to 1.12 ran them on the lanes (timm), 2.11 slices each group
// out and multiplies it on tensor cores (data/measurements/h100-sxm5-80gb/network_kernels.csv); 2.0 is taken for the
// first to.
bool multiplies_groups_apart(std::string_view framework);

// TorchScript's interpreter calls the kernels that eager PyTorch calls, without Python: its fusers leave products,
// normalisations and softmax alone.
bool interprets_its_graph(std::string_view framework);

// PyTorch itself, of which an unknown framework is taken for one; what is built on it brings kernels for norms and
// rotary positions (apex, Transformer Engine, Megatron).
bool lacks_composites(std::string_view framework);

// SiLU came to PyTorch with 1.7; until then networks multiplied by a sigmoid (facebookresearch/pycls, SiLU in
// pycls/models/blocks.py). TensorFlow does so still (tensorflow/python/ops/nn_impl.py, swish()).
bool lacks_silu(std::string_view framework);

// Compilers pad products whose rows do not start at multiples of 16 bytes: Inductor since PyTorch 2.1 (pull request
// 101915, torch/_inductor/fx_passes/pad_mm.py), XLA those of FP16 and BF16 (cublas_pad_for_gemms.cc). From 2.4 on,
// tensors lie so from the start (comprehensive_padding); the copies that it took before are not counted.
bool pads_products(std::string_view framework);

// XLA compiles a step whole; torch.compile() compiles the network and leaves the optimiser to eager PyTorch. An unknown
// framework is taken for PyTorch.
bool compiles_update(std::string_view framework);

// Inductor up to PyTorch 2.4 wrote the gradient of nll_loss, zeros but for one of a row, to memory (pull request
// 129043).
bool scatters_targets(std::string_view framework);

// TensorRT's kernels for FP16 add up in FP16 ("f16f16_f16f16_f16" in their names; NVIDIA/TensorRT issue 2942), and so
// do AITemplate's unless told otherwise (use_fp16_acc); cuDNN, cuBLAS and TensorRT-LLM add up in FP32.
bool sums_in_fp16(std::string_view framework);

// FasterTransformer calls cuBLAS for its products; biases, activations and residuals are kernels of its own
// (src/fastertransformer/layers/FfnLayer.cc). So does ONNX Runtime (contrib_ops/cuda/bert: BiasGelu, SkipLayerNorm).
bool leaves_products_bare(std::string_view framework);

// ONNX Runtime calls cuDNN for convolutions with their activations and residuals
// (core/optimizer/conv_activation_fusion.cc, conv_add_act_fusion.cc).
bool fuses_into_convolutions(std::string_view framework);

// ONNX Runtime writes a cache of its own in each step, of what it is given and what is new (contrib_ops/cuda/bert/
// attention_concat.cu); only its operators that generate whole texts share them.
bool concatenates_caches(std::string_view framework);

// ONNX Runtime up to 1.12 had attention as two products with a softmax between them (contrib_ops/cuda/bert/
// attention_impl.cu; pull request 12814 of microsoft/onnxruntime brought TensorRT's kernels).
bool multiplies_scores(std::string_view framework);

// Its fused attention is for numbers of 16 and 8 bits and up to 384 positions; what is longer multiplies scores padded
// to 8 keys (src/fastertransformer/layers/attention_layers/BaseAttentionLayer.h, getAttentionType; models/vit/ViT.cc).
bool fuses_short_attention(std::string_view framework);

// NeMo's configurations give each GPU whole experts, whatever tp (scripts/performance/configs of Megatron Bridge,
// expert_tensor_parallel_size=1); Megatron Core's default is as many as tp.
bool keeps_experts_whole(std::string_view framework);

// NVIDIA's Megatron Core, alone or in NeMo.
bool runs_megatron_core(std::string_view framework);

// Whether layers are Megatron Core's: gated activations in one kernel, grouped experts (TEGroupedMLP), products that
// add up gradients. NeMo Automodel has PyTorch's.
bool runs_megatron_layers(std::string_view framework);

// NeMo's configurations exchange tensor parallel GPUs' parts while they multiply (tp_comm_overlap: Transformer Engine's
// user buffers).
bool hides_tensor_exchanges(std::string_view framework);

// DeepSpeed's fork of Megatron-LM.
bool runs_megatron_deepspeed(std::string_view framework);

// NVIDIA's Megatron-LM of 2021, before FlashAttention and Megatron Core.
bool runs_megatron_lm(std::string_view framework);

// FasterTransformer's stages of a pipeline work on the whole batch at once, or on halves of halves of it.
bool halves_batches(std::string_view framework);

// Serving engines sum what tensor parallel GPUs computed by kernels of their own, unless it is much (how much, and what
// these take: collectives/collective_time.cpp): vLLM, SGLang, TensorRT-LLM (customAllReduceKernels.cu).
bool sums_in_own_kernels(std::string_view framework);

// Prompts of networks in FP8 or FP4 attend in FP8, as their caches are (FP8 context FMHA): TensorRT-LLM's PyTorch
// backend, the default since 1.0.
bool attends_in_fp8(std::string_view framework);

// Activations that MXFP4 weights multiply are rounded to MXFP8 where tensor cores have FP4 (ModelConfig,
// get_mxfp4_quant_algo: W4A8_MXFP4_MXFP8 from compute capability 10.0 on): from 1.0, the first
// release with gpt-oss.
bool rounds_for_mxfp4(std::string_view framework);

// Of a GPU's memory, its caches get a share of what the weights leave, not what the weights leave of a share
// (KvCacheConfig.free_gpu_memory_fraction).
bool shares_what_weights_leave(std::string_view framework);

// Positions are in the type of the experts' products when other GPUs get them (TensorRT-LLM, fused_moe_cutlass.py:
// run_post_quant_allgather).
bool narrows_before_gathering(std::string_view framework);

// TensorRT-LLM's release notes of 0.10: "Added FP8 quantization support for Mixtral." Until then experts stayed in 16
// bits.
bool multiplies_experts_in_fp8(std::string_view framework);

// Checkpoints of GPTQ, AWQ, compressed-tensors and Model Optimizer leave the head of a language model in 16 bits
// ("lm_head": false, modules_to_not_convert, ignore, exclude_modules). llama.cpp (llama_tensor_get_type,
// output.weight), MLC LLM (quantize_final_fc), ExLlamaV2 (head_bits) and gpt-fast (quantize.py, every nn.Linear) do
// not.
bool quantises_heads(std::string_view framework);

// vLLM's kernels for weights of 4 and 8 bits (csrc/quantization/gptq_marlin; AWQ's, too), since 0.4.
bool runs_marlin(std::string_view framework);

// PyTorch's torchao scales what a product reads by its largest element of that moment
// (torchao/float8/float8_linear.py, ScalingType.DYNAMIC); Transformer Engine by those of the steps before.
bool scales_fp8_at_once(std::string_view framework);

// FasterTransformer's int8 mode 1 ("v1" in its tables): cuBLASLt writes INT32, which the next kernel scales.
bool writes_wide_sums(std::string_view framework);

// Compiled or not, TensorFlow's convolutions read channels last where tensor cores multiply FP16, and planes otherwise
// (tensorflow/core/grappler/optimizers/generic_layout_optimizer.cc); MXNet's networks are written so.
bool keeps_wide_planes(std::string_view framework);

// cuDNN's batch norms take weights in FP32 alone: PyTorch runs its own kernels on a network that was converted as a
// whole (model.half(); aten/src/ATen/native/Normalization.cpp, _batch_norm_impl_index). TensorFlow's and MXNet's norms
// keep such weights.
bool normalizes_itself(std::string_view framework);

// Before 2.0 PyTorch's zero_grad() filled gradients with zeros instead of dropping them, so that each backward pass
// added to them (torch/optim/optimizer.py and torch/nn/modules/module.py, set_to_none). A PyTorch of no version is
// taken for a recent one.
bool keeps_gradients(std::string_view framework);

// Torch7's modules train until evaluate() is called, which its benchmarks do not (jcjohnson/cnn-benchmarks,
// cnn_benchmark.lua): a forward pass computes the statistics of batch norms, too.
bool trains_unless_told(std::string_view framework);

// How many tokens a step of the server takes, parts of prompts and answers together; 0: prompts run by themselves. vLLM
// from 0.8 on (its V1 engine): max_num_batched_tokens of a server, 8,192 on a GPU of 70 GiB and more that is no A100,
// else 2,048 (vllm/engine/arg_utils.py, get_batch_defaults). `gpu` is an id of the catalogue.
std::int64_t tokens_of_a_step(std::string_view framework, std::string_view gpu, Bytes memory);

// vLLM without a release, which is taken for one before 0.8.
bool is_vllm_of_no_release(std::string_view framework);

}  // namespace rooftile
