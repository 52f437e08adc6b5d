#!/usr/bin/env python3
"""Runs clang-tidy over a compilation database, in parallel, and skips what it passed before.

Usage: lint_tidy.py BUILD_DIR. A source is checked again only if its compile command, .clang-tidy, the source or a header
of the project that it includes, directly or not, has changed since it last passed.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@lru_cache(maxsize=None)
def read(path):
    return path.read_text(encoding="utf-8")


def with_headers(path):
    """The file and the project's headers that it includes, directly or not."""
    found, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file in found:
            continue
        found.add(file)
        for name in INCLUDE.findall(read(file)):
            todo += [header for header in (ROOT / name, file.parent / name) if header.is_file()]
    return sorted(found)


def key_of(entry, source):
    """Names the state in which a source was checked."""
    state = hashlib.sha256()
    for text in (read(ROOT / ".clang-tidy"), entry["command"], *map(read, with_headers(source))):
        state.update(text.encode() + b"\0")
    return state.hexdigest()


def main():
    build = Path(sys.argv[1])
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    todo = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = Path(entry["directory"], entry["file"]).resolve()
        if not source.is_relative_to(ROOT) or source.is_relative_to(build.resolve()):
            continue  # generated
        stamp = passed / key_of(entry, source)
        if not stamp.exists():
            todo[source] = stamp

    def tidy(item):
        source, stamp = item
        done = subprocess.run(["clang-tidy", "--quiet", "-p", build, source], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            stamp.touch()
        return source, done

    failures = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (source, done) in enumerate(pool.map(tidy, todo.items()), 1):
            print(f"[{number}/{len(todo)}] {source.relative_to(ROOT)}", flush=True)
            if done.returncode != 0:
                failures += 1
                print(done.stdout + done.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
