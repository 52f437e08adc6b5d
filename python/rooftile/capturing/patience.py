"""Tells a loop that never ends from a step that is long."""

import torch

from .errors import Error
from .place import place

_OPERATORS = 200_000  # without a backward pass: a forward pass takes some thousand
_WITHOUT_GRADIENTS = 5  # times as many, for evaluations and episodes that come before
_PASSES = 10_000      # backward, without an update


class Endless(Error):
    """A program does not come to the end of a step: it ran so much."""

    def __init__(self, where, what):
        super().__init__(f"{where}: {what}; a loop that waits for data to change never ends here, where they are assumed to be 0")
        self.what = what


class Patience:
    """Counts what a program runs since its last backward pass and its last update."""

    def __init__(self):
        self.last_read = None  # where the program last read data
        self.update()

    def update(self):
        self._operators = self._passes = 0

    def operator(self):
        self._operators += 1
        if self._operators > _OPERATORS:
            most = _OPERATORS * (1 if torch.is_grad_enabled() else _WITHOUT_GRADIENTS)
            if self._operators > most:
                raise Endless(self.last_read or place(), f"{most:,} operators ran without a backward pass")

    def backward(self):
        self._operators = 0
        self._passes += 1
        if self._passes > _PASSES:
            raise Endless(self.last_read or place(), f"{_PASSES:,} backward passes ran without an optimizer's step")
