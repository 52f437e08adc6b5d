"""What a step launches, in Rooftile's terms."""

from dataclasses import dataclass, field

import torch

_TYPES = {
    torch.float64: "fp64", torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16", torch.int64: "int64",
    torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "int8", torch.bool: "bool",
    torch.complex64: "fp64",
}

HEAVY = ("conv", "gemm", "attention", "recurrent")


@dataclass(frozen=True)
class Operand:
    """A tensor that a kernel reads or writes: shape, type, and whether it is a weight."""

    shape: tuple
    dtype: str
    constant: bool = False


@dataclass(frozen=True)
class Call:
    """One operator: its kind, what the kind needs, its tensors."""

    op: str
    attributes: tuple  # of pairs
    inputs: tuple
    outputs: tuple
    passing: str = "fwd"
    general: bool = False
    source: str = field(default="", compare=True)


# What streams its tensors and so reads no more of them than there is.
_STREAMING = ("elementwise", "move", "reduce", "view")


def operand(tensor, written=False, op="elementwise"):
    """A tensor of an operator of that kind; where it streams, a dimension that is only repeated counts once."""
    shape = tuple(tensor.shape)
    if op in _STREAMING:
        shape = tuple(1 if stride == 0 and size > 1 else size for size, stride in zip(shape, tensor.stride()))
    weight = not written and getattr(tensor, "block", None) is not None and tensor.block.holds == "weights"
    return Operand(shape, _TYPES.get(tensor.dtype, "int8"), weight)
