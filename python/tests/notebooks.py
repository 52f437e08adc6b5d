"""Runs the notebooks of examples/ and compares what they print with what stands there.

usage: ./dev python python/tests/notebooks.py [--update]

Text is compared, pictures and pages are not. --update rewrites the outputs, without pages that are large.
"""

import argparse
import difflib
import os
import pathlib
import sys

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor

import rooftile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TIME_LIMIT = 300  # seconds a cell
LARGEST = 20_000  # characters of HTML that are kept


def executed(path):
    """The notebook with the outputs of a run of its own, from a clean slate."""
    notebook = nbformat.read(path, as_version=4)
    runner = ExecutePreprocessor(timeout=TIME_LIMIT, kernel_name="python3", record_timing=False)
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    # Debian's kernel is of Debian's Python, whatever environment this one is of.
    os.environ["PYTHONPATH"] = str(pathlib.Path(rooftile.__file__).resolve().parents[1])
    runner.preprocess(notebook, {"metadata": {"path": str(path.parent)}})
    for cell in notebook.cells:
        outputs = []
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                continue
            page = output.get("data", {}).get("text/html", "")
            if len(page) > LARGEST:
                del output.data["text/html"]
            outputs.append(output)
        if cell.cell_type == "code":
            cell.outputs = outputs
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    return notebook


def text_of(notebook):
    """The code and what it prints, in lines."""
    lines = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        lines += [f"> {line}" for line in cell.source.splitlines()]
        for output in cell.outputs:
            lines += (output.get("text") or output.get("data", {}).get("text/plain", "")).splitlines()
    return lines


def difference(path):
    """What a run prints otherwise; empty where it is the same."""
    stands = text_of(nbformat.read(path, as_version=4))
    return "\n".join(difflib.unified_diff(stands, text_of(executed(path)), path.name, "as run", lineterm=""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="rewrite the outputs")
    update = parser.parse_args().update
    failed = False
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        if update:
            nbformat.write(executed(path), path)
        elif found := difference(path):
            print(found)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
