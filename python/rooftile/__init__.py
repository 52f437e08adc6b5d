"""Predicts how long a neural network takes on a GPU, what limits it and whether it fits, without the GPU.

    import rooftile

    prediction = rooftile.predict("resnet50", gpu="rtx-4090", batch_size=64, precision="fp16")
    print(prediction.summary())

Times are in seconds, sizes in bytes. Whatever is wrong with an argument is a rooftile.Error of one line, the same as the
command line's.
"""

from ._core import Error, Gpu, gpus
from ._core import models as _models
from ._core import version as __version__
from .prediction import Layer, Layers, Prediction
from .options import check_names
from .pickling import add_to_gpus as _add_to_gpus
from .predicting import compare, max_batch, predict
from .report import Exploration, Report, explain, explore, roofline, validate

__all__ = ["Error", "Exploration", "Gpu", "Layer", "Layers", "Prediction", "Report", "capture", "compare", "explain", "explore", "gpus",
           "max_batch", "models", "predict", "roofline", "validate", "without_data"]

Error.__module__ = Gpu.__module__ = __name__  # where they are to be had
_add_to_gpus()


def models():
    """The networks that are built in: a dict of names and descriptions."""
    return dict(_models())


def capture(target, inputs=(), **options):
    """One step of a torch.nn.Module or of a function, as it runs on a GPU: see rooftile.capturing.capture."""
    from .capturing import capture as capture_target  # imports torch

    check_names(options, capture_target.__kwdefaults__)
    return capture_target(target, inputs, **options)


def without_data():
    """A context in which modules are built without memory: see rooftile.capturing.without_data."""
    from .capturing import without_data as context  # imports torch

    return context()
