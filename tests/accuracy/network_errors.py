#!/usr/bin/env python3
"""How far off whole networks are beyond the error of their layers: what rooftile/predict/prediction.cpp allows for.

Usage: network_errors.py --cli PROGRAM [--tables FOLDER]

The measured networks on one GPU (families.py), by precision and by who runs them. A source is a table's folder and a framework; each counts as
much as any other. The error of a row is what has to be added (ln, in quadrature) to the interval of its layers, which `--set host=none`
gives, to hold the measured time, and that of a kind of runs what holds 90 % of its rows. Rows in which the host decides say
nothing of kernels and are left out, as are sources of fewer than 5 rows. Printed are the error of each kind and, for each source,
the error that the others ask for, the share of its rows that this holds, and the width.
"""
import argparse
import collections
import csv
import io
import math
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from families import RUNS, rows_command_of, tiers_of

TABLES = Path(__file__).resolve().parent.parent.parent.parent / "shared" / "measurements"
SKIPPED = 77
HELD = 0.9
LEAST = 5  # rows of a source
HOST_DECIDES = 1.3  # times what the GPU is busy, as in tools/fit_hosts.py
MICRO = 1e-6
PYTORCH = ("PyTorch", "TorchScript", "Torch7", "Megatron-DeepSpeed", "Megatron-LM", "Megatron Core", "NeMo",
           "composer")
ENGINES = ("FasterTransformer", "TensorRT", "ONNX Runtime", "llama.cpp", "vLLM", "ExLlama", "MLC")


def run(*command):
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def networks(program, tables):
    """Rows of networks on one GPU, as `validate` scores them."""
    for name in RUNS:
        if tiers_of(name) != ["shipped"]:
            continue
        for row in rows_of(run(*rows_command_of(name, "shipped", program, tables), "--format", "rows")):
            if row.get("op") == "network" and (row.get("gpus") or "1") == "1" and not row.get("flag"):
                yield row


def without_host(program, rows):
    """The same rows as the GPU alone would run them."""
    columns = list(rows[0])
    columns = columns[columns.index("line") + 1:columns.index("predicted_time_us")]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "network.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        return rows_of(run(program, "predict-table", str(path), "--set", "host=none", "--format", "csv"))


def kind_of(row):
    """As network_error() tells runs apart."""
    framework = row.get("framework", "")
    if row["precision"] in ("", "fp32"):
        return "fp32"
    recent_pytorch = not framework or (framework.startswith(PYTORCH) and not precedes_cuda11(framework))
    return "narrow, known" if recent_pytorch or framework.startswith(ENGINES) else "narrow, others"


def precedes_cuda11(framework):
    cuda = re.search(r"CUDA (\d+)", framework)
    return framework.startswith("Torch7") or bool(re.match(r"PyTorch (0|1\.[0-6]\b)", framework)) or (cuda is not None and int(cuda[1]) < 11)


def source_of(row):
    table = Path(row["table"])
    folder = table.parent.name if table.stem in ("network", "networks", "inference", "training") else table.stem
    return f"{folder}, {re.split('[ ;(,]', row.get('framework', ''))[0]}"


def error_beyond(row, alone):
    """What must be added to the interval of the layers to hold the measured time, and the two ends of that interval."""
    busy = float(alone["predicted_time_us"])
    low, high = (abs(math.log(float(alone[f"predicted_{end}_us"]) / busy)) for end in ("low", "high"))
    off = math.log(float(row["measured"]) / float(row["predicted"]))
    return math.sqrt(max(0, off ** 2 - (high if off > 0 else low) ** 2)), low, high


def error_of(sources):
    """The error that holds HELD of the rows, each source with equal weight."""
    weighted = sorted((error, 1 / len(rows)) for rows in sources for error, *_ in rows)
    below, all_weight = 0, sum(weight for _, weight in weighted)
    for error, weight in weighted:
        below += weight
        if below >= HELD * all_weight:
            return error
    return 0


def width(rows, error):
    return statistics.median(math.exp(math.hypot(high, error)) - math.exp(-math.hypot(low, error)) for _, low, high in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--tables", type=Path, default=TABLES)
    arguments = parser.parse_args()
    if not arguments.tables.is_dir():
        print("skipped: the measured tables are not beside the project")
        return SKIPPED
    tables = collections.defaultdict(list)
    for row in networks(arguments.cli, arguments.tables):
        tables[row["table"]].append(row)
    kinds = collections.defaultdict(lambda: collections.defaultdict(list))
    for rows in tables.values():
        for row, alone in zip(rows, without_host(arguments.cli, rows), strict=True):
            decided = float(row["predicted"]) > HOST_DECIDES * float(alone["predicted_time_us"]) * MICRO
            if not decided and alone["predicted_low_us"]:
                kinds[kind_of(row)][source_of(row)].append(error_beyond(row, alone))
    for kind, sources in sorted(kinds.items()):
        known = {name: rows for name, rows in sources.items() if len(rows) >= LEAST}
        print(f"{kind}: {error_of(known.values()):.2f} (a factor of {math.exp(error_of(known.values())):.2f})")
        for name, rows in sorted(known.items()):
            others = error_of(other for rest, other in known.items() if rest != name)
            inside = sum(error <= others for error, *_ in rows) / len(rows)
            print(f"  without {name} ({len(rows)} rows): {others:.2f}; inside {inside:.0%}, width {width(rows, others):.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
