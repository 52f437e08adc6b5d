#!/usr/bin/env python3
"""Writes data/prices: what GPUs of the catalogue were offered for, one file a GPU, from dated tables of listings.

Usage: make_prices.py PRICES [-o data/prices]. PRICES has history.csv (bought and in clouds) and rental.csv (clouds).
Left out, and counted: rows without a GPU of the catalogue or its variant, without a date, that their table doubts, or
that sum up several providers; a provider's minimum where its median of that day is known; an offer seen again at the
same price (its newest row stays); what is more than twelve months older than the GPU's newest row of its kind.
"""
import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KIND_OF_HISTORY = {
    "cloud on demand": "on-demand",
    "cloud, 1 year committed": "reserved-1-year",
    "cloud, 3 years committed": "reserved-3-years",
    "purchase, Amazon buy box": "resale",
    "purchase": "purchase",
}
KINDS = ["on-demand", "spot", "reserved-1-year", "reserved-3-years", "resale", "purchase"]
BOARDS = ("resale", "purchase")
# One provider has one name in all files.
PROVIDERS = {"Amazon Web Services": "AWS", "Microsoft Azure": "Azure", "Lambda Labs": "Lambda", "vast.ai": "Vast.ai",
             "Datacrunch": "Verda (DataCrunch)", "Jarvislabs": "Jarvis Labs", "jarvis-labs": "Jarvis Labs",
             "Salad": "Salad", "salad": "Salad"}
PLACELESS = {"", "all", "global"}


def catalogue():
    return {path.stem for path in (ROOT / "data/gpus").glob("*/*.toml") if path.parent.name != "architectures"}


def history(path):
    """Rows of history.csv as offers."""
    for row in csv.DictReader(path.open()):
        kind = KIND_OF_HISTORY.get(row["kind"])
        resale = kind == "resale"
        yield {"gpu": row["gpu"], "kind": kind, "usd": float(row["usd"]), "date": row["date"], "note": row["note"],
               "provider": "Amazon" if resale else row["provider"], "place": row["location"],
               "stat": "median" if resale else "listed", "source": row["source"]}


def rental(path):
    for row in csv.DictReader(path.open()):
        commit = row["source_path"].split()[0] + "@" + row["source_path"].rsplit("@", 1)[-1]
        yield {"gpu": row["gpu_id"], "kind": row["kind"], "usd": float(row["usd_per_gpu_hour"]), "date": row["date"],
               "note": row["note"], "provider": row["provider"], "place": row["region"], "stat": row["stat"],
               "source": commit}


def why_left_out(row, gpus):
    if row["kind"] is None:
        return "another kind of offer"
    if row["kind"] == "purchase" and re.search(r"DGX|HGX|\bGPU\b", row["note"]):
        return "a share of a machine"
    if row["gpu"] not in gpus:
        return "no GPU of the catalogue, or its variant is not stated"
    if not re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", row["date"]):
        return "no date"
    if "placeholder" in row["note"]:
        return "doubted by its table"
    if row["provider"].startswith("("):
        return "sums up several providers"
    return None


def offers_of(rows, left_out):
    """Of one GPU."""
    medians = {(r["provider"], r["kind"], r["date"]) for r in rows if r["stat"] == "median"}
    offers = {}
    for row in sorted(rows, key=lambda r: r["date"]):
        if row["stat"] == "min" and (row["provider"], row["kind"], row["date"]) in medians:
            left_out["a minimum beside its median"] += 1
            continue
        key = (row["provider"], row["place"], row["kind"], row["usd"])
        left_out["seen again"] += key in offers
        offers[key] = row
    newest = {kind: max((o["date"] for o in offers.values() if o["kind"] == kind), default="") for kind in KINDS}
    kept = []
    for offer in offers.values():
        if offer["date"] < year_before(newest[offer["kind"]]):
            left_out["older than a year before the newest"] += 1
        else:
            kept.append(offer)
    return sorted(kept, key=lambda o: (KINDS.index(o["kind"]), o["provider"], o["place"], o["usd"], o["date"]))


def year_before(date):
    """Dates are YYYY-MM-DD, or YYYY-MM of a month's median; they compare as texts."""
    return f"{int(date[:4]) - 1}{date[4:]}"


def line(offer):
    unit = "USD" if offer["kind"] in BOARDS else "USD/h"
    place = f'place = "{offer["place"]}", ' if offer["place"] else ""
    return (f'  {{ kind = "{offer["kind"]}", price = "{offer["usd"]:g} {unit}", provider = "{offer["provider"]}", '
            f'{place}date = "{offer["date"]}", source = "{offer["source"]}" }},\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prices", type=Path, help="folder with history.csv and rental.csv")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "data/prices")
    arguments = parser.parse_args()
    gpus, left_out, by_gpu = catalogue(), Counter(), defaultdict(list)
    for row in [*history(arguments.prices / "history.csv"), *rental(arguments.prices / "rental.csv")]:
        if why := why_left_out(row, gpus):
            left_out[why] += 1
            continue
        row["provider"] = PROVIDERS.get(row["provider"], row["provider"])
        row["place"] = "" if row["place"] in PLACELESS else row["place"]
        by_gpu[row["gpu"]].append(row)
    as_of = max(row["date"] for rows in by_gpu.values() for row in rows)
    arguments.output.mkdir(parents=True, exist_ok=True)
    for old in arguments.output.glob("*.toml"):
        old.unlink()
    written = 0
    for gpu, rows in sorted(by_gpu.items()):
        offers = offers_of(rows, left_out)
        written += len(offers)
        head = f'# Written by tools/make_prices.py. as_of: the newest row of all GPUs.\nas_of = "{as_of}"\noffers = [\n'
        (arguments.output / f"{gpu}.toml").write_text(head + "".join(map(line, offers)) + "]\n")
    print(f"{written} offers of {len(by_gpu)} GPUs, as of {as_of}")
    for why, count in left_out.most_common():
        print(f"left out: {count} ({why})")


if __name__ == "__main__":
    sys.exit(main())
