"""Pickles of GPUs and predictions: how they came about, since what they are is native.

Loading one does it again, and raises Error where a file has changed in between.
"""

import os
import weakref

from ._core import Error, Gpu

_NATIVE = {"find": Gpu.find, "load": Gpu.load, "replace": Gpu.replace}
_SUFFIXES = (".onnx", ".onnx.gz", ".json", ".toml")
_origins = {}  # of GPUs by id(): (weak reference, name of the function, its arguments, changes)


def absolute(path):
    """As a process in another folder finds it. The suffix tells a file from a name, as for the program: a folder may be called t4."""
    is_file = isinstance(path, (str, os.PathLike)) and os.fspath(path).lower().endswith(_SUFFIXES)
    return os.path.abspath(path) if is_file else path


def same(made, what, what_of):
    """What was made again, if it is what was pickled."""
    if what_of(made) != what:
        raise Error(f"{made!r} is not what was pickled: a file or this package has changed since")
    return made


def _facts(gpu):
    """All that is known of it but the sources, which name a file as it was given."""
    whole = gpu.to_dict()
    return {**whole, "facts": [{key: value for key, value in fact.items() if key != "source"} for fact in whole["facts"]]}


def _make(name, first, changes):
    gpu = _NATIVE[name](first, **changes)
    key = id(gpu)
    _origins[key] = weakref.ref(gpu, lambda _: _origins.pop(key, None)), name, absolute(first), changes
    return gpu


def _again(name, first, changes, facts):
    return same(_make(name, first, changes), facts, _facts)


def _reduced(gpu):
    return _again, (*_origins[id(gpu)][1:], _facts(gpu))


def _find(selector):
    """By id, an unambiguous part of one, or the path of a .toml file."""
    if not isinstance(selector, (str, os.PathLike)):
        raise Error(f"a GPU is found by its id or its .toml file, not by a {type(selector).__name__}")
    return _make("find", os.fspath(selector), {})


def _load(path):
    """Of a .toml file (docs/gpus.md)."""
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"a GPU's file is a path, not a {type(path).__name__}")
    return _make("load", path, {})


def _replace(gpu, **changes):
    """The GPU with other numbers: replace(dram_bandwidth="2 TB/s"); names as `rooftile explore` has them."""
    return _make("replace", gpu, changes)


def add_to_gpus():
    """Gives Gpu what its native class lacks: copies, pickles and hashes."""
    Gpu.find, Gpu.load, Gpu.replace = staticmethod(_find), staticmethod(_load), _replace
    Gpu.__reduce__ = _reduced
    Gpu.__copy__ = lambda gpu: gpu  # it does not change
    Gpu.__deepcopy__ = lambda gpu, memo: gpu
    Gpu.__hash__ = lambda gpu: hash(gpu.json())
