#!/usr/bin/env python3
"""Scores the method rooftile on the measured tables and compares with the committed figures.

Usage: accuracy.py --cli PROGRAM [--tables FOLDER] [--tier TIER]… [--run RUN]… [--update] [--markdown FILE]

Every figure comes out of `rooftile validate`; the commands are printed. Tiers: shipped (the constants in
data/calibration, fitted on these rows), own (fitted on other shapes of the GPU), none (the GPU left out). figures.csv
holds what was reached: a figure that is worse by more than a tenth of itself fails. Own and none fit constants again
and take minutes, so only shipped is scored unless --tier asks. Without the tables there is nothing to score: the test
says so and is skipped. --update writes what is reached now, --markdown the table of docs/accuracy.md.
"""
import argparse
import csv
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIGURES = HERE / "figures.csv"
TABLES = HERE.parent.parent.parent / "shared" / "measurements"
TIERS = ["shipped", "own", "none"]
SKIPPED = 77
WORSE = 1.1  # a figure may be so many times the committed one
SLACK = 0.3  # and so many points worse: a tenth of 1 % is nothing

CONV = (["deepbench/conv.csv", "neusight/conv.csv"], "precision = fp32 and gpu != vega-frontier-edition")
GEMM = (["neusight/linear.csv", "neusight/bmm.csv", "deepbench/gemm.csv"], "gpu != vega-frontier-edition")
TENSOR = (["aiconfigurator/gemm.csv", "vidur/gemm.csv"], "")
NETWORKS = [f"{source}/network.csv" for source in ("neusight", "cnn_benchmarks", "u39kun", "lambda")]
# One `rooftile validate` each: tables and condition, hidden columns, groups.
RUNS = {
    "conv": (*CONV, "", "table,gpu,pass,algorithm"),
    "conv-kernel": (*CONV, "kernel", "table,gpu,pass,algorithm"),
    "conv-blind": (*CONV, "algorithm", "table,gpu,pass"),
    "gemm": (*GEMM, "", "table,kind,gpu"),
    "gemm-blind": (*GEMM, "kernel", "table,kind,gpu"),
    "tensor": (*TENSOR, "", "gpu,framework"),
    "conv-tensor": (["deepbench/conv.csv", "conv_tensor_core/conv.csv"], "precision = fp16", "", "table,gpu,pass"),
    "conv-tensor-blind": (["deepbench/conv.csv", "conv_tensor_core/conv.csv"], "precision = fp16",
                          "algorithm,kernel,tile_m,tile_n,tile_k,split_k,stages", "table,gpu,pass"),
    "miopen": (["miopen/conv.csv"], "", "algorithm", "gpu,precision,pass"),
    "attention": (["aiconfigurator/attention.csv", "attention_training/attention.csv"], "", "", "table,gpu,phase,pass"),
    "stream": (["vidur/stream.csv", "llmcompass/stream.csv", "attention_training/stream.csv"],
               "not columns = 2560", "", "table,gpu"),
    "rnn": (["deepbench/rnn.csv"], "", "", "gpu,pass"),
    "other-conv": (["convnet_benchmarks/conv.csv"], "", "", "gpu,pass"),
    "network": (NETWORKS, "", "", "table,gpu,precision"),
}


# Where not every tier has a meaning: no constant is fitted to networks.
TIERS_OF = {"other-conv": ["shipped"], "network": ["shipped"]}


def deepbench(group):
    return "deepbench" in group["table"]


# Row of the table, run, which groups it covers, targets in percent by tier.
ROWS = [
    ("deepbench conv fwd, implicit_gemm", "conv",
     lambda g: deepbench(g) and g["pass"] == "fwd" and g["algorithm"] == "implicit_gemm", {"own": 8, "none": 15}),
    ("deepbench conv fwd, algorithm hidden", "conv-blind",
     lambda g: deepbench(g) and g["pass"] == "fwd", {"own": 15, "none": 20}),
    ("deepbench conv bwd_data", "conv", lambda g: deepbench(g) and g["pass"] == "bwd_data", {"own": 20, "none": 28}),
    ("deepbench conv bwd_weight", "conv", lambda g: deepbench(g) and g["pass"] == "bwd_weight",
     {"own": 20, "none": 28}),
    ("neusight conv implicit_gemm, kernel known", "conv",
     lambda g: not deepbench(g) and g["algorithm"] == "implicit_gemm", {"own": 5, "none": 15}),
    ("neusight conv implicit_gemm, kernel hidden", "conv-kernel",
     lambda g: not deepbench(g) and g["algorithm"] == "implicit_gemm", {"own": 9, "none": 15}),
    ("neusight conv, algorithm hidden", "conv-blind", lambda g: not deepbench(g), {"own": 12, "none": 20}),
    ("neusight linear, kernel known", "gemm", lambda g: g["kind"] == "linear", {"own": 4, "none": 12}),
    ("neusight bmm, kernel known", "gemm", lambda g: g["kind"] == "bmm", {"own": 6, "none": 16}),
    ("neusight linear, kernel hidden", "gemm-blind", lambda g: g["kind"] == "linear", {"own": 4, "none": 12}),
    ("neusight bmm, kernel hidden", "gemm-blind", lambda g: g["kind"] == "bmm", {"own": 6, "none": 16}),
    ("aiconfigurator gemm, bf16", "tensor", lambda g: "Torch" not in g["framework"], {"own": 9, "none": 15}),
    ("vidur gemm, fp16", "tensor", lambda g: "Torch" in g["framework"], {"own": 9, "none": 15}),
    ("deepbench gemm", "gemm", lambda g: deepbench(g), {"own": 15, "none": 25}),
    ("deepbench conv fp16, fwd", "conv-tensor", lambda g: deepbench(g) and g["pass"] == "fwd", {"own": 15}),
    ("deepbench conv fp16, gradients", "conv-tensor", lambda g: deepbench(g) and g["pass"] != "fwd", {"own": 22}),
    ("conv_tensor_core, tile told", "conv-tensor", lambda g: not deepbench(g), {"own": 12}),
    ("conv_tensor_core, the library's best", "conv-tensor-blind", lambda g: not deepbench(g), {"own": 15}),
    *[(f"miopen conv {kind}, {passes}", "miopen",
       lambda g, precisions=precisions, forward=forward: g["precision"] in precisions and (g["pass"] == "fwd") == forward,
       {"own": own, "none": none})
      for kind, precisions, passes, forward, own, none in [
          ("fp32", ["fp32"], "fwd", True, 18, 25), ("fp32", ["fp32"], "gradients", False, 24, 30),
          ("fp16 and bf16", ["fp16", "bf16"], "fwd", True, 22, 30),
          ("fp16 and bf16", ["fp16", "bf16"], "gradients", False, 28, 35)]],
    ("aiconfigurator attention, prefill", "attention",
     lambda g: "aiconfigurator" in g["table"] and g["phase"] == "prefill", {"own": 10, "none": 13}),
    ("aiconfigurator attention, decode", "attention",
     lambda g: "aiconfigurator" in g["table"] and g["phase"] == "decode", {"own": 12, "none": 15}),
    ("attention of training, fwd and bwd", "attention", lambda g: "training" in g["table"], {"own": 12, "none": 18}),
    ("vidur stream", "stream", lambda g: "vidur" in g["table"], {}),
    ("llmcompass stream", "stream", lambda g: "llmcompass" in g["table"], {}),
    ("norms of training", "stream", lambda g: "training" in g["table"], {}),
    ("deepbench rnn, fwd", "rnn", lambda g: g["pass"] == "fwd", {}),
    ("deepbench rnn, bwd_data", "rnn", lambda g: g["pass"] == "bwd_data", {}),
    ("deepbench rnn, bwd_weight", "rnn", lambda g: g["pass"] == "bwd_weight", {}),
    ("convnet-benchmarks conv, nothing fitted", "other-conv", lambda g: True, {}),
    ("neusight networks, nothing fitted", "network", lambda g: "neusight" in g["table"], {}),
    ("cnn-benchmarks networks, nothing fitted", "network", lambda g: "cnn_benchmarks" in g["table"], {}),
    ("u39kun networks, nothing fitted", "network", lambda g: "u39kun" in g["table"], {}),
    ("lambda networks, nothing fitted", "network", lambda g: "lambda" in g["table"], {}),
]


def command_of(run, tier, program, tables):
    names, where, ignore, by = RUNS[run]
    command = [program, "validate", *[str(tables / name) for name in names], "--method", "rooftile", "--by", by]
    command += ["--where", where] if where else []
    command += ["--ignore", ignore] if ignore else []
    return command + (["--tier", tier] if tier != "shipped" else [])


def groups_of(run, tier, program, tables):
    """The scored groups of a run, each with its key as a dict."""
    command = command_of(run, tier, program, tables)
    print("$ " + " ".join(f"'{word}'" if " " in word else word for word in command), flush=True)
    result = subprocess.run([*command, "--format", "json"], capture_output=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        sys.exit(result.stderr.strip())
    document = json.loads(result.stdout)
    return [{**group, **group["key"]} for group in document["groups"]]


def pooled(groups):
    """One score of several groups."""
    rows = sum(group["rows"] for group in groups)
    log = sum(group["rows"] * math.log1p(group["gmae"]) for group in groups) / rows
    covered = [group for group in groups if group["intervals"]]
    inside = sum(group["rows"] * group["inside"] for group in covered) / rows if covered else None
    width = sum(group["rows"] * group["width"] for group in covered) / rows if covered else None
    return {"rows": str(rows), "gmae": percent(math.expm1(log)), "inside": percent(inside), "width": percent(width)}


def percent(value):
    return "" if value is None else f"{100 * value:.1f}"


def figures_of(tier, program, tables, wanted):
    """Every row of the table that a wanted run covers, by GPU and over all of them."""
    wanted = [run for run in wanted if tier in TIERS_OF.get(run, TIERS)]
    runs = {run: groups_of(run, tier, program, tables) for run in wanted}
    for name, run, covers, targets in ROWS:
        if run not in runs:
            continue
        groups = [group for group in runs[run] if covers(group)]
        gpus = sorted({group["gpu"] for group in groups})
        for gpu in [*gpus, "all"]:
            score = pooled([group for group in groups if gpu in (group["gpu"], "all")])
            yield {"row": name, "tier": tier, "gpu": gpu, **score, "target": str(targets.get(tier, ""))}


def read_figures():
    if not FIGURES.exists():
        return []
    with FIGURES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_figures(figures):
    order = {name: place for place, (name, *_) in enumerate(ROWS)}
    figures.sort(key=lambda f: (order[f["row"]], TIERS.index(f["tier"]), f["gpu"] == "all", f["gpu"]))
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(figures[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(figures)


def key_of(figure):
    return figure["row"], figure["tier"], figure["gpu"]


def compare(reached, committed):
    """Prints each figure; those that got worse."""
    failed = []
    for figure in reached:
        known = committed.get(key_of(figure))
        line = f"{figure['row']}, {figure['tier']}, {figure['gpu']}: {figure['gmae']} % of {figure['rows']} rows"
        if known and float(figure["gmae"]) > max(WORSE * float(known["gmae"]), SLACK + float(known["gmae"])):
            line += f"; committed {known['gmae']} %: worse by more than a tenth"
            failed.append(figure)
        print(line, flush=True)
    return failed


def markdown(figures):
    lines = ["| data | GPU | rows | shipped | own | target | none | target | inside, none | width, none |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    known = {key_of(figure): figure for figure in figures}
    for name, *_, targets in ROWS:
        for gpu in sorted({f["gpu"] for f in figures if f["row"] == name}, key=lambda g: (g == "all", g)):
            cells = {tier: known.get((name, tier, gpu), {}) for tier in TIERS}
            lines.append("| " + " | ".join([
                name, gpu, cells["shipped"].get("rows", ""), cells["shipped"].get("gmae", ""),
                cells["own"].get("gmae", ""), str(targets.get("own", "")), cells["none"].get("gmae", ""),
                str(targets.get("none", "")), cells["none"].get("inside", ""), cells["none"].get("width", "")]) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--tables", type=Path, default=TABLES)
    parser.add_argument("--tier", action="append", choices=TIERS)
    parser.add_argument("--run", action="append", choices=list(RUNS))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    if not options.tables.is_dir():
        print("skipped: the measured tables are not beside the project (docs/accuracy.md says where they come from)")
        return SKIPPED

    committed = {key_of(figure): figure for figure in read_figures()}
    reached = [figure for tier in options.tier or ["shipped"]
               for figure in figures_of(tier, options.cli, options.tables, options.run or RUNS)]
    failed = compare(reached, {} if options.update else committed)
    figures = list({**committed, **{key_of(figure): figure for figure in reached}}.values())
    if options.update:
        write_figures(figures)
    if options.markdown:
        options.markdown.write_text(markdown(figures), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
