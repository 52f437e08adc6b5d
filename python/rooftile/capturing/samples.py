"""How many samples a step is of."""

import weakref

import torch
from torch.utils._pytree import tree_flatten


def _tensor(values):
    """The first tensor that has dimensions, or None."""
    return next((leaf for leaf in tree_flatten(values)[0] if isinstance(leaf, torch.Tensor) and leaf.dim() > 0), None)


def _are_images(value):
    """Whether it is a list of images of different sizes, as detectors take it."""
    return isinstance(value, (list, tuple)) and bool(value) and all(
        isinstance(one, torch.Tensor) and one.dim() == 3 and one.shape[0] in (1, 3) for one in value)


def of_inputs(values):
    """Dimension 0 of the first tensor, or the number of images; 0 where there is nothing of these."""
    first = values[0] if isinstance(values, (list, tuple)) and values else None
    if _are_images(first):
        return len(first)
    tensor = _tensor(values)
    return 0 if tensor is None else tensor.shape[0]


def _told_by(module, tensor):
    """What a module says of the samples of its input, by the dimensions that it takes; None of most modules."""
    batch_first = getattr(module, "batch_first", getattr(getattr(module, "self_attn", None), "batch_first", None))
    if isinstance(batch_first, bool):
        return 1 if tensor.dim() < 3 else tensor.shape[0 if batch_first else 1]
    if isinstance(module, torch.nn.modules.conv._ConvNd):
        return 1 if tensor.dim() < module.weight.dim() else tensor.shape[0]
    if isinstance(module, torch.nn.Linear) and tensor.dim() == 1:
        return 1
    return None


class _Call:
    """A call of an outermost module."""

    def __init__(self, module, inputs):
        self.tensor = _tensor(inputs)
        block = getattr(self.tensor, "block", None)
        self.key = id(module), block is not None and block.is_made
        self.size = of_inputs(inputs)
        self.is_told = _are_images(inputs[0] if inputs else None)

    def look(self, module, inputs):
        """At a module inside, which may know better."""
        tensor = _tensor(inputs)
        if self.is_told or tensor is None:
            return
        if self.tensor is None:  # the call has keyword arguments alone, which hooks do not see
            self.tensor, self.size = tensor, of_inputs(inputs)
        if tensor.shape[:2] == self.tensor.shape[:2]:
            told = _told_by(module, tensor)
            if told is not None:
                self.size, self.is_told = told, True


class Samples:
    """Counts those of each update by the optimizer that steps first.

    Backward passes before an update add up, which is how gradients are accumulated. Of the calls before one backward pass
    the largest counts (a network may have several inputs, or act on a few samples before it learns), and of several modules
    too (a generator and a discriminator). What a network has made (the images of a generator) are no samples, unless there
    are no others. The same input at other weights (sharpness-aware minimisation, line searches) is not counted again.
    """

    def __init__(self):
        self.clear()

    def clear(self):
        self._total = 0
        self._first = None
        self._call = None
        self._start()

    def _start(self):
        self._group = {}  # samples of the backward passes since the last update, by module and whether a network made them
        self._calls = []  # since the last backward pass
        self._seen = weakref.WeakKeyDictionary()  # blocks of inputs: the version of the weights that they met

    def enter(self, module, inputs):
        """An outermost module is called."""
        self._call = _Call(module, inputs)
        self._first = self._first or self._call
        if torch.is_grad_enabled() and not self._is_repeated(module):
            self._calls.append(self._call)

    def look(self, module, inputs):
        """A module is called inside, or the outermost itself."""
        if self._call is not None:
            self._call.look(module, inputs)

    def leave(self, output):
        """The outermost module has returned."""
        if self._call is None:
            return
        self._call.tensor = None  # which shall not live on
        self._call = None
        for leaf in tree_flatten(output)[0]:
            if getattr(leaf, "block", None) is not None:
                leaf.block.is_made = True

    def _is_repeated(self, module):
        block = getattr(self._call.tensor, "block", None)
        if block is None:
            return False
        version = next(module.parameters())._version
        return self._seen.setdefault(block, version) != version

    def backward(self):
        """A backward pass is over."""
        for key, size in _largest(self._calls).items():
            self._group[key] = self._group.get(key, 0) + size
        self._calls = []

    def update(self, counts):
        """An optimizer has stepped; counts: whether it is the one that the step is of."""
        if counts:
            self._total += self._since_update()
        self._start()

    def count(self):
        """Of the step so far; 0 where no module told."""
        return self._total or self._since_update() or (self._first.size if self._first else 0)

    def _since_update(self):
        group = self._group or _largest(self._calls)
        given = [size for (_, is_made), size in group.items() if not is_made]
        return max(given or group.values(), default=0)


def _largest(calls):
    found = {}
    for call in calls:
        found[call.key] = max(found.get(call.key, 0), call.size)
    return found
