#!/usr/bin/env python3
"""Captured steps against measured networks: GMAE of eager rows of a table, by GPU, layout and pass.

usage: ./dev python tools/validate_capture.py TABLE.csv --cli build/release/bin/rooftile [--model NAME]

Each torchvision network of the table is captured once for each batch size, image size, precision, layout and pass
(PyTorch and torchvision), and predicted by the program for each GPU that has a row of it.
"""

import argparse
import collections
import csv
import json
import math
import subprocess
import tempfile

ATTENTION = ("vit", "swin", "maxvit")
FUSED = False  # whether this PyTorch has the fused attention of PyTorch 2: see main()
OPTIMIZERS = {"sgd": "sgd", "sgd, momentum": "momentum", "momentum": "momentum", "adam": "adam", "adamw": "adamw"}


def key_of(row):
    return (row["model"], int(row["batch"]), int(row["image_size"] or 224), row["precision"], row["layout"] or "nchw",
            row["pass"], OPTIMIZERS.get(row["optimizer"], "sgd"))


def capture(key):
    import torch
    import torchvision

    from rooftile.capturing import capture as capture_step
    from rooftile.capturing import without_data

    model, batch, size, precision, layout, phase, optimizer = key
    make = getattr(torchvision.models, model, None)
    if make is None:
        return None
    options = {"init_weights": False} if model in ("googlenet", "inception_v3") else {}
    if model.startswith("vit"):
        options["image_size"] = size
    with without_data():
        module = make(**options)
    return capture_step(module, torch.empty(batch, 3, size, size, device="meta"), training=phase == "step",
                        precision=precision, layout=layout, optimizer=optimizer if phase == "step" else None,
                        name=model)


def predict(cli, step, framework, gpus):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(step.to_json())
        file.flush()
        run = subprocess.run([cli, "predict", file.name, "--gpu", ",".join(gpus), "--set", f"framework={framework}",
                              "--format", "json"], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    return {one["gpu"]: one for one in (found if isinstance(found, list) else [found])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--cli", required=True)
    parser.add_argument("--model")
    parser.add_argument("--rows", action="store_true", help="print each row")
    arguments = parser.parse_args()
    global FUSED
    from rooftile.capturing.versions import HAS_FUSED_ATTENTION as FUSED
    with open(arguments.table, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file)
                if row["execution"] == "eager" and row["pass"] in ("fwd", "step") and not row["flag"]
                and row.get("gpus", "1") in ("", "1") and arguments.model in (None, row["model"])]
    by_key = collections.defaultdict(list)
    for row in rows:
        by_key[key_of(row)].append(row)
    errors = collections.defaultdict(list)
    left_out = collections.Counter()
    for key, group in sorted(by_key.items()):
        step = capture(key)
        if step is None:
            left_out[key[0]] += len(group)
            continue
        gpus = sorted({row["gpu"] for row in group})
        predictions = {framework: predict(arguments.cli, step, framework, gpus)
                       for framework in {row["framework"] for row in group}}
        for row in group:
            predicted = predictions[row["framework"]][row["gpu"]]
            error = math.log(predicted["time_s"] * 1e6 / float(row["time_us"]))
            inside = predicted.get("time_low_s", math.inf) * 1e6 <= float(row["time_us"]) <= predicted.get(
                "time_high_s", 0) * 1e6
            fused = row["framework"].startswith("PyTorch 2") and any(
                call["op"] == "softmax" for call in step.to_dict()["calls"]) and row["model"].startswith(ATTENTION)
            if fused and not FUSED:
                left_out[f"{row['model']}, fused attention of PyTorch 2"] += 1
                continue
            for group_name in ((row["gpu"], row["layout"], row["pass"]), ("all", "", row["pass"])):
                errors[group_name].append((error, inside))
            if arguments.rows:
                print(f"{math.exp(error):6.2f}", *key, row["gpu"], row["framework"])
    print(f"{'gpu':<10} {'layout':<7} {'pass':<5} {'rows':>5} {'bias':>6} {'GMAE':>7} {'in 90 %':>8}")
    for name, values in sorted(errors.items()):
        logs = [error for error, _ in values]
        gmae = math.exp(sum(map(abs, logs)) / len(logs)) - 1
        bias = math.exp(sum(logs) / len(logs))
        print(f"{name[0]:<10} {name[1]:<7} {name[2]:<5} {len(values):>5} {bias:>6.2f} {100 * gmae:>5.1f} %"
              f" {100 * sum(inside for _, inside in values) / len(values):>6.0f} %")
    if left_out:
        print("not of torchvision here:", ", ".join(f"{name} ({count})" for name, count in left_out.items()))


if __name__ == "__main__":
    main()
