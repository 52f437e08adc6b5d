"""The program that comes with the package."""

import os
import sys

from ._core import Error

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "rooftile")


def run(arguments):
    """What the program writes to standard output. Raises Error with its one line."""
    import subprocess

    done = subprocess.run([PATH, *arguments], capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode == 0:
        return done.stdout
    lines = [line for line in done.stderr.splitlines() if line]
    prefix = "rooftile: "
    raise Error(lines[-1][len(prefix):] if lines and lines[-1].startswith(prefix) else done.stderr)


def main():
    """The command `rooftile`; scripts are captured by this Python."""
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    os.execv(PATH, ["rooftile", *sys.argv[1:]])
