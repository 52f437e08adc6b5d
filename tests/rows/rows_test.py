#!/usr/bin/env python3
"""Reads the rows of an exploration, binary and CSV, and compares them number by number.

Usage: rows_test.py --cli ROOFTILE. Where numpy is installed, the reader of docs/explore.md runs too, as it stands there.
"""
import argparse
import csv
import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "explore.md"
CLI = None
# Three blocks, the last one not full; CTAs of some designs do not fit.
SPACE = """gpu = "titan-xp-delta"
sampling = "random"
samples = 5000
[axes]
registers = { from = 8192, to = 65536 }
sm_count = { from = 30, to = 120 }
dram_bandwidth = { multiples = { from = 1, to = 4 } }
[[workload]]
model = "alexnet"
batch_size = 16
"""


def read_binary(data):
    """The header, and the numbers of each column."""
    end = data.index(b"\n") + 1
    header = json.loads(data[:end])
    names = header["columns"] + [f"{layer['workload']}/{layer['name']}" for layer in header["layers"]]
    table = {name: [] for name in names}
    while end < len(data):
        first, count = struct.unpack_from("<2Q", data, end)
        assert first == len(table[names[0]])
        end += 16
        for name in names:
            table[name] += struct.unpack_from(f"<{count}d", data, end)
            end += 8 * count
    return header, table


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        (cls.folder / "space.toml").write_text(SPACE)
        subprocess.run([CLI, "explore", "space.toml", "--csv", "all.csv", "--layer-times", "--rows", "rows.bin"],
                       cwd=cls.folder, check=True, stdout=subprocess.DEVNULL)
        cls.header, cls.table = read_binary((cls.folder / "rows.bin").read_bytes())
        with open(cls.folder / "all.csv", newline="", encoding="utf-8") as file:
            cls.rows = list(csv.DictReader(file))

    def test_both_files_hold_the_same_numbers(self):
        self.assertEqual(len(self.rows), 5000)
        unfit = 0
        for i, row in enumerate(self.rows):
            self.assertEqual(int(row["index"]), i)
            reason = self.header["unfit"][int(self.table["unfit"][i])]
            self.assertEqual(row["unfit"], reason)
            unfit += row["time_s"] == ""
            for name, column in self.table.items():
                if name == "unfit":
                    continue
                self.assertEqual(float(row[name] or 0), column[i], f"{name} of design {i}")
        self.assertGreater(unfit, 0)
        self.assertLess(unfit, 5000)

    def test_columns_of_the_csv_are_those_of_the_binary_rows(self):
        own = {"index", "speedup", "bottleneck"}
        self.assertEqual(set(self.rows[0]) - own, set(self.table))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_the_reader_of_the_documentation_reads_them(self):
        code = DOCS.read_text(encoding="utf-8").split("```python read_rows.py")[1].split("```")[0].partition("\n")[2]
        before, names = os.getcwd(), {}
        os.chdir(self.folder)
        try:
            exec(code, names)  # it reads rows.bin
        finally:
            os.chdir(before)
        self.assertEqual(list(names["table"]), list(self.table))
        for name, column in self.table.items():
            self.assertEqual(names["table"][name].tolist(), column, name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    arguments, rest = parser.parse_known_args()
    CLI = os.path.abspath(arguments.cli)
    unittest.main(argv=[sys.argv[0], *rest])
