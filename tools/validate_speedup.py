#!/usr/bin/env python3
"""How well the speed-up of several GPUs over one is predicted, whatever the error of the step itself.

Usage: validate_speedup.py --cli PROGRAM TABLE.csv… (rows of op network, pass step, with gpus). Rows of several GPUs are
compared with the row of one GPU that is otherwise alike: model, GPU, framework, precision, text length and batch of a
GPU. Prints the error of the ratio of their throughputs by source and number of GPUs.
"""
import argparse
import collections
import csv
import math
import statistics
import subprocess

ALIKE = ["source", "model", "gpu", "framework", "precision", "precision_detail", "seq_len", "note_of_run"]


def predicted(cli, path):
    done = subprocess.run([cli, "predict-table", path, "--format", "csv", "--skip-bad-rows"], capture_output=True,
                          text=True, check=False)
    return list(csv.DictReader(done.stdout.splitlines()))


def share(row):
    batch = float(row["batch"] or 0) / int(row["gpus"] or 1)
    return round(batch, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("tables", nargs="+")
    arguments = parser.parse_args()
    ones, several = {}, []
    for path in arguments.tables:
        for row in predicted(arguments.cli, path):
            if not row["predicted_time_us"] or row.get("flag"):
                continue
            measured = float(row["time_us"] or 0) * 1e-6
            if not measured:
                if not row["throughput"]:
                    continue
                measured = float(row["batch"]) / float(row["throughput"])
            key = tuple(row.get(name, "") for name in ALIKE) + (share(row),)
            times = (measured, float(row["predicted_time_us"]) * 1e-6)
            if int(row["gpus"] or 1) == 1:
                ones.setdefault(key, times)
            else:
                several.append((key, row.get("source") or path.split("/")[-2], int(row["gpus"]), times))
    errors = collections.defaultdict(list)
    for key, source, gpus, (measured, step) in several:
        if key in ones:
            error = (step / ones[key][1]) / (measured / ones[key][0])
            for group in ((source, gpus), (source, "all")):
                errors[group].append(error)
    print(f"{'source':24} {'GPUs':>5} {'rows':>5} {'ratio':>7} {'median':>8} {'p90':>8}")
    for (source, gpus), values in sorted(errors.items(), key=lambda item: (item[0][0], str(item[0][1]).zfill(6))):
        wrong = sorted(abs(value - 1) for value in values)
        ratio = math.exp(statistics.fmean(math.log(value) for value in values))
        print(f"{source:24} {gpus!s:>5} {len(values):5} {ratio:7.3f} {statistics.median(wrong):8.1%} "
              f"{wrong[int(0.9 * (len(wrong) - 1))]:8.1%}")


if __name__ == "__main__":
    main()
