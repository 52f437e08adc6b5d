"""Predictions of networks."""

import os

from ._core import Error, Gpu
from ._core import gpus as all_gpus
from ._core import predict as _predict
from .options import check_training, is_module, name_and_text, words
from .prediction import Prediction, write_file
from .scripts import captured

DEFAULT_GPU = "a100-sxm4-80gb"

MOST_SAMPLES = 1 << 31  # of a step (data/schema/step-1.json)

_NEEDS_INPUTS = "a torch.nn.Module needs inputs=, of which the shapes count"
_OF_CAPTURE = ("training", "loss", "optimizer", "precision", "layout")


def predict(model, gpu=DEFAULT_GPU, inputs=None, **options):
    """Predicts how long `model` takes on `gpu`.

    model: a path of an .onnx, .json or .toml file, the name of a network that is built in (`rooftile.models()`), a
        workload as a dict or as JSON, a captured step, or a torch.nn.Module, which is captured with `inputs`; a script of
        PyTorch (.py) is captured by this Python.
    gpu: an id of the catalogue (`rooftile.gpus()`) or an unambiguous part of one, a .toml file, a Gpu; a list of these.
    inputs: of a torch.nn.Module: a tensor, a tuple of arguments or a dict of keyword arguments.
    options: batch_size (a number, or "max" for what fits), precision ("fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4",
        "mxfp4", "int8", "int4", "amp-fp16", "amp-bf16"), training (bool), execution ("eager", "compiled", "engine"),
        layout ("nchw", "nhwc"), norms ("narrow"), optimizer, recompute, accumulate, clip_gradients, weights,
        expert_weights, kv_cache, context, seq_len, image_size, shapes, dims, method, framework, cuda_graphs,
        restore_batch_norm (what an exporter folded, for training), fold_batch_norm (into convolutions, in eager
        inference), skip_unsupported, host (False: the GPU alone), loss.

    Returns a Prediction, or a list of them for a list of GPUs. Raises rooftile.Error.
    """
    model, options = _captured(model, inputs, options)
    several = isinstance(gpu, (list, tuple))
    found = _predicted(model, list(gpu) if several else [gpu], options)
    return found if several else found[0]


def _captured(model, inputs, options):
    """A module's or a script's step and the options that are left for predicting it."""
    if not is_module(model):
        if inputs is not None:
            raise Error("inputs are of a torch.nn.Module; the shapes of a file are set by shapes= and batch_size=")
        return captured(model), options
    if inputs is None:
        raise Error(_NEEDS_INPUTS)
    from .capturing import capture

    chosen, rest = _parted(options)
    return capture(model, inputs, **chosen), rest


def _parted(options):
    """The options of capturing a module and those of predicting its step."""
    check_training(options)
    chosen = {key: options[key] for key in _OF_CAPTURE if options.get(key) is not None}
    rest = {key: value for key, value in options.items() if key not in _OF_CAPTURE}
    if chosen.get("precision") == "tf32":  # stored as fp32
        chosen["precision"], rest["precision"] = "fp32", "tf32"
    return chosen, rest


def _predicted(model, gpus, options):
    name, text = name_and_text(model)
    given = words(options)
    return [Prediction(native, (name, text, gpu, given)) for gpu, native in zip(gpus, _predict(name, text, gpus, given))]


def compare(model, gpus="all", inputs=None, **options):
    """Predictions on several GPUs, the fastest first; those whose memory it does not fit at the end.

    gpus: a list, or "all" of the catalogue, of which those are left out that cannot run it (they lack the precision).
    Options as in predict(). Raises rooftile.Error where no GPU can.
    """
    model, options = _captured(model, inputs, options)
    chosen = all_gpus() if gpus == "all" else [gpus] if isinstance(gpus, (str, Gpu)) else list(gpus)
    found, refused = [], None
    for gpu in chosen:
        try:
            found += _predicted(model, [gpu], options)
        except Error as error:
            if gpus != "all":
                raise
            refused = error
    if refused is not None and not found:
        raise refused  # not of a GPU: the model or an option
    return Comparison(sorted(found, key=lambda one: (not one.fits, one.time)))


def _grouped(rate):
    """Four digits, with commas: 5,759 or 19,460."""
    return f"{float(f'{rate:.4g}'):,.10g}"


_FIELDS = ("gpu", "time", "low", "high", "throughput", "memory", "fits")
_HEAD = ("GPU", "time", "samples/s", "90 %", "memory")


def _cells(one):
    """What the table of a comparison says of a GPU."""
    interval = f"{one.low * 1e3:.4g} to {one.high * 1e3:.4g}" if one.low is not None else "-"
    memory = f"{one.memory['total'] / 2**30:.3g} GiB" + ("" if one.fits else ", does not fit")
    return one.gpu, f"{one.time * 1e3:.4g} ms", _grouped(one.throughput or 0), interval, memory


class Comparison(tuple):
    """Predictions of one network on several GPUs."""

    __slots__ = ()

    def summary(self):
        """A line a GPU."""
        return "".join(f"{gpu:<24} {time:>10} {rate:>10} {interval:>19}  {memory}\n"
                       for gpu, time, rate, interval, memory in [_HEAD, *map(_cells, self)])

    def to_pandas(self):
        """A pandas.DataFrame with a row a GPU."""
        import pandas

        return pandas.DataFrame(self._rows(), columns=_FIELDS)

    def save(self, path):
        """Writes .csv (a row a GPU), .json (a list of the predictions) or .html (the table)."""
        write_file(path, {".csv": self._csv, ".json": self._json, ".html": self._html}, "a comparison")

    def _rows(self):
        return [dict(zip(_FIELDS, (one.gpu, one.time, one.low, one.high, one.throughput, one.memory["total"], one.fits)))
                for one in self]

    def _csv(self):
        import csv
        import io

        text = io.StringIO()
        writer = csv.DictWriter(text, _FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._rows())
        return text.getvalue()

    def _json(self):
        return "[" + ",\n".join(one.to_json().strip() for one in self) + "]\n"

    def _html(self):
        return f'<!doctype html>\n<meta charset="utf-8">\n<title>GPUs compared</title>\n{self._repr_html_()}\n'

    def _repr_html_(self):
        """For notebooks."""
        import html

        head, *rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in [_HEAD, *map(_cells, self)])
        return f"<table><thead><tr>{head}</tr></thead>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    __str__ = summary


def _largest(fits):
    """The largest number that fits, by doubling and then halving the range; 0 if not even 1 does."""
    most, beyond = 0, 1
    while beyond <= MOST_SAMPLES and fits(beyond):
        most, beyond = beyond, 2 * beyond
    while beyond - most > 1 and most < MOST_SAMPLES:
        middle = (most + beyond) // 2
        most, beyond = (middle, beyond) if fits(middle) else (most, middle)
    return most


def max_batch(model, gpu=DEFAULT_GPU, inputs=None, **options):
    """The most samples of a step that fit into the GPU's memory, up to 2,147,483,648; 0 if not even one does.

    model: the name or file of a network, a workload as a dict or as JSON, or a torch.nn.Module.
    Of a torch.nn.Module `inputs` are those of any batch size, in dimension 0 of each tensor.
    """
    if "batch_size" in options:
        raise Error("max_batch finds the batch size; leave out batch_size=")
    if isinstance(gpu, (list, tuple)):
        raise Error("max_batch takes one GPU")
    if is_module(model):
        return _max_batch_of_module(model, gpu, inputs, options)
    if isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".py"):
        raise Error("a script is captured at its own batch size; max_batch takes the torch.nn.Module with inputs=")
    if hasattr(model, "launches"):
        raise Error(f"the step was captured at {model.batch_size} samples; max_batch takes the torch.nn.Module with inputs=")
    if name_and_text(model)[1] is not None:
        return _largest(lambda batch: predict(model, gpu, inputs, batch_size=batch, **options).fits)
    try:
        return predict(model, gpu, inputs, batch_size="max", **options).batch_size
    except Error as error:
        if "one sample needs" in str(error):
            return 0
        raise


def _max_batch_of_module(module, gpu, inputs, options):
    from .capturing.batch import largest_of_module

    if inputs is None:
        raise Error(_NEEDS_INPUTS)
    capacity = (gpu if isinstance(gpu, Gpu) else Gpu.find(os.fspath(gpu))).memory
    chosen, rest = _parted(options)
    words(rest)  # for what is wrong with a name
    return largest_of_module(module, inputs, capacity, chosen)
