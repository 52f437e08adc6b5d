"""The tables of docs/accuracy.md and README.md, made from figures.csv and worst.csv.

Each stands between two comments of its page:

    <!-- accuracy: families -->
    …
    <!-- end -->
"""
import math
import re
from pathlib import Path

import worst
from families import ROWS

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "docs" / "accuracy.md", ROOT / "README.md"]
UNSEEN = ["none", "source", "size", "own"]  # tiers whose constants have not seen the rows
FEW = 50  # rows from which a group's share inside the interval means something
LEAST_INSIDE = 70  # percent

# What README.md shows: families pooled.
README_ROWS = [
    ("Convolutions, FP32, cuDNN on M40, TITAN Xp, V100 (DeepBench)", ["deepbench conv fwd, algorithm hidden"]),
    ("the same, gradients of data and weights", ["deepbench conv bwd_data", "deepbench conv bwd_weight"]),
    ("Convolutions, FP32, PyTorch on P100, T4 (NeuSight)", ["neusight conv, algorithm hidden"]),
    ("Convolutions on tensor cores, FP16, V100 (DeepBench)", ["deepbench conv fp16, fwd", "deepbench conv fp16, gradients"]),
    ("Convolutions on tensor cores, FP16, RTX 3070 (TVM, CUTLASS)", ["conv_tensor_core, the library's best"]),
    ("MIOpen's convolutions, FP32, MI50, MI100, MI210", ["miopen conv fp32, fwd", "miopen conv fp32, gradients"]),
    ("the same, FP16 and BF16", ["miopen conv fp16 and bf16, fwd", "miopen conv fp16 and bf16, gradients"]),
    ("Products, FP32, six GPUs (NeuSight)", ["neusight linear, kernel hidden", "neusight bmm, kernel hidden"]),
    ("Products, FP32 and FP16, M40, TITAN Xp, V100 (DeepBench)", ["deepbench gemm"]),
    ("Products on tensor cores, A100, H100, L40S", ["aiconfigurator gemm, bf16", "vidur gemm, fp16"]),
    ("Attention, prefill and decode, A100, H100, L40S",
     ["aiconfigurator attention, prefill", "aiconfigurator attention, decode"]),
    ("Attention of training, GB200", ["attention of training, fwd and bwd"]),
    ("Norms of training, H200, GB200, GB300", ["norms of training"]),
    ("Norms, activations, softmax in frameworks, A100", ["vidur stream", "llmcompass stream"]),
    ("Recurrent layers, cuDNN, M40, TITAN Xp, V100",
     ["deepbench rnn, fwd", "deepbench rnn, bwd_data", "deepbench rnn, bwd_weight"]),
]
README_NETWORKS = [
    ("torchvision's networks in timm, mixed precision, eager, RTX 3090 and 4090", ["timm inference, eager"]),
    ("the same, compiled by Inductor", ["timm inference, compiled"]),
    ("the same, training step, RTX 3090", ["timm training step"]),
    ("torchvision, batch 12, GTX 1080 Ti, TITAN V, RTX 2080 Ti, RTX 3090",
     ["torchvision networks, fp32", "torchvision networks, tf32 and fp16"]),
    ("Transformers, FP32, V100, T4 (NeuSight)", ["neusight networks, NVIDIA"]),
    ("the same on MI100", ["neusight networks, MI100"]),
    ("AlexNet to ResNet-200, FP32, TITAN X Pascal (cnn-benchmarks)", ["cnn-benchmarks networks"]),
    ("BERT and ResNet-50 training scripts, five GPUs (Lambda)", ["lambda networks"]),
    ("BERT and ViT, batch 1 to 64, by implementation (FasterTransformer's guides)",
     ["network latencies, fp32", "network latencies, tf32, fp16 and int8"]),
    ("Llama 3 decoded by llama.cpp, FP16 and Q4_K_M, nine GPUs", ["llama.cpp, decode"]),
    ("Requests to TensorRT-LLM, prompt and answer, FP16 and FP8, A100, H100, H200", ["TensorRT-LLM, prefill and decode"]),
    ("the same, the first token alone", ["TensorRT-LLM, prefill"]),
    ("GPT on 2 to 8 A100: tensor, pipeline and data parallel (vTrain)", ["vTrain, several GPUs"]),
    ("MPT, FSDP on 8 to 128 A100 (llm-foundry)", ["llm-foundry, several GPUs"]),
    ("GPT and Llama, FP8 on 8 to 512 H100 (NeMo)", ["NeMo, several GPUs"]),
    ("MLPerf Training on 2 GPUs and more", ["MLPerf Training v0.7, several GPUs", "MLPerf Training v1.1, several GPUs"]),
    ("TensorFlow of 2017, 2 to 64 K80", ["tensorflow 2017, several GPUs"]),
    ("DeepLearningExamples, 2 to 16 GPUs", ["DeepLearningExamples, several GPUs"]),
    ("Requests to TensorRT-LLM on 2 to 8 GPUs", ["TensorRT-LLM on several GPUs, prefill and decode"]),
]


class Figures:
    def __init__(self, figures):
        self.of_key = {(f["row"], f["tier"], f["gpu"]): f for f in figures}
        self.all = list(figures)

    def get(self, row, tier, gpu="all"):
        return self.of_key.get((row, tier, gpu), {})

    def gpus(self, row, tier):
        """The figures of each GPU, the worst first."""
        found = [f for f in self.all if f["row"] == row and f["tier"] == tier and f["gpu"] != "all"]
        return sorted(found, key=lambda f: -float(f["gmae"]))

    def tiers(self, row):
        return [tier for tier in UNSEEN if self.get(row, tier)]

    def pooled(self, rows, tier):
        """One GMAE of several families; none if one of them has none."""
        parts = [self.get(row, tier) for row in rows]
        if not all(parts):
            return None
        count = sum(int(part["rows"]) for part in parts)
        log = sum(int(part["rows"]) * math.log1p(float(part["gmae"]) / 100) for part in parts)
        return count, 100 * math.expm1(log / count)

    def worst(self, rows, tier):
        """The GPU with the largest GMAE over some families, and that."""
        gpus = {figure["gpu"] for row in rows for figure in self.gpus(row, tier)}
        found = []
        for gpu in gpus:
            parts = [part for row in rows if (part := self.get(row, tier, gpu))]
            count = sum(int(part["rows"]) for part in parts)
            log = sum(int(part["rows"]) * math.log1p(float(part["gmae"]) / 100) for part in parts)
            found.append((100 * math.expm1(log / count), gpu))
        return max(found, default=None)


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table_of(header, rows):
    return "\n".join([line(header), "|" + "---|" * len(header), *map(line, rows)])


def interval(figure):
    return f"{figure['inside']}, {figure['width']}" if figure.get("inside") else ""


def asked(targets, tier):
    return f" ({targets[tier]})" if tier in targets else ""


def families(figures):
    rows = []
    for name, _, _, targets in ROWS:
        if not figures.tiers(name):
            continue
        cells = [name, (figures.get(name, "shipped") or figures.get(name, figures.tiers(name)[0]))["rows"]]
        for tier in UNSEEN:
            figure = figures.get(name, tier)
            cells.append(figure["gmae"] + asked(targets, tier) if figure else "")
            if tier != "own":
                cells.append(interval(figure))
        rows.append(cells)
    return table_of(["data", "rows", "none", "in, width", "source", "in, width", "size", "in, width", "own"], rows)


def listed(gpus):
    return ", ".join(f"{f['gpu']} {f['gmae']}" + (f" [{f['inside']}]" if f["inside"] else "") for f in gpus)


def by_gpu(figures):
    rows = []
    for name, *_ in ROWS:
        seen = figures.gpus(name, "source") or figures.gpus(name, "own")
        if figures.tiers(name):
            rows.append([name, listed(figures.gpus(name, "none")), *([seen[0]["tier"], listed(seen)] if seen else ["", ""])])
    return table_of(["data", "none", "or", "source, else own"], rows)


def uncovered(figures):
    rows = []
    for tier in ("none", "source", "size"):
        for name, *_ in ROWS:
            for f in figures.gpus(name, tier):
                if f["inside"] and int(f["rows"]) >= FEW and float(f["inside"]) < LEAST_INSIDE:
                    rows.append([name, tier, f["gpu"], f["rows"], f["inside"], f["width"]])
    return table_of(["data", "tier", "GPU", "rows", "inside", "width"], rows)


def flagged(figures):
    rows = []
    for name, *_ in ROWS:
        counted = [f for tier in [*UNSEEN, "shipped"] if (f := figures.get(name, tier)).get("flagged")]
        for f in counted[:1]:
            rows.append([name, f["tier"], f["rows"], f["gmae"], f["flagged"], f["gmae_with_flagged"]])
    return table_of(["data", "tier", "rows", "GMAE", "flagged", "with them"], rows)


def unfitted(figures):
    rows = []
    for name, *_ in ROWS:
        if figures.tiers(name) or not figures.get(name, "shipped"):
            continue
        all_rows, gpus = figures.get(name, "shipped"), figures.gpus(name, "shipped")
        rows.append([name.removesuffix(", nothing fitted"), all_rows["rows"], all_rows["gmae"], interval(all_rows),
                     ", ".join(f"{f['gpu']} {f['gmae']}" for f in gpus)])
    return table_of(["data", "rows", "GMAE", "in, width", "GPUs, the worst first"], rows)


def worst_rows(_):
    rows = [[row["gpu"], row["layer"], f"{row['precision']} {row['pass']}, {row['ran']}", row["measured_us"],
             f"{row['ratio']:.2f}", row["why"]] for row in worst.read()]
    return table_of(["GPU", "layer", "what ran", "measured us", "predicted / measured", "why"], rows)


def readme(figures):
    rows = []
    for label, names in README_ROWS:
        parts = {tier: figures.pooled(names, tier) for tier in UNSEEN}
        worst = figures.worst(names, "none")
        counted = figures.pooled(names, "shipped") or next(part for part in parts.values() if part)
        rows.append([label, f"{counted[0]:,}", percent(parts["none"]), f"{worst[1]}: {worst[0]:.0f} %" if worst else "-",
                     *[percent(parts[tier]) for tier in UNSEEN[1:]]])
    return table_of(["measured", "rows", "none", "worst GPU", "source", "size", "own"], rows)


def readme_networks(figures):
    rows = []
    for label, names in README_NETWORKS:
        part, worst = figures.pooled(names, "shipped"), figures.worst(names, "shipped")
        if part:
            rows.append([label, f"{part[0]:,}", percent(part), f"{worst[1]}: {worst[0]:.0f} %"])
    return table_of(["networks, to which nothing was fitted", "rows", "GMAE", "worst GPU"], rows)


def percent(pooled):
    return f"{pooled[1]:.1f} %" if pooled else "-"


MAKERS = {"families": families, "by-gpu": by_gpu, "uncovered": uncovered, "flagged": flagged, "unfitted": unfitted,
          "worst": worst_rows, "readme": readme, "readme-networks": readme_networks}


def with_tables(text, figures):
    def made(match):
        return f"{match[1]}\n{MAKERS[match[2]](figures)}\n{match[3]}"
    return re.sub(r"(<!-- accuracy: ([a-z-]+) -->)\n.*?(<!-- end -->)", made, text, flags=re.DOTALL)


def write(figures):
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(with_tables(text, Figures(figures)), encoding="utf-8")


def stale(figures):
    """Pages whose tables are not those of the figures."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if with_tables(text, Figures(figures)) != text:
            found.append(page)
    return found
