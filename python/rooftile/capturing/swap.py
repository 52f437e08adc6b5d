"""Puts traced twins in the place of the tensors of modules and optimizers, and the tensors back."""

import contextlib

import torch
from torch.utils._pytree import tree_flatten, tree_map

from .traced import GPU, Traced, traced_like


class _Twins:
    """Of each tensor one."""

    def __init__(self, memory, dtype):
        self._memory = memory
        self._dtype = dtype
        self._known = {}

    def of(self, tensor, holds=""):
        if tensor is None or isinstance(tensor, Traced):
            return tensor
        if id(tensor) not in self._known:
            dtype = self._dtype if self._dtype is not None and tensor.is_floating_point() else None
            twin = traced_like(tensor, GPU, self._memory, dtype)
            twin.block.holds = holds
            self._known[id(tensor)] = (tensor, twin)  # ids are of what lives
        return self._known[id(tensor)][1]

    def in_place_of(self, value):
        """A list, tuple or dict with the twins of the tensors in it that have one, or None where none has."""
        if isinstance(value, (list, tuple, dict)) and any(id(leaf) in self._known for leaf in tree_flatten(value)[0]):
            return tree_map(lambda leaf: self._known[id(leaf)][1] if id(leaf) in self._known else leaf, value)
        return None


@contextlib.contextmanager
def swapped(modules, optimizers, memory, dtype=None):
    """While it lasts, the modules' parameters and buffers, and the optimizers', are traced; then all is as it was."""
    twins = _Twins(memory, dtype)
    undo = []
    modules = {id(one): one for root in modules for one in root.modules()}.values()
    try:
        for module in modules:
            for tensors in (module._parameters, module._buffers):
                undo.append((tensors, dict(tensors)))
                for name, tensor in tensors.items():
                    tensors[name] = twins.of(tensor, "weights")
        for module in modules:  # recurrent layers keep a list of their weights
            listed = {name: twins.in_place_of(value) for name, value in vars(module).items()}
            undo.append((vars(module), dict(vars(module))))
            vars(module).update({name: value for name, value in listed.items() if value is not None})
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                undo.append((group, dict(group)))
                group["params"] = [twins.of(tensor, "weights") for tensor in group["params"]]
            undo.append((optimizer.state, dict(optimizer.state)))
            optimizer.state.clear()
        yield twins
    finally:
        for place, before in reversed(undo):
            place.clear()
            place.update(before)


def twins_of_inputs(value, memory, dtype=None):
    """The same structure with traced tensors on the GPU."""
    def twin(leaf):
        if not isinstance(leaf, torch.Tensor) or isinstance(leaf, Traced):
            return leaf
        return traced_like(leaf, GPU, memory, dtype if dtype is not None and leaf.is_floating_point() else None)

    return tree_map(twin, value)


def _names_in(code):
    """Names of globals in a function's code and in that of the functions and comprehensions inside it."""
    inner = [name for one in code.co_consts if hasattr(one, "co_names") for name in _names_in(one)]
    return [*code.co_names, *inner]


def found_in(function):
    """The modules and optimizers that a function refers to: its closure, its globals, what it is bound to."""
    seen, modules, optimizers = set(), [], []

    def look(value, depth):
        if id(value) in seen or depth > 3:
            return
        seen.add(id(value))
        if isinstance(value, torch.nn.Module):
            modules.append(value)
        elif isinstance(value, torch.optim.Optimizer):
            optimizers.append(value)
        elif isinstance(value, (list, tuple)):
            for one in value[:100]:
                look(one, depth + 1)
        elif isinstance(value, dict):
            for one in list(value.values())[:100]:
                look(one, depth + 1)
        elif hasattr(value, "__code__"):
            look_into(value, depth + 1)
        elif hasattr(value, "__func__"):
            look(value.__self__, depth + 1)
            look_into(value.__func__, depth + 1)
        elif hasattr(value, "func") and hasattr(value, "keywords"):  # functools.partial
            look([value.func, list(value.args), dict(value.keywords)], depth)
        elif hasattr(value, "__dict__") and not isinstance(value, type) and type(value).__module__ != "builtins":
            look(dict(vars(value)), depth + 1)

    def look_into(code_of, depth):
        for cell in code_of.__closure__ or ():
            try:
                look(cell.cell_contents, depth)
            except ValueError:
                continue  # not filled yet
        for name in _names_in(code_of.__code__):
            if name in code_of.__globals__:
                value = code_of.__globals__[name]
                if not hasattr(value, "__path__") and type(value).__name__ != "module":
                    look(value, depth)
        look(list(code_of.__defaults__ or ()), depth)

    look(function, 0)
    return modules, optimizers
