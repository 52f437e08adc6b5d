"""A captured step: what `rooftile.predict` takes, and what is in it."""

import json

from . import versions
from .recorder import precision_of


class Step:
    """One step of a program as PyTorch runs it on a GPU: every operator with shapes, types, module and part.

    Attributes: name; batch_size (samples); precision ("fp32", "amp-fp16", …); memory (bytes by what holds them, at the
    peak); launches (the number of kernels' calls); notes (what was assumed).
    """

    def __init__(self, document):
        self._document = document
        self._text = None

    @property
    def name(self):
        return self._document["name"]

    @property
    def batch_size(self):
        return self._document["batch_size"]

    @property
    def precision(self):
        return self._document["precision"]

    @property
    def memory(self):
        return dict(self._document["memory_bytes"])

    @property
    def launches(self):
        return len(self._document["launches"])

    @property
    def notes(self):
        return list(self._document.get("notes", []))

    @property
    def training(self):
        return any(part == "backward" for _, _, part in self._document["launches"])

    def operators(self):
        """How often each operator of PyTorch is launched, most often first."""
        count = {}
        for index, _, _ in self._document["launches"]:
            source = self._document["calls"][index]["source"]
            count[source] = count.get(source, 0) + 1
        return dict(sorted(count.items(), key=lambda item: (-item[1], item[0])))

    def to_dict(self):
        """As the schema rooftile/step/1 has it (docs/formats.md)."""
        return json.loads(self.to_json())

    def to_json(self):
        if self._text is None:
            self._text = json.dumps(self._document, separators=(",", ":"))
        return self._text

    def save(self, path):
        """Writes the file that `rooftile predict FILE.json` reads."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json() + "\n")

    def __repr__(self):
        kind = "training" if self.training else "inference"
        return f"<Step {self.name}: {kind}, batch size {self.batch_size}, {self.precision}, {self.launches} launches>"


def make_step(name, batch_size, recorder, memory_bytes, autocast, nhwc):
    """The step that a recorder has collected."""
    calls = list(recorder.calls)
    precision = precision_of(calls, recorder.launches)
    if autocast and precision in ("fp16", "bf16"):
        precision = f"amp-{precision}"
    return Step({
        "schema": "rooftile/step/1",
        "name": name,
        "batch_size": max(1, batch_size),
        "framework": versions.FRAMEWORK,
        "precision": precision,
        "nhwc": nhwc,
        "calls": recorder.calls_json(),
        "launches": recorder.launches_json(),
        "memory_bytes": memory_bytes,
        "notes": recorder.notes(),
    })
