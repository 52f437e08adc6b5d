"""Captures a step of a module or a function."""

import contextlib
import textwrap

import torch
from torch.nn.utils.rnn import PackedSequence
from torch.utils._pytree import tree_flatten, tree_map

from . import swap
from .errors import Error
from .loss import loss_of
from .samples import of_inputs
from .session import Session

_PRECISIONS = {"fp32": None, "fp16": torch.float16, "bf16": torch.bfloat16, "amp-fp16": torch.float16,
               "amp-bf16": torch.bfloat16}
_OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters),
    "adamw": lambda parameters: torch.optim.AdamW(parameters),
}


def capture(target, inputs=(), *, training=False, loss=None, optimizer=None, precision="fp32", layout="nchw",
            batch_size=None, name=None):
    """One step of `target` as it would run on a GPU.

    target: a torch.nn.Module, or a function that runs one step. Modules and optimizers that the function refers to run
        on the pretended GPU, whatever device they are on; nothing of theirs is changed.
    inputs: a tensor, a tuple of arguments or a dict of keyword arguments, of which shapes, types and strides count.
    training: of a module: also loss, backward and optimizer.
    loss: of a module: a function of its result, or a loss of torch.nn, for which targets are made up; by default what the
        result itself says (a mapping of losses, .loss), else cross entropy where the result is scores of classes, else
        the mean.
    optimizer: of a module: "sgd" (the default), "momentum", "adam", "adamw", or a function of parameters that makes one.
    precision: of a module: "fp32", "fp16", "bf16", "amp-fp16", "amp-bf16" (under torch.autocast).
    layout: of a module: "nchw" or "nhwc" (channels last).
    batch_size: samples in a step, where dimension 0 of the first input is not that.

    Returns a Step. Raises Error for what cannot be captured; what the module or function itself raises comes through.
    """
    _check_choice("precision", precision, _PRECISIONS)
    if layout not in ("nchw", "nhwc"):
        raise Error(f"layout '{layout}' is neither nchw nor nhwc")
    _check(target, inputs)
    if isinstance(target, torch.nn.Module):
        if not training and (loss is not None or optimizer is not None):
            raise Error(f"{'a loss' if loss is not None else 'an optimizer'} is of a training step: training=True")
        inputs = as_tensors(inputs)
        return _Module(target, training, loss, optimizer, precision, layout).capture(inputs, batch_size, name)
    if not callable(target):
        raise Error(f"a torch.nn.Module or a function is captured, not {type(target).__name__}")
    return _function(target, inputs, batch_size, name)


def _check_choice(what, chosen, known):
    if not isinstance(chosen, str) or chosen not in known:
        raise Error(f"{what} {textwrap.shorten(repr(chosen), 80)} is not one of {', '.join(known)}")


def _check(target, inputs):
    if isinstance(target, torch.jit.ScriptModule):
        raise Error("a TorchScript module is captured no more; give the torch.nn.Module that it was made of")
    if any(hasattr(part, "_orig_mod") for part in _modules(target)) or hasattr(target, "_torchdynamo_orig_callable"):
        raise Error("a compiled module is captured no more; give the one before torch.compile, and predict with "
                    "execution='compiled' from ONNX")
    if any(isinstance(one, PackedSequence) for one in (inputs, *_arguments(inputs)[0])):
        raise Error("packed sequences have no fixed number of steps; pad them")
    for tensor in tree_flatten(inputs)[0]:
        if isinstance(tensor, torch.Tensor) and tensor.is_nested:
            raise Error("a nested input has no fixed size; pad it")
        if isinstance(tensor, torch.Tensor) and tensor.layout != torch.strided:
            raise Error(f"a sparse input ({tensor.layout}) has no fixed size; give a dense one")
        if isinstance(tensor, torch.Tensor) and tensor.is_quantized:
            raise Error("a quantised input is of PyTorch's CPU kernels; give the float one")


def as_tensors(inputs):
    """Arrays of NumPy as tensors; several whole numbers are a shape rather than arguments."""
    if isinstance(inputs, (tuple, list)) and len(inputs) > 1 and set(map(type, inputs)) == {int}:
        raise Error(f"inputs of a module are tensors; a shape is written torch.empty({', '.join(map(str, inputs))})")
    return tree_map(_as_tensor, inputs)


def _as_tensor(leaf):
    if type(leaf).__module__ != "numpy":
        return leaf
    try:
        return torch.as_tensor(leaf)
    except TypeError as error:
        raise Error(f"PyTorch has no tensors of {leaf.dtype}; give an input of another type") from error


def _modules(target):
    return target.modules() if isinstance(target, torch.nn.Module) else (target,)


def _arguments(inputs):
    if isinstance(inputs, dict):
        return (), inputs
    return (tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)), {}


def _size_of_batch(inputs):
    return of_inputs(inputs if isinstance(inputs, (tuple, list)) else (inputs,))


def _twice(session, run):
    """The second time is recorded: optimizers have their state, gradients are there."""
    run()
    session.start()
    run()
    session.stop()


def _function(target, inputs, batch_size, name):
    modules, optimizers = swap.found_in(target)
    session = Session()
    with swap.swapped(modules, optimizers, session.memory), session.running():
        args, kwargs = _arguments(swap.twins_of_inputs(inputs, session.memory))
        _twice(session, lambda: target(*args, **kwargs))
        samples = batch_size or session.phases.samples.count() or _size_of_batch(inputs)
        step = session.step(name or getattr(target, "__name__", "step"), samples)
    if not step.launches:
        raise Error("nothing of it ran on the pretended GPU; the function is to run a module that it refers to")
    return step


class _Module:
    def __init__(self, module, training, loss, optimizer, precision, layout):
        self.module, self.training, self.loss = module, training, loss_of(loss)
        self.precision, self.layout = precision, layout
        self.criterion = [loss] if isinstance(loss, torch.nn.Module) else []  # which may have weights
        optimizer = "sgd" if optimizer is None else optimizer
        if not callable(optimizer):
            _check_choice("optimizer", optimizer, _OPTIMIZERS)
        self.make_optimizer = optimizer if callable(optimizer) else _OPTIMIZERS[optimizer]

    def capture(self, inputs, batch_size, name):
        session = Session()
        narrow = _PRECISIONS[self.precision]
        mixed = self.precision.startswith("amp-")
        dtype = None if mixed else narrow
        with self._mode(), swap.swapped([self.module, *self.criterion], [], session.memory, dtype), session.running():
            if self.layout == "nhwc":
                self.module.to(memory_format=torch.channels_last)
            args, kwargs = _arguments(swap.twins_of_inputs(inputs, session.memory, dtype))
            if self.layout == "nhwc":
                args = tuple(_channels_last(one) for one in args)
            _twice(session, self._step(args, kwargs, narrow if mixed else None))
            samples = batch_size or session.phases.samples.count() or _size_of_batch(inputs)
            step = session.step(name or type(self.module).__name__, samples)
        return step

    @contextlib.contextmanager
    def _mode(self):
        """In training or evaluation as asked, and then as before."""
        before = [(one, one.training) for one in self.module.modules()]
        self.module.train(self.training)
        try:
            yield
        finally:
            for one, was in before:
                one.training = was

    def _step(self, args, kwargs, narrow):
        def autocast():
            return torch.autocast("cuda", dtype=narrow) if narrow is not None else contextlib.nullcontext()

        def infer():
            with torch.no_grad(), autocast():
                self.module(*args, **kwargs)

        if not self.training:
            return infer
        parameters = [one for one in self.module.parameters() if one.requires_grad]
        if not parameters:
            raise Error("it has no parameters to train")
        optimizer = self.make_optimizer(parameters)

        def train():
            optimizer.zero_grad(set_to_none=True)
            with autocast():
                value = self.loss(self.module(*args, **kwargs))
            value.backward()
            optimizer.step()

        return train


def _channels_last(value):
    if isinstance(value, torch.Tensor) and value.dim() == 4:
        return value.to(memory_format=torch.channels_last)
    return value
