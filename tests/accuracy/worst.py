#!/usr/bin/env python3
"""Lists the rows that method rooftile misses most, as a Markdown table: worst.py --cli PROGRAM [--rows N]

Over the tables of accuracy.py, with what is known of the kernels. Of equal shapes on one GPU only the worst counts.
"""
import argparse
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from accuracy import SKIPPED, TABLES, command_of

SHAPE = ["N", "C", "H", "W", "K", "R", "S", "stride_h", "batch", "M"]


def rows_of(run, program, tables):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "rows.csv"
        subprocess.run([*command_of(run, "shipped", program, tables), "--format", "rows", "-o", str(path)],
                       check=True)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def shape_of(row):
    if row.get("R"):
        return "conv " + " ".join(f"{name}{row[name]}" for name in ("N", "C", "H", "W", "K", "R", "S", "stride_h"))
    return f"gemm {row.get('batch') or 1} x {row['M']} x {row['N']} x {row['K']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--tables", type=Path, default=TABLES)
    parser.add_argument("--rows", type=int, default=20)
    options = parser.parse_args()
    if not options.tables.is_dir():
        print("skipped: the measured tables are not beside the project")
        return SKIPPED
    worst = {}
    for run in ("conv", "gemm", "tensor"):
        for row in rows_of(run, options.cli, options.tables):
            key = row["gpu"], shape_of(row), row.get("pass", "")
            known = worst.get(key)
            if known is None or abs(math.log(float(row["ratio"]))) > abs(math.log(float(known["ratio"]))):
                worst[key] = row
    print("| GPU | layer | pass, kernel or framework | measured us | predicted / measured |\n|---|---|---|---|---|")
    for row in sorted(worst.values(), key=lambda r: -abs(math.log(float(r["ratio"]))))[:options.rows]:
        what = row.get("kernel") or row.get("algorithm") or row.get("framework") or ""
        passed = row.get("pass") or "fwd"
        print(f"| {row['gpu']} | {shape_of(row)} | {passed}, {what} | {float(row['measured']) * 1e6:.0f} | "
              f"{float(row['ratio']):.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
