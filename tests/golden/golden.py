#!/usr/bin/env python3
"""Runs the program on the cases of cases/*.txt and compares everything it says with what stands there.

Usage: golden.py --cli PROGRAM [--update] [NAME…]

A case is one file:

    # what it shows
    $ rooftile predict tiny.json --gpu titan-xp-delta
    exit 0
    --- stdout
    …
    --- stderr
    …

The command runs in a shell, in a scratch copy of inputs/, where `rooftile` is PROGRAM. Only the comments and the line
with the dollar are written by hand; --update writes the rest. JSON, on standard output or in a *.json file
that the command leaves behind, must also fit its schema in data/schema/, and a prediction name the bottlenecks that its
numbers say.
"""
import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "inputs"
SCHEMAS = HERE.parent.parent / "data" / "schema"
TIME_LIMIT = 120  # seconds a case; a hang is a failure, a sanitized build on a busy machine is not


def command_of(text, path):
    """The comment lines and the command of a case."""
    head = [line for line in text.split("\n--- stdout\n")[0].splitlines() if line.startswith(("#", "$"))]
    commands = [line[2:] for line in head if line.startswith("$ ")]
    if len(commands) != 1:
        sys.exit(f"{path}: a case has one line that starts with '$ '")
    return head, commands[0]


def run(command, program):
    """What the command does in a scratch folder that is gone afterwards, and the texts of the JSON files it leaves."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch) / "work"
        shutil.copytree(INPUTS, work)
        tools = Path(scratch) / "bin"
        tools.mkdir()
        (tools / "rooftile").symlink_to(program)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                       "XDG_DATA_HOME": str(Path(scratch) / "data")}  # no store of whoever runs this
        environment.pop("NO_COLOR", None)
        result = subprocess.run(["/bin/sh", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                capture_output=True, encoding="utf-8", errors="backslashreplace", timeout=TIME_LIMIT)
        files = {path.relative_to(work): path for path in sorted(work.rglob("*.json"))}
        left = {name: path.read_text(encoding="utf-8", errors="backslashreplace")
                for name, path in files.items() if not (INPUTS / name).exists()}
        return result, left


def json_errors(text):
    """What is wrong with JSON of a schema; nothing for any other text."""
    named = re.search(r'^[\[{\s]*"schema": "rooftile/([a-z-]+)/1"', text)
    schema = named and SCHEMAS / f"{named[1]}-1.json"
    if not schema or not schema.exists():
        return []
    try:
        import jsonschema
    except ImportError:
        return ["python3-jsonschema is not installed, so JSON cannot be checked"]
    try:
        document = json.loads(text)
    except ValueError as error:  # of others than predictions there may be several
        return [f"no JSON: {error}"] if named[1] == "prediction" else []
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text(encoding="utf-8")))
    errors = [f"schema: {error.message}" for error in validator.iter_errors(document)]
    return errors or (bottleneck_errors(document) if named[1] == "prediction" else [])


def bottleneck_errors(document):
    """Layers whose bottleneck is not the largest of their cases, or one of the largest."""
    predictions = document if isinstance(document, list) else [document]
    return [f"{layer['name']}: bottleneck {layer['bottleneck']}, but cases_s {layer.get('cases_s')}"
            for prediction in predictions for layer in prediction["layers"] if not is_largest(**layer)]


def is_largest(bottleneck, cases_s=None, **_):
    if cases_s is None:  # of a fitted model, which knows no cases
        return bottleneck is None
    largest = max(cases_s.values())
    return largest == 0 if bottleneck is None else cases_s.get(bottleneck) == largest


def transcript(head, result):
    return "\n".join([*head, f"exit {result.returncode}", "--- stdout", result.stdout + "--- stderr", result.stderr])


def check(path, program, update):
    """Lines that say what is wrong with a case; none if nothing is."""
    expected = path.read_text(encoding="utf-8")
    head, command = command_of(expected, path)
    try:
        result, left = run(command, program)
    except subprocess.TimeoutExpired:
        return [f"still running after {TIME_LIMIT} s"]
    found = json_errors(result.stdout)
    for name, text in left.items():
        found += [f"{name}: {error}" for error in json_errors(text)]
    actual = transcript(head, result)
    if update and not found:
        path.write_text(actual, encoding="utf-8")
    elif actual != expected:
        found += difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="")
    return found


def main():
    parser = argparse.ArgumentParser(description="Compares the program's output with the cases.")
    parser.add_argument("--cli", required=True, type=lambda path: Path(path).resolve(), help="the program")
    parser.add_argument("--update", action="store_true", help="write what it says into the cases")
    parser.add_argument("names", nargs="*", help="cases by name; all if none is given")
    options = parser.parse_args()
    cases = [HERE / "cases" / f"{name}.txt" for name in options.names] or sorted((HERE / "cases").glob("*.txt"))
    if not cases:
        sys.exit("no cases")
    failed = 0
    for path in cases:
        found = check(path, options.cli, options.update)
        failed += bool(found)
        for line in [f"FAILED {path.stem}", *found] if found else []:
            print(line)
    print(f"{len(cases) - failed} of {len(cases)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
