#!/usr/bin/env python3
"""Times what somebody waits for who has just cloned the project, in a fresh copy of what git tracks.

Usage: build_time.py [--tests]. The Debian packages must be there (./dev setup). Prints wall and processor time of each
step beside its aim, which is for two idle cores: on a busy machine look at the processor time, halved. --tests adds
`./dev test` from nothing. ccache is switched off. Nothing fails where an aim is missed: this measures.
"""
import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EDITED = "rooftile/predict/predict.cpp"
PREDICT = ["./dev", "run", "predict", "resnet50", "--gpu", "titan-xp"]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def step(name, aim, clone, *commands):
    wall, used = time.monotonic(), processor_seconds()
    for command in commands:
        done = subprocess.run(command, cwd=clone, env=os.environ | {"CCACHE_DISABLE": "1"}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")
    wall, used = time.monotonic() - wall, processor_seconds() - used
    print(f"{name:<44} {wall:8.1f} {used:12.1f} {aim:8}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "rooftile"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        print(f"{'step':<44} {'wall s':>8} {'processor s':>12} {'aim s':>8}")
        step("first ./dev run predict", 90, clone, PREDICT)
        step("all commands, after it", 120, clone, ["./dev", "build"])
        with (clone / EDITED).open("a", encoding="utf-8") as source:
            source.write("\n// edited\n")
        step(f"after an edit of {EDITED}", 20, clone, ["./dev", "build"])
        step("nothing to do", 1, clone, PREDICT)
        if args.tests:
            step("./dev test from nothing", 1200, clone, ["./dev", "test"])


if __name__ == "__main__":
    main()
