"""Reports of the other commands: the program that comes with the package writes them."""

import json
import os
import tempfile

from ._core import Error
from .options import name_and_text
from .options import words as words_of
from .program import run

class Report:
    """A report of the program: a dict, a text, a file."""

    def __init__(self, arguments, text=None):
        self._arguments = arguments
        self._text = text  # of a model that has no file

    def _run(self, extra):
        if self._text is None:
            return run([*self._arguments, *extra])
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            file.write(self._text)
            file.flush()
            return run([self._arguments[0], file.name, *self._arguments[1:], *extra])

    def to_dict(self):
        """As the command's JSON has it."""
        return json.loads(self._run(["--format", "json"]))

    def summary(self):
        """As the command prints it."""
        return self._run([])

    def save(self, path):
        """Writes whatever the suffix says that the command can write."""
        self._run(["-o", os.fspath(path)])

    def __str__(self):
        return self.summary()


def _of_model(command, model, arguments):
    name, text = name_and_text(model)
    return Report([command, *([] if text else [name]), *arguments], text)


def _gpu(gpu):
    if not isinstance(gpu, (str, os.PathLike)):
        raise Error("takes the id or the .toml file of a GPU; a changed Gpu is for predict()")
    return os.fspath(gpu)


def explain(model, layer, gpu, **options):
    """Every number behind the time of one layer, equation by equation."""
    return _of_model("explain", model, ["--layer", layer, "--gpu", _gpu(gpu), *words_of(options)])


def roofline(model, gpu, words=(), **options):
    """Where the layers stand between bandwidth and arithmetic; .save("x.svg") draws it."""
    return _of_model("roofline", model, ["--gpu", _gpu(gpu), *words, *words_of(options)])


def validate(*tables, by=(), where=None, tier=None):
    """Predictions against measured tables: rows, GMAE, MAPE and coverage by groups."""
    arguments = ["validate", *map(os.fspath, tables)]
    if by:
        arguments += ["--by", ",".join(by) if not isinstance(by, str) else by]
    if where:
        arguments += ["--where", where]
    if tier:
        arguments += ["--tier", tier]
    return Report(arguments)


def explore(model, gpu, *arguments, **options):
    """How the time moves with a design's parameters; further words as `rooftile explore --help` has them."""
    return _of_model("explore", model, ["--gpu", _gpu(gpu), *arguments, *words_of(options)])
