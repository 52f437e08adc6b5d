"""What is scored: the runs of `rooftile validate`, their tiers, and the families of rows that the tables show."""

from pathlib import Path

OWN = Path(__file__).resolve().parent.parent.parent / "data" / "measurements"  # of the project, not of the shared tables

TIERS = ["none", "source", "size", "own", "shipped"]  # from what a stranger's GPU sees to what the fit has seen

CONV = (["deepbench/conv.csv", "neusight/conv.csv"], "precision = fp32 and gpu != vega-frontier-edition")
GEMM = (["neusight/linear.csv", "neusight/bmm.csv", "deepbench/gemm.csv"], "gpu != vega-frontier-edition")
TENSOR = (["aiconfigurator/gemm.csv", "vidur/gemm.csv"], "")
CONV_TENSOR = (["deepbench/conv.csv", "conv_tensor_core/conv.csv"], "precision = fp16")
NETWORKS = [f"{source}/network.csv"
            for source in ("neusight", "cnn_benchmarks", "u39kun", "lambda", "torchvision", "networks_latency", "timm")]
XLA = OWN / "xla_gemm.csv"
VLLM = OWN / "vllm_attention.csv"
VLLM_UNSEEN = "framework = vllm and (gpu = gb200 or gpu = gb300 or gpu = b300-sxm-288gb or gpu = h200-sxm-141gb)"
H100, H200 = OWN / "h100-sxm5-80gb", OWN / "h200-sxm-141gb"  # folders of rooftile-measure
LATENT = ("flashmla", "flashinfer")  # kernels of attention_kernels_later.csv
SEVERAL = ["multigpu/training.csv", "lambda/network.csv", "torchvision/network.csv"]
# One `rooftile validate` each: tables and condition, hidden columns, groups.
RUNS = {
    "conv": (*CONV, "", "table,gpu,pass,algorithm"),
    "conv-kernel": (*CONV, "kernel", "table,gpu,pass,algorithm"),
    "conv-blind": (*CONV, "algorithm", "table,gpu,pass"),
    "gemm": (*GEMM, "", "table,kind,gpu"),
    "gemm-blind": (*GEMM, "kernel", "table,kind,gpu"),
    "tensor": (*TENSOR, "", "table,gpu"),
    "conv-tensor": (*CONV_TENSOR, "", "table,gpu,pass"),
    "conv-tensor-blind": (*CONV_TENSOR, "algorithm,kernel,tile_m,tile_n,tile_k,split_k,stages", "table,gpu,pass"),
    "miopen": (["miopen/conv.csv"], "", "algorithm", "gpu,precision,pass"),
    "attention": (["aiconfigurator/attention.csv", "attention_training/attention.csv", VLLM], f"not ({VLLM_UNSEEN})", "",
                  "table,gpu,phase,pass"),
    "stream": (["vidur/stream.csv", "llmcompass/stream.csv", "attention_training/stream.csv"],
               "not columns = 2560", "", "table,gpu"),
    "rnn": (["deepbench/rnn.csv"], "", "", "table,gpu,pass"),
    "other-conv": (["convnet_benchmarks/conv.csv"], "", "", "gpu,pass"),
    "network": (NETWORKS, "not gpus > 1", "", "table,gpu,precision,execution,pass"),
    "cloud": ([OWN / "cloud_cnn_benchmarks.csv"], "", "", "gpu,pass"),
    "xla": ([XLA, OWN / "vllm_gemm.csv", "aiconfigurator/gemm.csv", "neusight/linear.csv"],
            "not precision = fp8 and (framework = XLA or gpu = mi100 or not precision = fp32)",
            "", "table,gpu,precision"),
    "xla-left-out": ([XLA], "gpu = h100-sxm5-80gb or precision = fp8", "", "gpu,precision"),
    "unseen-attention": ([VLLM], VLLM_UNSEEN, "", "gpu,phase"),
    "unseen-cudnn": ([OWN / "cudnn_attention.csv"], "", "", "gpu,pass"),
    "later-cudnn": ([OWN / "cudnn_attention_later.csv"], "", "", "gpu,pass"),
    "attention-kernels": ([OWN / "attention_kernels.csv"], "", "", "gpu,pass,source"),
    "attention-kernels-later": ([OWN / "attention_kernels_later.csv"], "", "", "gpu,kernel,pass"),
    "unseen-gemm": ([OWN / "unseen_gemm.csv"], "", "", "gpu,source"),
    "torch-matmul": ([OWN / "torch_matmul.csv"], "", "", "gpu,precision"),
    "torch-later": ([OWN / "torch_matmul_later.csv"], "", "", "gpu,precision"),
    "torch-boards": ([OWN / "torch_matmul_boards.csv"], "", "", "gpu,precision"),
    "squares": ([OWN / "cublaslt_squares.csv"], "", "", "gpu,precision"),
    "gemm-zoo": ([OWN / "gemm_zoo.csv"], "", "", "gpu,precision"),
    "tuned": ([OWN / "tuned_products.csv"], "", "", "gpu,framework"),
    "timed": ([OWN / "timed_products.csv"], "", "", "gpu,framework,precision"),
    "tensile": ([OWN / "tensile.csv"], "gpu = rx-6900-xt", "", "gpu"),
    "best-matmul": ([OWN / "best_matmul.csv"], "", "", "gpu,precision"),
    "unseen-stream": ([OWN / "unseen_stream.csv"], "", "", "gpu"),
    "do-bench": ([OWN / "do_bench.csv"], "", "", "gpu,kind,kernel"),
    "babel-stream": ([OWN / "babel_stream.csv"], "", "", "gpu"),
    "unseen-networks": ([OWN / "unseen_networks.csv"], "", "", "gpu,pass"),
    "unseen-cnn": ([OWN / "unseen_torchvision.csv", OWN / "unseen_u39kun.csv"], "", "", "table,gpu,precision"),
    "unseen-boards": ([OWN / "unseen_torchvision_boards.csv"], "", "", "gpu,precision,pass"),
    "mxnet": ([OWN / "mxnet_perf.csv"], "", "", "gpu,pass"),
    "unseen-timm": ([OWN / "unseen_timm.csv"], "", "", "gpu,execution"),
    "unseen-eager": ([OWN / "eager_latencies.csv"], "", "", "gpu,source"),
    "unseen-torch7": ([OWN / "unseen_cnn_benchmarks.csv"], "", "", "gpu,pass"),
    "unseen-latency": ([OWN / "faster_transformer_a100.csv"], "", "", "gpu,precision"),
    "unseen-training": ([OWN / "lambda_unseen.csv"], "", "", "gpu,gpus"),
    "measured-layers": ([H200 / "layers" / f"{op}.csv" for op in ("gemm", "conv", "attention", "rnn")], "", "kernel",
                        "op,precision,gpu"),
    "measured-networks": ([H100 / "networks.csv", H200 / "networks.csv"], "", "", "gpu,execution,pass"),
    "unseen-examples": ([OWN / "deep_learning_examples.csv"], "", "", "gpu,gpus"),
    "vllm": ([OWN / "vllm_mi300x.csv"], "", "", "gpu"),
    "vllm-sums": ([OWN / "vllm_all_reduce.csv"], "", "", "gpu"),
    "vllm-later": ([OWN / "vllm_mi300x_later.csv"], "", "", "gpu,framework"),
    "torchtitan": ([OWN / "torchtitan.csv"], "", "", "gpu"),
    "releases": ([OWN / "nemo_releases.csv"], "", "", "gpu,model,precision"),
    "megatron-moe": ([OWN / "megatron_moe.csv"], "", "", "gpu"),
    "mpt": ([OWN / "llm_foundry_80gb.csv"], "", "", "gpu,precision"),
    "bridge": ([OWN / "megatron_bridge.csv"], "", "", "gpu,model"),
    "megatron": ([OWN / "megatron_lm.csv"], "", "", "gpu,gpus"),
    "geforce": ([OWN / "llama_cpp_geforce.csv"], "", "", "gpu,gpus,phase"),
    "bench": ([OWN / "llm_inference_bench.csv"], "", "", "gpu,gpus,framework"),
    "decoding": ([OWN / "unseen_decoding.csv"], "", "", "gpu,framework,weights,model"),
    "tensorrt": ([OWN / "tensorrt_bert.csv"], "", "", "gpu,precision"),
    "diffusion": ([OWN / "stable_diffusion.csv"], "", "", "gpu,execution"),
    "denoisers": ([OWN / "diffusers_benchmarks.csv"], "", "", "gpu,execution"),
    "gpt-fast": ([OWN / "gpt_fast.csv"], "", "", "gpu,execution"),
    "gpt2-training": ([OWN / "gpt2_training" / "steps.csv"], "", "", "gpu,source,execution"),
    "fast-norm": ([OWN / "timm_fast_norm.csv"], "", "", "gpu"),
    "aitemplate": ([OWN / "aitemplate.csv"], "", "", "gpu,execution"),
    "tensorrt-geforce": ([OWN / "tensorrt_rtx3060.csv"], "", "", "gpu,precision"),
    "yolo": ([OWN / "ultralytics.csv"], "", "", "gpu,framework"),
    "pycls": ([OWN / "pycls.csv"], "", "", "gpu,gpus,pass"),
    "torch2trt": ([OWN / "torch2trt.csv"], "", "", "gpu,execution"),
    "tensorrt-cnn": ([OWN / "paddle_inference.csv", OWN / "mmdeploy.csv"], "", "", "table,gpu,precision"),
    "jetson-yolo": ([OWN / "ultralytics_jetson.csv"], "", "", "gpu,execution,precision"),
    "onnx-runtime": ([OWN / "onnx_runtime.csv"], "", "", "gpu,model,framework"),
    "published": ([OWN / "published_networks.csv"], "", "", "gpu,source,pass"),
    "later": ([OWN / "later_networks.csv"], "", "", "gpu,source,framework,phase,pass"),
    "timm-bf16": ([OWN / "timm_bf16.csv"], "", "", "gpu"),
    "timm-groups": ([OWN / "timm_groups.csv"], "", "", "gpu,pass"),
    "timm-more": ([OWN / "timm_more_networks.csv"], "", "", "gpu,model"),
    "mlperf-retinanet": ([OWN / "mlperf_inference.csv"], "", "", "gpu"),
    "mlperf-resnet": ([OWN / "mlperf_resnet50.csv"], "", "", "gpu"),
    "language": (["llm_inference/inference.csv"], "gpus = 1", "", "gpu,framework,phase"),
    "several": ([*SEVERAL, "llm_inference/inference.csv"], "gpus > 1", "", "table,source,framework,phase,gpu"),
}

# Another harness on a GPU of the run, whose rows only the tier `source` needs.
OTHER_SOURCES = {"rnn": ["nersc_v100_roofline/rnn.csv"], "tensor": ["llmcompass/gemm.csv"]}

# Half of vidur's rows, by what the product is for: each harness left out is a fit of minutes.
SOURCE_WHERE = {"tensor": "not (kind = attn_post_proj or kind = mlp_up_proj)"}

# Tiers that have a meaning: nothing is fitted to most runs, and few GPUs have a second harness for a family.
FITTED = ["none", "size", "own", "shipped"]
TIERS_OF = {
    **dict.fromkeys(["conv", "conv-kernel", "conv-blind", "gemm", "gemm-blind", "miopen"], FITTED),
    **dict.fromkeys(["tensor", "conv-tensor", "conv-tensor-blind", "attention", "stream", "rnn"], TIERS),
    "xla": ["none", "shipped"],
}


def tiers_of(run):
    return TIERS_OF.get(run, ["shipped"])


def deepbench(group):
    return "deepbench" in group["table"]


def table(name):
    return lambda group: name in group["table"]


def networks(source, wide):
    return lambda group: source in group["table"] and (group["precision"] == "fp32") == wide


# Family, run, which groups it covers, targets in percent by tier.
ROWS = [
    ("deepbench conv fwd, implicit_gemm", "conv",
     lambda g: deepbench(g) and g["pass"] == "fwd" and g["algorithm"] == "implicit_gemm", {"own": 8, "none": 15}),
    ("deepbench conv fwd, algorithm hidden", "conv-blind",
     lambda g: deepbench(g) and g["pass"] == "fwd", {"own": 13, "none": 20}),
    ("deepbench conv bwd_data", "conv", lambda g: deepbench(g) and g["pass"] == "bwd_data", {"own": 18, "none": 25}),
    ("deepbench conv bwd_weight", "conv", lambda g: deepbench(g) and g["pass"] == "bwd_weight",
     {"own": 18, "none": 28}),
    ("neusight conv implicit_gemm, kernel known", "conv",
     lambda g: not deepbench(g) and g["algorithm"] == "implicit_gemm", {"own": 5, "none": 15}),
    ("neusight conv implicit_gemm, kernel hidden", "conv-kernel",
     lambda g: not deepbench(g) and g["algorithm"] == "implicit_gemm", {"own": 9, "none": 15}),
    ("neusight conv, algorithm hidden", "conv-blind", lambda g: not deepbench(g), {"own": 12, "none": 20}),
    ("neusight linear, kernel known", "gemm", lambda g: g["kind"] == "linear", {"own": 4, "none": 12}),
    ("neusight bmm, kernel known", "gemm", lambda g: g["kind"] == "bmm", {"own": 6, "none": 16}),
    ("neusight linear, kernel hidden", "gemm-blind", lambda g: g["kind"] == "linear",
     {"own": 4, "none": 12, "size": 14}),
    ("neusight bmm, kernel hidden", "gemm-blind", lambda g: g["kind"] == "bmm", {"own": 6, "none": 16}),
    ("aiconfigurator gemm, bf16", "tensor", table("aiconfigurator"), {"own": 9, "none": 15}),
    ("vidur gemm, fp16", "tensor", table("vidur"), {"own": 9, "none": 15}),
    ("llmcompass gemm, fp16", "tensor", table("llmcompass"), {}),
    ("XLA gemm, bf16 and tf32", "xla", lambda g: "xla" in g["table"] and not g["gpu"].startswith("h100"), {}),
    ("vLLM gemm, bf16 on B200", "xla", table("vllm_gemm"), {}),
    ("deepbench gemm", "gemm", deepbench, {"own": 15, "none": 25}),
    ("deepbench conv fp16, fwd", "conv-tensor", lambda g: deepbench(g) and g["pass"] == "fwd", {"own": 15}),
    ("deepbench conv fp16, gradients", "conv-tensor", lambda g: deepbench(g) and g["pass"] != "fwd", {"own": 22}),
    ("conv_tensor_core, tile told", "conv-tensor", lambda g: not deepbench(g), {"own": 12, "source": 12}),
    ("conv_tensor_core, the library's best", "conv-tensor-blind", lambda g: not deepbench(g),
     {"own": 15, "source": 15}),
    *[(f"miopen conv {kind}, {passes}", "miopen",
       lambda g, precisions=precisions, forward=forward: g["precision"] in precisions and (g["pass"] == "fwd") == forward,
       {"own": own, "none": none})
      for kind, precisions, passes, forward, own, none in [
          ("fp32", ["fp32"], "fwd", True, 18, 25), ("fp32", ["fp32"], "gradients", False, 24, 30),
          ("fp16 and bf16", ["fp16", "bf16"], "fwd", True, 22, 30),
          ("fp16 and bf16", ["fp16", "bf16"], "gradients", False, 28, 35)]],
    ("aiconfigurator attention, prefill", "attention",
     lambda g: "aiconfigurator" in g["table"] and g["phase"] == "prefill", {"source": 10, "own": 10, "none": 13}),
    ("aiconfigurator attention, decode", "attention",
     lambda g: "aiconfigurator" in g["table"] and g["phase"] == "decode", {"source": 12, "own": 12, "none": 15}),
    *[(f"vLLM attention alone, {phase}", "attention",
       lambda g, phase=phase: "vllm_attention" in g["table"] and g["phase"] == phase, {})
      for phase in ("prefill", "decode")],
    ("attention of training, fwd and bwd", "attention", table("training"), {"own": 12, "none": 18}),
    ("vidur stream", "stream", table("vidur"), {}),
    ("llmcompass stream", "stream", table("llmcompass"), {}),
    ("norms of training", "stream", table("training"), {}),
    *[(f"deepbench rnn, {name}", "rnn", lambda g, name=name: deepbench(g) and g["pass"] == name,
       {"source": 15, "own": 15, "none": 22}) for name in ("fwd", "bwd_data", "bwd_weight")],
    ("nersc rnn, PyTorch and TensorFlow", "rnn", table("nersc"), {}),
    ("convnet-benchmarks conv, nothing fitted", "other-conv", lambda g: True, {}),
    *[(f"XLA gemm, {name}", "xla-left-out", lambda g, gpu=gpu, precision=precision:
       g["gpu"].startswith(gpu) and g["precision"] == precision, {})
      for name, gpu, precision in [("bf16 on H100", "h100", "bf16"), ("tf32 on H100", "h100", "tf32"),
                                   ("fp8 on B200", "b200", "fp8"), ("fp8 on MI355X", "mi355x", "fp8")]],
    *[(f"vLLM attention alone on H200, B300, GB200, GB300, {phase}", "unseen-attention",
       lambda g, phase=phase: g["phase"] == phase, {})
      for phase in ("prefill", "decode")],
    *[(f"cuDNN attention of training on GB300 and H200, {name}", "unseen-cudnn",
       lambda g, passes=passes: g["pass"] == passes, {})
      for name, passes in [("forward", "fwd"), ("backward", "bwd")]],
    *[(f"cuDNN attention of other networks on H200 and RTX PRO 6000, {name}", "later-cudnn",
       lambda g, passes=passes: g["pass"] == passes, {})
      for name, passes in [("forward", "fwd"), ("backward", "bwd")]],
    *[(f"FlashAttention and FlashInfer, boards or kernels unseen, {name}", "attention-kernels",
       lambda g, passes=passes: g["pass"] == passes and not g["source"].startswith("xformers"), {})
      for name, passes in [("forward", "fwd"), ("backward", "bwd")]],
    *[(f"attention kernels on {name}", "attention-kernels-later",
       lambda g, gpus=gpus: g["gpu"].startswith(gpus) and g["kernel"] not in LATENT, {})
      for name, gpus in [("H20", "h20"), ("H100, SXM and PCIe", "h100"), ("B200 and B300", ("b200", "b300"))]],
    ("FlashMLA and FlashInfer against latent vectors", "attention-kernels-later", lambda g: g["kernel"] in LATENT, {}),
    ("xFormers' attention on V100 and A100", "attention-kernels",
     lambda g: g["source"].startswith("xformers"), {}),
    *[(f"torch.mm on 18 boards, {precision}", "torch-matmul",
       lambda g, precision=precision: g["precision"] == precision, {}) for precision in ("fp32", "tf32", "fp16", "bf16")],
    *[(f"torch.mm on 7 later boards, {precision}", "torch-later",
       lambda g, precision=precision: g["precision"] == precision, {}) for precision in ("fp32", "tf32", "fp16", "bf16")],
    *[(f"torch.mm on 11 boards and laptops, {precision}", "torch-boards",
       lambda g, precision=precision: g["precision"] == precision, {}) for precision in ("fp32", "tf32", "fp16", "bf16")],
    *[(f"cuBLASLt on three GeForce boards, {name}", "squares", lambda g, of=of: g["precision"] in of, {})
      for name, of in [("fp32", ["fp32"]), ("tf32, fp16 and bf16", ["tf32", "fp16", "bf16"]), ("fp8 and int8", ["fp8", "int8"])]],
    *[(f"cuBLASLt on RTX 4060 Ti, {name}", "gemm-zoo", lambda g, of=of: g["precision"] == of, {})
      for name, of in [("fp32", "fp32"), ("tf32", "tf32"), ("fp16 in fp16 sums", "fp16")]],
    *[(name, "tuned", lambda g, framework=framework: g["framework"] == framework, {})
      for name, framework in [("DeepGEMM on H800, fp8", "DeepGEMM"), ("hipBLASLt tuned on MI300X and MI355X, bf16", "aiter"),
                              ("Transformer Engine on B300, bf16", "Transformer Engine")]],
    *[(f"products that calls in a row repeat, {name}", "timed",
       lambda g, precisions=precisions: g["framework"] == "repeated calls" and g["precision"] in precisions, {})
      for name, precisions in [("fp16 and bf16", ("fp16", "bf16")), ("fp8", ("fp8",)), ("int8", ("int8",))]],
    *[(f"products under Triton's do_bench, {precision}", "timed",
       lambda g, precision=precision: g["framework"] == "Triton do_bench" and g["precision"] == precision, {})
      for precision in ("fp16", "int8")],
    ("aiter's products on MI300X and MI355X, fp8 and int8", "timed", lambda g: g["framework"] == "aiter", {}),
    ("Tensile's products on Navi 21", "tensile", lambda g: True, {}),
    *[(f"best products, {precision}", "best-matmul",
       lambda g, precision=precision: g["precision"] == precision, {}) for precision in ("bf16", "fp8")],
    *[(f"{source} gemm, boards or rows unseen", "unseen-gemm", lambda g, source=source: g["source"] == source, {})
      for source in ("NeuSight", "Vidur")],
    ("Vidur stream, boards unseen", "unseen-stream", lambda g: True, {}),
    *[(f"do_bench, {name}", "do-bench", lambda g, kernel=kernel, kind=kind: g["kernel"] == kernel and (g["kind"] == "add") == kind, {})
      for name, kernel, kind in [("Triton's norms", "triton", False), ("compiled norms", "torch_compile", False),
                                 ("eager norms", "pytorch", False), ("Triton's sum of two vectors", "triton", True)]],
    ("BabelStream, add and triad", "babel-stream", lambda g: True, {}),
    *[(f"NeuSight networks, boards unseen, {name}", "unseen-networks",
       lambda g, passes=passes: g["pass"] == passes, {})
      for name, passes in [("inference", "fwd"), ("forward and backward", "fwd_bwd")]],
    *[(f"{name}, boards unseen, {precision}", "unseen-cnn",
       lambda g, table=table, precision=precision: table in g["table"] and g["precision"] == precision, {})
      for name, table in [("torchvision networks", "torchvision"), ("u39kun networks of 2017", "u39kun")]
      for precision in ("fp32", "fp16")],
    *[(f"torchvision networks, four more boards, {precision}, {name}", "unseen-boards",
       lambda g, precision=precision, passes=passes: g["precision"] == precision and g["pass"] == passes, {})
      for precision in ("fp32", "tf32", "fp16")
      for name, passes in [("inference", "fwd"), ("forward and backward", "fwd_bwd")]],
    *[(f"MXNet's networks, {name}", "mxnet", lambda g, passes=passes: g["pass"] == passes, {})
      for name, passes in [("inference", "fwd"), ("training step", "step")]],
    *[(f"timm inference, boards unseen, {execution}", "unseen-timm",
       lambda g, execution=execution: g["execution"] == execution, {})
      for execution in ("eager", "compiled")],
    ("PyTorch's latencies on six machines", "unseen-eager", lambda g: True, {}),
    ("cnn-benchmarks, boards unseen", "unseen-torch7", lambda g: True, {}),
    *[(f"FasterTransformer's guides on A100, {name}", "unseen-latency",
       lambda g, wide=wide: (g["precision"] in ("fp32", "tf32")) == wide, {})
      for name, wide in [("fp32 and tf32", True), ("fp16 and int8", False)]],
    *[(f"Lambda's training steps, boards unseen, {name}", "unseen-training",
       lambda g, many=many: (g["gpus"] != "1") == many, {})
      for name, many in [("one GPU", False), ("2 to 8 GPUs", True)]],
    *[(f"DeepLearningExamples on A100, {name}", "unseen-examples",
       lambda g, many=many: (g["gpus"] != "1") == many, {})
      for name, many in [("one GPU", False), ("2 to 256 GPUs", True)]],
    *[(f"rooftile-measure on H200, {name}", "measured-layers",
       lambda g, op=op, narrow=narrow: g["op"] == op and (g["precision"] != "fp32") == narrow, {})
      for name, op, narrow in [("gemm, narrow types", "gemm", True), ("gemm, fp32", "gemm", False),
                               ("conv, narrow types", "conv", True), ("conv, fp32", "conv", False),
                               ("attention", "attention", True), ("rnn, fp16", "rnn", True), ("rnn, fp32", "rnn", False)]],
    *[(f"PyTorch 2.11 on {name}, {phase}", "measured-networks",
       lambda g, gpu=gpu, passes=passes: g["gpu"].startswith(gpu) and g["pass"] == passes, {})
      for name, gpu in [("H100", "h100"), ("H200", "h200")]
      for phase, passes in [("inference", "fwd"), ("training step", "step")]],
    ("vLLM on eight MI300X, prefill and decode", "vllm", lambda g: True, {}),
    *[(f"vLLM {release} on eight MI300X", "vllm-later",
       lambda g, release=release: g["framework"].endswith(release), {}) for release in ("0.6", "0.10.0")],
    ("vLLM's all-reduce on 2 to 8 GPUs of six kinds", "vllm-sums", lambda g: True, {}),
    ("torchtitan, Llama 3 on 8 to 512 H100 and H200", "torchtitan", lambda g: True, {}),
    *[(f"GPT-2's training steps, {execution}", "gpt2-training",
       lambda g, execution=execution: g["execution"] == execution, {}) for execution in ("eager", "compiled")],
    ("NeMo 25.09 to 26.04, Llama 3 on 8 to 1,024 GPUs", "releases",
     lambda g: g["model"].startswith("llama") and g["precision"] != "nvfp4", {}),
    ("NeMo 26.02 to 26.04, Llama 3 in NVFP4 on 64 and 256 GPUs", "releases", lambda g: g["precision"] == "nvfp4", {}),
    ("NeMo 25.09 to 26.04, DeepSeek-V3 on 256 and 1,024 GPUs", "releases", lambda g: g["model"].startswith("deepseek"), {}),
    ("NeMo 25.11 to 26.04, Qwen3 and gpt-oss with experts on 8 to 256 GPUs", "releases",
     lambda g: g["model"].startswith(("qwen", "gpt_oss")), {}),
    ("Megatron Core, Qwen3 235B on 256 H100", "megatron-moe", lambda g: True, {}),
    *[(f"MPT on 8 to 64 GPUs, {name}", "mpt",
       lambda g, gpu=gpu, precision=precision: g["gpu"].startswith(gpu) and g["precision"] == precision, {})
      for name, gpu, precision in [("A100 80GB", "a100", "bf16"), ("H100", "h100", "bf16"), ("H100 in FP8", "h100", "fp8")]],
    ("Megatron Bridge, Llama 3 on 8 to 1,024 GPUs", "bridge", lambda g: g["model"].startswith("llama"), {}),
    ("Megatron Bridge, DeepSeek-V3 on 256 GPUs", "bridge", lambda g: g["model"].startswith("deepseek"), {}),
    *[(f"Megatron-LM of 2021, {name}", "megatron", lambda g, gpu=gpu: g["gpu"].startswith(gpu), {})
      for name, gpu in [("GPT on 32 to 3,072 A100", "a100"), ("GPT on 8 to 32 V100", "v100")]],
    *[(f"llama.cpp on {name}, {phase}", "geforce",
       lambda g, many=many, phase=phase: (g["gpus"] != "1") == many and g["phase"] == phase, {})
      for name, many in [("RTX 3090, 4080 and 4090", False), ("2 to 8 RTX 3090 or 4090", True)]
      for phase in ("decode", "prefill")],
    *[(f"LLM-Inference-Bench, {name}", "bench",
       lambda g, name=name, many=many: g["framework"].startswith(name.split()[0]) and (g["gpus"] != "1") == many, {})
      for name, many in [("vLLM", False), ("vLLM on 2 and 4 GPUs", True), ("TensorRT-LLM", False),
                         ("TensorRT-LLM on 2 and 4 GPUs", True)]],
    ("MLC LLM, ExLlamaV2 and llama.cpp on RTX 4090", "decoding", lambda g: g["gpu"] == "rtx-4090", {}),
    *[(f"Qwen2.5 {sizes} in vLLM on A100, {name}", "decoding",
       lambda g, wide=wide, model=model: g["model"].startswith(model) and (g["weights"] == "") == wide, {})
      for sizes, model in [("7B", "qwen2_7b"), ("0.5B to 32B", "qwen2.5")]
      for name, wide in [("bf16", True), ("weights of 8 and 4 bits", False)]],
    *[(f"TensorRT's BERT, {precision}", "tensorrt", lambda g, precision=precision: g["precision"] == precision, {})
      for precision in ("fp16", "int8")],
    *[(f"Stable Diffusion on four boards, {execution}", "diffusion",
       lambda g, execution=execution: g["execution"] == execution, {}) for execution in ("eager", "compiled")],
    ("FLUX.1 and Stable Diffusion XL on L40S", "denoisers", lambda g: True, {}),
    *[(f"gpt-fast, {execution}", "gpt-fast", lambda g, execution=execution: g["execution"] == execution, {})
      for execution in ("eager", "compiled")],
    ("ConvNeXt with and without --fast-norm", "fast-norm", lambda g: True, {}),
    *[(f"{name} on A100 and MI250", "aitemplate", lambda g, execution=execution: g["execution"] == execution, {})
      for name, execution in [("AITemplate", "engine"), ("AITemplate's comparison, PyTorch 1.12", "eager")]],
    *[(f"TensorRT on RTX 3060, {precision}", "tensorrt-geforce",
       lambda g, precision=precision: g["precision"] == precision, {}) for precision in ("tf32", "fp16", "int8")],
    ("MLPerf Inference, ResNet-50 in TensorRT, int8", "mlperf-resnet", lambda g: True, {}),
    ("MLPerf Inference, RetinaNet in TensorRT, int8", "mlperf-retinanet", lambda g: True, {}),
    *[(f"pycls on V100, {name}", "pycls", lambda g, passes=passes: g["pass"] == passes, {})
      for name, passes in [("inference", "fwd"), ("training on eight", "step")]],
    *[(f"torch2trt's networks on Jetsons, {name}", "torch2trt",
       lambda g, execution=execution: g["execution"] == execution, {})
      for name, execution in [("PyTorch", "eager"), ("TensorRT", "engine")]],
    *[(f"{name}, {precision}", "tensorrt-cnn",
       lambda g, table=table, precision=precision: table in g["table"] and g["precision"] == precision, {})
      for name, table, precisions in [("Paddle Inference on T4 and V100", "paddle", ("fp32", "fp16")),
                                      ("mmdeploy's networks in TensorRT on T4 and Jetson Nano", "mmdeploy",
                                       ("fp32", "fp16", "int8"))]
      for precision in precisions],
    *[(f"Ultralytics' YOLO11 on three Jetson Orins, {name}", "jetson-yolo",
       lambda g, execution=execution, precision=precision: g["execution"] == execution and precision in ("", g["precision"]), {})
      for name, execution, precision in [("PyTorch and TorchScript", "eager", ""), ("TensorRT in TF32", "engine", "tf32"),
                                         ("TensorRT in FP16", "engine", "fp16"), ("TensorRT in INT8", "engine", "int8")]],
    *[(f"ONNX Runtime, {name}", "onnx-runtime",
       lambda g, gpu=gpu, model=model: g["gpu"].startswith(gpu) and g["model"] == model and g["framework"].startswith("ONNX"), {})
      for name, gpu, model in [("BERT on V100", "v100", "BERT-base uncased"), ("GPT-2's decoding on V100", "v100", "gpt2"),
                               ("BERT on T4", "t4", "BERT-base uncased"), ("BERT on A100", "a100", "BERT-base uncased")]],
    *[(name, "published", lambda g, source=source, passes=passes: g["source"].startswith(source) and passes in ("", g["pass"]), {})
      for name, source, passes in [("Swin's own throughputs on V100", "Swin", ""),
                                   ("detectron2's detectors on V100, inference", "detectron2", "fwd"),
                                   ("detectron2's detectors on eight V100, training", "detectron2", "step"),
                                   ("torchao's decoding on A100", "torchao", ""),
                                   ("TensorFlow's benchmarks on RTX 3080 and Radeon VII, training", "tf_cnn", ""),
                                   ("u39kun's networks on RX 6800 XT", "u39kun", "")]],
    *[(name, "later", lambda g, source=source, framework=framework, phase=phase: g["source"].startswith(source) and
       g["framework"].startswith(framework) and phase in ("", g["phase"]), {})
      for name, source, framework, phase in [
          ("Lambda's TensorFlow on seven boards, training", "Lambda", "", ""),
          ("u39kun's networks on RTX 2070", "u39kun", "", ""),
          ("Stable Diffusion at batch 1 on RTX 3080 Ti to 4090, PyTorch", "stable-fast", "PyTorch", ""),
          ("Stable Diffusion at batch 1 on RTX 3080 Ti to 4090, AITemplate", "stable-fast", "AITemplate", ""),
          ("Stable Diffusion at batch 1 on RTX 3080 Ti to 4090, stable-fast", "stable-fast", "stable-fast", ""),
          ("ViTs in JAX on 8 to 64 GPUs", "JAX-Toolbox ViT", "", ""),
          ("GPT in Pax on 256 A100", "JAX-Toolbox Pax", "", ""),
          ("llama.cpp 2024 to 2026 on nine boards, prefill", ("llama.cpp", "ai-benchmarks"), "", "prefill"),
          ("llama.cpp 2024 to 2026 on nine boards, decode", ("llama.cpp", "ai-benchmarks"), "", "decode"),
          ("MLC LLM on RTX 3090 Ti", "llm-perf-bench", "MLC", ""),
          ("ExLlama on RTX 3090 Ti", "llm-perf-bench", "ExLlama", ""),
          ("TinyChat on RTX 4090 and Jetson AGX Orin", "AWQ", "TinyChat", ""),
          ("AWQ's comparison, PyTorch", "AWQ", "PyTorch", "")]],
    ("timm inference, compiled in bf16", "timm-bf16", lambda g: True, {}),
    ("timm in NHWC, nine networks with groups, training step", "timm-groups", lambda g: g["pass"] == "step", {}),
    ("timm in NHWC, nine networks with groups, inference", "timm-groups", lambda g: g["pass"] == "fwd", {}),
    ("timm inference, 20 networks unseen", "timm-more", lambda g: True, {}),
    *[(f"Ultralytics' {name}", "yolo",
       lambda g, gpu=gpu, framework=framework: g["gpu"].startswith(gpu) and g["framework"].startswith(framework), {})
      for name, gpu, framework in [("YOLOv5 in eager PyTorch on V100", "v100", "PyTorch"),
                                   ("YOLO in TensorRT on T4", "t4", "TensorRT"),
                                   ("YOLOv8 in TensorRT on A100", "a100", "TensorRT"),
                                   ("classifiers in TensorRT on V100", "v100", "TensorRT")]],
    ("timm inference, eager", "network",
     lambda g: "timm" in g["table"] and g["pass"] == "fwd" and g["execution"] == "eager", {"shipped": 8}),
    ("timm inference, compiled", "network", lambda g: "timm" in g["table"] and g["execution"] == "compiled",
     {"shipped": 10}),
    ("timm training step", "network", lambda g: "timm" in g["table"] and g["pass"] == "step", {"shipped": 12}),
    ("torchvision networks, fp32", "network", networks("torchvision", True), {"shipped": 18}),
    ("torchvision networks, tf32 and fp16", "network", networks("torchvision", False), {"shipped": 18}),
    ("neusight networks, NVIDIA", "network", lambda g: "neusight" in g["table"] and g["gpu"] != "mi100", {"shipped": 6}),
    ("neusight networks, MI100", "network", lambda g: "neusight" in g["table"] and g["gpu"] == "mi100", {"shipped": 15}),
    ("cnn-benchmarks networks", "network", table("cnn_benchmarks"), {"shipped": 10}),
    ("cnn-benchmarks in the cloud", "cloud", lambda g: True, {}),
    ("u39kun networks, fp32", "network", networks("u39kun", True), {"shipped": 12}),
    ("u39kun networks, fp16", "network", networks("u39kun", False), {"shipped": 25}),
    ("lambda networks", "network", table("lambda"), {"shipped": 15}),
    ("network latencies, fp32", "network", networks("networks_latency", True), {"shipped": 15}),
    ("network latencies, tf32, fp16 and int8", "network", networks("networks_latency", False), {"shipped": 15}),
    *[(f"{name}, {phase}", "language",
       lambda g, start=start, phase=phase: g["framework"].startswith(start) and g["phase"] == phase, {})
      for name, start, phase in [
          ("llama.cpp", "llama.cpp", "decode"), ("llama.cpp", "llama.cpp", "prefill"),
          ("TensorRT-LLM", "TensorRT-LLM", "prefill and decode"), ("TensorRT-LLM", "TensorRT-LLM", "prefill"),
          ("FasterTransformer", "FasterTransformer", "prefill and decode")]],
    *[(f"{source}, several GPUs", "several", lambda g, source=source: g["source"] == source, targets)
      for source, targets in [
          ("vTrain", {"shipped": 8}), ("llm-foundry", {"shipped": 12}), ("NeMo", {"shipped": 12}),
          ("MLPerf Training v0.7", {"shipped": 20}), ("MLPerf Training v1.1", {"shipped": 20}),
          ("tensorflow 2017", {"shipped": 12}), ("DeepLearningExamples", {})]],
    ("lambda networks, several GPUs", "several", table("lambda"), {}),
    ("torchvision networks, DataParallel", "several", table("torchvision"), {}),
    *[(f"{name} on several GPUs, {phase}", "several",
       lambda g, start=start, phase=phase: g["framework"].startswith(start) and g["phase"] == phase, {})
      for name, start, phase in [
          ("llama.cpp", "llama.cpp", "decode"), ("llama.cpp", "llama.cpp", "prefill"),
          ("TensorRT-LLM", "TensorRT-LLM", "prefill and decode"), ("TensorRT-LLM", "TensorRT-LLM", "prefill"),
          ("FasterTransformer and Megatron", ("FasterTransformer", "Megatron"), "prefill and decode")]],
]


def command_of(run, tier, program, tables):
    return [*rows_command_of(run, tier, program, tables), "--by", RUNS[run][3]]


def rows_command_of(run, tier, program, tables):
    """The same rows without groups."""
    names, where, ignore, _ = RUNS[run]
    if tier == "source":
        names = names + OTHER_SOURCES.get(run, [])
        where = " and ".join(filter(None, [where, SOURCE_WHERE.get(run, "")]))
    command = [program, "validate", *[str(tables / name) for name in names], "--method", "rooftile"]
    command += ["--where", where] if where else []
    command += ["--ignore", ignore] if ignore else []
    return command + (["--tier", tier] if tier != "shipped" else [])
