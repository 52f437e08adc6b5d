#!/usr/bin/env python3
"""Finds the rows that method rooftile misses most: worst.py --cli PROGRAM [--tables FOLDER] [--rows N]

Over the tables of families.py, by the shipped constants, with what is known of the kernels. Writes worst.csv, from which
accuracy.py --markdown makes a table of docs/accuracy.md with the reasons below. Of a GPU and table only the three worst
count, and of equal shapes only the worst.
"""
import argparse
import collections
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from families import rows_command_of

HERE = Path(__file__).resolve().parent
WORST = HERE / "worst.csv"
TABLES = HERE.parent.parent.parent / "shared" / "measurements"
SKIPPED = 77
RUNS = ["conv", "gemm", "tensor", "conv-tensor", "miopen", "attention", "stream", "rnn"]
MOST = 3  # of a GPU and table
KEPT = 12
COLUMNS = ["table", "gpu", "layer", "pass", "ran", "precision", "measured_us", "ratio"]

SHAPES = {
    "conv": ["N", "C", "H", "W", "K", "R", "S", "stride_h"], "gemm": ["batch", "M", "N", "K"],
    "attention": ["batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim", "window"],
    "stream": ["rows", "columns"], "recurrent": ["cell", "batch", "steps", "hidden", "layers"],
}

# Why rows are far off, where that is known; the first that fits.
REASONS = [
    (lambda r: "sliced1x4" in r["ran"],
     "split k with a reduction that goes CTA by CTA, 6 us a part, on some rows only"),
    (lambda r: r["gpu"] == "l40s" and r["layer"].startswith("gemm") and r["ratio"] < 1,
     "few rows and columns, long k: the library does not split k here, but does for the neighbouring shape"),
    (lambda r: r["gpu"] == "l40s" and r["layer"].startswith("gemm"),
     "the weights were still in the L2: the framework reuses its buffers on some shapes"),
    (lambda r: r["gpu"] in ("p4", "p100-pcie-16gb") and r["layer"].startswith("gemm"),
     "long k on Pascal: the loss of shared lines is overstated for one to three waves"),
    (lambda r: r["gpu"] == "titan-xp" and "512 K48" in r["layer"],
     "the label of the algorithm is contradicted by the time: 7 times faster than the M40 of half the rate"),
    (lambda r: r["table"].startswith("miopen") and r["ratio"] < 1,
     "no fast solver applied; the database does not say why"),
    (lambda r: "head_dim512" in r["layer"],
     "a head dimension of 512: what ran is far slower than the kernel of that name elsewhere"),
]


def rows_of(run, program, tables):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "rows.csv"
        subprocess.run([*rows_command_of(run, "shipped", program, tables), "--format", "rows", "-o", str(path)],
                       check=True)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def described(row):
    op = row.get("op") or ("conv" if row.get("R") else "gemm")
    shape = [f"{name}{row[name]}" for name in SHAPES.get(op, [])
             if row.get(name) and (name, row[name]) != ("window", "0")]
    return {"table": "/".join(Path(row["table"]).parts[-2:]).removesuffix(".csv"), "gpu": row["gpu"], "layer": " ".join([op, *shape]),
            "pass": row.get("pass") or row.get("phase") or "fwd", "precision": row.get("precision") or "fp32",
            "ran": row.get("kernel") or row.get("solver") or row.get("algorithm") or row.get("framework") or "",
            "measured_us": f"{float(row['measured']) * 1e6:.0f}", "ratio": f"{float(row['ratio']):.2f}"}


def off(row):
    return abs(math.log(float(row["ratio"])))


def worst_rows(program, tables, most):
    worst = {}
    for run in RUNS:
        for row in rows_of(run, program, tables):
            key = row["gpu"], described(row)["layer"], row.get("pass", "")
            if key not in worst or off(row) > off(worst[key]):
                worst[key] = row
    chosen, seen = [], collections.Counter()
    for row in map(described, sorted(worst.values(), key=off, reverse=True)):
        seen[row["table"], row["gpu"]] += 1
        if seen[row["table"], row["gpu"]] <= MOST:
            chosen.append(row)
        if len(chosen) == most:
            break
    return chosen


def update(program, tables, most=KEPT):
    rows = worst_rows(program, tables, most)  # before the file is opened: a run that stops leaves it as it was
    with WORST.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read():
    """The rows of worst.csv, each with its reason."""
    with WORST.open(encoding="utf-8", newline="") as file:
        rows = [{**row, "ratio": float(row["ratio"])} for row in csv.DictReader(file)]
    return [{**row, "why": next((why for fits, why in REASONS if fits(row)), "not explained")} for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--tables", type=Path, default=TABLES)
    parser.add_argument("--rows", type=int, default=KEPT)
    options = parser.parse_args()
    if not options.tables.is_dir():
        print("skipped: the measured tables are not beside the project")
        return SKIPPED
    update(options.cli, options.tables, options.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
