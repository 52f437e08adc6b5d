"""The largest batch that fits."""

import torch
from torch.utils._pytree import tree_map

from ..predicting import MOST_SAMPLES
from .errors import Error
from .target import as_tensors, capture
from .tensors import first_dimension


def largest_of_module(module, inputs, capacity, options):
    """Samples whose step takes at most `capacity` bytes. What is captured at two sizes tells about where to look."""
    inputs = as_tensors(inputs)
    before = first_dimension(inputs)
    known = {}

    def size_at(batch):
        if batch not in known:
            resized = tree_map(lambda value: _resized(value, before, batch), inputs)
            step = capture(module, resized, **options)
            if step.batch_size != batch:
                raise Error("samples are not in dimension 0 of the first input, which max_batch varies")
            known[batch] = sum(step.memory.values())
        return known[batch]

    size_at(before)  # where a wrong dimension shows before the module fails at other sizes of it
    if size_at(1) > capacity:
        return 0
    fitting, beyond = 1, MOST_SAMPLES + 1
    while beyond - fitting > 1:
        guess = fitting * 2
        if len(known) > 1:
            points = sorted(known)[-2:] if beyond > MOST_SAMPLES else [fitting, beyond]
            slope = (size_at(points[1]) - size_at(points[0])) / (points[1] - points[0])
            guess = int(fitting + (capacity - size_at(fitting)) / slope) if slope > 0 else guess
        guess = min(max(guess, fitting + 1), beyond - 1, MOST_SAMPLES)
        if size_at(guess) <= capacity:
            fitting = guess
            if fitting == MOST_SAMPLES:
                break
            if size_at(fitting + 1) > capacity:
                break
        else:
            beyond = guess
    return fitting


def _resized(value, before, batch):
    if not isinstance(value, torch.Tensor) or value.dim() == 0 or value.shape[0] != before:
        return value
    return torch.empty((batch, *value.shape[1:]), dtype=value.dtype, device="meta")
