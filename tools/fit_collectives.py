#!/usr/bin/env python3
"""Fits the constants of collectives/collective_time.cpp to measured collectives, and prints their errors with a GPU, a
number of GPUs, every other size and the largest sizes left out.

Usage: fit_collectives.py --cli PROGRAM collective.csv (columns kind, gpu, precision, gpus, bytes, time_us).
Needs Debian's python3-numpy and python3-scipy.
"""
import argparse
import csv
import json
import math
import re
import subprocess

import numpy
from scipy.optimize import least_squares

NAMES = ["ring start", "LL round", "LL efficiency", "LL128 start", "LL128 round", "LL128 efficiency", "Simple start",
         "Simple round", "Simple efficiency", "copy", "switched", "direct start"]
START = [9, 1.45, 0.05, 5, 2, 0.45, 50, 6, 0.78, 0.25, 0.57, 11]
UNITS = {"MHz": 1e6, "GHz": 1e9, "GB/s": 1e9, "TB/s": 1e12}


def gpu_of(cli, name):
    text = subprocess.run([cli, "gpus", "show", name, "--format", "json"], check=True, capture_output=True, text=True).stdout
    document = json.loads(text)[0]
    facts = {fact["key"]: fact["value"] for fact in document["facts"]}

    def number(key):
        value, unit = re.fullmatch(r"([0-9.]+) (\S+)", facts[key]).groups()
        return float(value) * UNITS[unit]

    return {"clock": number("core.clock") / 1e9, "link": number("link.nvlink") / 2e9,
            "dram": number("level.DRAM.bandwidth") / 1e9, "hopper": float(document["compute_capability"]) >= 9}


def predicted(parameters, row):
    """Microseconds; kilobytes over GB/s are those, too."""
    ring, ll_round, ll, ll128_start, ll128_round, ll128, simple_start, simple_round, simple, copy, switched, direct = parameters
    gpu, kind, gpus, size = row["board"], row["kind"], row["gpus"], row["kilobytes"]
    rounds = {"all_reduce": 2 * (gpus - 1), "alltoall": 1}.get(kind, gpus - 1)
    sent = size * (2 if kind == "all_reduce" else 1) * (gpus - 1) / gpus
    own = size / gpus / (copy * gpu["dram"])
    start = direct if kind == "alltoall" else ring
    times = [(start + ll_round * rounds) / gpu["clock"] + sent / (ll * gpu["link"]),
             (start + ll128_start + ll128_round * rounds) / gpu["clock"] + sent / (ll128 * gpu["link"]) + own,
             (start + simple_start + simple_round * rounds) / gpu["clock"] + sent / (simple * gpu["link"]) + own]
    if gpu["hopper"] and gpus >= 8 and kind == "all_reduce" and row["precision"] != "int8":
        times.append((start + simple_start + simple_round * 2) / gpu["clock"] + size / (switched * gpu["link"]) + own)
    return min(times)


def errors(logs, rows):
    parameters = numpy.exp(logs)
    return numpy.array([math.log(predicted(parameters, row) / row["time"]) for row in rows])


def fit(rows):
    return least_squares(errors, numpy.log(START), args=(rows,), loss="soft_l1", f_scale=0.1).x


def figures(logs, rows):
    wrong = numpy.abs(errors(logs, rows))
    return f"{math.expm1(wrong.mean()) * 100:.1f} %, nine of ten within a factor of {math.exp(numpy.quantile(wrong, 0.9)):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("table")
    arguments = parser.parse_args()
    rows, boards = [], {}
    for row in csv.DictReader(open(arguments.table, encoding="utf-8")):
        if row["gpu"] not in boards:
            boards[row["gpu"]] = gpu_of(arguments.cli, row["gpu"])
        rows.append({"gpu": row["gpu"], "board": boards[row["gpu"]], "kind": row["kind"], "precision": row["precision"],
                     "gpus": int(row["gpus"]), "kilobytes": float(row["bytes"]) / 1e3, "time": float(row["time_us"])})
    sizes = sorted({row["kilobytes"] for row in rows})
    whole = fit(rows)
    print(f"all {len(rows)} rows: {figures(whole, rows)}")
    for name, value in zip(NAMES, numpy.exp(whole)):
        print(f"  {name:18} {value:.4g}")
    held_out = {f"{name} left out": lambda row, name=name: row["gpu"] == name for name in boards}
    held_out["8 GPUs left out"] = lambda row: row["gpus"] == 8
    held_out["every other size left out"] = lambda row: sizes.index(row["kilobytes"]) % 2 == 1
    held_out["the largest third of the sizes left out"] = lambda row: sizes.index(row["kilobytes"]) >= len(sizes) * 2 // 3
    for name, is_out in held_out.items():
        print(f"{name}: {figures(fit([row for row in rows if not is_out(row)]), [row for row in rows if is_out(row)])}")


if __name__ == "__main__":
    main()
