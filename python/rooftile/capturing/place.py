"""Where the user's program is."""

import os
import sys

import torch

_OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_TORCH = os.path.dirname(os.path.abspath(torch.__file__))


def place():
    """The line of the program that called PyTorch: "train.py:31"."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_OWN, _TORCH, "<")) and not name.endswith(("contextlib.py", "functools.py")):
            return f"{os.path.basename(name)}:{frame.f_lineno}"
        frame = frame.f_back
    return "PyTorch"
