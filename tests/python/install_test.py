#!/usr/bin/env python3
"""Installs the package with pip into fresh virtual environments, from source and as a wheel, without a network.

usage: install_test.py --build build/release

The build folder is used for the native part, so that this takes seconds once it is built.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PREDICT = """
import pathlib, sys, rooftile
assert pathlib.Path(sys.prefix) in pathlib.Path(rooftile.__file__).parents, rooftile.__file__
assert (pathlib.Path(rooftile.__file__).parent / "py.typed").exists()
prediction = rooftile.predict("resnet50", gpu="rtx-4090", batch_size=64, training=True)
assert abs(sum(prediction.phases.values()) - prediction.time) < 1e-9
assert "product" in rooftile.explain("alexnet", "fc6", "t4").summary()
import torch
module = torch.nn.Linear(256, 64)
print(rooftile.predict(module, inputs=torch.empty(32, 256), gpu="t4", training=True))
"""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\ninstall_test: {' '.join(map(str, words))}: status {done.returncode}")
    return done.stdout


def check(folder, what, environment):
    """Installs `what` into an environment of its own and predicts there, away from the sources."""
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", folder)
    run(folder / "bin/pip", "install", "--no-build-isolation", "--no-index", "--no-deps", what, env=environment)
    printed = run(folder / "bin/python", "-c", PREDICT, cwd=folder)
    assert "Linear on t4" in printed, printed
    assert "resnet50" in run(folder / "bin/rooftile", "models", "list", "--names", cwd=folder)
    print(f"installed and predicted: {Path(what).name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=Path)
    build = parser.parse_args().build.resolve()
    environment = {**os.environ, "ROOFTILE_BUILD": str(build)}
    environment.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        check(folder / "source", ROOT / "python", environment)
        run("/usr/bin/python3", "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder,
            ROOT / "python", env=environment)
        check(folder / "wheel", next(folder.glob("*.whl")), environment)


if __name__ == "__main__":
    main()
