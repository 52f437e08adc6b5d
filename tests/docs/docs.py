#!/usr/bin/env python3
"""Runs the commands of README.md and docs/ and compares what they print with what stands there.

Usage: docs.py --cli PROGRAM [--slow] [--update] [FILE…]

In a fenced block, a line that starts with `$ ` is a command of a shell and the lines up to the next one are its output:

    $ rooftile predict tiny.json --gpu titan-xp
    tiny on titan-xp: …
    …

A line that is `…` alone stands for any lines, `…` within a line for any characters; output that stops early ends with `…`. A
command without any output below it has to succeed. A block whose fence names a file, as in

    ```toml mine.toml: rooftile gpus show mine.toml

is what stands in that file of examples/, or else it is written there; the command, if there is one, has to succeed. So has, in other blocks without `$ `, every line that starts with
`rooftile ` and has no placeholder in capitals. Commands of one file share a scratch folder with the files of examples/
and the folders of ../shared/measurements; a command that names one of these is left out where they are absent. Blocks
whose fence says `slow` run with --slow alone, those that say `long` with --update too: a sanitized program takes a minute
for them. --slow takes only the pages that have any of these. Commands that read what one of these would have written are left out too.
--update rewrites the outputs, those with `…` line by line where a line like it is found, and says which do not fit.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MEASUREMENTS = ROOT.parent / "shared" / "measurements"
SLOW = frozenset({"slow", "long"})  # words of fences
TIME_LIMIT, SLOW_LIMIT = 600, 5000  # seconds a command; a hang is a failure, a sanitized build on a busy machine is not


@dataclass
class Command:
    line: int  # of the command, from 0
    text: str
    output: list = field(default_factory=list)
    slow: bool = False
    checked: bool = True  # its output, not just its exit status


@dataclass
class File:
    line: int  # of the fence, from 0
    name: str
    text: str
    command: str  # that takes it; may be empty


def file_of(number, fence, lines):
    """What a block's fence names."""
    match = re.fullmatch(r"```\w+ ([\w-]+\.\w+)(?:: (rooftile .*))?", fence)
    return match and File(number, match[1], "".join(line + "\n" for _, line in lines), match[2] or "")


def commands_of(text, slow):
    """The commands and files of a page's fenced blocks, in order; those are slow whose fence has one of these words."""
    found, block, start, fence = [], None, 0, ""
    for number, line in enumerate(text.splitlines()):
        if line.startswith("```"):
            if block is None:
                block, start, fence = [], number, line
            else:
                file = file_of(start, fence, block)
                found += [file] if file else commands_of_block(block, bool(slow.intersection(fence.split())))
                block = None
        elif block is not None:
            block.append((number, line))
    return found


def commands_of_block(lines, slow):
    """Of one block: those after `$ `, with their output, or else each line that starts with the program's name."""
    if not any(line.startswith("$ ") for _, line in lines):
        texts = [(number, re.split(r"\s{2,}|\s#", line)[0]) for number, line in lines if line.startswith("rooftile ")]
        return [Command(number, text, [], slow, False) for number, text in texts if not is_synopsis(text)]
    found = []
    for number, line in lines:
        if line.startswith("$ "):
            found.append(Command(number, line[2:], [], slow))
        elif found and not found[-1].output and found[-1].text.endswith("\\"):
            found[-1].text += "\n" + line
        elif found:
            found[-1].output.append(line)
    for command in found:
        while command.output and not command.output[-1]:
            command.output.pop()
        command.checked = bool(command.output)
    return found


def is_synopsis(text):
    """Whether a line shows a command's form: MODEL, A.json, [OPTIONS], a|b, …"""
    return bool(re.search(r"(^|[\s=,])[A-Z][A-Z_]*\b|[\[\]|…]", re.sub(r'"[^"]*"', "", text)))


def outputs_of(text):
    """The files that a command writes."""
    return re.findall(r"\s(?:-o|--csv|--rows)[\s=]+([^\s;|]+)", text)


def pattern_of(lines):
    """A regular expression of an output with `…` in it."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ ]*\n")
    return "".join(parts)


def fits(lines, output):
    """Whether an output is what stands on the page."""
    return re.fullmatch(pattern_of(lines), output if output.endswith("\n") else output + "\n") is not None


def renewed(lines, output):
    """The lines of a page with `…` as an output has them now: after a `…` the line most like it, else the next one."""
    result, place = [], 0
    for number, line in enumerate(lines):
        if line.strip() == "…":
            result.append(line)
            continue
        if number > 0 and lines[number - 1].strip() == "…" and place < len(output):
            likeness = [difflib.SequenceMatcher(None, without_digits(line), without_digits(other)).ratio()
                        for other in output[place:]]
            place += likeness.index(max(likeness))
        if "…" in line or place >= len(output):
            result.append(line)
        else:
            result.append(output[place].rstrip())
        place += 1
    return result


def has_slow_block(text):
    return any(line.startswith("```") and SLOW.intersection(line.split()) for line in text.splitlines())


def without_digits(line):
    return re.sub(r"\d", "0", line)


def coarsen(space):
    """Its million designs take minutes under the sanitizers; examples/space.toml, by that name, keeps them."""
    space.write_text(space.read_text(encoding="utf-8").replace("steps = 10", "steps = 3"), encoding="utf-8")


class Page:
    """One file, run in one scratch folder."""

    def __init__(self, path, program, slow, long_too):
        self.path, self.program, self.slow, self.long_too = path, program, slow, long_too
        self.text = path.read_text(encoding="utf-8")
        self.failures, self.skipped, self.ran = [], 0, 0
        self.renewable = []  # failures that an update mends
        self.replaced = {}  # line of a command: its new output
        self.missing = []  # files of commands that were skipped

    def run(self):
        with tempfile.TemporaryDirectory() as scratch:
            work = Path(scratch) / "work"
            shutil.copytree(ROOT / "examples", work)
            coarsen(work / "space.toml")
            (work / "examples").symlink_to(ROOT / "examples")
            (work / "data").symlink_to(ROOT / "data")
            self.folders = sorted(p.name for p in MEASUREMENTS.iterdir() if p.is_dir()) if MEASUREMENTS.is_dir() else []
            for name in self.folders:
                (work / name).symlink_to(MEASUREMENTS / name)
            tools = Path(scratch) / "bin"
            tools.mkdir()
            (tools / "rooftile").symlink_to(self.program)
            environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                           "XDG_DATA_HOME": str(Path(scratch) / "data")}
            for name in ("COLUMNS", "NO_COLOR"):
                environment.pop(name, None)
            for found in commands_of(self.text, SLOW - {"long"} if self.long_too else SLOW):
                if isinstance(found, File):
                    self.take_file(found, work, environment)
                else:
                    self.run_one(found, work, environment)

    def take_file(self, file, work, environment):
        path = work / file.name
        if (ROOT / "examples" / file.name).exists():
            # There a comment may say what it is of.
            if re.sub(r"\A(#.*\n)+", "", path.read_text(encoding="utf-8")) != file.text:
                self.failures.append(f"{self.path.relative_to(ROOT)}:{file.line + 1}: is not what stands in examples/{file.name}")
        else:
            path.write_text(file.text, encoding="utf-8")
        if file.command:
            self.run_one(Command(file.line, file.command, checked=False), work, environment)

    def run_one(self, command, work, environment):
        text = command.text.replace("./dev run ", "rooftile ")
        if not text.startswith("rooftile ") or (command.slow and not self.slow) or self.lacks_input(text, work):
            self.skipped += 1
            self.missing += outputs_of(text)
            return
        self.ran += 1
        result = subprocess.run(["/bin/sh", "-c", text], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                capture_output=True, encoding="utf-8", errors="backslashreplace", timeout=SLOW_LIMIT if command.slow else TIME_LIMIT)
        output = result.stdout + result.stderr
        place = f"{self.path.relative_to(ROOT)}:{command.line + 1}: {command.text}"
        if not command.checked:
            if result.returncode != 0:
                self.failures.append(f"{place}\n  exit status {result.returncode}: {output.strip()[:500]}")
        elif not fits(command.output, output):
            whole = "…" not in "\n".join(command.output)
            lines = output.splitlines() if whole else renewed(command.output, output.splitlines())
            self.replaced[command.line] = (len(command.output), [line.rstrip() for line in lines])
            diff = "\n".join(difflib.unified_diff(command.output, output.splitlines(), "the page", "the program",
                                                  lineterm="", n=1))
            (self.renewable if fits(lines, output) else self.failures).append(f"{place}\n{diff}")

    def lacks_input(self, text, work):
        """Whether a command reads measured tables that are not here, or what a skipped command would have written."""
        if set(self.missing) & set(re.split(r"[\s=,]+", text)):
            return True
        return not self.folders and any("/" in word and word.endswith(".csv") and not (work / word).exists()
                                        for word in text.split())

    def update(self):
        """Puts in the outputs that did not fit."""
        lines = self.text.splitlines()
        for line, (count, output) in sorted(self.replaced.items(), reverse=True):
            start = line + 1
            while lines[start - 1].endswith("\\"):
                start += 1
            lines[start:start + count] = output
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", required=True, type=Path)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    paths = [path.resolve() for path in arguments.files] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    failures, ran, skipped = [], 0, 0
    for path in paths:
        if arguments.slow and not has_slow_block(path.read_text(encoding="utf-8")):
            continue
        page = Page(path, arguments.cli.resolve(), arguments.slow, arguments.update)
        page.run()
        if arguments.update:
            page.update()
        else:
            failures += page.renewable
        failures += page.failures
        ran, skipped = ran + page.ran, skipped + page.skipped
    for failure in failures:
        print(failure, end="\n\n")
    print(f"{ran} commands run, {skipped} skipped (slow, not rooftile's, or measured tables that are absent), "
          f"{len(failures)} failed")
    return 1 if failures or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
