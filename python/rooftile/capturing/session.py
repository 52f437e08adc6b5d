"""Everything that is in place while a step is captured."""

import contextlib
from unittest import mock

import torch

from . import alone, autocast, cuda_types, files, inference, kernels, machine, versions
from .errors import Error
from .mode import Capture
from .phases import Phases
from .recorder import Recorder
from .step import make_step
from .traced import Memory


class Session:
    """Runs a program's steps on traced tensors; the recorder has those between start() and stop()."""

    def __init__(self, on_update=None, on_forward=None, is_strict=False):
        """is_strict: of a program that itself moves its tensors to the GPU."""
        self.memory = Memory()
        self._is_strict = is_strict
        self.phases = Phases(on_update, on_forward)
        self.recorder = Recorder(self.phases)
        self._autocast = False

    @contextlib.contextmanager
    def running(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(inference.as_without_gradients())
            stack.enter_context(machine.with_gpu(self.memory))
            stack.enter_context(cuda_types.for_programs())
            stack.enter_context(versions.uninitialized_told_apart())
            stack.enter_context(alone.in_the_world(self.recorder.remark))
            stack.enter_context(files.kept())
            # Constraints would not hold of numbers that are made up.
            stack.enter_context(mock.patch.object(torch.distributions.Distribution, "_validate_args", False))
            stack.enter_context(autocast.for_traced_tensors())
            stack.enter_context(kernels.of_gpu(self.recorder))
            stack.enter_context(self.phases.watched())
            stack.enter_context(self._watched_autocast())
            stack.enter_context(Capture(self.recorder, self.memory, self._is_strict))
            stack.callback(self.phases.forget)
            with self._told_of_reading():
                yield self

    @contextlib.contextmanager
    def _told_of_reading(self):
        """What the program raises says so where it may be because there are no data."""
        try:
            yield
        except Error:
            raise
        except Exception as error:
            if self.phases.patience.last_read is not None:
                note = f"{self.phases.patience.last_read} read data, which are assumed to be 0 in a capture"
                error.__notes__ = [*getattr(error, "__notes__", ()), note]  # printed by Python 3.11
            raise

    @contextlib.contextmanager
    def _watched_autocast(self):
        """Notes whether the program enters torch.autocast with something narrow."""
        enter = torch.autocast.__enter__

        def entered(context):
            self._autocast = self._autocast or bool(context._enabled)
            return enter(context)

        torch.autocast.__enter__ = entered
        try:
            yield
        finally:
            torch.autocast.__enter__ = enter

    def start(self):
        self.recorder.clear()
        self.recorder.recording = True
        self.phases.samples.clear()
        self.memory.reset()

    def stop(self):
        self.recorder.recording = False

    def step(self, name, batch_size):
        """What was recorded."""
        if self.phases.optimizers_stepped and self.recorder.launches and not self.recorder.has_gradients:
            self.recorder.remark("an optimizer steps, but no backward pass runs before it")
        return make_step(name, batch_size, self.recorder, self._memory_bytes(), self._autocast, self._nhwc_maps())

    def _memory_bytes(self):
        """The peak by what holds it."""
        self.phases.label_memory()
        there = self.memory.at_peak()
        return {use: there[use] for use in ("weights", "gradients", "optimizer", "activations")}

    def _nhwc_maps(self):
        return self.recorder.channels_last * 2 > self.recorder.convolutions

