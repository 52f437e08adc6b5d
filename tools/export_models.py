#!/usr/bin/python3
"""Exports torchvision's CNNs to ONNX without their weights: the fixtures in data/models/.

Needs Debian's python3-torch, python3-torchvision and python3-onnx, hence /usr/bin/python3. Weights are random (their
values never matter here), the batch axis is dynamic, and the same versions write the same bytes each time.

    tools/export_models.py                                       all fixtures into data/models/
    tools/export_models.py --models resnet50 --full -o FOLDER    one model with its weights
    tools/export_models.py --rooftile PATH                       strips with `rooftile strip` instead of in Python
"""

import argparse
import pathlib
import subprocess
import tempfile
import warnings

import onnx
import torch
import torchvision

OPSET = 17
OLDER_OPSET = {"convnext_tiny": 16}  # takes LayerNormalization apart into seven operators, as most files have it
SMALL = 1024  # bytes; tensors up to this size carry shapes and are kept, as in rooftile/ingest/onnx_wire.cpp

# name -> height and width of the input
MODELS = {
    "alexnet": 224,
    "vgg16": 224,
    "googlenet": 224,
    "inception_v3": 299,
    "resnet18": 224,
    "resnet50": 224,
    "resnet152": 224,
    "densenet121": 224,
    "mobilenet_v2": 224,
    "mobilenet_v3_large": 224,
    "efficientnet_b0": 224,
    "shufflenet_v2_x1_0": 224,
    "squeezenet1_1": 224,
    "mnasnet1_0": 224,
    "regnet_x_400mf": 224,
    "regnet_y_400mf": 224,
    "convnext_tiny": 224,
    "fcn_resnet50": 520,
    "deeplabv3_resnet50": 520,
}


class OnlyOut(torch.nn.Module):
    """A segmentation model's main output, without the dictionary around it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def build(name):
    torch.manual_seed(0)
    if name in ("fcn_resnet50", "deeplabv3_resnet50"):
        make = getattr(torchvision.models.segmentation, name)
        return OnlyOut(make(weights=None, weights_backbone=None)).eval()
    extra = {"init_weights": False, "aux_logits": False} if name in ("googlenet", "inception_v3") else {}
    return getattr(torchvision.models, name)(weights=None, **extra).eval()


def export(name, path):
    size = MODELS[name]
    torch.onnx.export(build(name), torch.zeros(2, 3, size, size), str(path),
                      opset_version=OLDER_OPSET.get(name, OPSET), input_names=["input"], output_names=["output"],
                      dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}})


def tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for inner in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                yield from tensors(inner)


def strip(model):
    for tensor in tensors(model.graph):  # torch writes every payload as raw_data
        if len(tensor.raw_data) > SMALL:
            tensor.ClearField("raw_data")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("data/models"), help="folder")
    parser.add_argument("--models", nargs="+", choices=sorted(MODELS), default=sorted(MODELS))
    parser.add_argument("--full", action="store_true", help="keep the weights")
    parser.add_argument("--rooftile", help="the rooftile program, to strip with it")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.models:
        target = arguments.output / f"{name}.onnx"
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "model.onnx"
            export(name, target if arguments.full else exported)
            if not arguments.full and arguments.rooftile:
                subprocess.run([arguments.rooftile, "strip", exported, "-o", target], check=True)
            elif not arguments.full:
                model = onnx.load(exported)
                strip(model)
                target.write_bytes(model.SerializeToString(deterministic=True))
        print(f"{target}: {target.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
