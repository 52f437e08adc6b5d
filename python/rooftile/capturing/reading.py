"""What a program reads where there are no data.

Numbers are 0, but those with a fraction a little more, since programs divide by a loss or take its logarithm. What compares
such numbers is true or false as it is of these: `assert torch.isfinite(loss)` holds.
"""

import torch

from . import versions

NEARLY_ZERO = 1e-6
_LARGE = 1 << 20  # elements of an array that is better not filled

_COMPARING = frozenset("eq ne lt le gt ge isnan isinf isfinite logical_not logical_and logical_or logical_xor bitwise_not "
                       "bitwise_and bitwise_or mul".split())
_KEEPING = frozenset("all any view _unsafe_view reshape select slice squeeze unsqueeze expand detach alias clone _to_copy "
                     "index".split())


def number(tensor):
    """What any element of a traced tensor is taken to be."""
    if tensor.dtype == torch.bool:
        return bool(tensor.assumed)
    if not tensor.dtype.is_floating_point:
        return complex() if tensor.dtype.is_complex else int(tensor.assumed or 0)
    return NEARLY_ZERO if tensor.assumed is None else float(tensor.assumed)


def array(tensor, dtype=None):
    """The tensor as an array of NumPy, of that or the next best type."""
    import numpy

    value = torch.ops.aten._local_scalar_dense.default(tensor)  # which the capture takes note of
    if tensor.numel() > _LARGE:
        return numpy.zeros(tuple(tensor.shape), dtype or type(value))
    return numpy.full(tuple(tensor.shape), value, dtype or type(value))


def follow(function, args, results):
    """Remembers of what an operator returned whether it is true of the numbers that are read."""
    if not hasattr(results, "assumed"):
        return
    name = versions.packet_name(function)
    if name in _KEEPING:
        results.assumed = getattr(args[0], "assumed", None)
    elif name in _COMPARING and results.dtype == torch.bool:
        results.assumed = _compared(function, args)
    elif function._schema.is_mutable:
        results.assumed = None


def _compared(function, args):
    """True or false; None of two unlike tensors, and of whole numbers, which are counts and choices rather than results."""
    if not _are_comparable([value for value in args if isinstance(value, torch.Tensor)]):
        return None
    with versions.without_modes():
        return bool(function(*(torch.full((), number(value)) if isinstance(value, torch.Tensor) else value for value in args)))


def _are_comparable(tensors):
    if not all(hasattr(one, "assumed") for one in tensors):
        return False
    unknown = {id(one): one for one in tensors if one.assumed is None}
    return len(unknown) <= 1 and all(one.dtype.is_floating_point for one in unknown.values())
