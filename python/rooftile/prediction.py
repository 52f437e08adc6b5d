"""What predict() returns."""

import json
import os
from typing import NamedTuple, Optional

from ._core import Error, predict
from .pickling import absolute, same


class Layer(NamedTuple):
    """One kernel or a few of a network: times in seconds, `traffic` in bytes by memory level."""

    name: str
    op: str
    phase: str
    time: float
    low: Optional[float]
    high: Optional[float]
    flops: float
    bottleneck: Optional[str]
    method: str
    traffic: dict


class Layers(list):
    """The layers of a prediction, in the order in which they run."""

    def to_pandas(self):
        """A pandas.DataFrame with a row a layer."""
        import pandas

        frame = pandas.DataFrame([layer._asdict() for layer in self], columns=Layer._fields)
        traffic = pandas.json_normalize(frame.pop("traffic").tolist()).add_prefix("traffic.")
        return frame.join(traffic)


class Prediction:
    """How long a network takes on a GPU. Immutable.

    time, low, high: seconds, and the 90 % interval (None where the method has none).
    throughput: samples a second (None of what takes no time). phases: seconds of "forward", "backward" and "update" of a
    training step, else empty.
    memory: bytes by what holds them, and "total". fits: whether that is within the GPU's.
    execution: "eager", "compiled" or "engine". notes: what was assumed, a line each.
    """

    __slots__ = ("_native", "_asked", "_text", "_layers")

    def __init__(self, native, asked=None):
        """asked: the arguments of _core.predict(), of one GPU, that gave it."""
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_asked", asked)
        object.__setattr__(self, "_text", None)
        object.__setattr__(self, "_layers", None)

    def __setattr__(self, name, value):
        raise AttributeError("a prediction does not change")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        return self.to_json() == other.to_json() if isinstance(other, Prediction) else NotImplemented

    def __hash__(self):
        return hash(self.to_json())

    def __reduce__(self):
        name, text, gpu, options = self._asked
        return _again, (absolute(name) if text is None else name, text, absolute(gpu), options, self.to_json())

    model = property(lambda self: self._native.model)
    gpu = property(lambda self: self._native.gpu)
    batch_size = property(lambda self: self._native.batch_size)
    precision = property(lambda self: self._native.precision)
    time = property(lambda self: self._native.time)
    low = property(lambda self: self._native.low)
    high = property(lambda self: self._native.high)
    throughput = property(lambda self: self._native.throughput)
    phases = property(lambda self: self._native.phases)
    memory = property(lambda self: self._native.memory)
    fits = property(lambda self: self._native.fits)
    execution = property(lambda self: self.to_dict()["execution"])
    notes = property(lambda self: self.to_dict().get("notes", []))

    @property
    def layers(self):
        """A list of Layer; .to_pandas() makes a table of it."""
        if self._layers is None:
            object.__setattr__(self, "_layers", Layers(_layer(one) for one in self.to_dict()["layers"]))
        return Layers(layer._replace(traffic=dict(layer.traffic)) for layer in self._layers)

    def summary(self, width=100, all_layers=False):
        """The table that the command line prints."""
        return self._native.table(width, all_layers)

    def to_json(self):
        """As the schema rooftile/prediction/1 has it."""
        if self._text is None:
            object.__setattr__(self, "_text", self._native.json())
        return self._text

    def to_dict(self):
        """The same as a dict."""
        return json.loads(self.to_json())

    def save(self, path):
        """Writes .html (a page with charts), .json, .csv (a row a layer) or .svg (the roofline)."""
        native = self._native
        write_file(path, {".html": native.html, ".json": native.json, ".csv": native.csv, ".svg": native.svg}, "a prediction")

    def _repr_html_(self):
        """For notebooks: the page, inline; it loads nothing."""
        import html  # like other imports inside functions, to keep `import rooftile` short

        page = html.escape(self._native.html(), quote=True)
        return (f"<pre>{html.escape(self.summary(width=100).split(chr(10) * 2 + '  limited by')[0])}</pre>"
                f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0"></iframe>')

    def __repr__(self):
        return f"<Prediction {self.model} on {self.gpu}: {self.time * 1e3:.4g} ms, batch size {self.batch_size}>"

    def __str__(self):
        return self.summary()


def _again(name, text, gpu, options, json_of):
    """A prediction that was pickled."""
    return same(Prediction(predict(name, text, [gpu], options)[0], (name, text, gpu, options)), json_of, Prediction.to_json)


def write_file(path, writers, what):
    """Writes what the writer of the path's suffix returns."""
    path = os.fspath(path)
    write = writers.get(os.path.splitext(path)[1].lower())
    if write is None:
        *most, last = writers
        raise Error(f"{path}: {what} is saved as {', '.join(most)} or {last}")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(write())
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from error


def _layer(one):
    return Layer(one["name"], one["op"], one["pass"], one["time_s"], one.get("time_low_s"), one.get("time_high_s"),
                 one["flops"], one["bottleneck"], one["method"], one["traffic_bytes"])
