#!/usr/bin/env python3
"""Whether predictions put GPUs in the order that measurements have (rooftile validate --pairs).

Usage: pairs.py --cli PROGRAM [--tables FOLDER]. With the constants that ship with the program: of the pairs of GPUs that
ran the same work and differ by more than 10 %, at least 93 % in the right order, and the ratio of their times within 12 %
in the median. Those that ran networks on one GPU each are held to the same limits by accuracy.py, which predicts them anyway. Lambda's GPUs ran each network at a batch size of their own, so no two did the same work: their pairs, by
samples a second on one GPU, have the same limits. docs/accuracy.md has the figures of GPUs that no constants have seen
(--tier none).
"""
import argparse
import csv
import itertools
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

TABLES = Path(__file__).resolve().parents[3] / "shared" / "measurements"
NAMES = ["torchvision/network.csv", "deepbench/conv.csv", "deepbench/gemm.csv", "deepbench/rnn.csv", "neusight/bmm.csv",
         "neusight/conv.csv", "neusight/linear.csv"]
WHERE = "not op = network or gpus > 1"
LEAST_ORDERED, MOST_OFF, LEAST_PAIRS, LEAST_BY_RATE = 0.93, 0.12, 5000, 200
APART = 1.1
SKIPPED = 77


def validate(arguments, names, *options):
    command = [arguments.cli, "validate", *(str(arguments.tables / name) for name in names), *options]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def pairs_by_rate(arguments):
    """Pairs of one network and precision on two GPUs, as `--pairs` counts them, but by samples a second."""
    text = validate(arguments, ["lambda/network.csv"], "--where", "gpus = 1", "--format", "rows")
    networks = {}
    for row in csv.DictReader(text.splitlines()):
        rates = [float(row["batch"]) / float(row[name]) for name in ("measured", "predicted")]
        networks.setdefault((row["model"], row["precision"]), []).append((row["gpu"], *map(math.log, rates)))
    found = []
    for runs in networks.values():
        for (gpu, measured, predicted), (other, *others) in itertools.combinations(runs, 2):
            if gpu != other and abs(measured - others[0]) > math.log(APART):
                found.append((measured - others[0], predicted - others[1]))
    return {"pairs": len(found), "ordered": sum((a > 0) == (b > 0) for a, b in found) / len(found),
            "ratio_error": statistics.median(math.expm1(abs(a - b)) for a, b in found)}


def is_good(what, pairs, least):
    print(f"{pairs['pairs']} pairs{what}: {pairs['ordered']:.1%} ordered right, "
          f"their ratio off by {pairs['ratio_error']:.1%}")
    return pairs["pairs"] >= least and pairs["ordered"] >= LEAST_ORDERED and pairs["ratio_error"] <= MOST_OFF


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--tables", type=Path, default=TABLES)
    arguments = parser.parse_args()
    if not arguments.tables.is_dir():
        print(f"skipped: no measured tables in {arguments.tables}")
        return SKIPPED
    whole = json.loads(validate(arguments, NAMES, "--where", WHERE, "--pairs", "--format", "json"))["pairs"][-1]
    good = [is_good("", whole, LEAST_PAIRS),
            is_good(" of Lambda by samples/s", pairs_by_rate(arguments), LEAST_BY_RATE)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
