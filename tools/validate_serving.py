#!/usr/bin/env python3
"""How well `rooftile serve` predicts what servers write under full load: all requests arrive at once.

Usage: validate_serving.py --cli PROGRAM [--rows] TABLE.csv… with columns model, gpu, tp, pp, framework, precision,
expert_weights, input_tokens, output_tokens, requests, tokens_per_s (of all GPUs) and flag; flagged rows are left out.
Prints the error of the throughput by model, GPU and number of GPUs: predicted over measured, GMAE.
"""
import argparse
import collections
import csv
import json
import math
import os
import statistics
import subprocess
import tempfile

MOST = 2048  # sequences at once, trtllm-bench's default


def throughput(cli, row, folder):
    arrivals = os.path.join(folder, "arrivals.csv")
    with open(arrivals, "w", encoding="utf-8") as out:
        out.write("arrival_s,input_tokens,output_tokens\n")
        out.write(f"0,{row['input_tokens']},{row['output_tokens']}\n" * int(row["requests"]))
    settings = f"framework={row['framework']}"
    if row["expert_weights"]:
        settings += f",expert-weights={row['expert_weights']}"
    command = [cli, "serve", row["model"], "--gpu", row["gpu"], "--fix", f"tp={row['tp']},pp={row['pp']}", "--precision",
               row["precision"], "--tokens", f"{row['input_tokens']}:{row['output_tokens']}", "--arrivals", arrivals,
               "--server", f"max={MOST}", "--set", settings, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout)["arrivals"]["tokens_per_s"], ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--rows", action="store_true", help="print each row, too")
    parser.add_argument("tables", nargs="+")
    arguments = parser.parse_args()
    ratios = collections.defaultdict(list)
    flagged = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.tables:
            with open(path, encoding="utf-8") as table:
                rows = list(csv.DictReader(table))
            for row in rows:
                if row["flag"]:
                    flagged += 1
                    continue
                predicted, error = throughput(arguments.cli, row, folder)
                name = f"{row['model']:16} {row['gpu']:20} {int(row['tp']) * int(row['pp']):4}"
                if predicted is None:
                    print(f"{name} refused: {error}")
                    continue
                ratio = predicted / float(row["tokens_per_s"])
                if arguments.rows:
                    print(f"{name} {row['input_tokens']:>6} {row['output_tokens']:>6} {row['tokens_per_s']:>7} "
                          f"{predicted:8.0f} {ratio:6.2f}")
                for group in (name, f"{row['model']:16} {'all':20} {'':4}", f"{'all':16} {'':20} {'':4}"):
                    ratios[group].append(math.log(ratio))
    print(f"{'model':16} {'GPU':20} GPUs  rows   ratio    GMAE")
    for group, values in ratios.items():
        error = math.exp(statistics.fmean(abs(value) for value in values)) - 1
        print(f"{group} {len(values):5} {math.exp(statistics.fmean(values)):7.3f} {error:7.1%}")
    print(f"{flagged} flagged rows left out")


if __name__ == "__main__":
    main()
