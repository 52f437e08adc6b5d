"""What differs between releases of PyTorch, 1.13 to 2.x; nothing else looks at a version."""

import contextlib
from unittest import mock

import torch

FRAMEWORK = "PyTorch " + ".".join(torch.__version__.split("+")[0].split(".")[:3]).replace("a0", "")


# softmax(Q K^T) V as one kernel, where PyTorch has it (2.0).
HAS_FUSED_ATTENTION = hasattr(torch.ops.aten, "scaled_dot_product_attention")


def storage_of(tensor):
    """Where a tensor's elements are: a key that two tensors share if they share memory, and its size in bytes."""
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor._storage()
    return storage._cdata, storage.nbytes()


def has_gpu_kernel(name):
    """Whether this build of PyTorch has a CUDA kernel of aten::name."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", "CUDA")


def autocast_dtype():
    """The type that torch.autocast("cuda") narrows to."""
    return torch.get_autocast_gpu_dtype()


def autocast_enabled():
    return torch.is_autocast_enabled()


def set_autocast_enabled(enabled):
    torch.set_autocast_enabled(enabled)


def packet_name(function):
    """aten.add_.Tensor -> "add_"."""
    return function._schema.name.split("::")[1]


def namespace(function):
    """aten.add_.Tensor -> "aten"."""
    return function._schema.name.split("::")[0]


# What native_functions.yaml dispatches to CPUs and to no GPU, by the beginnings of names.
_OF_CPUS = ("histogram", "_histogramdd", "mkldnn_", "to_mkldnn", "_mkldnn_", "quantized_", "_spdiags", "from_file")


def is_for_cpus_alone(function):
    """Whether PyTorch has no kernel of an operator for GPUs."""
    of = namespace(function)
    return of in ("quantized", "mkldnn") or (of == "aten" and packet_name(function).startswith(_OF_CPUS))


@contextlib.contextmanager
def uninitialized_told_apart():
    """While it lasts, a parameter of another tensor type is not taken for an UninitializedParameter, as 1.13 does."""
    meta = type(torch.nn.Parameter)

    def is_one(cls, instance):
        return super(meta, cls).__instancecheck__(instance) or (
            cls is torch.nn.Parameter and isinstance(instance, torch.Tensor) and getattr(instance, "_is_param", False))

    with mock.patch.object(meta, "__instancecheck__", is_one):
        yield


@contextlib.contextmanager
def without_modes():
    """Operators inside run as they are, captured by nothing."""
    guard = torch._C._DisableTorchDispatch()
    try:
        yield
    finally:
        del guard
