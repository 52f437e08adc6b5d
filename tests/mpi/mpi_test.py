#!/usr/bin/env python3
"""Runs rooftile-mpi with one to four ranks on this machine: the same bytes as rooftile, whichever ranks are killed.

Usage: mpi_test.py --mpi ROOFTILE-MPI --cli ROOFTILE --mpirun MPIRUN. What depends on the MPI (whether a run outlives a
rank) is tested with Open MPI alone and skipped with any other.
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

MPI = CLI = MPIRUN = None
OK, ERROR, USAGE = 0, 1, 2
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


def is_open_mpi():
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, timeout=60)
    return "Open" in version.stdout.split("\n")[0]  # "mpirun (Open MPI) 4.1.4", "mpirun.openmpi (OpenRTE) 4.1.4"


def launcher(ranks):
    """Tests alone run as root and with more ranks than cores."""
    if not is_open_mpi():
        return [MPIRUN, "-n", str(ranks)]
    return [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def run(*arguments, ranks=None, launch=()):
    program = [CLI] if ranks is None else [*launcher(ranks), *launch, MPI]
    return subprocess.run([*program, "explore", "--method", "delta", *map(str, arguments)], capture_output=True, text=True, timeout=300)


def own_lines(text):
    """What the program says, without what mpirun says about it."""
    return [line for line in text.splitlines() if line.startswith("rooftile: ")]


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def ranks_of(launcher_id):
    """Process ids by rank, of all that descend from the launcher."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
    found = {}
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != launcher_id:
            ancestor = parents[ancestor]
        if ancestor != launcher_id or process == launcher_id:
            continue
        try:
            environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            program = os.readlink(f"/proc/{process}/exe")
        except OSError:
            continue
        for variable in environment:
            name, _, value = variable.partition(b"=")
            if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK") and program == os.path.realpath(MPI):
                found[int(value)] = process
    return found


class Ranks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.checkpoint = self.scratch / "checkpoint"

    def space(self, samples=400_000, name="space.toml"):
        path = self.scratch / name
        path.write_text(SPACE.format(samples=samples))
        return path

    def long_space(self, seconds=6):
        """One that takes two threads some seconds."""
        few = 2_000_000
        begun = time.monotonic()
        self.assertEqual(run(self.space(few), "--threads", 2).returncode, OK)
        return self.space(round(few * seconds / (time.monotonic() - begun)))

    def start(self, space, ranks, *more, launch=()):
        """Ranks on their way, with a checkpoint that holds some of it."""
        process = subprocess.Popen([*launcher(ranks), *launch, MPI, "explore", "--method", "delta", space, *KEPT, "--checkpoint",
                                    self.checkpoint, "--threads", "1",
                                    *map(str, more)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        seen = set()
        while len(seen) < 4:
            self.assertIsNone(process.poll(), "it ended before anything could happen to it")
            if self.checkpoint.exists():
                seen.add(self.checkpoint.stat().st_mtime_ns)
            time.sleep(0.01)
        return process

    def assertSameAsOneProgram(self, result, space, folder):
        self.assertEqual(result.returncode, OK, result.stderr)
        whole = run(space, *KEPT, "-o", self.scratch / "whole")
        self.assertEqual(whole.returncode, OK, whole.stderr)
        self.assertEqual(result.stdout, whole.stdout)
        self.assertEqual(files(folder), files(self.scratch / "whole"))

    def test_any_number_of_ranks_and_threads_gives_the_same_bytes(self):
        space = self.space()
        for ranks in (1, 2, 3, 4):
            for threads in (1, 2):
                with self.subTest(ranks=ranks, threads=threads):
                    folder = self.scratch / f"{ranks}x{threads}"
                    result = run(space, *KEPT, "-o", folder, "--threads", threads, ranks=ranks)
                    self.assertSameAsOneProgram(result, space, folder)
                    self.assertEqual(own_lines(result.stderr), [])

    def test_ways_to_spread_a_step_are_shared_out(self):
        # mpirun gives ranks a terminal of its own, whose width tables follow.
        asked = ["parallelise", "gpt2", "--cluster", "dgx-a100", "--gpus", "8", "-b", "16", "--format", "json"]
        whole = subprocess.run([CLI, *asked], capture_output=True, text=True, timeout=300)
        self.assertEqual(whole.returncode, OK, whole.stderr)
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                result = subprocess.run([*launcher(ranks), MPI, *asked], capture_output=True, text=True, timeout=300)
                self.assertEqual((result.returncode, result.stdout), (OK, whole.stdout))
        wrong = subprocess.run([*launcher(2), MPI, *asked, "--fix", "tp=5"], capture_output=True, text=True, timeout=300)
        self.assertEqual(wrong.returncode, USAGE)
        self.assertEqual(len(own_lines(wrong.stderr)), 1, wrong.stderr)

    def test_a_rank_that_is_killed_costs_its_chunk(self):
        if not is_open_mpi():
            self.skipTest("only Open MPI is known to go on without a rank")
        space = self.long_space()
        process = self.start(space, 3, "--rank-timeout", 2, "-o", self.scratch / "killed",
                             launch=("--enable-recovery",))
        os.kill(ranks_of(process.pid)[2], signal.SIGKILL)
        output, error = process.communicate(timeout=120)
        self.assertEqual(len(own_lines(error)), 1, error)
        self.assertRegex(error, r"rooftile: rank 2 \(.*\) has been silent for 2 s; its work goes to others")
        self.assertSameAsOneProgram(subprocess.CompletedProcess([], process.returncode, output, error), space,
                                    self.scratch / "killed")

    def test_all_that_are_killed_go_on_from_the_checkpoint(self):
        space = self.long_space()
        for victims, ranks, later in (("a rank", 2, 3), ("the launcher", 3, 1), ("all", 2, None)):
            with self.subTest(victims=victims):
                self.checkpoint.unlink(missing_ok=True)
                process = self.start(space, ranks)
                found = ranks_of(process.pid)
                self.assertEqual(sorted(found), list(range(ranks)))
                if victims != "a rank":
                    process.kill()
                for rank, identity in found.items():
                    if victims == "all" or (victims == "a rank" and rank == 1):
                        os.kill(identity, signal.SIGKILL)
                process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, OK)
                self.assertGone(found.values())
                rest = run(space, *KEPT, "--checkpoint", self.checkpoint, "-o", self.scratch / "rest", ranks=later)
                self.assertRegex(rest.stderr, r"resuming from .*: [1-9][\d,]* of [\d,]+ designs are done")
                self.assertSameAsOneProgram(rest, space, self.scratch / "rest")

    def assertGone(self, processes):
        patience = 20
        end = time.monotonic() + patience
        while any(Path(f"/proc/{process}/exe").exists() for process in processes):
            self.assertLess(time.monotonic(), end, "ranks outlive their launcher")
            time.sleep(0.1)

    def test_ctrl_c_keeps_what_is_done(self):
        space = self.long_space()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                self.checkpoint.unlink(missing_ok=True)
                process = self.start(space, 3)
                process.send_signal(number)
                output, error = process.communicate(timeout=60)
                before = self.checkpoint.stat().st_mtime_ns
                rest = run(space, *KEPT, "--checkpoint", self.checkpoint, "-o", self.scratch / "rest", ranks=2)
                self.assertRegex(rest.stderr, r"resuming from .*: [1-9][\d,]* of [\d,]+ designs are done")
                self.assertSameAsOneProgram(rest, space, self.scratch / "rest")
                self.assertGreater(self.checkpoint.stat().st_mtime_ns, before)

    def test_an_error_is_told_once(self):
        missing = run(self.scratch / "no.toml", ranks=3)
        self.assertEqual(missing.returncode, ERROR)
        self.assertEqual(len(own_lines(missing.stderr)), 1, missing.stderr)
        self.assertIn("no.toml: No such file", missing.stderr)
        for arguments in ((), ("--nonsense",), (self.space(), "--best", "none")):
            wrong = run(*arguments, ranks=2)
            self.assertEqual(wrong.returncode, USAGE, wrong.stderr)
            self.assertEqual(len(own_lines(wrong.stderr)), 1, wrong.stderr)

    def run_apart(self, other):
        """Two ranks, each in a folder of its own with its own space.toml; the second's holds `other`."""
        if not is_open_mpi():
            self.skipTest("the way to give each rank its folder is Open MPI's")
        for rank, text in enumerate((SPACE.format(samples=400_000), other)):
            (self.scratch / f"rank{rank}").mkdir()
            if text is not None:
                (self.scratch / f"rank{rank}" / "space.toml").write_text(text)
        script = 'cd "$0/rank$OMPI_COMM_WORLD_RANK" && exec "$1" explore space.toml'
        return subprocess.run([*launcher(2), "sh", "-c", script, str(self.scratch), os.path.abspath(MPI)],
                              capture_output=True, text=True, timeout=60)

    def test_an_error_on_one_machine_ends_all(self):
        result = self.run_apart(None)
        self.assertEqual(result.returncode, ERROR, result.stderr)
        self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)
        self.assertRegex(result.stderr, r"rooftile: rank 1 \(.*\): space.toml: No such file")

    def test_another_space_on_one_machine_ends_all(self):
        result = self.run_apart(SPACE.format(samples=400_001))
        self.assertEqual(result.returncode, ERROR, result.stderr)
        self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)
        self.assertRegex(result.stderr, r"rooftile: rank 1 \(.*\): does not match rank 0: it has different sampling "
                                        r"\(random, 400001 samples, seed 1, not random, 400000 samples, seed 1\)")

    def test_rows_are_for_one_machine(self):
        for option in ("--csv", "--rows"):
            result = run(self.space(), option, self.scratch / "rows", ranks=2)
            self.assertEqual(result.returncode, USAGE, result.stderr)
            self.assertIn(f"unknown option '{option}'", result.stderr)
            self.assertFalse((self.scratch / "rows").exists())

    def test_help_comes_once(self):
        result = subprocess.run([*launcher(2), MPI, "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(result.stdout.count("Usage: "), 1, result.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("--mpi", "--cli", "--mpirun"):
        parser.add_argument(name, required=True)
    options, rest = parser.parse_known_args()
    MPI, CLI, MPIRUN = options.mpi, options.cli, options.mpirun
    unittest.main(argv=[sys.argv[0], *rest])
