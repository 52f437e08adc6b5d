"""How long it takes to predict 20 networks on all GPUs of the catalogue in five precisions, inference and training:
27,400 predictions, in two commands.

    python3 bench/catalogue.py [--cli build/release/bin/rooftile]
"""

import argparse
import csv
import io
import resource
import subprocess
import time

NETWORKS = """alexnet vgg16 googlenet resnet50 resnet152 densenet161 resnext101_32x4d torchvision/inception_v3
torchvision/mobilenet_v3_large torchvision/efficientnet_b0 torchvision/vit_b_16 torchvision/swin_t torchvision/convnext_tiny
ssd300_vgg16 unet bert_base gpt2 transformer_base gnmt_v2 deep_speech_2""".split()
PRECISIONS = ["fp32", "tf32", "fp16", "bf16", "amp-fp16"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/bin/rooftile")
    cli = parser.parse_args().cli
    outputs, start = [], time.perf_counter()
    for phase in ("inference", "training"):
        command = [cli, "compare", *NETWORKS, "--gpus", "all", "-b", "32", "--precision", ",".join(PRECISIONS),
                   "--pass", phase, "--format", "csv"]
        outputs.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    wall = time.perf_counter() - start
    predictions = sum(1 for output in outputs for _ in csv.DictReader(io.StringIO(output)))
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = usage.ru_utime + usage.ru_stime
    print(f"{predictions} predictions: {wall:.2f} s, {cpu:.2f} s of CPU, {cpu / predictions * 1e6:.0f} us of CPU each")


if __name__ == "__main__":
    main()
