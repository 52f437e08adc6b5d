#!/usr/bin/python3
"""Exports torchvision's networks to ONNX without their weights: the models in data/models/.

Needs Debian's python3-torch, python3-torchvision and python3-onnx, hence /usr/bin/python3. A network is exported as
eager PyTorch runs it: batch normalisation apart from the convolution before it, dropout in its place, arithmetic on
weights where it is done anew each time (Swin's biases). The batch axis is dynamic, and shapes follow height and width
where the network allows other sizes. The same versions write the same bytes each time.

    tools/export_models.py                                       all into data/models/
    tools/export_models.py --models resnet50 --full -o FOLDER    one with random weights, uncompressed
"""

import argparse
import gzip
import inspect
import pathlib
import tempfile
import warnings

import numpy
import onnx
import torch
import torchvision
from onnx import numpy_helper
from torchvision.models.video import mvit

OPSET = 17
SMALL = 1024  # bytes; tensors up to this size carry shapes and are kept, as in rooftile/ingest/onnx_wire.cpp

SUM_ON_SLICES = "attn[:, :, 1:, 1:] += rel_pos"  # of torchvision's mvit._add_rel_pos

# Height and width that the published figures are for, where they are not 224.
SIZES = {
    "inception_v3": 299,
    "efficientnet_b1": 240, "efficientnet_b2": 288, "efficientnet_b3": 300, "efficientnet_b4": 380,
    "efficientnet_b5": 456, "efficientnet_b6": 528, "efficientnet_b7": 600,
    "efficientnet_v2_s": 384, "efficientnet_v2_m": 480, "efficientnet_v2_l": 480,
    "swin_v2_t": 256, "swin_v2_s": 256, "swin_v2_b": 256,
    "r3d_18": 112, "mc3_18": 112, "r2plus1d_18": 112,
}
SEGMENTATION = ("fcn_", "deeplabv3_", "lraspp_")
VIDEO = ("r3d_18", "mc3_18", "r2plus1d_18", "s3d", "mvit_v1_b", "mvit_v2_s")
FRAMES = 16
TRACED = 128  # pixels a side are enough to see what a network does where its shapes follow the input's
# Shapes that depend on data, or operators outside ONNX.
NOT_EXPORTED = ("rcnn", "fcos", "retinanet", "ssd", "raft", "quantized")

# Networks whose parts have a fixed number of pixels: with height and width dynamic the export computes hundreds of
# shapes, which come out the same.
FIXED_SIZE = ("swin_", "maxvit_", "mvit_")
# Pooled to 7x7 or 6x6 positions: the exporter needs to know from how many.
FIXED_POOL = ("alexnet", "vgg", "s3d")

# What computes shapes, and with which function.
ARITHMETIC = {
    "Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Mod": numpy.mod,
    "Div": lambda a, b: a // b if a.dtype.kind == "i" else a / b,
}
SHAPES = {"Cast", "Concat", "Constant", "Gather", "Shape", "Slice", "Squeeze", "Unsqueeze", *ARITHMETIC}


def names():
    return [name for name in torchvision.models.list_models() if not any(kind in name for kind in NOT_EXPORTED)]


class OnlyOut(torch.nn.Module):
    """A segmentation model's main output, without the dictionary around it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def build(name):
    torch.manual_seed(0)
    extra = {}
    if name in ("googlenet", "inception_v3"):
        extra = {"init_weights": False, "aux_logits": False}
    elif name.startswith(SEGMENTATION):
        extra = {"weights_backbone": None}
    model = torchvision.models.get_model(name, weights=None, **extra).eval()
    for module in model.modules():
        if isinstance(module, torch.nn.MultiheadAttention):
            module.train()  # its fused path for inference cannot be exported
        elif isinstance(module, torch.nn.Dropout) and module.p > 0:
            module.train()  # to be seen in the file
    with torch.no_grad():  # equal weights would be merged
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.is_floating_point():
                tensor.uniform_()
    return OnlyOut(model) if name.startswith(SEGMENTATION) else model


class WithoutLoops:
    """Within it a tensor is split in two by slices, and rows are repeated by a view, as PyTorch does both."""

    def __enter__(self):
        self.split, self.repeat = torch.tensor_split, torch.repeat_interleave

        def split(tensor, indices, dim):
            (at,) = indices
            return tensor.narrow(dim, 0, at), tensor.narrow(dim, at, tensor.shape[dim] - at)

        def repeat(tensor, repeats, dim):
            assert dim == 0
            return tensor.unsqueeze(1).expand(-1, repeats, *tensor.shape[1:]).flatten(0, 1)

        torch.tensor_split, torch.repeat_interleave = split, repeat

    def __exit__(self, *_):
        torch.tensor_split, torch.repeat_interleave = self.split, self.repeat


class WithoutSumsOnSlices:
    """Within it what MViT v2 adds in place to all but the first row, or the first row and column, is padded to the whole,
    which is then added: in place it is exported as a scatter to gigabytes of positions."""

    def __enter__(self):
        self.positions, self.shortcut = mvit._add_rel_pos, mvit._add_shortcut
        source = inspect.getsource(self.positions)
        assert SUM_ON_SLICES in source
        padded = source.replace(SUM_ON_SLICES, "attn = attn + torch.nn.functional.pad(rel_pos, (1, 0, 1, 0))")
        exec(padded, vars(mvit))  # defines _add_rel_pos anew

        def add_shortcut(x, shortcut, with_class):
            part = shortcut if with_class else torch.nn.functional.pad(shortcut[:, :, 1:], (0, 0, 1, 0))
            x.add_(part)
            return x

        mvit._add_shortcut = add_shortcut

    def __exit__(self, *_):
        mvit._add_rel_pos, mvit._add_shortcut = self.positions, self.shortcut


class KnownSizes:
    """Within it all dimensions of a traced tensor but the first are plain numbers."""

    def __enter__(self):
        self.shape, self.size = torch.Tensor.shape, torch.Tensor.size

        def size(tensor, dim=None):
            sizes = self.size(tensor)
            known = torch.Size([sizes[0], *map(int, sizes[1:])]) if len(sizes) else sizes
            return known if dim is None else known[dim]

        def shape(tensor):
            sizes = self.size(tensor)
            return (sizes[0], *map(int, sizes[1:])) if len(sizes) else ()

        torch.Tensor.shape, torch.Tensor.size = property(shape), size

    def __exit__(self, *_):
        torch.Tensor.shape, torch.Tensor.size = self.shape, self.size


def export(name, path, full):
    size = SIZES.get(name, 520 if name.startswith(SEGMENTATION) else 224)
    shape = (2, 3, FRAMES, size, size) if name in VIDEO else (2, 3, size, size)
    axes, traced = {0: "batch"}, shape
    fixed = name.startswith(FIXED_SIZE)
    if not fixed and not name.startswith(FIXED_POOL):
        axes |= {len(shape) - 2: "height", len(shape) - 1: "width"}
        if not name.startswith("vit_"):  # they insist on their own size
            traced = (*shape[:-2], TRACED, TRACED)
    arguments = dict(opset_version=OPSET, input_names=["input"], output_names=["output"], export_params=full,
                     dynamic_axes={"input": axes, "output": {0: "batch"}}, do_constant_folding=False,
                     training=torch.onnx.TrainingMode.PRESERVE)  # keeps batch normalisation where it is
    model, image = build(name), torch.zeros(traced)
    with WithoutLoops(), WithoutSumsOnSlices(), KnownSizes() if fixed else torch.no_grad():
        torch.onnx.export(model, image, str(path), **arguments)
    return shape


def attribute_key(node):
    return tuple(sorted(attribute.SerializeToString(deterministic=True) for attribute in node.attribute))


def evaluate(node, inputs):
    """What a node of SHAPES computes from these arrays, or None."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    kind = node.op_type
    if kind in ARITHMETIC:
        return ARITHMETIC[kind](*inputs)
    if kind == "Unsqueeze":
        return numpy.expand_dims(inputs[0], tuple(inputs[1].tolist()))
    if kind == "Concat":
        return numpy.concatenate(inputs, attributes["axis"])
    if kind == "Gather":
        return numpy.take(inputs[0], inputs[1], attributes.get("axis", 0))
    if kind == "Cast" and attributes["to"] == onnx.TensorProto.INT64:
        return inputs[0].astype(numpy.int64)
    return None


def simplify(graph):
    """Computes what is known of shapes, once each, and drops what nothing reads."""
    known, shapes, alias, seen, nodes = {}, set(), {}, {}, []
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = alias.get(name, name)
        if node.op_type == "Constant":
            known[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        elif node.op_type in SHAPES and all(name in known and known[name].size <= 64 for name in node.input):
            result = evaluate(node, [known[name] for name in node.input])
            if result is not None:
                value = numpy_helper.from_array(numpy.asarray(result))
                known[node.output[0]] = result
                output, name = node.output[0], node.name
                node.Clear()
                node.CopyFrom(onnx.helper.make_node("Constant", [], [output], name=name, value=value))
        elif node.op_type == "Identity" or (node.op_type == "Dropout" and known[node.input[1]] == 0):
            if node.output[0] not in {output.name for output in graph.output}:
                alias[node.output[0]] = node.input[0]
                continue
        if node.op_type == "Shape" or (node.op_type in SHAPES and all(name in shapes for name in node.input)):
            shapes.update(node.output)
            key = (node.op_type, tuple(node.input), attribute_key(node))
            if key in seen:
                alias[node.output[0]] = seen[key]
                continue
            seen[key] = node.output[0]
        nodes.append(node)

    keep_needed(graph, nodes)


def keep_needed(graph, nodes):
    """Leaves those of the nodes that the outputs need."""
    needed, kept = {output.name for output in graph.output}, []
    for node in reversed(nodes):
        if needed.isdisjoint(node.output):
            continue
        needed.update(node.input)
        kept.append(node)
    kept = [onnx.NodeProto.FromString(node.SerializeToString()) for node in reversed(kept)]
    del graph.node[:]
    graph.node.extend(kept)


def precompute_masks(model):
    """Large constants that the graph computes from nothing, such as Swin's masks, as tensors without a payload."""
    graph = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    sizes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in graph.value_info
             if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT}
    constant = set()
    for node in model.graph.node:
        if all(name in constant for name in node.input):
            constant.update(node.output)
    kept = []
    for node in model.graph.node:
        name, size = node.output[0], sizes.get(node.output[0], [])
        if name in constant and node.op_type != "Constant" and all(size) and numpy.prod(size) > SMALL:
            model.graph.initializer.add(name=name, data_type=onnx.TensorProto.FLOAT, dims=size)
        else:
            kept.append(node)
    keep_needed(model.graph, kept)
    used = {name for node in model.graph.node for name in node.input}
    tensors = [tensor for tensor in model.graph.initializer if tensor.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(tensors)


def weights_to_initializers(graph):
    """The inputs that stand for weights, as tensors without a payload."""
    inputs = list(graph.input)
    del graph.input[1:]
    used = {name for node in graph.node for name in node.input}
    for value in inputs[1:]:
        if value.name in used:
            tensor = value.type.tensor_type
            graph.initializer.add(name=value.name, data_type=tensor.elem_type,
                                  dims=[dim.dim_value for dim in tensor.shape.dim])


def strip(graph):
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t") and len(attribute.t.raw_data) > SMALL:
                attribute.t.ClearField("raw_data")


def zeros_in_place(g, tensor):
    return g.op("Mul", tensor, g.op("Constant", value_t=torch.zeros(())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("data/models"), help="folder")
    parser.add_argument("--models", nargs="+", choices=names(), default=names(), metavar="NAME")
    parser.add_argument("--full", action="store_true", help="keep the weights")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    arguments.output.mkdir(parents=True, exist_ok=True)
    torch.onnx.register_custom_op_symbolic("aten::zero", zeros_in_place, OPSET)  # of Swin v2
    for name in arguments.models:
        target = arguments.output / (f"{name}.onnx" if arguments.full else f"{name}.onnx.gz")
        with tempfile.TemporaryDirectory() as folder:
            exported = pathlib.Path(folder) / "model.onnx"
            shape = export(name, target if arguments.full else exported, arguments.full)
            if arguments.full:
                continue
            model = onnx.load(exported)
        simplify(model.graph)
        precompute_masks(model)
        weights_to_initializers(model.graph)
        strip(model.graph)
        for dim, size in list(zip(model.graph.input[0].type.tensor_type.shape.dim, shape))[1:]:
            dim.dim_value = size  # the size published; the shapes in the graph follow another
        onnx.helper.set_model_props(model, {"rooftile.weights": "computed at each run"})  # as rooftile/ingest/onnx_proto.cpp
        stripped = model.SerializeToString(deterministic=True)
        target.write_bytes(gzip.compress(stripped, 9, mtime=0))
        print(f"{target}: {len(stripped)} bytes, {target.stat().st_size} compressed", flush=True)


if __name__ == "__main__":
    main()
