#!/usr/bin/env python3
"""Runs rooftile-measure on a model of a GPU whose latencies, bandwidths and capacities are known, with stand-ins for cuDNN
and cuBLASLt: does it find the numbers of the model, do all kernels and checks compute what they should, and what becomes of
a library that errs, of too little memory, of a lost GPU and of Ctrl-C?

Usage: on_cpu_test.py --measure PROGRAM --cli ROOFTILE
"""
import argparse
import csv
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest
from pathlib import Path

LAYERS = Path(__file__).resolve().parent / "layers"
PROGRAM = CLI = None
OK, ERROR, INTERRUPTED = 0, 1, 130

# machine.hpp, in cycles of 1 MHz, bytes and bytes a second.
L1_CYCLES, NEAR_L2_CYCLES, FAR_L2_CYCLES, DRAM_CYCLES, SMEM_CYCLES = 32, 200, 240, 600, 23
L1_BYTES, L2_BYTES, SECTOR_BYTES = 32 << 10, 256 << 10, 32
L1_RATE, L2_RATE, DRAM_RATE = 128e6, 128e6, 32e6
FP32_RATE = 2 * 1024 * 2 * 1e6  # SMs x threads x operations of a multiply-add

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "cycles": 1, "us": 1, "ms": 1000, "MB/s": 1e6, "GB/s": 1e9,
         "GFLOP/s": 1e9, "MHz": 1e6}


def number(entry):
    value, unit = entry["value"].split()
    return float(value) * UNITS[unit]


def run(*arguments, program=None, **environment):
    return subprocess.run([program or PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **environment})


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class OnAModel(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "out"

    def measure(self, command, *arguments, status=OK, **environment):
        result = run(command, "-o", self.folder, *arguments, **environment)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def assertNear(self, entry, expected, share=0.01):
        self.assertAlmostEqual(number(entry) / expected, 1, delta=share, msg=f"{entry}, not {expected}")

    def test_the_microbenchmarks_find_the_numbers_of_the_model(self):
        benchmarks = "latency,line_latency,sector,request,bandwidth,loaded_latency,rate,launch"
        result = self.measure("micro", "--quick", "--repeats", 1, "--benchmarks", benchmarks)
        self.assertIn("9 microbenchmarks measured, 0 from before, 0 refused", result.stdout)
        gpu = tomllib.loads((self.folder / "gpu.toml").read_text(encoding="utf-8"))
        l1, l2, dram = gpu["level"]
        self.assertNear(l1["latency"], L1_CYCLES)
        self.assertNear(l1["sector"], SECTOR_BYTES)
        self.assertNear(l1["bandwidth"], L1_RATE)
        knee = re.search(r"capacity by its knee ([\d.]+) KiB", l1["latency"]["note"])
        self.assertAlmostEqual(float(knee[1]) * 1024 / L1_BYTES, 1.2, delta=0.25)  # between the sets of --quick
        groups = re.search(r"median of the nearer \d+ ([\d.]+), of the farther \d+ ([\d.]+)", l2["latency"]["note"])
        self.assertAlmostEqual(float(groups[1]), NEAR_L2_CYCLES, delta=1)
        self.assertAlmostEqual(float(groups[2]), FAR_L2_CYCLES, delta=1)
        knee = re.search(r"knee of its (?:latency|bandwidth) ([\d.]+) KiB", l2["capacity"]["note"])
        self.assertAlmostEqual(float(knee[1]) * 1024 / L2_BYTES, 1.2, delta=0.25)
        self.assertNear(l2["bandwidth"], L2_RATE)
        self.assertNear(dram["latency_time"], DRAM_CYCLES)  # a cycle is a microsecond
        self.assertNear(dram["bandwidth"], DRAM_RATE)
        self.assertNear(gpu["sm"]["smem_latency"], SMEM_CYCLES)
        for name, times in (("fp32", 1), ("fp64", 1), ("fp16", 2)):
            self.assertNear(gpu["peak"][name], times * FP32_RATE)
        predicted = run("predict", "alexnet", "--gpu", self.folder / "gpu.toml", program=CLI)
        self.assertEqual(predicted.returncode, OK, predicted.stderr)

    def test_every_layer_is_computed_as_its_reference_says(self):
        tables = sorted(LAYERS.glob("*.csv"))
        self.measure("layers", "--warm", "--repeats", 1, *[word for table in tables for word in ("--layers", table)])
        self.assertEqual(rows(self.folder / "skipped.csv"), [])
        for table in tables:
            measured = rows(self.folder / "layers" / table.name)
            self.assertEqual(len(measured), len(rows(table)), table)
            for row in measured:
                limit = {"fp32": 5e-7, "tf32": 5e-7, "fp16": 5e-4, "bf16": 4e-3, "int8": 0}[row["precision"]]
                self.assertLessEqual(float(row["error"]), limit, row)
                self.assertEqual(row["launched"], "graph", row)
                self.assertGreater(float(row["time_us"]), 0, row)
        again = self.measure("layers", "--warm", "--layers", tables[0])
        self.assertIn("from before", again.stdout)
        self.measure("replay", "--warm")  # as under a profiler

    def test_a_library_that_computes_something_wrong_is_found_out(self):
        tables = [LAYERS / name for name in ("conv.csv", "gemm.csv", "attention.csv", "rnn.csv")]
        self.measure("layers", "--warm", "--repeats", 1, *[word for table in tables for word in ("--layers", table)],
                     ON_CPU_WRONG="1")
        skipped = rows(self.folder / "skipped.csv")
        self.assertEqual({row["why"] for row in skipped}, {"wrong_result"})
        self.assertEqual(len(skipped), sum(len(rows(table)) for table in tables))
        for table in tables:
            self.assertEqual(rows(self.folder / "layers" / table.name), [])

    def test_what_does_not_fit_into_memory_is_skipped_and_the_rest_measured(self):
        table = self.folder.with_name("large.csv")
        table.write_text("op,M,N,K,precision\ngemm,4096,4096,4096,fp32\ngemm,8,8,8,fp32\n", encoding="utf-8")
        self.measure("layers", "--warm", "--layers", table)
        self.assertEqual([row["why"] for row in rows(self.folder / "skipped.csv")], ["out_of_memory"])
        self.assertEqual([row["M"] for row in rows(self.folder / "layers" / "gemm.csv")], ["8"])

    def test_a_lost_gpu_ends_the_run_and_the_next_one_goes_on(self):
        arguments = ("--warm", "--repeats", 1, "--layers", LAYERS / "conv.csv")
        result = self.measure("layers", *arguments, status=ERROR, ON_CPU_LAST_LAUNCH="40")
        self.assertIn("the GPU is lost to this process; run the same command again to continue", result.stderr)
        kept = len(rows(self.folder / "layers" / "conv.csv"))
        self.assertGreater(kept, 0)
        self.measure("layers", *arguments)
        measured = rows(self.folder / "layers" / "conv.csv")
        skipped = rows(self.folder / "skipped.csv")
        self.assertEqual([row["why"] for row in skipped], ["device_lost"])  # what it was lost in is not tried again
        self.assertEqual(len(measured) + len(skipped), len(rows(LAYERS / "conv.csv")))
        self.measure("layers", *arguments, "--retry")
        self.assertEqual(len(rows(self.folder / "layers" / "conv.csv")), len(rows(LAYERS / "conv.csv")))

    def test_ctrl_c_keeps_what_is_done(self):
        process = subprocess.Popen([PROGRAM, "micro", "-o", self.folder, "--quick", "--repeats", "1"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        points = self.folder / "microbench.csv"
        for _ in range(600):
            if points.exists() and "line_latency" in points.read_text(encoding="utf-8"):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, INTERRUPTED, errors)
        self.assertIn("stopped; run the same command again to continue", errors)
        self.assertIn("latency", {row["benchmark"] for row in rows(points)})
        result = self.measure("micro", "--quick", "--repeats", 1, "--benchmarks", "latency")
        self.assertIn("0 microbenchmarks measured, 1 from before", result.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure", required=True)
    parser.add_argument("--cli", required=True)
    known, rest = parser.parse_known_args()
    PROGRAM, CLI = known.measure, known.cli
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
