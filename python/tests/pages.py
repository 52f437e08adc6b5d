"""Runs what docs/python.md and README.md show of Python and compares what it prints: blocks of `>>>` are doctests.

usage: ./dev python python/tests/pages.py [--update]

--update rewrites what is printed; lines around a `...` are kept as many as they are.
"""

import argparse
import doctest
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/python.md"]
ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Runner(doctest.DocTestRunner):
    """Remembers what examples printed that did not print what stands there."""

    def __init__(self):
        super().__init__(optionflags=ALIKE, verbose=False)
        self.printed = []  # (line of the page where the output begins, what stands there, what came)

    def report_failure(self, out, test, example, got):
        super().report_failure(out, test, example, got)
        first = example.lineno + len(example.source.splitlines())
        self.printed.append((first, example.want.splitlines(), [line or "<BLANKLINE>" for line in got.splitlines()]))


def shown(want, got):
    """The output to show in place of `want`: all of it, or of what a line of three dots leaves out the rest."""
    if "..." not in want:
        return got
    before = want.index("...")
    after = len(want) - before - 1
    return got[:before] + ["..."] + (got[-after:] if after else [])


def run(page, say):
    """The examples of the page that print something else, in a folder with the inputs that they use."""
    # A fence would count as printed; an empty line ends what is.
    text = "".join("\n" if line.startswith("```") else line
                   for line in (ROOT / page).read_text(encoding="utf-8").splitlines(keepends=True))
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    if not examples.examples:
        raise ValueError(f"{page}: no example of Python")
    runner, here = Runner(), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("gpu.toml", "space.toml", "measured.csv", "train.py"):
            pathlib.Path(folder, name).write_text((ROOT / "examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
        os.chdir(folder)
        try:
            failed = runner.run(examples, out=say).failed
        finally:
            os.chdir(here)
    return failed, runner.printed


def update(page, printed):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    for first, want, got in reversed(printed):
        lines[first:first + len(want)] = shown(want, got)
    (ROOT / page).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="rewrite what is printed")
    arguments = parser.parse_args()
    failures = 0
    for page in PAGES:
        failed, printed = run(page, sys.stdout.write if not arguments.update else lambda text: None)
        if arguments.update:
            update(page, printed)
            failed -= len(printed)  # those that raised something remain
        failures += failed
    sys.exit(f"{failures} examples fail" if failures else None)


if __name__ == "__main__":
    main()
