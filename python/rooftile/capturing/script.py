"""Captures a step of a script, as `python train.py` runs it on a machine with a GPU."""

import contextlib
import os
import runpy
import sys
import traceback
from unittest import mock

import torch

from .errors import Error
from .patience import Endless
from .session import Session
from .traced import HOST, Traced, traced_like

_NOT_THEIRS = (os.path.dirname(os.path.abspath(__file__)), runpy.__file__, "<frozen runpy>",
               *(os.path.join(os.path.dirname(torch.__file__), *part) for part in (("utils", "_python_dispatch.py"), ("_ops.py",))))
_FORWARDS = 20  # calls of a network without gradients, after which a script without optimizer is taken to train nothing
_MOST_BEGUN = 4  # steps that are begun because an optimizer is new: a script may make one in each iteration


class _Enough(BaseException):
    """A step has been captured; the script need not go on."""


class _Watch:
    """Cuts what a script runs into steps: from one update by the first optimizer to the next."""

    def __init__(self, name, steps):
        self._name = name
        self._steps = steps
        self._updates = 0
        self._optimizers = 0  # that had stepped when the step began
        self._begun = 0
        self._forwards = 0
        self.session = Session(self._updated, self._called, is_strict=True)
        self.training = self.inference = None

    def _step(self):
        return self.session.step(self._name, self.session.phases.samples.count())

    def _updated(self, optimizer):
        if not self.session.phases.is_first(optimizer):
            return
        self._updates += 1
        if self._updates == 1:
            self._begin()
        elif self._updates > self._steps:
            if self.session.phases.optimizers_stepped == self._optimizers or self._begun == _MOST_BEGUN:
                idle = self.session.phases.idle_optimizers()
                if idle:
                    self.session.recorder.remark(f"without the updates of {idle} of {idle + self._optimizers} optimizers, which "
                                                 "step less often than the first; --steps N takes N of its updates for one step")
                self.training = self._step()
                raise _Enough
            self._updates = 1  # another optimizer made its state, which it does once
            self._begin()

    def _begin(self):
        self.training = self._step()  # should it be the last
        self._optimizers = self.session.phases.optimizers_stepped
        self._begun += 1
        self.session.start()

    def _called(self, module):
        if torch.is_grad_enabled() or self._updates or not any(True for _ in module.parameters()):
            return
        is_over = self._forwards == _FORWARDS and not self.session.phases.has_optimizer
        if is_over:
            self.session.recorder.remark(f"taken for inference: {_FORWARDS} calls without gradients, and no optimizer was made")
        if 0 < self._forwards <= _FORWARDS:
            self.inference = self._step()
        if is_over:
            raise _Enough
        self._forwards += 1
        self.session.start()

    def found(self):
        if self.training is not None:
            return self.training
        last = self._step()
        return last if last.launches else self.inference


@contextlib.contextmanager
def _as_on_a_gpu(memory):
    """Parameters are traced from the start, and batches are made by this process."""
    new_parameter = torch.nn.Parameter.__new__
    start = torch.utils.data.DataLoader.__init__

    def traced_parameter(cls, data=None, requires_grad=True):
        if isinstance(data, torch.Tensor) and not isinstance(data, Traced):
            data = traced_like(data.detach(), HOST, memory)
        return new_parameter(cls, data, requires_grad)

    def alone(loader, *args, **kwargs):
        for name in ("num_workers", "pin_memory", "persistent_workers", "prefetch_factor", "multiprocessing_context"):
            kwargs.pop(name, None)
        return start(loader, *args, **kwargs)

    with mock.patch.object(torch.nn.Parameter, "__new__", staticmethod(traced_parameter)), \
            mock.patch.object(torch.utils.data.DataLoader, "__init__", alone):
        yield


def capture_script(path, arguments=(), steps=1, name=None):
    """One step of the script, run with these arguments. Its output goes to standard error.

    path: of a Python program. steps: how many steps of it, after the first, count as one.
    Raises Error if nothing of it ran on the pretended GPU; what the script raises comes through.
    """
    if not os.path.isfile(path):
        raise Error(f"{path}: no such file")
    watch = _Watch(name or os.path.splitext(os.path.basename(path))[0], steps)
    before = sys.argv, list(sys.path)
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        with contextlib.redirect_stdout(sys.stderr), _as_on_a_gpu(watch.session.memory), watch.session.running():
            watch.session.start()
            try:
                runpy.run_path(path, run_name="__main__")
            except _Enough:
                pass
            except Endless as error:
                if watch.inference is None:
                    raise
                watch.session.recorder.remark(f"taken for inference: {error.what}")
            except SystemExit as end:
                if end.code not in (None, 0) and watch.training is None:
                    raise Error(f"{path}: ended with exit status {end.code} before a step was over") from end
            step = watch.found()
    finally:
        sys.argv, sys.path[:] = before
    if step is None or not step.launches:
        raise Error(f"{path}: ran no step on a GPU; it is to move its network to 'cuda' and call it")
    return step


def user_traceback(error, path):
    """The lines of a traceback from the script on, as Python prints it without a capture."""
    lines = traceback.TracebackException.from_exception(error)
    first = next((i for i, frame in enumerate(lines.stack) if frame.filename == path), 0)
    lines.stack = traceback.StackSummary.from_list(
        [frame for frame in lines.stack[first:] if not frame.filename.startswith(_NOT_THEIRS)])
    notes = [] if hasattr(lines, "__notes__") else getattr(error, "__notes__", [])  # which Python prints from 3.11 on
    return "".join([*lines.format(), *(f"{note}\n" for note in notes)])
