"""What predict() returns."""

import json
import os
from typing import NamedTuple, Optional

from ._core import Error


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
    """

    __slots__ = ("_native", "_layers")

    def __init__(self, native):
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_layers", None)

    def __setattr__(self, name, value):
        raise AttributeError("a prediction does not change")

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

    @property
    def layers(self):
        """A list of Layer; .to_pandas() makes a table of it."""
        if self._layers is None:
            object.__setattr__(self, "_layers", Layers(_layer(one) for one in self.to_dict()["layers"]))
        return Layers(self._layers)

    def summary(self, width=100, all_layers=False):
        """The table that the command line prints."""
        return self._native.table(width, all_layers)

    def to_json(self):
        """As the schema rooftile/prediction/1 has it."""
        return self._native.json()

    def to_dict(self):
        """The same as a dict."""
        return json.loads(self.to_json())

    def save(self, path):
        """Writes .html (a page with charts), .json, .csv (a row a layer) or .svg (the roofline)."""
        path = os.fspath(path)
        native = self._native
        writers = {".html": native.html, ".json": native.json, ".csv": native.csv, ".svg": native.svg}
        write = writers.get(os.path.splitext(path)[1].lower())
        if write is None:
            raise Error(f"{path}: a prediction is saved as .html, .json, .csv or .svg")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(write())
        except OSError as error:
            raise Error(f"{path}: {error.strerror}") from error

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


def _layer(one):
    return Layer(one["name"], one["op"], one["pass"], one["time_s"], one.get("time_low_s"), one.get("time_high_s"),
                 one["flops"], one["bottleneck"], one["method"], one["traffic_bytes"])
