"""torch.distributed for a program that is captured by itself: a world of one process, in which nothing is sent."""

import contextlib
import inspect
import types
from unittest import mock

import torch
from torch import distributed

from .errors import Error
from .place import place

_SENDING = ("all_reduce", "all_reduce_coalesced", "broadcast", "reduce", "barrier", "broadcast_object_list", "monitored_barrier")
_COPYING = {  # the arguments that are written and read: tensors, or lists of one for each process
    "all_gather": ("tensor_list", "tensor"), "all_gather_into_tensor": ("output_tensor", "input_tensor"),
    "_all_gather_base": ("output_tensor", "input_tensor"), "gather": ("gather_list", "tensor"),
    "scatter": ("tensor", "scatter_list"), "reduce_scatter": ("output", "input_list"),
    "reduce_scatter_tensor": ("output", "input"), "_reduce_scatter_base": ("output", "input"),
    "all_to_all": ("output_tensor_list", "input_tensor_list"), "all_to_all_single": ("output", "input"),
}
_BETWEEN_TWO = ("P2POp", "batch_isend_irecv")  # beside what takes a group


class _Done:
    """A handle of what is over already."""

    def wait(self, *_, **__):
        return True

    def is_completed(self):
        return True


class _Parallel(torch.nn.Module):
    """In the place of DistributedDataParallel: the module, and nothing that joins its gradients."""

    def __init__(self, module, *_, **__):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)  # as DataParallel and what was wrapped before do here, too

    no_sync = staticmethod(contextlib.nullcontext)


def _copying(name):
    """A collective that hands tensors around."""
    signature = inspect.signature(getattr(distributed, name))

    def run(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        written, read = (_of_this_process(given.get(argument)) for argument in _COPYING[name])
        if written is not None and read is not None:
            with torch.no_grad():
                written.copy_(read.reshape(written.shape))
        return _Done()

    return run


def _of_this_process(value):
    return value[0] if isinstance(value, (list, tuple)) and value else value


def _all_gather_object(object_list, obj, *_, **__):
    object_list[0] = obj


def _gather_object(obj, object_gather_list=None, *_, **__):
    if object_gather_list is not None:
        object_gather_list[0] = obj


def _scatter_object_list(scatter_object_output_list, scatter_object_input_list, *_, **__):
    scatter_object_output_list[0] = scatter_object_input_list[0]


def _refusing(name):
    def run(*_, **__):
        raise Error(f"torch.distributed.{name} is not captured ({place()}); a capture is of one process")

    return run


def _of_groups():
    """The names of what takes a process group."""
    return [name for name, value in vars(distributed).items() if type(value) is types.FunctionType
            and not name.startswith("_") and "group" in inspect.signature(value).parameters]


@contextlib.contextmanager
def in_the_world(remark):
    """While it lasts, a process group can be joined without GPUs; remark(text) is told of it."""
    with contextlib.ExitStack() as stack:
        for parallel in (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel):
            stack.enter_context(mock.patch.object(parallel, "forward", _Parallel.forward))
        if distributed.is_available():
            stack.enter_context(_world_of_one(remark))
        yield


@contextlib.contextmanager
def _world_of_one(remark):
    joined = distributed.is_initialized()

    def join(*_, **__):
        nonlocal joined
        joined = True
        remark("torch.distributed is of one process; what several would send is not predicted")

    def leave(*_, **__):
        nonlocal joined
        joined = False

    answers = {**{name: _refusing(name) for name in (*_BETWEEN_TWO, *_of_groups())},
               "init_process_group": join, "destroy_process_group": leave, "is_initialized": lambda: joined,
               "get_rank": lambda *_, **__: 0, "get_world_size": lambda *_, **__: 1, "get_backend": lambda *_, **__: "nccl",
               "new_group": lambda *_, **__: None, "get_process_group_ranks": lambda *_, **__: [0],
               "get_global_rank": lambda *_, **__: 0, "get_group_rank": lambda *_, **__: 0,
               "all_gather_object": _all_gather_object, "gather_object": _gather_object,
               "scatter_object_list": _scatter_object_list, **{name: lambda *_, **__: _Done() for name in _SENDING},
               **{name: _copying(name) for name in _COPYING if hasattr(distributed, name)}}
    with contextlib.ExitStack() as stack:
        for name, value in answers.items():
            if not hasattr(distributed, name):
                continue  # of another release
            stack.enter_context(mock.patch.object(distributed, name, value))
        for owner in (torch.nn.parallel, torch.nn.parallel.distributed):
            stack.enter_context(mock.patch.object(owner, "DistributedDataParallel", _Parallel))
        yield
