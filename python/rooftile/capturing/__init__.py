"""Captures a step of a PyTorch program without a GPU, and without allocating what it would allocate there.

PyTorch dispatches every operator of a training step on tensors that have shapes and no data; each is noted with the
module and the part of the step that it is of. Needs PyTorch 1.13 or later. `rooftile.capture` imports this when called.
"""

from .errors import Error
from .step import Step
from .target import capture
from .without_data import without_data

__all__ = ["capture", "Error", "Step", "without_data"]
