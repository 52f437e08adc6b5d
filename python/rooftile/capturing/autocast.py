"""torch.autocast("cuda") for traced tensors.

PyTorch's own kernels of autocast leave these alone, since they are no CUDA tensors to them. These do the same by the same
lists ("CUDA Op-Specific Behavior", https://pytorch.org/docs/stable/amp.html), weights cast once in a context included.
"""

import contextlib
import functools
import warnings

import torch
from torch.utils._pytree import tree_map

from . import versions

_NARROW = """_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution prelu
addmm addmv addr matmul mv linear addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell
_thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell""".split()
_WIDE = """__rpow__ acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus
layer_norm native_layer_norm group_norm frobenius_norm nuclear_norm cosine_similarity poisson_nll_loss
cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss
margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss
binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp norm""".split()
_WIDE_RESULT = "prod softmax log_softmax cumprod cumsum sum".split()  # which compute in FP32 unless told a type
_PROMOTE = "addcdiv addcmul atan2 bilinear cat stack cross dot grid_sampler index_put scatter_add tensordot".split()


class _Casts:
    """The narrow copies of weights, as long as the outermost autocast lasts."""

    def __init__(self):
        self._known = {}

    def clear(self):
        self._known.clear()

    def cast(self, value, dtype):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.dtype == torch.float64:
            return value
        if value.dtype == dtype or not getattr(value, "is_cuda", False):
            return value
        weight = value.dtype == torch.float32 and value.is_leaf and value.requires_grad and dtype != torch.float32
        if not weight or not torch.is_autocast_cache_enabled():
            return value.to(dtype)
        if id(value) not in self._known:
            self._known[id(value)] = (value, value.to(dtype))
        return self._known[id(value)][1]


def _without_autocast(run):
    @functools.wraps(run)
    def kernel(*args, **kwargs):
        versions.set_autocast_enabled(False)
        try:
            return run(*args, **kwargs)
        finally:
            versions.set_autocast_enabled(True)

    return kernel


def _casting(overload, choose, casts):
    def run(*args, **kwargs):
        dtype = choose(args)
        if dtype is not None:
            args, kwargs = tree_map(lambda value: casts.cast(value, dtype), (args, kwargs))
        return overload(*args, **kwargs)

    return _without_autocast(run)


def _wide_result(overload, name):
    place = next((i for i, one in enumerate(overload._schema.arguments) if one.name == "dtype"), None)
    fused = {"softmax": torch.ops.aten._softmax.default, "log_softmax": torch.ops.aten._log_softmax.default}.get(name)

    def run(tensor, *args, **kwargs):
        told = kwargs.get("dtype") is not None or (place is not None and len(args) >= place and args[place - 1] is not None)
        if told or not tensor.is_floating_point():
            return overload(tensor, *args, **kwargs)
        if fused is not None and tensor.dtype == torch.float16:
            return fused(tensor, args[0] if args else kwargs["dim"], True)  # one kernel on a GPU
        kwargs["dtype"] = torch.float32
        return overload(tensor, *(args if place is None else args[:place - 1]), **kwargs)

    return _without_autocast(run)


def _overloads(name):
    packet = getattr(torch.ops.aten, name, None)
    for overload_name in packet.overloads() if packet is not None else ():
        overload = getattr(packet, overload_name)
        if not overload_name.endswith("out") and not overload._schema.is_mutable:
            yield overload


def _narrow(args):
    return versions.autocast_dtype()


def _wide(args):
    return torch.float32


def _widest(args):
    found = None

    def look(value):
        nonlocal found
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            found = torch.float32 if value.dtype == torch.float32 else found or value.dtype
        return value

    tree_map(look, args)
    return found


@contextlib.contextmanager
def for_traced_tensors():
    """While it lasts, autocast("cuda") casts traced tensors."""
    casts = _Casts()
    library = torch.library.Library("aten", "IMPL", "AutocastCUDA")
    clear = torch.clear_autocast_cache

    def clear_both():
        casts.clear()
        clear()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that kernels are overridden
        for names, choose in ((_NARROW, _narrow), (_WIDE, _wide), (_PROMOTE, _widest)):
            for name in names:
                for overload in _overloads(name):
                    library.impl(overload, _casting(overload, choose, casts))
        for name in _WIDE_RESULT:
            for overload in _overloads(name):
                library.impl(overload, _wide_result(overload, name))
    torch.clear_autocast_cache = clear_both
    try:
        yield
    finally:
        torch.clear_autocast_cache = clear
        casts.clear()
        if hasattr(library, "_destroy"):
            library._destroy()
        del library
