"""torch.cuda.FloatTensor and its like: makers of tensors on the GPU, and names of types."""

import contextlib
from unittest import mock

import torch

from .errors import Error
from .patch import method
from .place import place
from .traced import GPU, Traced

_DTYPES = {"Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16,
           "Long": torch.int64, "Int": torch.int32, "Short": torch.int16, "Char": torch.int8, "Byte": torch.uint8, "Bool": torch.bool}


class _Type:
    """What torch.cuda.FloatTensor is where there is a GPU."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __call__(self, *args):
        if not args or isinstance(args[0], (int, torch.Size)):
            return torch.empty(*args or (0,), dtype=self.dtype, device=GPU)
        return torch.as_tensor(args[0], dtype=self.dtype, device=GPU)

    def __instancecheck__(self, value):
        return isinstance(value, torch.Tensor) and value.is_cuda and value.dtype == self.dtype


@contextlib.contextmanager
def for_programs():
    """While it lasts, torch.cuda has these types, and Tensor.type() converts to them."""
    types = {f"{name}Tensor": _Type(dtype) for name, dtype in _DTYPES.items()}
    plain, plain_default = torch.Tensor.type, torch.set_default_tensor_type

    def converted(self, dtype=None, *args, **kwargs):
        if dtype is None and isinstance(self, Traced):
            name = next((name for name, made in types.items() if made.dtype == self.dtype), "Tensor")
            return f"torch.cuda.{name}" if self.is_cuda else f"torch.{name}"
        if isinstance(dtype, str) and dtype.startswith("torch.cuda."):
            dtype = types.get(dtype.split(".")[-1], dtype)
        return self.to(GPU, dtype.dtype) if isinstance(dtype, _Type) else plain(self, dtype, *args, **kwargs)

    def by_default(kind):
        if isinstance(kind, _Type) or (isinstance(kind, str) and kind.startswith("torch.cuda.")):
            raise Error(f"a default type of the GPU is not captured ({place()}); make tensors with device='cuda'")
        return plain_default(kind)

    with contextlib.ExitStack() as stack:
        for name, made in types.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, made, create=True))
        stack.enter_context(mock.patch.object(torch, "set_default_tensor_type", by_default))
        stack.enter_context(method(torch.Tensor, "type", converted))
        yield
