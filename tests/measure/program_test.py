#!/usr/bin/env python3
"""Runs rooftile-measure as far as it goes without a GPU: lists of layers, wrong usage, the GPU file from a folder.

Usage: program_test.py --measure PROGRAM --libcuda LIBRARY [--cli ROOFTILE]. With --cli, the GPU file must predict as one of
the catalogue does.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "folder"
DEVICES = Path(__file__).resolve().parent / "devices"  # as cuDNN describes GPUs, with what their data sheets say
PROGRAM = CLI = LIBCUDA = None
OK, ERROR, USAGE = 0, 1, 2


def run(*arguments, program=None, **more):
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C.UTF-8", **more}  # hides a GPU that is there
    return subprocess.run([program or PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env=environment)


class WithoutAGpu(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def assertOneLine(self, result, status, words):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(words, result.stderr)

    def test_commands_that_measure_say_that_there_is_none(self):
        for command in (["all"], ["micro"], ["layers"], ["counters"], []):
            folder = self.scratch / "out"
            result = run(*command, "-o", folder)
            self.assertOneLine(result, ERROR, "rooftile-measure: no NVIDIA ")
            self.assertFalse(folder.exists())

    def test_list_needs_none(self):
        result = run("--list")
        self.assertEqual(result.returncode, OK, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[-1], f"{len(lines) - 1} layers")
        self.assertGreater(len(lines), 400)
        self.assertEqual(len(set(lines)), len(lines))
        self.assertEqual({line.split()[0] for line in lines[:-1]}, {"conv", "gemm", "attention", "rnn", "stream"})

    def test_list_of_a_choice(self):
        result = run("--list", "--networks", "alexnet", "--precision", "fp16", "--layout", "nhwc", "--pass",
                     "fwd,bwd_data", "-b", 8, "--algorithms", "winograd")
        lines = [line for line in result.stdout.splitlines() if line.startswith("conv ")]
        self.assertEqual(len(lines), 10)
        self.assertIn("N=8 C=3 H=224 W=224 K=96 R=11 S=11", lines[0])
        self.assertIn("layout=nhwc algorithm_asked=winograd precision=fp16 pass=fwd", lines[0])

    def test_wrong_usage(self):
        self.assertOneLine(run("layers"), USAGE, "-o DIR is needed")
        self.assertOneLine(run("--frobnicate"), USAGE, "--frobnicate")
        self.assertOneLine(run("--list", "--precision", "fp61"), USAGE, "did you mean 'fp16'?")
        self.assertOneLine(run("--list", "--networks", "alexnt"), ERROR, "did you mean 'alexnet'?")
        self.assertOneLine(run("--list", "--layers", self.scratch / "none.csv"), ERROR, "No such file or directory")
        self.assertOneLine(run("--list", "-b", 0), USAGE, "--batch-size")
        self.assertOneLine(run("micro", "-o", self.scratch / "out", "--benchmarks", "latancy"), USAGE,
                           "latancy not in {latency,")
        self.assertOneLine(run("micro", "-o", self.scratch / "out", "--repeats", 0), USAGE, "--repeats")

    def test_cudnn_knows_the_pattern_of_attention_as_one_kernel(self):
        # cuDNN plans for GPUs that are not there, but wants a driver's library to load; the toolkit's to link with will do.
        (self.scratch / "libcuda.so.1").symlink_to(LIBCUDA)
        libraries = os.pathsep.join([str(self.scratch), os.environ.get("LD_LIBRARY_PATH", "")])
        for device in sorted(DEVICES.glob("*.json")):
            for cases in ([], ["--layers", FOLDER.with_name("attention.csv")]):
                result = run("attention-kernels", device, *cases, "--precision", "fp16,bf16", LD_LIBRARY_PATH=libraries)
                if "before 9.8" in result.stderr or "built without" in result.stderr:
                    self.skipTest(result.stderr)
                self.assertEqual(result.returncode, OK, result.stderr)
                lines = result.stdout.splitlines()
                self.assertGreater(len(lines), 10)
                for line in lines:  # from compute capability 8.0 on
                    self.assertEqual(int(line.split()[0]) > 0, device.stem != "t4", f"{device.stem}: {line}")

    def test_what_cudnn_cannot_be_asked_is_no_zero(self):
        (self.scratch / "libcuda.so.1").symlink_to(LIBCUDA)
        libraries = os.pathsep.join([str(self.scratch), os.environ.get("LD_LIBRARY_PATH", "")])
        no_device = self.scratch / "no_device.json"
        no_device.write_text("{}", encoding="utf-8")
        self.assertOneLine(run("attention-kernels", no_device, LD_LIBRARY_PATH=libraries), ERROR, "no_device.json: ")
        self.assertOneLine(run("attention-kernels", DEVICES / "h200.json", "--precision", "fp16",
                               LD_LIBRARY_PATH=libraries), ERROR, "no attention among the layers chosen")

    def test_gpu_file_of_a_folder(self):
        folder = self.scratch / "h200"
        shutil.copytree(FOLDER, folder)
        result = run("gpu-file", folder)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(result.stdout.strip(), str(folder / "gpu.toml"))
        text = (folder / "gpu.toml").read_text(encoding="utf-8")
        self.assertIn('id = "h200-sxm-141gb"', text)
        self.assertIn("measured with rooftile-measure ", text)
        if CLI is None:
            return
        predicted = run("predict", "alexnet", "--gpu", folder / "gpu.toml", "--batch-size", 256, "--format", "json",
                        program=CLI)
        self.assertEqual(predicted.returncode, OK, predicted.stderr)
        catalogue = run("predict", "alexnet", "--gpu", "h200-sxm-141gb", "--batch-size", 256, "--format", "json",
                        program=CLI)
        times = [json.loads(one.stdout)["time_s"] for one in (predicted, catalogue)]
        self.assertAlmostEqual(times[0] / times[1], 1, delta=0.1)  # the numbers are nearly those of the catalogue

    def test_gpu_file_without_measurements(self):
        self.assertOneLine(run("gpu-file", self.scratch), ERROR, "device.toml: No such file or directory")

    def test_gpu_file_of_broken_measurements(self):
        shutil.copytree(FOLDER, self.scratch / "broken")
        (self.scratch / "broken/microbench.csv").write_text("a,b\n", encoding="utf-8")
        self.assertOneLine(run("gpu-file", self.scratch / "broken"), ERROR, "microbench.csv:1: the header is not")
        self.assertFalse((self.scratch / "broken/gpu.toml").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure", required=True)
    parser.add_argument("--cli")
    parser.add_argument("--libcuda", required=True)
    known, rest = parser.parse_known_args()
    PROGRAM, CLI, LIBCUDA = known.measure, known.cli, known.libcuda
    unittest.main(argv=[sys.argv[0], *rest])
