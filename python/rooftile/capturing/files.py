"""Checkpoints of a program whose tensors have no data."""

import contextlib
import copy
import os
from unittest import mock

import torch
from torch.utils._pytree import tree_map

from .patch import method
from .traced import GPU, HOST, Traced, traced_like


class _Saved:
    """What a program has saved, by file. None is opened: there is no data to put in the place of what it holds."""

    def __init__(self):
        self._files = {}  # (object, where its tensors were by id()), by file

    def save(self, obj, f, *_, **__):
        places = {}

        def on_host(tensor):
            twin = traced_like(tensor, HOST, tensor.memory)
            places[id(twin)] = tensor.device
            return twin

        self._files[_file(f)] = _copied(obj, on_host), places

    def __contains__(self, f):
        return _file(f) in self._files

    def load(self, f, map_location):
        obj, places = self._files[_file(f)]

        def put_back(tensor):
            destination = _destination(str(places[id(tensor)]), map_location)
            return traced_like(tensor, GPU if _is_gpu(destination) else HOST, tensor.memory)

        return _copied(obj, put_back)


def _file(f):
    """A path, or a file that has none."""
    path = f if isinstance(f, (str, os.PathLike)) else getattr(f, "name", None)
    return os.path.abspath(path) if isinstance(path, (str, os.PathLike)) else f


def _copied(obj, of_tensor):
    """A deep copy, in which a function of them takes the place of traced tensors."""

    def copied(tensor, memo):
        return memo.setdefault(id(tensor), of_tensor(tensor))

    with method(Traced, "__deepcopy__", copied):
        return copy.deepcopy(obj)


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
    """While it lasts, torch.save keeps what it is given, and torch.load needs no GPU for what it is to put on one."""
    load, saved = torch.load, _Saved()

    def loaded(f, map_location=None, *args, **kwargs):
        if f in saved:
            return saved.load(f, map_location)
        found = set()

        def on_host(storage, location):
            found.add(_is_gpu(_destination(location, map_location)))
            return storage

        value = load(f, on_host, *args, **kwargs)
        return tree_map(_to_gpu, value) if True in found else value

    with mock.patch.object(torch, "save", saved.save), mock.patch.object(torch.serialization, "save", saved.save), \
            mock.patch.object(torch, "load", loaded), mock.patch.object(torch.serialization, "load", loaded):
        yield
