"""Shapes of results, for operators whose meta kernel a release of PyTorch lacks."""

import torch
from torch.utils._pytree import tree_map

from . import versions
from .errors import Error
from .place import place
from .tensors import meta_twin

_MOST = 1 << 24  # elements that may be computed for their shape alone


def _like(tensor, shape=None):
    if shape is None:
        return meta_twin(tensor)
    return torch.empty(shape, dtype=tensor.dtype, device="meta")


def _convolution_backward(grad, data, weight, bias_sizes, *rest):
    mask = rest[-1]
    bias = _like(weight, [weight.shape[1 if rest[3] else 0] * (rest[5] if rest[3] else 1)]) if mask[2] else None
    return (_like(data) if mask[0] else None, _like(weight) if mask[1] else None, bias)


def _nms(boxes, scores, threshold):
    return torch.empty(boxes.shape[0], dtype=torch.int64, device="meta")  # all boxes are kept


def _nonzero(tensor):
    return torch.empty((tensor.numel(), tensor.dim()), dtype=torch.int64, device="meta")  # all elements are


def _index(tensor, indices, *_):
    """A mask selects all of what it is of."""
    places = []
    for index in indices:
        if _is_mask(index):
            places += [torch.empty(index.numel(), dtype=torch.int64, device="meta")] * index.dim()
        else:
            places.append(index)
    return torch.ops.aten.index.Tensor(tensor, places)


def _repeat_interleave(repeats, *, output_size=None):
    return _like(repeats, (output_size or repeats.numel(),))  # each is there once


def _roi_align(data, rois, scale, height, width, *_):
    return _like(data, (rois.shape[0], data.shape[1], height, width))


def _roi_align_backward(grad, rois, scale, ph, pw, batch, channels, height, width, *_):
    return _like(grad, (batch, channels, height, width))


def _masked_select(tensor, mask):
    return _like(tensor, (torch.broadcast_shapes(tensor.shape, mask.shape).numel(),))


def _found_inf(scales, found, inverse):
    return None


def _native_attention(query, *_, **__):
    return _like(query), _like(query, (0,))  # the weights that hardly anybody reads


def _multinomial(weights, samples, *_, **__):
    return torch.empty((*weights.shape[:-1], samples), dtype=torch.int64, device="meta")


def _cdist(first, second, *_):
    batch = torch.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    return _like(first, (*batch, first.shape[-2], second.shape[-2]))


def _packed(*_, **__):
    raise Error(f"packed sequences have no fixed number of steps ({place()}); pad them")


RULES = {
    "_native_multi_head_attention": _native_attention,
    "_transformer_encoder_layer_fwd": lambda data, *_: _like(data),
    "convolution_backward": _convolution_backward,
    "nms": _nms,
    "nonzero": _nonzero,
    "masked_select": _masked_select,
    "index": _index,
    "index_put": lambda tensor, *_: _like(tensor),
    "index_put_": lambda tensor, *_: tensor,
    "_index_put_impl_": lambda tensor, *_: tensor,
    "multinomial": _multinomial,
    "_cdist_forward": _cdist,
    "_cdist_backward": lambda gradient, first, *_: _like(first),
    "_pack_padded_sequence": _packed,
    "repeat_interleave": _repeat_interleave,
    "roi_align": _roi_align,
    "_roi_align_backward": _roi_align_backward,
    "_amp_foreach_non_finite_check_and_unscale_": _found_inf,
    "_amp_update_scale_": lambda scale, *_: scale,
}

# What hands data to the program.
READING = ("_local_scalar_dense", "is_nonzero", "equal")

# Results that depend on data: what programs call the operator, and what is assumed.
_ASSUMED = {
    "nms": ("nms", "keeps all boxes"),
    "nonzero": ("nonzero", "finds all elements"),
    "masked_select": ("masked_select", "selects all elements"),
    "repeat_interleave": ("repeat_interleave", "repeats nothing"),
    "_local_scalar_dense": ("item()", "reads 0"),
    "is_nonzero": ("bool()", "reads 0"),
    "equal": ("equal", "is true"),
    **dict.fromkeys(("_unique2", "unique_dim"), ("unique", "finds one element")),
    "unique_consecutive": ("unique_consecutive", "finds one element"),
}
_INDEXING = ("index", "index_put", "index_put_", "_index_put_impl_")


def assumed(name, args):
    """What programs call an operator, and what is assumed of its result; None where data decide nothing."""
    if name in _INDEXING and any(_is_mask(index) for index in args[1]):
        return "a mask as index", "selects all elements"
    return _ASSUMED.get(name)


def _is_mask(index):
    return index is not None and index.dtype in (torch.bool, torch.uint8)


def run(function, args, kwargs):
    """The result of an operator on meta tensors."""
    rule = RULES.get(versions.packet_name(function))
    if rule is not None:
        return rule(*args, **kwargs)
    try:
        return function(*args, **kwargs)
    except NotImplementedError:
        pass
    return _by_computing(function, args, kwargs)


def _by_computing(function, args, kwargs):
    """Computes on zeros, where there are few, to see what comes out."""
    narrow = set()

    def real(value):
        if isinstance(value, torch.Tensor) and value.is_meta:
            if value.numel() > _MOST:
                raise _no_shape(function)
            dtype = value.dtype
            if dtype in (torch.float16, torch.bfloat16):
                narrow.add(dtype)
                dtype = torch.float32  # CPUs lack kernels for halves
            return torch.zeros(value.shape, dtype=dtype)
        if isinstance(value, torch.device):
            return torch.device("cpu")
        return value

    def meta(value):
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            dtype = value.dtype
            if dtype == torch.float32 and len(narrow) == 1:
                dtype = next(iter(narrow))
            return meta_twin(value, dtype)
        return value

    try:
        with torch.no_grad():
            return tree_map(meta, function(*tree_map(real, args), **tree_map(real, kwargs)))
    except (NotImplementedError, RuntimeError) as error:
        raise _no_shape(function) from error


def _no_shape(function):
    return Error(f"{function} ({place()}): this release of PyTorch does not tell the shape of its result; "
                 "replace the operator, or capture without it")
