#!/usr/bin/python3
"""Fits what several GPUs add to a step (rooftile/planning/data_parallel.cpp) and prints the errors.

Needs Debian's python3-numpy and python3-scipy, hence /usr/bin/python3. Bytes of gradients and the time of their
all-reduce are asked of the rooftile program; steps are measured ones.

    tools/fit_data_parallel.py --cli build/release/bin/rooftile --training lambda/network.csv --links multigpu/training.csv

--training: Lambda's runs, whose script sets NCCL_P2P_DISABLE=1, so that gradients pass through the host's memory; the
constants are fitted to them. --links: DeepLearningExamples' runs on NVLink, which nothing is fitted to; it prints the
errors of `links` and the factors of its interval.

Rows of --training (op = network): networks that rooftile has, on several GPUs, with a row of one GPU of that kind and
precision beside them whose batch is the same share. Of rows that name the same run, the first is taken. Left out are
steps that are shorter than those of one GPU, a choice that was made after the data were seen: what is added has no
logarithm then. Whatever is left out is printed.
"""

import argparse
import collections
import csv
import functools
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy import optimize

Row = collections.namedtuple("Row", "model gpu precision gpus one step bytes links")  # seconds, B
DIGITS = 3  # of the constants in the code
RING_BYTE, REPLICA_LOSS = 119e-12, 0.0255  # as fitted: host_memory_link() and replica_loss()


def read(path, **wanted):
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(row[key] == value for key, value in wanted.items())]


def rounded(values):
    return np.array([float(f"{value:.{DIGITS}g}") for value in values])


class Rooftile:
    """Facts of models and GPUs, as the program has them."""

    def __init__(self, cli):
        self.cli = cli

    def ask(self, *arguments):
        done = subprocess.run([self.cli, *arguments], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:  # it has said why
            sys.exit(done.returncode)
        return done.stdout

    @functools.cache
    def models(self):
        return {line.split()[0] for line in self.ask("models", "list").splitlines()[1:] if line.strip()}

    @functools.cache
    def gradient_bytes(self, model, gpu, precision):
        """Of all weights, of which an inference keeps one copy: a gradient is sent as its weight is stored."""
        return json.loads(self.ask("predict", model, "--gpu", gpu, "--precision", precision, "--method", "roofline",
                                   "--format", "json"))["memory_bytes"]["weights"]

    @functools.cache
    def all_reduce(self, gpu, gpus, sent):
        """Seconds."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
            table.write(f"op,kind,gpu,gpus,bytes,precision\ncollective,all_reduce,{gpu},{gpus},{sent:.0f},fp16\n")
            table.flush()
            rows = csv.DictReader(io.StringIO(self.ask("predict-table", table.name, "--format", "csv")))
            return float(next(rows)["predicted_time_us"]) * 1e-6


def ring_bytes(sent, gpus):
    return 2 * (gpus - 1) / gpus * sent


def columns(rows, *names):
    return [np.array([getattr(row, name) for row in rows], dtype=float) for name in names]


def folds(rows, name):
    """Each value of a field, the rows that have it, and all others."""
    for value in sorted({getattr(row, name) for row in rows}):
        yield (value, [row for row in rows if getattr(row, name) == value],
               [row for row in rows if getattr(row, name) != value])


def runs_of(path, rooftile):
    """The rows that are fitted to, those of steps shorter than of one GPU, and how many are left out by reason."""
    first, left_out = {}, collections.Counter()
    for row in read(path, op="network", **{"pass": "step"}):
        key = (row["model"], row["gpu"], row["precision"], int(row["gpus"]))
        if key in first:
            same = all(first[key][name] == row[name] for name in ("batch", "throughput"))
            left_out["named twice, equal" if same else "named twice, not equal"] += 1
        else:
            first[key] = row
    fitted, shorter = [], []
    for (model, gpu, precision, gpus), row in first.items():
        one = first.get((model, gpu, precision, 1))
        if gpus == 1:
            left_out["of one GPU: what the others are compared with"] += 1
        elif model not in rooftile.models():
            left_out["network that rooftile does not have: " + model] += 1
        elif one is None or int(row["batch"]) != gpus * int(one["batch"]):
            left_out["no row of one GPU with the same share of the batch"] += 1
        elif gpus > 2 and "sxm" not in gpu:
            left_out["more than two cards, not joined by NVLink"] += 1
        else:
            steps = [int(cells["batch"]) / float(cells["throughput"]) for cells in (one, row)]
            sent = rooftile.gradient_bytes(model, gpu, precision)
            run = Row(model, gpu, precision, gpus, *steps, sent, rooftile.all_reduce(gpu, gpus, sent))
            (fitted if run.step >= run.one else shorter).append(run)
    return fitted, shorter, left_out


def added(constants, rows):
    """Through the host's memory; by the all-reduce over the links alone where there are no constants."""
    gpus, one, sent, links = columns(rows, "gpus", "one", "bytes", "links")
    if constants is None:
        return links
    ring_byte, loss = constants
    return np.maximum(ring_bytes(sent, gpus) * ring_byte, links) + one * loss * 2 * (1 - 1 / gpus)


def log_errors_of_steps(constants, rows):
    one, step = columns(rows, "one", "step")
    return np.log((one + added(constants, rows)) / step)


def gmae(errors):
    return np.exp(np.mean(np.abs(errors))) - 1


def fit_steps(rows):
    """Least absolute error of the logarithm: the best of a grid, then Nelder and Mead's simplex from there."""
    unit = np.array([100e-12, 0.01])

    def loss(x):
        return np.mean(np.abs(log_errors_of_steps(np.abs(x) * unit, rows)))

    best = optimize.brute(loss, (slice(0, 4, 0.05), slice(0, 10, 0.1)), finish=None)
    options = {"xatol": 1e-6, "fatol": 1e-12, "maxiter": 2000}
    found = optimize.minimize(loss, best, method="Nelder-Mead", options=options)
    return np.abs(found.x) * unit


def factors_of(constants, rows):
    """Measured over predicted, of what the GPUs add."""
    one, step = columns(rows, "one", "step")
    return (step - one) / added(constants, rows)


def held_out_factors(rows):
    """By the field that is held out: an array of factors for each of its values, from constants of all other rows."""
    return {name: [factors_of(fit_steps(others), held)
                   for _, held, others in folds(rows, name)]
            for name in ("model", "gpu")}


def bounds_of(parts):
    """The least and the most of the 5 and 95 % quantiles of each part: a network or GPU is off as a whole."""
    each = np.array([np.quantile(part, [0.05, 0.95]) for part in parts])
    return np.array([each[:, 0].min(), each[:, 1].max()])


def inside_of_others(parts):
    """How many factors of each part are within the bounds of all other parts."""
    inside = 0
    for i, part in enumerate(parts):
        low, high = bounds_of(parts[:i] + parts[i + 1:])
        inside += np.sum((part >= low) & (part <= high))
    return inside


def report_steps(path, rooftile):
    rows, shorter, left_out = runs_of(path, rooftile)
    if not rows:
        sys.exit(f"{path}: no step on several GPUs")
    constants = rounded(fit_steps(rows))
    errors = log_errors_of_steps(constants, rows)
    factors = factors_of(constants, rows)
    held_out = held_out_factors(rows)
    low, high = rounded(bounds_of([part for parts in held_out.values() for part in parts]))
    print(f"Steps of training: {len(rows)} rows")
    for name in ("model", "gpu", "gpus"):
        counts = sorted(collections.Counter(getattr(row, name) for row in rows).items())
        print(f"  {name:5} " + ", ".join(f"{value} {count}" for value, count in counts))
    for reason, count in sorted(left_out.items()):
        print(f"  left out: {count:3}  {reason}")
    for row in shorter:
        print(f"  left out:   1  shorter than of one GPU: {row.model} {row.gpu} {row.precision}, {row.gpus} GPUs, "
              f"{row.step:.3g} s, of one {row.one:.3g} s")
    print("  kRingByte {:.3g} s  kLoss {:.3g}".format(*constants))
    print(f"  kLeastOfAdded {low:.3g}  kMostOfAdded {high:.3g} (the widest 5 and 95 % quantiles of a network or "
          "GPU held out)")
    for name, parts in held_out.items():
        print(f"    bounds from the others' held-out rows, each {name} in turn: inside {inside_of_others(parts)} of "
              f"{len(rows)}")
    print("  errors of the step (GMAE)")
    print(f"    fitted rows                    {len(rows):4}  {gmae(errors):6.1%}  inside the interval "
          f"{np.sum((factors >= low) & (factors <= high))}")
    every = rows + shorter
    of_every = log_errors_of_steps(constants, every)
    print(f"    and those left out as shorter  {len(every):4}  {gmae(of_every):6.1%}")
    for name in ("model", "gpu"):
        together, inside = [], 0
        for value, held, others in folds(rows, name):
            fit = fit_steps(others)
            bounds = np.quantile(factors_of(fit, others), [0.05, 0.95])
            found = factors_of(fit, held)
            hits = np.sum((found >= bounds[0]) & (found <= bounds[1]))
            together.append(log_errors_of_steps(fit, held))
            inside += hits
            print(f"    {name:5} {value:16} held out {len(held):4}  {gmae(together[-1]):6.1%}  inside {hits:2}  "
                  f"({fit[0]:.3g} s, {fit[1]:.3g}, {bounds[0]:.2f} to {bounds[1]:.2f})")
        of_each = gmae(np.concatenate(together))
        print(f"    each {name:5} held out            {len(rows):4}  {of_each:6.1%}  inside {inside:2}")
    of_links = log_errors_of_steps(None, rows)
    print(f"    links alone                    {len(rows):4}  {gmae(of_links):6.1%}")
    of_nothing = np.log([row.one / row.step for row in rows])
    print(f"    nothing added                  {len(rows):4}  {gmae(of_nothing):6.1%}")
    times = np.quantile(factors_of(None, rows), [0, 0.25, 0.5, 0.75, 1])
    print("  added, over the all-reduce of `links`: least, quartiles, most " + ", ".join(f"{x:.3g}" for x in times))
    for name in ("model", "gpu", "precision"):
        for value, some, _ in folds(rows, name):
            median = np.median(factors_of(None, some))
            print(f"    {value:16}               {len(some):4}  median {median:.3g}")


def runs_on_links(path, rooftile):
    """Of DeepLearningExamples, each beside the run of one GPU with the same share of the batch, up to one machine."""
    groups = collections.defaultdict(dict)
    for row in read(path, op="network", source="DeepLearningExamples", flag=""):
        if row["time_us"]:
            key = [row[name] for name in ("model", "gpu", "precision", "framework", "seq_len", "micro_batch")]
            groups[(*key, row["note"].split(";")[0])][int(row["gpus"])] = row
    runs, known = [], {}
    for (model, gpu, precision, *_), by_gpus in groups.items():
        if 1 not in by_gpus or not model_is_known(rooftile, known, model):
            continue
        for gpus, row in by_gpus.items():
            one = float(by_gpus[1]["time_us"]) * 1e-6
            share = float(row["batch"]) / gpus / float(by_gpus[1]["batch"])  # of the work of the one
            if 1 < gpus <= 16:
                sent = rooftile.gradient_bytes(model, gpu, "fp32")  # amp keeps them in FP32
                runs.append(Row(model, gpu, precision, gpus, one * share, float(row["time_us"]) * 1e-6, sent,
                                rooftile.all_reduce(gpu, gpus, sent)))
    return runs


def model_is_known(rooftile, known, model):
    if model not in known:
        done = subprocess.run([rooftile.cli, "models", "show", model], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        known[model] = done.returncode == 0
    return known[model]


def report_links(path, rooftile, loss):
    rows = runs_on_links(path, rooftile)
    gpus, one, sent, links = columns(rows, "gpus", "one", "bytes", "links")
    step = np.array([row.step for row in rows])
    lost = one * loss * 2 * (1 - 1 / gpus)
    print(f"Over links: {len(rows)} rows of DeepLearningExamples, none fitted")
    for name, over in (("links", links), ("through the host's memory", ring_bytes(sent, gpus) * RING_BYTE),
                       ("nothing added", -lost)):
        print(f"    {name:30} {gmae(np.log((one + over + lost) / step)):6.1%}")
    factors = (step - one) / (links + lost)
    print("  kOverLinks: 5 and 95 % of measured over predicted {:.3g} {:.3g}, median {:.3g}".format(
        *np.quantile(factors, [0.05, 0.95, 0.5])))
    for name in ("model", "gpu", "precision"):
        for value in sorted({getattr(row, name) for row in rows}):
            chosen = np.array([getattr(row, name) == value for row in rows])
            print(f"    {value:24} {np.sum(chosen):4}  {gmae(np.log((one + links + lost) / step)[chosen]):6.1%}  "
                  f"median factor {np.median(factors[chosen]):.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", required=True, type=pathlib.Path, help="the rooftile program")
    parser.add_argument("--training", required=True, type=pathlib.Path, help="table of Lambda's training runs")
    parser.add_argument("--links", required=True, type=pathlib.Path, help="table of DeepLearningExamples' runs")
    arguments = parser.parse_args()
    for path in vars(arguments).values():
        if not path.is_file():
            sys.exit(f"{path}: no such file")
    rooftile = Rooftile(arguments.cli)
    report_steps(arguments.training, rooftile)
    report_links(arguments.links, rooftile, REPLICA_LOSS)


if __name__ == "__main__":
    main()
