"""A pretended GPU: programs that ask for one find it, and what they move to it becomes traced."""

import contextlib
from unittest import mock

import torch

from .errors import Error
from .patch import method
from .place import place
from .traced import GPU, HOST, Traced, traced_like

_NAME = "Rooftile (captured)"


def _device_of(args, kwargs):
    """The device that Tensor.to() is asked for, or None."""
    for value in [kwargs.get("device"), *args[:1]]:
        if isinstance(value, torch.Tensor):
            return getattr(value, "device", None)
        if isinstance(value, (str, torch.device, int)) and not isinstance(value, bool):
            device = torch.device("cuda", value) if isinstance(value, int) else torch.device(value)
            return HOST if device.type == "cpu" else GPU
    return None


def _moved(tensor, device, memory):
    if device is None or tensor.device == device:
        return tensor
    if not isinstance(tensor, Traced) and device.type == "cpu":
        return tensor
    return _Move.apply(tensor, device, memory)


class _Move(torch.autograd.Function):
    """A copy between host and GPU."""

    @staticmethod
    def forward(context, tensor, device, memory):
        context.came_from = tensor.device, memory
        return traced_like(tensor.detach(), device, memory)

    @staticmethod
    def backward(context, gradient):
        device, memory = context.came_from
        return traced_like(gradient.detach(), device, memory), None, None


@contextlib.contextmanager
def with_gpu(memory):
    """While it lasts, torch.cuda tells of one GPU, and tensors can be moved to it."""
    plain_to = torch.Tensor.to

    def to(self, *args, **kwargs):
        device = _device_of(args, kwargs)
        if device is None:
            return plain_to(self, *args, **kwargs)
        other = args[0] if args and isinstance(args[0], torch.Tensor) else None
        self = _moved(self, device, memory)
        rest = [value for value in args[1:]] if args and not isinstance(args[0], torch.dtype) else list(args)
        dtype = other.dtype if other is not None else kwargs.get("dtype")
        for value in rest:
            dtype = value if isinstance(value, torch.dtype) else dtype
        memory_format = kwargs.get("memory_format")
        options = {} if memory_format is None else {"memory_format": memory_format}
        if dtype is None and not options:
            return self
        return plain_to(self, dtype or self.dtype, **options)

    def cuda(self, *_, **__):
        return _moved(self, GPU, memory)

    def cpu(self, *_, **__):
        return _moved(self, HOST, memory)

    properties = mock.Mock(total_memory=80 << 30, major=8, minor=0, multi_processor_count=108)
    properties.name = _NAME
    nothing = {name: lambda *_, **__: None for name in (
        "_lazy_init", "synchronize", "empty_cache", "set_device", "manual_seed", "manual_seed_all",
        "reset_peak_memory_stats", "reset_max_memory_allocated", "init", "set_stream")}
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_name": lambda *_: _NAME,
        "get_device_capability": lambda *_: (8, 0),
        "get_device_properties": lambda *_: properties,
        "is_bf16_supported": lambda *_: True,
        "memory_allocated": lambda *_: memory.now,
        "max_memory_allocated": lambda *_: memory.peak,
        "memory_reserved": lambda *_: memory.now,
        "max_memory_reserved": lambda *_: memory.peak,
        "Event": _Event,
        "Stream": mock.MagicMock,
        "current_stream": lambda *_: mock.MagicMock(),
        "default_stream": lambda *_: mock.MagicMock(),
        "stream": contextlib.nullcontext,
        "StreamContext": contextlib.nullcontext,
        "device": contextlib.nullcontext,
        "CUDAGraph": _no_graph,
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": lambda *_: None,
    }
    def on_gpu(make):
        """torch.tensor and its like, which do not dispatch."""

        def made(*args, device=None, requires_grad=False, pin_memory=False, **kwargs):
            if args and isinstance(args[0], Traced):
                return args[0] if device is None else to(args[0], device)
            if args and isinstance(args[0], (list, tuple)):
                args = ([one.tolist() if isinstance(one, Traced) else one for one in args[0]], *args[1:])
            tensor = make(*args, **kwargs)
            tensor = tensor if device is None else to(tensor, device)
            return tensor.requires_grad_() if requires_grad else tensor

        return made

    with contextlib.ExitStack() as stack:
        for name in ("tensor", "as_tensor"):
            stack.enter_context(mock.patch.object(torch, name, on_gpu(getattr(torch, name))))
        # Weights need not be in one piece for a cuDNN that this PyTorch may lack, of which it would warn.
        stack.enter_context(mock.patch.object(torch.backends.cudnn, "is_acceptable", lambda _: False))
        for name, value in {**nothing, **answers}.items():
            if hasattr(torch.cuda, name):
                stack.enter_context(mock.patch.object(torch.cuda, name, value))
        for module in (torch.cuda.amp.common, torch.cuda.amp.grad_scaler):
            if hasattr(module, "amp_definitely_not_available"):
                stack.enter_context(mock.patch.object(module, "amp_definitely_not_available", lambda: False))
        for name, value in {"to": to, "type_as": lambda self, other: to(self, other), "cuda": cuda, "cpu": cpu,
                            "pin_memory": lambda self, *_: self}.items():
            stack.enter_context(method(torch.Tensor, name, value))
        yield


def _no_graph(*_, **__):
    raise Error(f"CUDA graphs are not captured ({place()}); capture the step without them and predict it with cuda_graphs=True")


class _Event:
    """torch.cuda.Event, whose times mean nothing here."""

    def __init__(self, *_, **__):
        pass

    def record(self, *_):
        pass

    def synchronize(self):
        pass

    def wait(self, *_):
        pass

    def query(self):
        return True

    def elapsed_time(self, _):
        return 1.0
