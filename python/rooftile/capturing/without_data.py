"""Modules too large for the host."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_MAKERS = frozenset("empty empty_strided zeros ones full rand randn arange eye linspace".split())
_SMALL = 1 << 12  # elements


class without_data(TorchDispatchMode):  # noqa: N801 - used as a function
    """Modules built inside have shapes and no data: a 70-billion-parameter model takes no memory.

        with rooftile.without_data():
            model = Llama(...)
        rooftile.predict(model, inputs=..., gpu="h100-sxm5-80gb")
    """

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        made = function._schema.name.split("::")[1] in _MAKERS and kwargs.get("device") in (None, torch.device("cpu"))
        if not made:
            return function(*args, **kwargs)
        result = function(*args, **{**kwargs, "device": torch.device("meta")})
        # What is small may be read while the module is built: widths, schedules.
        return function(*args, **kwargs) if result.numel() <= _SMALL else result
