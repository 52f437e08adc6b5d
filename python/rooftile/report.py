"""Reports of the other commands: the program that comes with the package writes them."""

import contextlib
import json
import os

from ._core import Error, Gpu
from .options import is_module, name_and_text
from .options import words as words_of
from .predicting import DEFAULT_GPU
from .program import run
from .scripts import captured


class Report:
    """A report of the program: a dict, a text, a file."""

    def __init__(self, arguments, text=None, name="model.json"):
        """text: of a model or table that has no file, for which one of that name is made."""
        self._arguments = arguments
        self._given, self._name = text, name
        self._text = self._run([])  # whose error comes at once

    def _run(self, extra):
        if self._given is None:
            return run([*self._arguments, *extra])
        with _file(self._given, self._name) as path:
            return run([self._arguments[0], path, *self._arguments[1:], *extra])

    def to_dict(self):
        """As the command's JSON has it."""
        return json.loads(self._run(["--format", "json"]))

    def summary(self):
        """As the command prints it."""
        return self._text

    def save(self, path):
        """Writes whatever the suffix says that the command can write."""
        self._run(["-o", os.fspath(path)])

    def _repr_html_(self):
        """For notebooks."""
        import html

        return f"<pre>{html.escape(self._text)}</pre>"

    def __repr__(self):
        return f"<Report of {self._arguments[0]}: {self._text.splitlines()[0]}>"

    def __str__(self):
        return self._text


@contextlib.contextmanager
def _file(text, name):
    """The path of a file with that text, for as long as it is needed."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="rooftile-") as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path


class Exploration:
    """The designs of a space (docs/explore.md).

    designs: the best, the best first: a list of dicts with "rank", the axes (numbers in base units), "time_s" (seconds),
    "speedup" over the GPU as it is, "bottleneck" (text) and the seconds that each bottleneck limits.
    """

    def __init__(self, arguments):
        import csv

        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="rooftile-")
        self._text = run([*arguments, "-o", self._folder.name])
        with open(os.path.join(self._folder.name, "best.csv"), newline="", encoding="utf-8") as file:
            self.designs = [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def summary(self):
        """As the command prints it."""
        return self._text

    def save(self, folder):
        """Writes report.txt, best.csv and whatever else was asked for (pareto.csv, heat_map.svg, …) to a folder."""
        import shutil

        try:
            shutil.copytree(self._folder.name, os.fspath(folder), dirs_exist_ok=True)
        except (shutil.Error, OSError) as error:
            raise Error(f"{os.fspath(folder)}: {getattr(error, 'strerror', None) or error}") from error

    def __repr__(self):
        return f"<Exploration: {len(self.designs)} designs>"

    def __str__(self):
        return self.summary()


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


def _of_model(command, model, arguments):
    if is_module(model):
        raise Error("a torch.nn.Module is captured first: rooftile.capture(module, inputs)")
    name, text = name_and_text(captured(model))
    return Report([command, *([] if text else [name]), *arguments], text)


def _gpu(gpu):
    """As the command line names it."""
    if isinstance(gpu, Gpu) and gpu == _in_catalogue(gpu.id):
        return gpu.id
    if not isinstance(gpu, (str, os.PathLike)):
        raise Error("takes the id or the .toml file of a GPU; a changed Gpu is for predict()")
    return os.fspath(gpu)


def _in_catalogue(name):
    try:
        return Gpu.find(name)
    except Error:
        return None


def _list(names):
    return names if isinstance(names, str) else ",".join(names)


def explain(model, layer, gpu=DEFAULT_GPU, **options):
    """Every number behind the time of one layer, equation by equation: a Report.

    layer: its name, or a part of it that is in no other's. Options as in predict(). Raises rooftile.Error.
    """
    return _of_model("explain", model, ["--layer", layer, "--gpu", _gpu(gpu), *words_of(options)])


def roofline(model, gpu=DEFAULT_GPU, **options):
    """Where the layers stand between bandwidth and arithmetic: a Report; .save("x.svg") draws it.

    Options as in predict(). Raises rooftile.Error.
    """
    return _of_model("roofline", model, ["--gpu", _gpu(gpu), *words_of(options)])


def validate(*tables, by=(), where=None, tier=None, method=None):
    """Predictions against measured tables (docs/validate.md): a Report of rows, errors and coverage by groups.

    tables: files of measured layers or networks (CSV), or a pandas.DataFrame with such columns. by: columns to group by.
    where: a condition on rows, as in "gpu = t4 and K >= 64". tier: "own", "source", "size" or "none". method: one or several, as in predict().
    Raises rooftile.Error.
    """
    options = []
    for option, value in (("--by", _list(by)), ("--where", where), ("--tier", tier), ("--method", _list(method or ()))):
        if value:
            options += [option, value]
    if len(tables) == 1 and hasattr(tables[0], "to_csv"):
        return Report(["validate", *options], tables[0].to_csv(index=False), "table.csv")
    for table in tables:
        if not isinstance(table, (str, os.PathLike)):
            raise Error(f"a table is the path of a CSV file or one pandas.DataFrame, not {type(table).__name__}")
    return Report(["validate", *map(os.fspath, tables), *options])


def explore(space, *, best=10, rank_by=None, pareto=(), heat_map=(), costs=None, method=None, precision=None, threads=None):
    """Evaluates the GPU designs of a space file (docs/explore.md): an Exploration.

    best: how many of the best designs to list. rank_by: "time", "area", "power", "manufacturing_cost", "energy" or an axis. pareto:
    what to trade for time. heat_map: two axes. costs: "builtin" or a file. Raises rooftile.Error.
    """
    if not isinstance(space, (str, os.PathLike)):
        raise Error(f"a space is the path of a .toml file, not {type(space).__name__}")
    arguments = ["explore", os.fspath(space)]
    for option, value in (("--best", best), ("--rank-by", rank_by), ("--pareto", _list(pareto)),
                          ("--heat-map", _list(heat_map)), ("--costs", costs), ("--method", method),
                          ("--precision", precision), ("--threads", threads)):
        if value is not None and value != "":
            arguments += [option, os.fspath(value) if option == "--costs" else str(value)]
    return Exploration(arguments)
