#!/usr/bin/env python3
"""Prints the table of timm's networks by family, layout and execution in docs/accuracy.md.

Usage: network_families.py --cli PROGRAM TABLE

Each cell is the GMAE of method `rooftile` in percent and, in brackets, the ratio predicted / measured (the
geometric mean) of a family's rows, as `rooftile validate TABLE --by pass,execution,layout,model` scores its models.
"""
import argparse
import collections
import json
import math
import subprocess

# A model belongs to the first of these that its name begins with.
FAMILIES = ("wide_resnet", "resnext", "resnet", "regnet", "densenet", "efficientnet_v2", "efficientnet", "mobilenet", "mnasnet",
            "convnext", "swin_v2", "swin", "maxvit", "vit", "vgg", "inception")
COLUMNS = {"eager, NCHW": ("fwd", "eager", "nchw"), "eager, NHWC": ("fwd", "eager", "nhwc"), "compiled": ("fwd", "compiled", "nchw"),
           "training, NCHW": ("step", "eager", "nchw"), "training, NHWC": ("step", "eager", "nhwc")}


def family_of(model):
    return next((family for family in FAMILIES if model.startswith(family)), "others")


def cell(groups):
    rows = sum(group["rows"] for group in groups)
    if rows == 0:
        return ""
    error = sum(group["rows"] * math.log1p(group["gmae"]) for group in groups) / rows
    bias = sum(group["rows"] * math.log(group["ratio"]) for group in groups) / rows
    return f"{100 * math.expm1(error):.1f} ({math.exp(bias):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", required=True, help="the program")
    parser.add_argument("table")
    arguments = parser.parse_args()
    command = [arguments.cli, "validate", arguments.table, "--method", "rooftile", "--by", "pass,execution,layout,model", "--format", "json"]
    scored = collections.defaultdict(list)
    for group in json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["groups"]:
        key = group["key"]
        scored[family_of(key["model"]), (key["pass"], key["execution"], key["layout"])].append(group)
    print("| family | rows | " + " | ".join(COLUMNS) + " |")
    print("|---" * (2 + len(COLUMNS)) + "|")
    for family in (*sorted(FAMILIES), "others"):
        rows = sum(group["rows"] for (name, _), groups in scored.items() if name == family for group in groups)
        if rows:
            print(f"| {family} | {rows} | " + " | ".join(cell(scored[family, column]) for column in COLUMNS.values()) + " |")


if __name__ == "__main__":
    main()
