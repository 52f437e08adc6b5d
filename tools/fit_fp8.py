#!/usr/bin/env python3
"""What products in FP8 take beyond the prediction: tools/fit_fp8.py --cli PROGRAM aiconfigurator/gemm.csv

The table's FP8 rows are calls that quantise the activations first (flag quantisation_included). Of each GPU and
framework it fits, in logarithms and with outliers damped,

    measured = start + rate x M x K + factor x predicted

with a factor of its own for products of 256 rows and more, which are bound by arithmetic. fp8_share of
the calibration is the reciprocal of TensorRT-LLM's factors with fp8_share = 1, whose start and rate hardly
depend on the shape; the other frameworks choose among several kernels of their own to quantise."""
import argparse
import csv
import math
import subprocess
import sys
import tempfile

import numpy
from scipy.optimize import least_squares

ROWS = 256


def predicted(program, table):
    with open(table, encoding="utf-8", newline="") as file:
        rows = [row | {"flag": ""} for row in csv.DictReader(file) if row["precision"] == "fp8"]
    if not rows:
        sys.exit(f"{table}: no rows of precision fp8")
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        file.flush()
        command = [program, "predict-table", file.name, "--format", "csv"]
        result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        sys.exit(result.stderr.strip())
    return list(csv.DictReader(result.stdout.splitlines()))


def fit(rows):
    measured, time, m, k = (numpy.array([float(row[name]) for row in rows])
                            for name in ("time_us", "predicted_time_us", "M", "K"))

    def model(x):
        start, rate, few, many = numpy.exp(x)
        return start + rate * m * k / 1e6 + numpy.where(m >= ROWS, many, few) * time

    found = least_squares(lambda x: numpy.log(model(x) / measured), [1, 0, 0, 0], loss="soft_l1")
    error = math.exp(numpy.mean(abs(numpy.log(model(found.x) / measured)))) - 1
    return numpy.exp(found.x), error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("table")
    arguments = parser.parse_args()
    rows = predicted(arguments.cli, arguments.table)
    print(f"{'gpu':16} {'framework':10} {'rows':>5} {'start':>8} {'a million':>10} {'few rows':>9} {'many':>6}   GMAE")
    for gpu, framework in sorted({(row["gpu"], row["framework"]) for row in rows}):
        group = [row for row in rows if (row["gpu"], row["framework"]) == (gpu, framework)]
        (start, rate, few, many), error = fit(group)
        print(f"{gpu:16} {framework:10} {len(group):5} {start:5.1f} us {rate:7.2f} us {few:9.2f} {many:6.2f} "
              f"{100 * error:4.1f} %")


if __name__ == "__main__":
    main()
