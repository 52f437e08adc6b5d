#!/usr/bin/env python3
"""Whether predictions put GPUs in the order that measurements have (rooftile validate --pairs).

Usage: pairs.py --cli PROGRAM [--tables FOLDER]. With the constants that ship with the program: of the pairs of GPUs that
ran the same work and differ by more than 10 %, at least 93 % in the right order, and the ratio of their times within 12 %
in the median. docs/accuracy.md has the figures of GPUs that no constants have seen (--tier none).
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

TABLES = Path(__file__).resolve().parents[3] / "shared" / "measurements"
NAMES = ["lambda/network.csv", "timm/network.csv", "torchvision/network.csv", "deepbench/conv.csv", "deepbench/gemm.csv",
         "deepbench/rnn.csv", "neusight/bmm.csv", "neusight/conv.csv", "neusight/linear.csv", "neusight/network.csv"]
LEAST_ORDERED, MOST_OFF, LEAST_PAIRS = 0.93, 0.12, 5000
SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--tables", type=Path, default=TABLES)
    arguments = parser.parse_args()
    if not arguments.tables.is_dir():
        print(f"skipped: no measured tables in {arguments.tables}")
        return SKIPPED
    command = [arguments.cli, "validate", *(str(arguments.tables / name) for name in NAMES), "--pairs", "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    whole = json.loads(done.stdout)["pairs"][-1]
    print(f"{whole['pairs']} pairs: {whole['ordered']:.1%} ordered right, their ratio off by {whole['ratio_error']:.1%}")
    good = (whole["pairs"] >= LEAST_PAIRS and whole["ordered"] >= LEAST_ORDERED and whole["ratio_error"] <= MOST_OFF)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
