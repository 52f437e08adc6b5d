"""What predict() and its kin take, as the command line writes it."""

import json
import os
import sys

from ._core import Error
from .scripts import Script

_VALUES = {"batch_size": "--batch-size", "precision": "--precision", "execution": "--execution",
           "method": "--method", "image_size": "--shape"}
_FLAGS = {"cuda_graphs": ["--set", "host=graphs"], "restore_batch_norm": ["--set", "batch-norm=restored"],
          "fold_batch_norm": ["--set", "batch-norm=folded"], "skip_unsupported": ["--skip-unsupported"]}
_SET = {"optimizer": "optimizer", "framework": "framework", "weights": "weights",
        "expert_weights": "expert-weights", "kv_cache": "kv-cache", "context": "context", "seq_len": "seq-len",
        "accumulate": "accumulate", "tile": "tile", "algorithm": "algorithm", "layout": "layout", "norms": "norms",
        "recompute": "recompute"}
_NAMED = {"shapes", "dims"}
_OF_TRAINING = {"optimizer": ("an optimizer", None), "accumulate": ("accumulation", None), "clip_gradients": ("clipping", False),
                "loss": ("a loss", True)}  # what each is, and the value that asks for nothing
_SWITCHES = {"host": "host=none", "loss": "loss=none"}


def words(options):
    """Keyword arguments as words of the command line; None stands for a default."""
    check_names(options, known())
    check_training(options)
    found = []
    for key, value in options.items():
        if value is None:
            continue
        if key in _VALUES:
            found += [_VALUES[key], str(value)]
        elif key in _FLAGS:
            found += _FLAGS[key] if value else []
        elif key in _SET:
            found += ["--set", f"{_SET[key]}={value}"]
        elif key in _SWITCHES:
            if not isinstance(value, bool):
                raise Error(f"{key}= is True or False, not {value!r}")
            found += [] if value else ["--set", _SWITCHES[key]]
        elif key == "clip_gradients":
            found += ["--set", "clip=norm"] if value else []
        elif key == "training":
            found += ["--pass", "training" if value else "inference"]
        elif key == "phase":
            found += ["--pass", str(value)]
        elif key in _NAMED:
            if not isinstance(value, dict):
                raise Error(f"{key}= is a dict of names and sizes, not {value!r}")
            for name, size in value.items():
                text = size if isinstance(size, (int, str)) else "x".join(map(str, size))
                found += ["--shape", f"{name}={text}"]
    return found


def check_names(options, names):
    """Raises Error where one of the options is none of these."""
    wrong = next((key for key in options if key not in names), None)
    if wrong is not None:
        import difflib

        near = difflib.get_close_matches(wrong, names, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(sorted(names))}"
        raise Error(f"no option '{wrong}'; {hint}")


def check_training(options):
    """Raises Error where an inference is given what only a training step has."""
    trains = options.get("training") or options.get("phase") not in (None, "fwd", "inference")
    for key, (what, idle) in _OF_TRAINING.items():
        if not trains and options.get(key) not in (None, idle):
            raise Error(f"{what} is of a training step: training=True")


def known():
    """Every keyword."""
    return {*_VALUES, *_FLAGS, *_SET, *_NAMED, *_SWITCHES, "training", "phase", "clip_gradients"}


def is_module(model):
    """Whether it is a torch.nn.Module, told without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def name_and_text(model):
    """(name, None) of a file or a network that is built in; (name, JSON) of a workload or a captured step."""
    if isinstance(model, Script):
        return model.name, model.text
    if isinstance(model, (str, os.PathLike)):
        text = os.fspath(model)
        return ("the workload", text) if text.lstrip().startswith("{") else (text, None)
    if isinstance(model, dict):
        try:
            return str(model.get("name", "the workload")), json.dumps(model)
        except (TypeError, ValueError) as error:
            raise Error(f"the workload is no JSON: {error}") from error
    if hasattr(model, "to_json") and hasattr(model, "launches"):
        return model.name, model.to_json()
    raise Error(f"a model is a name, a path, a dict, a captured step or a torch.nn.Module, not {type(model).__name__}")
