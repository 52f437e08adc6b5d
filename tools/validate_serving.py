#!/usr/bin/env python3
"""How well `rooftile serve` predicts what servers write: under full load, where all requests arrive at once, or, of rows
with a cell `concurrency`, for so many users who each send their next request when the last is answered.

Usage: validate_serving.py --cli PROGRAM [--rows] TABLE.csv… with columns model, gpu, tp, pp, framework, precision,
expert_weights, input_tokens, output_tokens, requests, tokens_per_s (of all GPUs) and flag; flagged rows are left out. Also
dp, ep, kv_cache, concurrency, first_token_ms and each_token_ms (means). Prints the error of the throughput, and of what else the
rows measured, by model, GPU and number of GPUs: predicted over measured, GMAE.
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
MEASURED = {"tokens_per_s": "tokens/s", "first_token_ms": "first token", "each_token_ms": "each token"}


def split_of(row):
    return ",".join(f"{degree}={row[degree]}" for degree in ("tp", "pp", "dp", "ep") if row.get(degree))


def gpus_of(row):
    return int(row["tp"]) * int(row["pp"]) * int(row.get("dp") or 1)


def arguments_of(row, folder):
    """What serve is asked for, and where its JSON has the answer."""
    settings = f"framework={row['framework']}"
    for column, key in (("expert_weights", "expert-weights"), ("kv_cache", "kv-cache")):
        if row.get(column):
            settings += f",{key}={row[column]}"
    words = ["serve", row["model"], "--gpu", row["gpu"], "--fix", split_of(row), "--precision",
             row["precision"], "--tokens", f"{row['input_tokens']}:{row['output_tokens']}", "--set", settings,
             "--server", f"max={MOST}", "--format", "json"]
    if row.get("concurrency"):
        return words + ["--concurrency", row["concurrency"]], "concurrency"
    arrivals = os.path.join(folder, "arrivals.csv")
    with open(arrivals, "w", encoding="utf-8") as out:
        out.write("arrival_s,input_tokens,output_tokens\n")
        out.write(f"0,{row['input_tokens']},{row['output_tokens']}\n" * int(row["requests"]))
    return words + ["--arrivals", arrivals], "arrivals"


def predicted(cli, row, folder):
    words, load = arguments_of(row, folder)
    done = subprocess.run([cli, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    figures = json.loads(done.stdout)[load]
    return {"tokens_per_s": figures["tokens_per_s"], "first_token_ms": figures["first_token"]["mean_s"] * 1e3,
            "each_token_ms": figures["each_token"]["mean_s"] * 1e3}, ""


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
                figures, error = predicted(arguments.cli, row, folder)
                name = f"{row['model']:16} {row['gpu']:20} {gpus_of(row):4}"
                if figures is None:
                    print(f"{name} refused: {error}")
                    continue
                for column, what in MEASURED.items():
                    if not row.get(column):
                        continue
                    ratio = figures[column] / float(row[column])
                    if arguments.rows:
                        print(f"{name} {row['input_tokens']:>6} {row['output_tokens']:>6} {row.get('concurrency', ''):>4} "
                              f"{what:12} {row[column]:>8} {figures[column]:8.4g} {ratio:6.2f}")
                    for group in (name, f"{row['model']:16} {'all':20} {'':4}", f"{'all':16} {'':20} {'':4}"):
                        ratios[f"{group} {what:12}"].append(math.log(ratio))
    print(f"{'model':16} {'GPU':20} GPUs {'':12}  rows   ratio    GMAE")
    for group, values in ratios.items():
        error = math.exp(statistics.fmean(abs(value) for value in values)) - 1
        print(f"{group} {len(values):5} {math.exp(statistics.fmean(values)):7.3f} {error:7.1%}")
    print(f"{flagged} flagged rows left out")


if __name__ == "__main__":
    main()
