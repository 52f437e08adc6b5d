#!/usr/bin/env python3
"""Scores the method rooftile on the measured tables and compares with the committed figures.

The order of GPUs that ran the same network is held to the limits of pairs.py.

Usage: accuracy.py --cli PROGRAM [--tables FOLDER] [--tier TIER]… [--run RUN]… [--update] [--markdown]
       accuracy.py --markdown | --check

Every figure comes out of `rooftile validate`; the commands are printed, and how long each takes. Tiers: none (the GPU
left out), source (who measured left out, where another measured the GPU), size (the largest third of the rows), own
(fitted on other shapes of the GPU), shipped (the constants in data/calibration, which have seen the rows).
figures.csv holds what was reached: a figure that is worse by more than a tenth of itself fails. All tiers but shipped
fit constants again and take minutes, so only shipped is scored unless --tier asks. Without the tables there is
nothing to score: the test says so and is skipped. --update writes what is reached now, and for shipped the worst rows
too (worst.csv); --markdown writes the tables of docs/accuracy.md and README.md from these files, and scores nothing
unless --tier or --run asks. --check says whether the pages have the tables of these files.

All figures anew:
accuracy.py --cli PROGRAM --tier none --tier source --tier size --tier own --tier shipped --update --markdown
"""
import argparse
import csv
import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path

import pairs
import tables as pages
import worst
from families import ROWS, RUNS, TIERS, command_of, tiers_of

HERE = Path(__file__).resolve().parent
FIGURES = HERE / "figures.csv"
TABLES = HERE.parent.parent.parent / "shared" / "measurements"
SKIPPED = 77
WORSE = 1.1  # a figure may be so many times the committed one
LEAST_PAIRS = 250  # of GPUs that ran the same network
SLACK = 0.3  # and so many points worse: a tenth of 1 % is nothing
COLUMNS = ["row", "tier", "gpu", "rows", "gmae", "inside", "width", "target", "flagged", "gmae_with_flagged"]


def is_paired(run, tier):
    return run == "network" and tier == "shipped"


def groups_of(run, tier, program, tables, disordered):
    """The scored groups of a run, each with its key as a dict; the run is added to `disordered` if its GPUs are."""
    command = command_of(run, tier, program, tables)
    if is_paired(run, tier):
        command.append("--pairs")
    print("$ " + " ".join(f"'{word}'" if " " in word else word for word in command), flush=True)
    start, spent = time.monotonic(), processor_seconds()
    result = subprocess.run([*command, "--format", "json"], capture_output=True, encoding="utf-8", check=False)
    print(f"# {run}, {tier}: {time.monotonic() - start:.0f} s, of one processor {processor_seconds() - spent:.0f} s", flush=True)
    if result.returncode != 0:
        sys.exit(result.stderr.strip())
    document = json.loads(result.stdout)
    if is_paired(run, tier) and not pairs.is_good(" of networks", document["pairs"][-1], LEAST_PAIRS):
        disordered.append(run)
    return [{**group, **group["key"]} for group in document["groups"]]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def mean_of(groups, figure, count):
    """Of the groups that have the figure, each as often as it has rows of that count."""
    parts = [(group[count], group[figure]) for group in groups if group[count] and group[figure] is not None]
    total = sum(weight for weight, _ in parts)
    return sum(weight * value for weight, value in parts) / total if total else None


def pooled(groups):
    """One score of several groups."""
    for group in groups:
        group["log"] = None if group["gmae"] is None else math.log1p(group["gmae"])
        group["all"] = group["rows"] + group["flagged"]
        with_them = group["gmae_with_flagged"]
        group["log_with"] = group["log"] if with_them is None else math.log1p(with_them)
    flagged = sum(group["flagged"] for group in groups)
    log, log_with = mean_of(groups, "log", "rows"), mean_of(groups, "log_with", "all")
    return {"rows": str(sum(group["rows"] for group in groups)), "gmae": percent(math.expm1(log)),
            "inside": percent(mean_of(groups, "inside", "intervals")),
            "width": percent(mean_of(groups, "width", "intervals")), "flagged": str(flagged or ""),
            "gmae_with_flagged": percent(math.expm1(log_with)) if flagged else ""}


def percent(value):
    return "" if value is None else f"{100 * value:.1f}"


def figures_of(tier, program, tables, wanted, disordered):
    """Every family that a wanted run covers, by GPU and over all of them; `disordered` as in groups_of()."""
    runs = {run: groups_of(run, tier, program, tables, disordered) for run in wanted if tier in tiers_of(run)}
    for name, run, covers, targets in ROWS:
        groups = [group for group in runs.get(run, []) if covers(group)]
        gpus = sorted({group["gpu"] for group in groups})
        for gpu in [*gpus, "all"]:
            of_gpu = [group for group in groups if gpu in (group["gpu"], "all")]
            if any(group["rows"] for group in of_gpu):
                yield {"row": name, "tier": tier, "gpu": gpu, **pooled(of_gpu), "target": str(targets.get(tier, ""))}


def read_figures():
    if not FIGURES.exists():
        return []
    with FIGURES.open(encoding="utf-8", newline="") as file:
        return [{column: row.get(column) or "" for column in COLUMNS} for row in csv.DictReader(file)]


def sorted_figures(figures):
    order = {name: place for place, (name, *_) in enumerate(ROWS)}
    known = [figure for figure in figures if figure["row"] in order]
    return sorted(known, key=lambda f: (order[f["row"]], TIERS.index(f["tier"]), f["gpu"] == "all", f["gpu"]))


def write_figures(figures):
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(figures)


def key_of(figure):
    return figure["row"], figure["tier"], figure["gpu"]


def compare(reached, committed):
    """Prints each figure; those that got worse."""
    failed = []
    for figure in reached:
        known = committed.get(key_of(figure))
        line = f"{figure['row']}, {figure['tier']}, {figure['gpu']}: {figure['gmae']} % of {figure['rows']} rows"
        if figure["flagged"]:
            line += f", {figure['gmae_with_flagged']} % with {figure['flagged']} flagged"
        if known and float(figure["gmae"]) > max(WORSE * float(known["gmae"]), SLACK + float(known["gmae"])):
            line += f"; committed {known['gmae']} %: worse by more than a tenth"
            failed.append(figure)
        print(line, flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli")
    parser.add_argument("--tables", type=Path, default=TABLES)
    parser.add_argument("--tier", action="append", choices=TIERS)
    parser.add_argument("--run", action="append", choices=list(RUNS))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--check", action="store_true", help="whether the tables of the pages are those of figures.csv")
    options = parser.parse_args()

    committed = {key_of(figure): figure for figure in read_figures()}
    if options.check:
        stale = pages.stale(sorted_figures(committed.values()))
        for page in stale:
            print(f"{page}: its tables are not those of figures.csv; run accuracy.py --markdown")
        return 1 if stale else 0
    if options.markdown and not options.tier and not options.run:
        pages.write(sorted_figures(committed.values()))
        return 0
    if options.cli is None:
        parser.error("--cli is needed to score")
    if not options.tables.is_dir():
        print("skipped: the measured tables are not beside the project (docs/measurements.md says where they come from)")
        return SKIPPED

    disordered = []
    reached = [figure for tier in options.tier or ["shipped"]
               for figure in figures_of(tier, options.cli, options.tables, options.run or RUNS, disordered)]
    failed = compare(reached, {} if options.update else committed)
    scored = {key_of(figure)[:2] for figure in reached}
    kept = [figure for key, figure in committed.items() if key[:2] not in scored]
    figures = sorted_figures([*kept, *reached])
    if options.update:
        write_figures(figures)
        if "shipped" in (options.tier or ["shipped"]) and not options.run:
            worst.update(options.cli, options.tables)
    if options.markdown:
        pages.write(figures)
    return 1 if failed or disordered else 0


if __name__ == "__main__":
    sys.exit(main())
