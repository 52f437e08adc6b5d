#!/usr/bin/env python3
"""Fits what the host takes to issue an operator of a network: data/calibration/hosts.toml.

Reads measured tables of networks (column op = network, one GPU), predicts each row's layers without a host, and finds
for each framework the microseconds of an operator forward, of a gradient and of an update that bring the queue between
host and GPU (rooftile/predict/host.cpp) nearest to the measured times. Costs are those of a server; the host that a row
or its source names, or that is assumed beside its GPU, takes its share of them. No cost belongs to a network. What a framework
that is not named here costs is the geometric mean of those that are, by execution; its range is theirs, and how far
apart they lie. Engines that are not named replay graphs or do not: the mean of theirs and of a replay. docs/execution.md
has the command that writes the file, with its tables.
"""

import argparse
import collections
import csv
import functools
import io
import json
import math
import re
import statistics
import subprocess
import sys
import tomllib
import zlib
from pathlib import Path

MICRO = 1e-6
CORRECTIONS = Path(__file__).resolve().parent.parent / "data" / "corrections" / "published.csv"
LEAST_GROUP = 10  # rows of a framework that get costs of their own
MOST_ERROR = 0.5  # beyond it what the GPU does is what is not known
ALIKE = 1.5  # costs of requests that differ by no more, either way
MOST_APART = 0.2  # the share of them that may differ by more
MANY = 32  # sequences in a batch that show what one costs
LEAST_RANGE = 1.3  # either way
DISPATCH = 8.0  # HostCosts::dispatch of rooftile/calibration/host.hpp
SERVER, STEEPNESS = 2140, 1.5  # kServerSingleThread and kSteepness of rooftile/predict/host.cpp
KEPT = "add to zeros"  # kKeptGradient of rooftile/predict/call.hpp: its calls are part of a gradient's cost
REPLAYED = 1.0  # kReplay of rooftile/predict/prepared_network.cpp
WAITING = 1.3  # a run takes that many times what the GPU is busy: the host decides
# Without a release it is as likely an old one on a desktop as a later one on a server, which cost the same: its costs are
# fitted, and taken, for any machine. The same rows tell what the releases of that time cost on a server.
ANY_MACHINE, OF_ITS_TIME = "PyTorch", "PyTorch CUDA 10"
ONE_MACHINE = "AITemplate"  # its rows are of one machine for each vendor, and say nothing of engines without a name
KINDS = ("forward", "gradient", "update")
# Releases that are given the costs of PyTorch 2: an A10's host with PyTorch 1.12 takes 25 to 35 us for an operator
# (data/measurements/eager_latencies.csv), those of 2018 to 2021 take 54 to 75.
AS_SECOND = [f"PyTorch 1.{minor}" for minor in (10, 11, 12, 13)]


def framework_of(row):
    """Of "TorchScript (traced); PyTorch, CUDA 11.4": "TorchScript"."""
    return re.split("[;(]", row["framework"])[0].strip()


def name_of(row):
    """Of frameworks that share costs: of "PyTorch 2.11.0 CUDA 13.0" "PyTorch 2", of "TensorRT 8" "TensorRT", of "ONNX
    Runtime 1.12" "ONNX Runtime", of "AITemplate CUDA 11.6" "AITemplate"; others as they are."""
    name = re.sub(r"^(PyTorch 2)\..*|^(TensorRT|ONNX Runtime) [0-9.]+", r"\1\2", framework_of(row))
    return re.sub(r"^(AITemplate)( CUDA.*|( ROCm).*)", r"\1\3", name)


def layers_of(cli, row):
    """(kind, seconds) of each layer that launches something; None where the row is not predicted."""
    precision = row["precision"]
    settings = ["host=none", f"layout={row.get('layout') or 'nchw'}", f"framework={framework_of(row)}"]
    if row.get("seq_len"):
        settings.append(f"seq-len={row['seq_len']}")
    if row.get("batch_norms") == "folded":
        settings.append("batch-norm=folded")
    command = [cli, "predict", row["model"], "--gpu", row["gpu"], "-b", row["batch"], "--precision", precision,
               "--pass", row["pass"],
               "--execution", row.get("execution") or "eager", "--format", "csv",
               "--set", ",".join(settings)]
    if row.get("image_size"):
        command += ["--shape", row["image_size"]]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return None
    layers = []
    for layer in csv.DictReader(io.StringIO(run.stdout)):
        if float(layer["time_s"]) == 0 or layer["function"] == KEPT:
            continue
        own = layer["function"] == "cast" or (layer["function"] == "add" and layer["pass"] == "bwd_data")
        kind = "forward" if layer["pass"] == "fwd" else "gradient"
        if layer["op"] == "update":
            kind = "update"
        if own:
            kind = "own"
        layers.append((kind, float(layer["time_s"])))
    return layers


@functools.cache
def corrections():
    with open(CORRECTIONS, newline="") as file:
        return [one for one in csv.DictReader(file) if one["column"] == "single_thread"]


def told_rating(row):
    """PassMark's rating of the host's processor, as the row or what its source says elsewhere gives it: corrected() of
    rooftile/ingest/corrections.cpp."""
    cell, path = row.get("single_thread") or "", row.get("path") or ""
    for one in corrections():
        if (one["source"] == row.get("source") and one["gpu"] in ("", row["gpu"]) and one["cell"] == cell
                and one["if_path"] in path and not (one["unless_path"] and one["unless_path"] in path)):
            return float(one["correct"])
    return float(cell) if cell else None


def share_of(cli, row, known={}):
    """What an operator takes the row's host, or the one that is assumed beside its GPU, to what it takes a server."""
    told = told_rating(row)
    if told:
        return (SERVER / told) ** STEEPNESS
    gpu = row["gpu"]
    if gpu not in known:
        run = subprocess.run([cli, "gpus", "show", gpu, "--format", "json"], capture_output=True, text=True, check=True)
        rating = [fact["value"] for fact in json.loads(run.stdout)[0]["facts"] if fact["key"] == "board.host_single_thread"]
        known[gpu] = (SERVER / float(rating[0])) ** STEEPNESS if rating else 1.0
    return known[gpu]


def queue(layers, costs, share):
    issued = done = 0.0
    for kind, seconds in layers:
        issued += share * (min(DISPATCH, costs["forward"]) if kind == "own" else costs[kind]) * MICRO
        done = max(done, issued) + seconds
    return max(done, issued)


def loss(rows, costs):
    return sum(abs(math.log((queue(layers, costs, share) + extra) / measured)) for layers, measured, extra, share in rows) / len(rows)


def fit(rows):
    """Coordinate search on a logarithmic grid; deterministic."""
    costs = {"forward": 20.0, "gradient": 20.0, "update": 20.0}
    best = loss(rows, costs)
    step = 2.0
    while step > 1.02:
        improved = False
        for kind in costs:
            for factor in (step, 1 / step):
                trial = dict(costs)
                trial[kind] = min(max(costs[kind] * factor, 1.0), 200.0)
                value = loss(rows, trial)
                if value < best - 1e-9:
                    costs, best, improved = trial, value, True
        if not improved:
            step = math.sqrt(step)
    seen = {kind for layers, *_ in rows for kind, _ in layers}
    return {kind: costs[kind if kind in seen else "forward"] for kind in costs}, best


def spread(rows, costs):
    """Either way, of the rows in which the GPU waits for the host: nine tenths of them lie within."""
    errors = []
    for layers, measured, extra, share in rows:
        time, busy = queue(layers, costs, share), sum(seconds for _, seconds in layers)
        if time > WAITING * busy:
            errors.append(abs(math.log((time + extra) / measured)))
    return math.exp(sorted(errors)[int(0.9 * len(errors))]) if errors else LEAST_RANGE


def entry(framework, execution, costs, width, data, **more):
    costs = {f"{kind}_us": float(f"{costs[kind]:.4g}") for kind in KINDS}
    return {"framework": framework, "execution": execution, **costs, **more, "range": float(f"{width:.3g}"), "data": data}


def write(entries, kept):
    """With what is kept of an earlier file."""
    print("# What the host takes to issue an operator, by framework and execution, on a server. Written by tools/fit_hosts.py.")
    for one in entries:
        same = [old for old in kept if (old["framework"], old["execution"]) == (one["framework"], one["execution"])]
        more = {key: value for old in same for key, value in old.items() if key == "step_us"}
        print("\n[[host]]")
        for key, value in (one | more).items():
            text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value:.4g}"
            print(f"{key} = {text}")


def held_out(group, rows, folds):
    errors = 0.0
    for fold in (0, 1):
        seen = [row for row, own in zip(rows, folds) if own != fold]
        rest = [row for row, own in zip(rows, folds) if own == fold]
        if not seen or not rest:
            return
        errors += loss(rest, fit(seen)[0]) * len(rest)
    print(f"{' '.join(group)}: {len(rows)} rows, GMAE {100 * math.expm1(errors / len(rows)):.1f} % by networks left out")


def served(cli, path):
    """The rows of a table of requests, with what they take beyond their kernels in microseconds."""
    run = subprocess.run([cli, "predict-table", path, "--skip-bad-rows", "--set", "host=none", "--format", "csv"],
                         capture_output=True, text=True, check=True)
    for row in csv.DictReader(io.StringIO(run.stdout)):
        if row["time_us"] and row["predicted_time_us"] and not row.get("flag"):
            yield row, float(row["time_us"]) - float(row["predicted_time_us"])


def median_if_alike(values):
    """The median, where all but a few of the values lie near it: else it is the kernels that are not known."""
    middle = statistics.median(values)
    apart = [value for value in values if not middle / ALIKE <= value <= middle * ALIKE]
    return middle if len(values) >= LEAST_GROUP and len(apart) <= MOST_APART * len(values) else None


def request_costs(rows):
    """By framework, of its shortest prompts on one GPU the median of what they take beyond their kernels, and how many."""
    beyond = collections.defaultdict(list)
    for row, micros in rows:
        if row.get("phase") == "prefill" and row.get("gpus") == "1":
            beyond[row["framework"].split()[0].strip(",")].append((int(row["input_tokens"] or 0), micros))
    costs = {}
    for framework, prompts in beyond.items():
        shortest = [micros for tokens, micros in prompts if tokens == min(prompts)[0]]
        middle = median_if_alike(shortest)
        if middle is not None:
            costs[framework] = (middle, f"{len(shortest)} first tokens")
    return costs


def sequence_costs(rows):
    """By release ("vLLM 0.6"), of its framework's shortest prompts the median of what a sequence more in the batch adds
    to a step, and of how many networks and GPUs."""
    steps = collections.defaultdict(dict)
    for row, micros in rows:
        if row.get("phase") == "prefill and decode":
            key = (row["framework"], row["model"], row["gpu"], row["gpus"], int(row["input_tokens"]))
            steps[key][int(row["batch"])] = micros / int(row["output_tokens"])
    added = collections.defaultdict(list)
    releases = collections.defaultdict(set)
    for (framework, *run, tokens), by_batch in steps.items():
        few, many = min(by_batch), max(by_batch)
        shortest = min(other[-1] for other in steps if other[:4] == (framework, *run))
        if few > 1 or many < MANY or tokens > shortest:
            continue
        family = framework.split()[0]
        releases[family].add(".".join(framework.split(".")[:2]))
        added[family].append((by_batch[many] - by_batch[few]) / (many - few))
    costs = {}
    for family, values in added.items():
        middle = median_if_alike(values)
        if middle is not None:
            # Releases that are not among them are given the same.
            costs |= {name: (middle, f"{len(values)} series of batches") for name in releases[family] | {family}}
    return costs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", required=True, help="the rooftile program")
    parser.add_argument("--folds", action="store_true",
                        help="print how well costs from half of the networks serve the other half")
    parser.add_argument("--requests", action="append", default=[], metavar="TABLE",
                        help="requests to servers: what they take beyond their kernels is what requests and sequences cost the host")
    parser.add_argument("--engines", action="append", default=[], metavar="TABLE", help="a table of which only engines count")
    parser.add_argument("--keep", metavar="FILE", help="keep its step_us, which no run fits")
    parser.add_argument("tables", nargs="+")
    arguments = parser.parse_args()
    groups = collections.defaultdict(list)
    names = collections.defaultdict(list)  # the network of each row of a group
    known = {}
    for path in arguments.tables + arguments.engines:
        for row in csv.DictReader(open(path, newline="")):
            if path in arguments.engines and row["execution"] != "engine":
                continue
            if row.get("flag") or row.get("phase") or row.get("cuda_graphs") == "1" or row["precision"] in ("fp64", "int8") or int(row.get("gpus") or 1) != 1 or not row["time_us"]:
                continue
            key = tuple(row.get(name) for name in ("model", "gpu", "batch", "image_size", "seq_len", "precision", "pass", "layout",
                                                   "execution", "framework"))
            if key not in known:
                known[key] = layers_of(arguments.cli, row)
            if known[key] is None:
                continue
            copied = 0.0
            if row.get("host_copy") == "1":
                side = int(row["image_size"])
                copied = int(row["batch"]) * 3 * side * side * (2 if row["precision"] in ("fp16", "bf16") else 4) / 6e9
            groups[(name_of(row), row.get("execution") or "eager")].append(
                (known[key], float(row["time_us"]) * MICRO, copied, share_of(arguments.cli, row)))
            names[(name_of(row), row.get("execution") or "eager")].append(row["model"])
    if arguments.folds:
        for group, rows in sorted(groups.items()):
            held_out(group, rows, [zlib.crc32(name.encode()) % 2 for name in names[group]])
        return
    kept = tomllib.loads(Path(arguments.keep).read_text())["host"] if arguments.keep else []
    entries = []
    fitted = collections.defaultdict(list)
    for (framework, execution), rows in sorted(groups.items()):
        if len(rows) < LEAST_GROUP:
            continue
        any_machine = (framework, execution) == (ANY_MACHINE, "eager")
        if any_machine:
            costs, after = fit(rows)
            machines = max(LEAST_RANGE, spread(rows, costs))
            entries.append(entry(OF_ITS_TIME, execution, costs, machines, f"{len(rows)} rows of networks of {framework}"))
            rows = [(*row[:-1], 1.0) for row in rows]
        costs, after = fit(rows)
        if math.expm1(after) > MOST_ERROR:
            print(f"{framework} {execution}: left out, GMAE {100 * math.expm1(after):.0f} %", file=sys.stderr)
            continue
        width = max(LEAST_RANGE, spread(rows, costs))
        if not framework.startswith(ONE_MACHINE):
            fitted[execution].append((framework, costs, width))
        print(f"{framework} {execution}: {len(rows)} rows, GMAE {100 * math.expm1(after):.1f} %", file=sys.stderr)
        more = {"any_machine": True} if any_machine else {}
        data = f"{len(rows)} rows of networks"
        second = (framework, execution) == ("PyTorch 2", "eager")
        if second:  # of one machine; how far others lie apart the older releases show
            width, data = max(width, machines), f"{data}; the range is that of {ANY_MACHINE}"
        entries.append(entry(framework, execution, costs, width, data, **more))
        for release in AS_SECOND if second else []:
            entries.append(entry(release, execution, costs, width, "taken for those of PyTorch 2"))
    asked = [row for path in arguments.requests for row in served(arguments.cli, path)]
    serving = {"request": request_costs(asked), "sequence": sequence_costs(asked)}
    for execution, all_costs in sorted(fitted.items()):
        all_costs = [(costs, width) for _, costs, width in all_costs]
        mean = {kind: statistics.geometric_mean([costs[kind] for costs, _ in all_costs]) for kind in KINDS}
        apart = max(max(costs["forward"] / mean["forward"], mean["forward"] / costs["forward"]) for costs, _ in all_costs)
        widest = max(width for _, width in all_costs)
        data = "the geometric mean of the above"
        if execution == "engine":
            mean = {kind: math.sqrt(cost * REPLAYED) for kind, cost in mean.items()}
            data += " and of replayed graphs"
        more = {"any_machine": True} if execution == "eager" else {}
        entries.append(entry("", execution, mean, apart * widest, data, **more))
        for kind, costs in serving.items():
            for framework, (cost, data) in sorted(costs.items() if execution == "engine" else []):
                more = {f"{kind}_us": float(f"{cost:.4g}")}
                entries.append(entry(framework, execution, mean, apart * widest, f"engines of no name; {data}", **more))
    write(entries, kept)


if __name__ == "__main__":
    main()
