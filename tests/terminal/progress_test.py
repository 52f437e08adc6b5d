#!/usr/bin/env python3
"""Runs long explorations and fits on terminals and looks at the bytes of their progress bars.

Usage: progress_test.py --cli ROOFTILE. Each run is stopped once the bar was drawn three times.
"""
import argparse
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

CLI = None
AGAIN = "\r\x1b[K"  # back to the first column, and the line goes
WORKING = "working,"  # where a command has no bar yet
PATIENCE = 60  # seconds; under the sanitizers on a busy machine all is slow
SPACE = """gpu = "titan-xp-delta"
sampling = "random"
samples = 1000000000
[axes]
sm_count = { from = 30, to = 120 }
dram_bandwidth = { multiples = { from = 1, to = 4 } }
[[workload]]
model = "alexnet"
batch_size = 1
"""


def read_some(descriptor, seconds):
    """What comes within that time, or nothing; a terminal whose other end is closed is at its end."""
    if not select.select([descriptor], [], [], seconds)[0]:
        return None
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def stopped_on_terminal(arguments, columns):
    """What a terminal of that width is sent on standard error until the program ends, but for what stands there before
    the bar, and its status. It is interrupted once the bar was drawn three times."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen([CLI, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    text, asked, end = b"", False, time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            more = read_some(ours, 0.2)
            if more == b"":
                break
            text += more or b""
            if not asked and text.count(AGAIN.encode()) - text.count(WORKING.encode()) >= 3:
                program.send_signal(signal.SIGINT)
                asked = True
        drawn = re.sub(re.escape(AGAIN) + WORKING + r" \d+ s", "", text.decode())
        return drawn, program.wait(timeout=PATIENCE)
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
        os.close(ours)


class Bar(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.space = Path(scratch.name) / "space.toml"
        self.space.write_text(SPACE)

    def stopped_on_terminal(self, columns):
        text, status = stopped_on_terminal(["explore", str(self.space), "--method", "delta", "--threads", "1"], columns)
        self.assertEqual(status, 130, text)
        return text

    def bars(self, columns):
        before, *drawn = self.stopped_on_terminal(columns).split(AGAIN)
        self.assertEqual(before, "", "nothing stands before the bar")
        last = drawn.pop()  # after the bar has gone
        self.assertRegex(last, r"^rooftile: stopped: [\d,]+ of 1,000,000,000 designs are done, and kept\r\n$")
        self.assertGreaterEqual(len(drawn), 3)
        for bar in drawn:
            self.assertLess(len(bar), columns, bar)
            self.assertNotIn("\n", bar)
        return drawn

    def test_a_wide_terminal_shows_bar_share_rate_and_time(self):
        for bar in self.bars(100):
            self.assertRegex(bar, r"^\[#*\.*\] *[\d.]+ %, [\d,.]+ designs/s, [\d.]+ (s|min|h|days) left$")
            self.assertEqual(bar.index("]"), 31)

    def test_a_narrow_one_a_shorter_bar(self):
        for bar in self.bars(55):
            self.assertRegex(bar, r"^\[#*\.*\] *[\d.]+ %, [\d,.]+ designs/s, [\d.]+ (s|min|h|days) left$")
            self.assertLess(bar.index("]"), 31)

    def test_a_very_narrow_one_what_of_the_text_fits(self):
        for bar in self.bars(20):
            self.assertRegex(bar, r"^[\d.]+ %, [\d,.]+ ")

    def test_a_pipe_shows_none(self):
        for after in (3, 9, 27):  # a bar would be there after one; a busy machine may not have started the program by then
            program = subprocess.Popen([CLI, "explore", "--method", "delta", str(self.space), "--threads", "1"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(after)
            program.send_signal(signal.SIGINT)
            _, text = program.communicate(timeout=PATIENCE)
            if text:
                break
        self.assertRegex(text, r"^rooftile: stopped: [^\r]*\n$")


class Simulations(unittest.TestCase):
    """An interrupt ends the layer at hand at once; what was finished is kept, and the rest named."""

    def interrupted(self, *arguments, says):
        """What is printed if the interrupt comes once the program has come so far: later and later, until it has."""
        for after in (1, 2, 4, 8, 16, 32):
            program = subprocess.Popen([CLI, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            time.sleep(after)
            program.send_signal(signal.SIGINT)
            sent = time.monotonic()
            out, error = program.communicate(timeout=PATIENCE)
            self.assertLess(time.monotonic() - sent, PATIENCE / 4)
            if re.search(says, error):
                break
        self.assertRegex(error, says)
        self.assertEqual(program.returncode, 130)
        return out

    def test_simulate_keeps_the_kernels_that_are_done(self):
        layers = ["vgg16", "--gpu", "titan-xp", "--batch-size", "256", "--exact"]  # minutes each
        out = self.interrupted("simulate", *layers, says=r"^rooftile: stopped before any kernel was simulated\n$")
        self.assertEqual(out, "")
        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.csv"
            small.write_text("op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w\nconv,1,8,7,7,16,3,3,1,1,1,1\n")
            out = self.interrupted("simulate", str(small), *layers,
                                   says=r"^rooftile: stopped: 1 of \d+ kernels are simulated; the others are left out\n$")
            self.assertIn("line 2", out)
            self.assertNotIn("conv1", out)

    def test_layers_that_are_left_take_no_time(self):
        self.interrupted("simulate", "--random", "1000000", "--gpu", "titan-xp",
                         says=r"^rooftile: stopped: \d+ of 1000000 kernels are simulated; the others are left out\n$")

    def test_evaluate_keeps_the_figures_that_are_made(self):
        with tempfile.TemporaryDirectory() as folder:
            self.interrupted("evaluate", "-o", folder, says=r"^rooftile: stopped: \d+ of \d+ tables and figures are made\n$")
            self.assertTrue((Path(folder) / "index.md").is_file())


    def test_one_large_kernel_shows_how_far_it_is(self):
        text, status = stopped_on_terminal(["simulate", "vgg16", "--gpu", "titan-xp", "--batch-size", "256", "--layer",
                                            "conv1_2", "--exact"], 100)  # seconds
        before, *drawn = text.split(AGAIN)
        self.assertEqual((before, status), ("", 130), text)
        self.assertEqual(drawn.pop(), "rooftile: stopped before any kernel was simulated\r\n")
        for bar in drawn:
            self.assertRegex(bar, r"^\[#*\.*\] *[\d.]+ %, [\d,.e-]+ kernels/s, [\d.]+ (s|min|h|days) left$")
            self.assertNotIn("100.0 %", bar)

    def test_an_exact_schedule_shows_how_far_it_is(self):
        jobs = [f"j{i},{20 + 7 * i}min,{30 + 5 * i}min,{1 + i % 3}" for i in range(20)]
        with tempfile.TemporaryDirectory() as folder:
            queue, cluster = Path(folder) / "queue.csv", Path(folder) / "cluster.toml"
            queue.write_text("job,time:t4,deadline,weight\n" + "\n".join(jobs) + "\n")
            cluster.write_text('[[machine]]\nname = "one"\ngpu = "t4"\ngpus = 2\n')
            text, status = stopped_on_terminal(["schedule", str(queue), "--cluster", str(cluster), "--exact"], 100)
        before, *drawn = text.split(AGAIN)
        self.assertEqual((before, status), ("", 130), text)
        self.assertEqual(drawn.pop(), "rooftile: stopped: the best schedule so far\r\n")
        for bar in drawn:  # the heuristic comes first, and has one of its own on a busy machine
            self.assertRegex(bar, r"^\[#*\.*\] *[\d.]+ %, [\d,.e-]+ (moves|%)/s, ([\d.]+ (s|min|h|days)|years) left$")


class Tables(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.table, self.large = Path(scratch.name) / "measured.csv", Path(scratch.name) / "large.csv"
        for table, shapes in (self.table, 600), (self.large, 2500):
            rows = [f"conv,{1 + i % 32},{8 + i},28,28,{64 + i % 7},3,3,1,1,1,1,{gpu},{100 + i % 11}\n"
                    for i in range(shapes) for gpu in ("t4", "titan-xp")]
            table.write_text("op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,gpu,time_us\n" + "".join(rows))

        self.networks = Path(scratch.name) / "networks.csv"
        self.networks.write_text("op,model,gpu,batch\n" + "".join(f"network,resnet152,t4,{n}\n" for n in range(1, 5000)))

    def test_long_commands_show_how_far_they_are(self):
        trial = ["fit", "factors", str(self.table), "--points", "5", "--draws", "10000"]
        for *arguments, units in (["fit", "constants", str(self.table), "fits"],
                                  ["fit", "grey-box", str(self.large), "fits"],
                                  ["predict-table", str(self.networks), "rows"],
                                  ["validate", str(self.table), "--tier", "own", "fits"],
                                  [*trial, "(fits|draws)"],
                                  [*trial, "--tier", "shipped", "draws"]):
            with self.subTest(arguments=arguments):
                text, status = stopped_on_terminal(arguments, 100)
                before, *drawn = text.split(AGAIN)
                self.assertEqual((before, status), ("", 130), text)
                self.assertEqual(drawn.pop(), "rooftile: stopped; nothing was written\r\n")
                for bar in filter(None, drawn):  # nothing stands between two bars
                    self.assertRegex(bar, r"^\[#*\.*\] *[\d.]+ %, [\d,.]+ " + units + r"/s, [\d.]+ (s|min|h|days) left$")


class Interrupts(unittest.TestCase):
    """Ctrl-C ends any command with status 130 and one line that says what is left of its work."""

    def start(self, *arguments, stdin=subprocess.DEVNULL):
        return subprocess.Popen([CLI, *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_a_command_without_a_bar_says_that_it_works(self):
        ours, theirs = pty.openpty()
        program = subprocess.Popen([CLI, "predict-table", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=theirs)  # which waits for its input
        os.close(theirs)
        text, end = b"", time.monotonic() + PATIENCE
        while b"working, 2 s" not in text and time.monotonic() < end:
            text += read_some(ours, 0.2) or b""
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(timeout=PATIENCE), 130)
        program.stdin.close()
        while more := read_some(ours, 0.2):
            text += more
        os.close(ours)
        self.assertEqual(text.decode(), f"{AGAIN}working, 1 s{AGAIN}working, 2 s{AGAIN}rooftile: stopped; nothing was written\r\n")

    def interrupted_at_the_pipe(self, *arguments):
        """The program's status, output and errors where it is interrupted as it waits for a reader of its output."""
        for after in (2, 8, 32):
            program = self.start(*arguments)
            time.sleep(after)
            program.send_signal(signal.SIGINT)
            out, error = program.communicate(timeout=PATIENCE)
            if out:
                break
        return program.returncode, out, error

    def test_output_that_was_begun_is_partial(self):
        status, out, error = self.interrupted_at_the_pipe("predict", "resnet152", "--gpu", "titan-xp", "--format", "json")
        self.assertEqual((status, error), (130, "rooftile: stopped; what was written is partial\n"))
        self.assertNotEqual(out[-2:], "}\n")

    def test_a_command_that_keeps_what_is_done_says_so_of_all(self):
        status, out, error = self.interrupted_at_the_pipe("compare", "alexnet", "--gpus", "all", "-b", "1,2,4", "--format", "json")
        self.assertEqual((status, error), (130, "rooftile: interrupted at the end: the result is complete\n"))
        self.assertEqual(out[-2:], "}\n")

    def test_a_prediction_that_takes_long_is_given_a_second(self):
        with tempfile.TemporaryDirectory() as folder:
            many = Path(folder) / "many.json"
            many.write_text(json.dumps({
                "schema": "rooftile/workload/1", "name": "many", "inputs": [{"name": "x", "shape": [1, 64]}],
                "ops": [{"name": f"fc{i}", "op": "gemm", "n": 64} for i in range(100_000)]}))
            for arguments in (["compare", many, "--gpus", "all", "-b", "max"],
                              ["plan", many, "--samples", "1e6", "--epochs", "90"],
                              ["parallelise", many, "--cluster", "dgx-1"]):
                with self.subTest(command=arguments[0]):
                    program = self.start(*arguments)
                    time.sleep(2)
                    program.send_signal(signal.SIGINT)
                    asked = time.monotonic()
                    _, error = program.communicate(timeout=PATIENCE)
                    self.assertLess(time.monotonic() - asked, 5)
                    self.assertEqual(program.returncode, 130, error)
                    self.assertRegex(error, r"^rooftile: stopped.*\n$")

    def test_traces_of_a_partial_search_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.start("parallelise", "megatron_turing_530b", "--cluster", "dgx-a100", "--gpus", "2240", "-b", "1920",
                                 "--chakra", f"{folder}/traces")
            time.sleep(2)
            program.send_signal(signal.SIGINT)
            _, error = program.communicate(timeout=PATIENCE)
            self.assertEqual(program.returncode, 130, error)
            self.assertEqual(os.listdir(folder), [])

    def test_a_plan_that_was_stopped_is_not_called_impossible(self):
        for after in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
            program = self.start("plan", "resnet50", "--samples", "1e6", "--epochs", "90", "--deadline", "12h")
            time.sleep(after)
            program.send_signal(signal.SIGINT)
            _, error = program.communicate(timeout=PATIENCE)
            self.assertNotIn("can train", error)
            self.assertIn(program.returncode, (0, 130, -signal.SIGINT), error)  # the last: before it had begun


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    arguments, rest = parser.parse_known_args()
    CLI = arguments.cli
    unittest.main(argv=[sys.argv[0], *rest])
