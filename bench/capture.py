#!/usr/bin/env python3
"""How long captures take, how much memory, and how long their predictions take. Run as: ./dev python bench/capture.py

Each capture is measured in a process of its own: wall clock of the capture alone, and the most memory of the process with
PyTorch (`ru_maxrss`).
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ("ResNet-50, training step", "7-billion-parameter transformer, training step")
REPEATS = 20


def network(name):
    import torch

    import rooftile

    if name == CASES[0]:
        import torchvision

        return torchvision.models.resnet50(), torch.empty(32, 3, 224, 224), {"optimizer": "momentum"}
    sys.path.insert(0, str(ROOT / "python" / "tests"))
    import networks

    with rooftile.without_data():
        llama = networks.Llama(size=4096, layers=32, heads=32, kv_heads=32, hidden=11008, vocabulary=32000)
    return llama, torch.zeros(1, 2048, dtype=torch.int64), {"optimizer": "adamw", "precision": "amp-bf16"}


def measure(name):
    """Of one case, in this process."""
    import rooftile

    module, inputs, options = network(name)
    start = time.perf_counter()
    step = rooftile.capture(module, inputs, training=True, **options)
    captured = time.perf_counter() - start
    rooftile.predict(step, "h100-sxm5-80gb")
    start = time.perf_counter()
    for _ in range(REPEATS):
        rooftile.predict(step, "h100-sxm5-80gb")
    predicted = (time.perf_counter() - start) / REPEATS
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"launches": step.launches, "capture_s": captured, "predict_s": predicted, "memory_mib": memory}))


def main():
    if len(sys.argv) == 2:
        measure(sys.argv[1])
        return
    print(f"{'':<48}{'launches':>9}{'capture':>10}{'memory':>11}{'predict':>10}")
    for name in CASES:
        run = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
        found = json.loads(run.stdout)
        print(f"{name:<48}{found['launches']:>9,}{found['capture_s']:>8.2f} s{found['memory_mib']:>7.0f} MiB"
              f"{1e3 * found['predict_s']:>7.1f} ms")


if __name__ == "__main__":
    main()
