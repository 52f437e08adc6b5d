"""What all parts of a capture ask of tensors."""

import torch
from torch.utils._pytree import tree_flatten


def meta_twin(tensor, dtype=None):
    """A tensor of the same shape and strides without data, of that or its own type."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=dtype or tensor.dtype, device="meta")


def first_dimension(values):
    """Dimension 0 of the first tensor that has dimensions; 0 where there is none."""
    for leaf in tree_flatten(values)[0]:
        if isinstance(leaf, torch.Tensor) and leaf.dim() > 0:
            return leaf.shape[0]
    return 0
