"""Predictions of networks."""

import os

from ._core import Error, Gpu
from ._core import gpus as all_gpus
from ._core import predict as _predict
from .options import is_module, name_and_text, words
from .prediction import Prediction

DEFAULT_GPU = "a100-sxm4-80gb"

_NEEDS_INPUTS = "a torch.nn.Module needs inputs=, of which the shapes count"
_OF_CAPTURE = ("training", "loss", "optimizer", "precision", "layout")


def predict(model, gpu=DEFAULT_GPU, inputs=None, **options):
    """Predicts how long `model` takes on `gpu`.

    model: a path of an .onnx, .json or .toml file, the name of a network that is built in (`rooftile.models()`), a
        workload as a dict or as JSON, a captured step, or a torch.nn.Module, which is captured with `inputs`.
    gpu: an id of the catalogue (`rooftile.gpus()`) or an unambiguous part of one, a .toml file, a Gpu; a list of these.
    inputs: of a torch.nn.Module: a tensor, a tuple of arguments or a dict of keyword arguments.
    options: batch_size (a number, or "max" for what fits), precision ("fp32", "tf32", "fp16", "bf16", "fp8", "int8",
        "int4", "amp-fp16", "amp-bf16"), training (bool), execution ("eager", "compiled", "engine"), layout ("nchw",
        "nhwc"), optimizer, recompute, accumulate, clip_gradients, weights, context, seq_len, image_size, shapes, dims,
        method, framework, cuda_graphs, restore_batch_norm, skip_unsupported, host (False: the GPU alone), loss.

    Returns a Prediction, or a list of them for a list of GPUs. Raises rooftile.Error.
    """
    model, options = _captured(model, inputs, options)
    several = isinstance(gpu, (list, tuple))
    found = _predicted(model, list(gpu) if several else [gpu], options)
    return found if several else found[0]


def _captured(model, inputs, options):
    """A module's step and the options that are left for predicting it."""
    if not is_module(model):
        if inputs is not None:
            raise Error("inputs are of a torch.nn.Module; the shapes of a file are set by shapes= and batch_size=")
        return model, options
    if inputs is None:
        raise Error(_NEEDS_INPUTS)
    from .capturing import capture

    chosen, rest = _parted(options)
    return capture(model, inputs, **chosen), rest


def _parted(options):
    """The options of capturing a module and those of predicting its step."""
    chosen = {key: options[key] for key in _OF_CAPTURE if options.get(key) is not None}
    rest = {key: value for key, value in options.items() if key not in _OF_CAPTURE}
    if chosen.get("precision") == "tf32":  # stored as fp32
        chosen["precision"], rest["precision"] = "fp32", "tf32"
    return chosen, rest


def _predicted(model, gpus, options):
    name, text = name_and_text(model)
    given = words(options)
    return [Prediction(native) for native in _predict(name, text, gpus, given)]


def compare(model, gpus="all", inputs=None, **options):
    """Predictions on several GPUs, the fastest first; those whose memory it does not fit at the end.

    gpus: a list, or "all" of the catalogue, of which those are left out that cannot run it (they lack the precision).
    Options as in predict(). Raises rooftile.Error where no GPU can.
    """
    model, options = _captured(model, inputs, options)
    chosen = all_gpus() if gpus == "all" else [gpus] if isinstance(gpus, (str, Gpu)) else list(gpus)
    found, refused = Comparison(), None
    for gpu in chosen:
        try:
            found += _predicted(model, [gpu], options)
        except Error as error:
            if gpus != "all":
                raise
            refused = error
    if refused is not None and not found:
        raise refused  # not of a GPU: the model or an option
    found.sort(key=lambda one: (not one.fits, one.time))
    return found


def _grouped(rate):
    """Four digits, with commas: 5,759 or 19,460."""
    return f"{float(f'{rate:.4g}'):,.10g}"


class Comparison(list):
    """Predictions of one network on several GPUs."""

    def summary(self):
        """A line a GPU."""
        lines = [f"{'GPU':<24} {'time':>10} {'samples/s':>10} {'90 %':>19}  memory"]
        for one in self:
            interval = f"{one.low * 1e3:.4g} to {one.high * 1e3:.4g}" if one.low is not None else "-"
            memory = f"{one.memory['total'] / 2**30:.3g} GiB" + ("" if one.fits else ", does not fit")
            lines.append(f"{one.gpu:<24} {one.time * 1e3:>7.4g} ms {_grouped(one.throughput or 0):>10} {interval:>19}  {memory}")
        return "\n".join(lines) + "\n"

    def to_pandas(self):
        """A pandas.DataFrame with a row a GPU."""
        import pandas

        return pandas.DataFrame([{"gpu": one.gpu, "time": one.time, "low": one.low, "high": one.high,
                                  "throughput": one.throughput, "memory": one.memory["total"], "fits": one.fits}
                                 for one in self])

    __str__ = summary


def max_batch(model, gpu=DEFAULT_GPU, inputs=None, **options):
    """The most samples of a step that fit into the GPU's memory; 0 if not even one does.

    Of a torch.nn.Module `inputs` are those of any batch size, in dimension 0 of each tensor.
    """
    if "batch_size" in options:
        raise Error("max_batch finds the batch size; leave out batch_size=")
    if isinstance(gpu, (list, tuple)):
        raise Error("max_batch takes one GPU")
    if is_module(model):
        return _max_batch_of_module(model, gpu, inputs, options)
    if not isinstance(model, (str, os.PathLike)):
        raise Error("max_batch takes the name or the file of a network, or a torch.nn.Module with inputs=")
    try:
        return predict(model, gpu, inputs, batch_size="max", **options).batch_size
    except Error as error:
        if "one sample needs" in str(error):
            return 0
        raise


def _max_batch_of_module(module, gpu, inputs, options):
    from .capturing.batch import largest

    if inputs is None:
        raise Error(_NEEDS_INPUTS)
    capacity = (gpu if isinstance(gpu, Gpu) else Gpu.find(os.fspath(gpu))).memory
    chosen, rest = _parted(options)
    words(rest)  # for what is wrong with a name
    return largest(module, inputs, capacity, chosen)
