"""Tells a loop that never ends from a step that is long."""

from .errors import Error
from .place import place

_OPERATORS = 200_000  # without a backward pass: evaluations and episodes before one take some ten thousand
_PASSES = 10_000      # backward, without an update


class Endless(Error):
    """A program does not come to the end of a step."""


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
            raise self._endless(f"{_OPERATORS:,} operators ran without a backward pass")

    def backward(self):
        self._operators = 0
        self._passes += 1
        if self._passes > _PASSES:
            raise self._endless(f"{_PASSES:,} backward passes ran without an optimizer's step")

    def _endless(self, what):
        return Endless(f"{self.last_read or place()}: {what}; a loop that waits for data to change never ends here, where they "
                       "are assumed to be 0")
