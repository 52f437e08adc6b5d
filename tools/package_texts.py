#!/usr/bin/env python3
"""Writes what a package holds besides the program: its manual page and completions, and the licences it is under.

Usage: package_texts.py --cli PROGRAM --out FOLDER. The manual page is made of the program's own --help by help2man;
the licences are those that Debian's packages of the libraries hold.
"""
import argparse
import gzip
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = re.compile(r"(ld-linux|lib(c|m|stdc\+\+|gcc_s)\.so)")
# Libraries that are headers alone, by the Debian packages that they were compiled from.
HEADERS = ["nlohmann-json3-dev", "libtomlplusplus-dev", "libcli11-dev", "libexpected-dev", "libboost1.74-dev", "libeigen3-dev"]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(program):
    """The Debian packages of the shared libraries that the program loads."""
    found = set()
    for line in output_of("ldd", program).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if rest and not RUNTIME.match(name):
            real = Path(rest.split()[0]).resolve().name  # packages say /lib where the system says /usr/lib
            found.add(output_of("dpkg-query", "--search", f"*/{real}").split(":")[0])
    return sorted(found)


def manual_page(program):
    """The page of the program, with the help of each of its commands as a section."""
    help2man = ["help2man", "--no-info", "--section=1", "--name=predict how long a neural network takes on a GPU"]
    page = output_of(*help2man, program)
    commands = re.findall(r"^  ([a-z][a-z-]+) ", output_of(program, "--help").split("Subcommands:")[-1], re.MULTILINE)
    for command in commands:
        lines = output_of(program, command, "--help").replace("\\", "\\e").splitlines()
        text = "\n".join("\\&" + line.replace("-", "\\-") for line in lines)
        page += f'.SH "ROOFTILE {command.upper()}"\n.nf\n{text}\n.fi\n'
    return page


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    program = str(Path(args.cli).resolve())
    shutil.rmtree(args.out, ignore_errors=True)
    (args.out / "licences").mkdir(parents=True)
    for shell in ("bash", "zsh", "fish"):
        (args.out / shell).write_text(output_of(program, "completion", shell), encoding="utf-8")
    # Without the time of writing, so that equal programs make equal packages.
    (args.out / "rooftile.1.gz").write_bytes(gzip.compress(manual_page(program).encode(), mtime=0))

    linked = libraries(program)
    for package in linked + HEADERS:
        shutil.copy(f"/usr/share/doc/{package}/copyright", args.out / "licences" / package)
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    (args.out / "copyright").write_text(
        "Rooftile is under the Apache License, version 2.0, which follows.\n\n"
        f"It loads these libraries, by their Debian packages: {', '.join(linked)}.\n"
        f"It was compiled with headers of {', '.join(HEADERS)}.\n"
        "Each stands under the licence that /usr/share/doc/PACKAGE/copyright gives on a Debian system, and the folder\n"
        f"licences beside this file where Rooftile was unpacked from its tarball.\n\n{licence}",
        encoding="utf-8")


if __name__ == "__main__":
    main()
