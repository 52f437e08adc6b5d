#!/usr/bin/env python3
"""Runs commands that print tables on terminals of several widths: no line is wider, and no number is cut.

Usage: table_test.py --cli ROOFTILE.
"""
import argparse
import fcntl
import functools
import os
import pty
import struct
import subprocess
import sys
import termios
import unicodedata
import unittest
from pathlib import Path

CLI = None
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
INPUTS = Path(__file__).resolve().parent.parent / "golden" / "inputs"
LONGEST = "resnet152"  # its layers have long names
COMMANDS = [
    ["predict", LONGEST, "--gpu", "titan-xp", "--all"],
    ["roofline", LONGEST, "--gpu", "titan-xp"],
    ["sensitivity", LONGEST, "--gpu", "titan-xp"],
    ["cost", "--gpu", "v100-sxm2-16gb,a100-sxm4-80gb"],
    ["gpus", "list"],
    ["models", "list"],
    ["models", "show", LONGEST],
    ["support", LONGEST],
    ["explain", LONGEST, "--layer", "conv4_2/3x3", "--gpu", "titan-xp"],
    ["gpus", "show", "h100-sxm5-80gb"],
    ["compare", "resnet50", "bert_base", "--gpus", "all", "--buy", "--grid", "france"],
    ["compare", "--study", "ubc"],
    ["parallelise", "gpt3_175b", "--cluster", "dgx-a100", "--gpus", "64", "-b", "64"],
    ["serve", "llama2_70b", "--cluster", "dgx-h100", "--fix", "tp=8", "--arrivals", "5", "--bound", "first=1s"],
    ["schedule", str(EXAMPLES / "jobs.csv"), "--cluster", str(EXAMPLES / "cluster.toml")],
    ["cost"],
    ["scaling", "alexnet"],
    ["fit", "network", str(INPUTS / "network_runs.csv"), "--details"],
    ["fit", "layers", str(INPUTS / "network_layers.csv")],
    ["fit", "constants", str(INPUTS / "measured.csv")],
    ["fit", "factors", str(EXAMPLES / "measured.csv"), "--gpu", "titan-xp"],
    ["fit", "factors", str(EXAMPLES / "measured.csv"), "--gpu", "titan-xp", "--suggest", "3"],
    ["fit", "grey-box", str(EXAMPLES / "measured.csv")],
    ["explore", str(INPUTS / "space_costs.toml"), "--costs", "builtin"],
    ["optimise", str(INPUTS / "space_costs.toml"), "--minimise", "time,manufacturing_cost"],
    ["validate", str(EXAMPLES / "measured.csv"), "--quantity", "choice", "--by", "gpu"],
    ["plan", "resnet50", "--samples", "1e6", "--epochs", "1", "--gpu", "gh200-96gb-hbm3,h100-sxm5-80gb"],
]


def environment(**more):
    return {**{name: value for name, value in os.environ.items() if name != "COLUMNS"}, "LC_ALL": "C.UTF-8", **more}


def on_terminal(arguments, columns, **more):
    """What a terminal of that width is sent."""
    return sent_to_terminal(tuple(arguments), columns, tuple(more.items()))


@functools.lru_cache(maxsize=None)
def sent_to_terminal(arguments, columns, more):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen([CLI, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                               env=environment(**dict(more)))
    os.close(theirs)
    text = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # its other end is closed
            break
        if not some:
            break
        text += some
    os.close(ours)
    errors = program.stderr.read()
    program.stderr.close()
    assert program.wait() == 0, errors
    return text.decode().replace("\r\n", "\n")


def in_pipe(arguments, **more):
    return subprocess.run([CLI, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=True,
                          env=environment(**more)).stdout.decode()


def width(line):
    return sum(0 if unicodedata.combining(letter) else 1 for letter in line)


class Tables(unittest.TestCase):
    def test_lines_fit_the_terminal(self):
        for number, arguments in enumerate(COMMANDS):
            for columns in (80, 120 if number % 2 else 200):
                for line in on_terminal(arguments, columns).splitlines():
                    self.assertLessEqual(width(line), columns, f"{arguments} at {columns}: {line}")

    def test_a_narrower_terminal_is_taken_for_80_columns(self):
        arguments = ["predict", LONGEST, "--gpu", "titan-xp"]
        self.assertEqual(on_terminal(arguments, 40), on_terminal(arguments, 80))

    def test_columns_of_the_environment_win(self):
        arguments = ["gpus", "list"]
        self.assertEqual(on_terminal(arguments, 200, COLUMNS="80"), on_terminal(arguments, 80))
        self.assertEqual(in_pipe(arguments, COLUMNS="80"), on_terminal(arguments, 80))

    def test_ids_of_gpus_are_whole(self):
        for arguments in COMMANDS:
            if "--gpu" in arguments and arguments[0] != "roofline":  # which has the GPU's name
                for gpu in arguments[arguments.index("--gpu") + 1].split(","):
                    self.assertIn(gpu, on_terminal(arguments, 80), arguments)

    def test_every_block_tells_the_rows_apart(self):
        text = on_terminal(["compare", "resnet50", "alexnet", "--gpus", "t4,l4", "-b", "1,64"], 80)
        heads = [line for line in text.splitlines() if line.startswith("  gpu ")]
        self.assertGreater(len(heads), 1)
        for head in heads:
            self.assertRegex(head, r"^  gpu +model +batch ")

    def test_pipes_get_every_name_whole(self):
        arguments = ["predict", LONGEST, "--gpu", "titan-xp", "--all"]
        self.assertNotIn("…", in_pipe(arguments))
        self.assertEqual(in_pipe(arguments), on_terminal(arguments, 1000))

    def test_numbers_are_the_same_at_every_width(self):
        for arguments in COMMANDS:
            def numbers(text):
                words = text.replace("GCN ", "GCN-").split()  # an architecture's number is part of its name
                return sorted(word for word in words if word.replace(".", "").replace(",", "").isdigit())
            wide = numbers(in_pipe(arguments))
            narrow = numbers(on_terminal(arguments, 80))
            self.assertTrue(set(wide) <= set(narrow), arguments)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    options, rest = parser.parse_known_args()
    CLI = options.cli
    unittest.main(argv=[sys.argv[0], *rest])
