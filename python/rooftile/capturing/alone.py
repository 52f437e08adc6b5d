"""torch.distributed for a program that is captured by itself: a world of one process, in which nothing is sent."""

import contextlib
from unittest import mock

import torch
from torch import distributed

_SENDING = ("all_reduce", "broadcast", "reduce", "barrier", "broadcast_object_list", "monitored_barrier")


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


def _gather(found, tensor, *_, **__):
    found[0].copy_(tensor)
    return _Done()


def _gather_object(found, value, *_, **__):
    found[0] = value


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

    answers = {"init_process_group": join, "destroy_process_group": leave, "is_initialized": lambda: joined,
               "get_rank": lambda *_, **__: 0, "get_world_size": lambda *_, **__: 1, "get_backend": lambda *_, **__: "nccl",
               "new_group": lambda *_, **__: None, "all_gather": _gather, "all_gather_object": _gather_object,
               **{name: lambda *_, **__: _Done() for name in _SENDING}}
    with contextlib.ExitStack() as stack:
        for name, value in answers.items():
            if not hasattr(distributed, name):
                continue  # of another release
            stack.enter_context(mock.patch.object(distributed, name, value))
        for owner in (torch.nn.parallel, torch.nn.parallel.distributed):
            stack.enter_context(mock.patch.object(owner, "DistributedDataParallel", _Parallel))
        yield
