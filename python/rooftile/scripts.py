"""Scripts in the place of a model: each is captured by this Python, in a process of its own."""

import os
import sys
from typing import NamedTuple

from ._core import Error

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_RUN = "import sys; sys.path.append(sys.argv.pop(1)); from rooftile.__main__ import main; sys.exit(main())"


class Script(NamedTuple):
    """A captured step of one."""

    name: str
    text: str


def captured(model):
    """The step of a script; any other model as it is."""
    if not isinstance(model, (str, os.PathLike)) or not os.fspath(model).endswith(".py"):
        return model
    import subprocess
    import tempfile

    path = os.fspath(model)
    with tempfile.TemporaryDirectory(prefix="rooftile-") as folder:
        step = os.path.join(folder, "step.json")
        done = subprocess.run([sys.executable, "-c", _RUN, _PACKAGE, "capture", path, "-o", step], capture_output=True,
                              encoding="utf-8", errors="replace", check=False)
        if done.returncode == 0:
            with open(step, encoding="utf-8") as file:
                return Script(os.path.splitext(os.path.basename(path))[0], file.read())
    prefix = "rooftile: "  # of the last line, where the capture says what is wrong
    last = done.stderr.splitlines()[-1] if done.stderr else ""
    if last.startswith(prefix):
        raise Error(last[len(prefix):])
    sys.stderr.write(done.stderr)
    raise Error(f"{path}: no step could be captured (exit status {done.returncode})")
