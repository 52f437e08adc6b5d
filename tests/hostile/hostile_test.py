#!/usr/bin/env python3
"""Files and command lines from elsewhere: each answer comes soon, in one line where it is an error, and does nothing to
a terminal or a spreadsheet.

Usage: hostile_test.py --cli ROOFTILE
"""
import argparse
import json
import os
import resource
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from pathlib import Path

CLI = None
CORPUS = Path(__file__).parent / "corpus"
SECONDS = 60  # for any command; under the sanitizers on a busy machine
GPU = ("--gpu", "titan-xp")
ODD = "\x1b]0;x\x07\x9b2J\u202e\x7f"  # a title, a cleared screen, text that runs backwards


def run(*arguments, **options):
    return subprocess.run([CLI, *map(str, arguments)], capture_output=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, **options)


def controls(data):
    """The control characters in output that is UTF-8, but for ends of lines and tabs."""
    text = data.decode()
    return {c for c in text if c not in "\n\t" and (unicodedata.category(c) == "Cc" or c in "\u202e\u2066\u2028")}


def tree_page(size, kind, cells, right=b"", start=0):
    """A page of the tree of an SQLite table, its header at `start` (sqlite.org, "Database File Format", section 1.6)."""
    page, places, end = bytearray(size), [], size
    for cell in cells:
        end -= len(cell)
        page[end:end + len(cell)] = cell
        places.append(end)
    header = struct.pack(">BHHHB", kind, 0, len(cells), end, 0) + right + struct.pack(f">{len(places)}H", *places)
    page[start:start + len(header)] = header
    return page


INTERIOR, LEAF = 5, 13  # kinds of pages


def pages_of(store):
    size = struct.unpack(">H", store[16:18])[0]
    return [store[at:at + size] for at in range(0, len(store), size)]


def file_of(pages):
    first = bytearray(pages[0])
    first[28:32] = struct.pack(">I", len(pages))
    return b"".join([bytes(first), *pages[1:]])


def add_tower(pages):
    """Pages that all point to the one before, by which its rows come 51^15 times."""
    for _ in range(15):
        below = len(pages)
        pages.append(tree_page(len(pages[0]), INTERIOR, [struct.pack(">IB", below, 100)] * 50, struct.pack(">I", below)))


def endless_table(store, root):
    """The store with a table, whose tree begins at the page `root`, that repeats its rows."""
    pages = pages_of(store)
    pages.append(pages[root - 1])
    add_tower(pages)
    pages[root - 1] = pages[-1]
    return file_of(pages)


def endless_schema(store):
    """The store with a schema that begins with its own and then repeats one entry."""
    pages = pages_of(store)
    first, size = pages[0], len(pages[0])
    entries, content = struct.unpack(">HH", first[103:107])
    header = first[100:108 + 2 * entries]
    pages.append(header + bytes(content - len(header)) + first[content:])
    own = len(pages)
    row = b"index" + b"sqlite_autoindex_layout_1" + b"layout" + bytes([3])
    row = bytes([6, 13 + 2 * 5, 13 + 2 * 25, 13 + 2 * 6, 1, 0]) + row
    pages.append(tree_page(size, LEAF, [bytes([len(row), 100]) + row]))
    add_tower(pages)
    pages[0] = tree_page(size, INTERIOR, [struct.pack(">IB", own, 99)], struct.pack(">I", len(pages)), start=100)
    pages[0][:100] = first[:100]
    return file_of(pages)


class Hostile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path

    def fails(self, *arguments, words="", status=1):
        result = run(*arguments)
        message = f"{arguments}: {result.stderr.decode(errors='replace')}"
        self.assertEqual(result.returncode, status, message)
        self.assertEqual(result.stderr.count(b"\n"), 1, message)
        self.assertIn(words, result.stderr.decode(), message)
        self.assertEqual(controls(result.stderr), set(), message)

    def shows(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stderr.decode()}")
        self.assertEqual(controls(result.stdout) | controls(result.stderr), set(), arguments)
        return result.stdout.decode()

    # Every file that once made a command crash, hang or print nonsense.
    def test_workloads(self):
        for model in sorted(CORPUS.glob("*.json")):
            for command in ("predict", "simulate", "roofline", "sensitivity"):
                with self.subTest(model=model.name, command=command):
                    self.fails(command, model, *GPU)
            self.fails("models", "show", model)

    def pipe(self, name):
        os.mkfifo(self.scratch / name)
        return self.scratch / name

    def sparse(self, name, size=10 << 30):
        with open(self.scratch / name, "wb") as file:
            file.truncate(size)
        return self.scratch / name

    # Each command that reads a kind of file, with what never ends, never begins or is too large in its place.
    def test_no_files(self):
        model, table = self.write("m.json", "{}"), self.write("t.csv", "op,M,N,K,time_us\ngemm,8,8,8,5\n")
        places = {
            "json": (lambda path: ("predict", path, *GPU), lambda path: ("models", "show", path)),
            "onnx": (lambda path: ("predict", path, *GPU), lambda path: ("support", path)),
            "toml": (lambda path: ("predict", "alexnet", "--gpu", path), lambda path: ("explore", path),
                     lambda path: ("cost", "alexnet", *GPU, "--costs", path)),
            "csv": (lambda path: ("validate", path), lambda path: ("import", path, "--db", self.scratch / "s.db"),
                    lambda path: ("store", "list", "--db", path),
                    lambda path: ("diff", path, path), lambda path: ("roofline", "alexnet", *GPU, "--profile", path)),
        }
        for suffix, commands in places.items():
            device = self.scratch / f"zero.{suffix}"
            device.symlink_to("/dev/zero")
            random = self.scratch / f"random.{suffix}"
            random.symlink_to("/dev/urandom")
            for command in commands:
                for path in (device, random):
                    with self.subTest(path=path.name, command=command(path)[0]):
                        self.fails(*command(path), words="a device, not a ")
            for path in (self.pipe(f"pipe.{suffix}"), self.sparse(f"sparse.{suffix}")):
                for command in commands:
                    with self.subTest(path=path.name, command=command(path)[0]):
                        self.fails(*command(path))
        self.assertTrue(model.exists() and table.exists())

    def test_onnx_larger_than_any(self):
        path = self.sparse("m.onnx", size=(64 << 30) + 1)
        for command in (("predict", path, *GPU), ("support", path), ("strip", path, "-o", self.scratch / "s.onnx")):
            with self.subTest(command=command[0]):
                self.fails(*command, words="m.onnx: larger than 64 GiB")

    # The model that a row names is a file like any other.
    def test_model_of_a_row(self):
        for place in ("/dev/zero", self.pipe("p.json"), self.sparse("s.json")):
            link = self.scratch / "model.json"
            link.unlink(missing_ok=True)
            link.symlink_to(place)
            table = self.write("t.csv", f"op,model,batch,gpu,time_ms\nnetwork,{link},8,t4,5\n")
            with self.subTest(place=place):
                self.assertEqual(run("validate", table).returncode, 1)

    def store(self, sql):
        table = self.write("t.csv", "op,M,N,K,gpu,time_us\ngemm,8,8,8,t4,5\n")
        path = self.scratch / "s.db"
        path.unlink(missing_ok=True)
        self.shows("import", table, "--db", path)
        with sqlite3.connect(path) as database:
            database.executescript(sql)
        database.close()
        return path

    def test_store_that_never_ends(self):
        columns = ", ".join(f"n AS {c}" for c in ("id", "key", "copy", "layout", "origin", "subject", "line", "cells"))
        path = self.store(f"""PRAGMA foreign_keys = OFF; DROP TABLE measurement;
            CREATE VIEW measurement AS WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r)
            SELECT {columns} FROM r;""")
        for command in (("store", "list", "--db"), ("store", "check", "--db"), ("store", "export", "--db"), ("validate",)):
            with self.subTest(command=command):
                self.fails(*command, path, words="is not a rooftile store: it has the view 'measurement'")

    def test_store_whose_schema_never_ends(self):
        path = self.store("")
        path.write_bytes(endless_schema(path.read_bytes()))
        table = self.write("t.csv", "op,M,N,K,gpu,time_us\ngemm,8,8,8,t4,5\n")
        for command in (("store", "list", "--db"), ("validate",), ("import", table, "--db")):
            with self.subTest(command=command[0]):
                self.fails(*command, path, words="is not a rooftile store: its schema has no end")

    def test_store_whose_rows_never_end(self):
        path = self.store("")
        with sqlite3.connect(path) as database:
            root = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'measurement'").fetchone()[0]
        database.close()
        path.write_bytes(endless_table(path.read_bytes(), root))
        for command in (("store", "export", "--db"), ("validate",), ("store", "check", "--db")):
            with self.subTest(command=command):
                self.fails(*command, path, words="the store is damaged")

    # Names from files on standard output, in every format.
    def test_control_characters(self):
        layers = {"schema": "rooftile/workload/1", "name": f"net{ODD}", "inputs": [{"name": "x", "shape": [1, 8]}],
                  "ops": [{"name": f"=fc{ODD}", "op": "gemm", "n": 4}]}
        model = self.scratch / "m.json"
        model.write_text(json.dumps(layers))
        for form in ("table", "csv", "json"):
            with self.subTest(form=form):
                result = run("predict", model, *GPU, "--format", form)
                self.assertEqual(controls(result.stdout) | controls(result.stderr), set())
        table = self.scratch / f"t{ODD}.csv"
        table.write_text(f"op,M,N,K,gpu,time_us,kernel,note\ngemm,8,8,8,t4,5,k{ODD},=1+1\n")
        path = self.scratch / "s.db"
        self.shows("import", table, "--db", path, "--source", f"me{ODD}")
        self.shows("store", "list", "--db", path)
        self.assertIn("'=1+1", self.shows("store", "export", "--db", path))
        self.shows("validate", table, "--by", "kernel")
        self.shows("validate", table, "--by", "kernel", "--format", "csv")

    def test_numbers(self):
        for number in ("1e-308", "inf", "nan", "-1", "1e300"):
            table = self.write("t.csv", f"op,M,N,K,gpu,time_us\ngemm,8,8,8,t4,{number}\n")
            with self.subTest(number=number):
                self.fails("validate", table, words="time_us")
                self.fails("import", table, "--db", self.scratch / "n.db", words="time_us")
        path = self.store("""INSERT INTO prediction (model, gpu, method, precision, pass, batch_size, time_s, calibration,
            version, date) VALUES ('m', 't4', 'rooftile', 'fp32', 'fwd', 1, 9e999, '', '', '')""")
        self.fails("store", "list", "--db", path, words="time of prediction 1 is not between a femtosecond and a year")

    def test_costs_that_give_negative_areas(self):
        text = self.shows("cost", "--costs", CORPUS / "cache_larger_than_its_die.toml")
        self.assertNotRegex(text, r"\b(nan|inf)\b")
        self.assertIn("over 20 rows: at least one not above 0", text)

    # A full disk, and a standard output that is closed.
    def test_output_that_takes_nothing(self):
        for arguments in (("--help",), ("--version",), ("predict", "--help"), (), ("gpus", "list")):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                for stdout, preexec in ((full, None), (None, lambda: os.close(1))):
                    result = subprocess.run([CLI, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, timeout=SECONDS,
                                            stderr=subprocess.PIPE, preexec_fn=preexec)
                    self.assertEqual(result.returncode, 1)
                    self.assertRegex(result.stderr, rb"^rooftile: standard output: .*\n$")

    def test_empty_files(self):
        empty = self.write("empty.toml", "# nothing\n")
        self.fails("predict", "alexnet", *GPU, "--method", f"rooftile={empty}", words="the file is empty")
        self.fails("cost", "alexnet", *GPU, "--costs", empty, words="the file is empty")
        self.fails("plan", "alexnet", "--samples", "1000", "--epochs", "1", "--price", empty, words="the file is empty")

    def test_work_without_end(self):
        large = self.write("m.json", json.dumps(
            {"schema": "rooftile/workload/1", "name": "large", "inputs": [{"name": "x", "shape": [1 << 12, 1 << 28]}],
             "ops": [{"name": "fc", "op": "gemm", "n": 1 << 12}]}))
        self.fails("simulate", large, *GPU, words="requests of warps to replay")
        wide = self.write("wide.csv", "op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w\n"
                          "conv,1,1,1,2147483648,1,1,2147483648,0,0,1,1\n")
        self.fails("predict-table", wide, *GPU, words="convolution width filter size is 2147483648")
        many = self.write("many.json", json.dumps(
            {"schema": "rooftile/workload/1", "name": "many", "inputs": [{"name": "x", "shape": [1, 8]}],
             "ops": [{"name": f"r{i}", "op": "elementwise", "function": "relu"} for i in range(100_000)]}))
        self.fails("sensitivity", many, *GPU, words="100000 operators are too many")

    def test_too_few_threads_and_too_little_memory(self):
        if "asan" in str(CLI):
            self.skipTest("the sanitizer has its own idea of memory")
        space = self.write("space.toml", 'gpu = "titan-xp-delta"\n[axes]\nsm_count = { values = [20, 30] }\n'
                                         '[[workload]]\nmodel = "alexnet"\n')
        limit = lambda size: lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
        result = run("explore", space, "--threads", "1024", preexec_fn=limit(1 << 30))
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        result = run("explore", space, "--threads", "1024", preexec_fn=limit(100 << 20))
        self.assertIn(result.returncode, (0, 1))
        self.assertLessEqual(result.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    options, rest = parser.parse_known_args()
    CLI = options.cli
    unittest.main(argv=[sys.argv[0], *rest])
