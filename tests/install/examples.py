#!/usr/bin/env python3
"""Writes a program of the examples that stand at the top of the public headers, and of the C++ of README.md.

usage: examples.py SOURCE PUBLIC_HEADERS OUT.cpp

An example is what is indented by four blanks in the comment that a header begins with. It runs in namespace rooftile,
and what it asserts must hold. A public header without one is an error.
"""
import pathlib
import re
import sys


def example_of(header):
    comment = header.read_text().split("#pragma once")[0]
    return re.findall(r"^//     (.*)$|^(//)$", comment, re.MULTILINE)


def lines_of(header):
    lines = [line if not blank else "" for line, blank in example_of(header)]
    return "\n".join(lines).strip().split("\n")


def main(source, listing, out):
    source = pathlib.Path(source)
    includes, functions, calls = [], [], []

    def add(name, lines, where):
        includes.extend(line for line in lines if line.startswith("#include"))
        body = "\n".join(line for line in lines if not line.startswith("#include"))
        functions.append(f"// {where}\nvoid {name}() {{\n{body}\n}}\n")
        calls.append(f"  rooftile::{name}();")

    for path in pathlib.Path(listing).read_text().split():
        header = pathlib.Path(path)
        name = header.relative_to(source).as_posix()
        lines = lines_of(header)
        if lines == [""]:
            sys.exit(f"{name}: has no example; public headers begin with one, indented by four blanks")
        includes.append(f'#include "{name}"')
        add("example_of_" + re.sub(r"\W", "_", name), lines, name)

    readme = (source / "README.md").read_text()
    blocks = re.findall(r"^```cpp\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit("README.md: has no C++")
    for number, block in enumerate(blocks):
        add(f"readme_{number}", block.split("\n"), "README.md")

    pathlib.Path(out).write_text(
        "#undef NDEBUG\n#include <cassert>\n#include <cstdio>\n"
        + "\n".join(dict.fromkeys(includes))
        + "\n\nnamespace rooftile {\n\n"
        + "\n".join(functions)
        + "\n}  // namespace rooftile\n\nint main() {\n"
        + "\n".join(calls)
        + '\n  std::puts("examples hold");\n}\n'
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
