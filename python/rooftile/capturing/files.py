"""Checkpoints of a program whose tensors have no data."""

import contextlib
from unittest import mock

import torch
from torch.utils._pytree import tree_map


def _save(obj, f, *_, **__):
    """Not even opens the file: there is no data to put in the place of what it holds."""


def _is_gpu(location):
    return isinstance(location, (str, torch.device)) and torch.device(location).type == "cuda"


def _destination(location, map_location):
    """Where torch.load() puts what was saved at `location`; a function's own choice stays on the CPU."""
    if map_location is None:
        return location
    if isinstance(map_location, dict):
        return map_location.get(location, location)
    return map_location


def _to_gpu(value):
    return value.cuda() if isinstance(value, (torch.Tensor, torch.nn.Module)) else value


@contextlib.contextmanager
def kept():
    """While it lasts, torch.save writes nothing, and torch.load needs no GPU for what it is to put on one."""
    load = torch.load

    def loaded(f, map_location=None, *args, **kwargs):
        found = set()

        def on_host(storage, location):
            found.add(_is_gpu(_destination(location, map_location)))
            return storage

        value = load(f, on_host, *args, **kwargs)
        return tree_map(_to_gpu, value) if True in found else value

    with mock.patch.object(torch, "save", _save), mock.patch.object(torch.serialization, "save", _save), \
            mock.patch.object(torch, "load", loaded), mock.patch.object(torch.serialization, "load", loaded):
        yield
