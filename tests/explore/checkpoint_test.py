#!/usr/bin/env python3
"""Explorations that are stopped or killed and go on from their checkpoint give the same bytes as those that were not.

Usage: checkpoint_test.py --cli ROOFTILE
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CLI = None
OK, ERROR, USAGE, STOPPED = 0, 1, 2, 130
KEPT = ("--pareto", "sm_count,dram_bandwidth", "--heat-map", "sm_count,mac_per_sm")

SPACE = """
gpu = "titan-xp-delta"
sampling = "random"
samples = {samples}
[axes]
sm_count = {{ values = [20, 30, 40, 60, 80] }}
mac_per_sm = {{ multiples = {{ from = 1, to = 4 }} }}
registers = {{ multiples = [0.25, 1, 2] }}
dram_bandwidth = {{ multiples = [1, 1.5, 2, 3] }}
[[workload]]
model = "alexnet"
"""


def run(*arguments, method="delta"):
    return subprocess.run([CLI, "explore", "--method", method, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


class Checkpoints(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.checkpoint = self.scratch / "checkpoint"

    def space(self, samples=200_000, text=SPACE):
        path = self.scratch / "space.toml"
        path.write_text(text.format(samples=samples))
        return path

    def assertOneLine(self, result, status, words):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(words, result.stderr)

    def start(self, space, *more):
        """An exploration on its way, with a checkpoint that holds some of it."""
        process = subprocess.Popen([CLI, "explore", "--method", "delta", space, *KEPT, "--checkpoint", self.checkpoint, *map(str, more)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        seen = set()
        while len(seen) < 3:  # the one that it begins with, and two more
            self.assertIsNone(process.poll(), "it ended before it could be stopped")
            if self.checkpoint.exists():
                seen.add(self.checkpoint.stat().st_mtime_ns)
            time.sleep(0.01)
        return process

    def long_space(self):
        """One that takes a thread of this build, on this machine, some seconds."""
        few, seconds = 500_000, 3
        begun = time.monotonic()
        self.assertEqual(run(self.space(few), "--threads", 1).returncode, OK)
        self.samples = round(few * seconds / (time.monotonic() - begun))
        return self.space(self.samples)

    def test_stopped_or_killed_it_goes_on_to_the_same_bytes(self):
        space = self.long_space()
        whole = run(space, *KEPT, "-o", self.scratch / "whole")
        self.assertEqual(whole.returncode, OK, whole.stderr)
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            self.checkpoint.unlink(missing_ok=True)
            process = self.start(space, "--threads", 1)
            process.send_signal(number)
            output, error = process.communicate(timeout=60)
            if number != signal.SIGKILL:
                self.assertEqual(process.returncode, STOPPED)
                self.assertIn("are done, and kept", error)
                self.assertIn(f" of {self.samples:,} designs", error)
            rest = run(space, *KEPT, "--checkpoint", self.checkpoint, "-o", self.scratch / "rest")
            self.assertEqual(rest.returncode, OK, rest.stderr)
            self.assertRegex(rest.stderr, rf"resuming from .*: [1-9][\d,]* of {self.samples:,} designs are done")
            self.assertEqual(rest.stdout, whole.stdout)
            self.assertEqual(files(self.scratch / "rest"), files(self.scratch / "whole"))

    def test_what_is_done_is_not_done_again(self):
        space = self.space()
        first = run(space, "--checkpoint", self.checkpoint)
        again = run(space, "--checkpoint", self.checkpoint)
        self.assertEqual(first.stderr, "")
        self.assertIn("200,000 of 200,000 designs are done", again.stderr)
        self.assertEqual(again.stdout, first.stdout)

    def test_a_checkpoint_of_another_exploration_is_refused(self):
        space = self.space()
        run(space, "--checkpoint", self.checkpoint)
        before = self.checkpoint.read_bytes()
        for words, more, method in (
                ("different results to keep (--best 10 --rank-by time, not --best 5 --rank-by time)", ("--best", 5), "delta"),
                ("different method (delta, not roofline)", (), "roofline")):
            self.assertOneLine(run(space, "--checkpoint", self.checkpoint, *more, method=method), ERROR, words)
        for words, other in (("different axes", SPACE.replace("20, 30", "25, 30")),
                             ("different sampling (random, 200000 samples, seed 1, not sobol", SPACE.replace("random", "sobol")),
                             ("different constraints", 'constraints = ["sm_count > 20"]' + SPACE),
                             ("different workloads", SPACE.replace("alexnet", "vgg16"))):
            self.assertOneLine(run(self.space(text=other), "--checkpoint", self.checkpoint), ERROR, words)
        self.assertEqual(self.checkpoint.read_bytes(), before)

    def test_a_file_that_is_no_checkpoint_is_refused_and_left_alone(self):
        space = self.space()
        run(space, "--checkpoint", self.checkpoint)
        whole = self.checkpoint.read_bytes()
        for damaged in (b"", b"x", whole[:-1], whole[:100], whole[:200] + b"?" + whole[201:]):
            self.checkpoint.write_bytes(damaged)
            self.assertOneLine(run(space, "--checkpoint", self.checkpoint), ERROR, f"{self.checkpoint}: is ")
            self.assertEqual(self.checkpoint.read_bytes(), damaged)

    def test_a_checkpoint_that_cannot_be_written_is_an_error_at_once(self):
        space = self.long_space()
        begun = time.monotonic()
        self.assertOneLine(run(space, "--checkpoint", self.scratch / "no" / "file"), ERROR, "No such file or directory")
        self.assertOneLine(run(space, "--checkpoint", "/dev/full"), ERROR, "/dev/full")
        self.assertLess(time.monotonic() - begun, 3)

    def test_wrong_usage(self):
        space = self.space()
        for words, more in (("--checkpoint", ("--csv", "x.csv", "--checkpoint", "c")),
                            ("--checkpoint", ("--rows", "x.bin", "--checkpoint", "c"))):
            result = run(space, *more)
            self.assertOneLine(result, USAGE, words)
        self.assertFalse(os.path.exists("c"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    options, rest = parser.parse_known_args()
    CLI = options.cli
    unittest.main(argv=[sys.argv[0], *rest])
