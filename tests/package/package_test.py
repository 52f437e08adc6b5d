#!/usr/bin/env python3
"""Unpacks what `./dev package` made and uses it as somebody would who has never built Rooftile.

Usage: package_test.py FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("build/package").resolve()
# The oldest systems that the tarball is for, Ubuntu 22.04 and Debian 12, have these at least.
NEWEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}
OF_THE_SYSTEM = re.compile(r"(linux-vdso|ld-linux|lib(c|m|stdc\+\+|gcc_s)\.so|/lib64/ld-linux)")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [tarball] = FOLDER.glob("rooftile-*.tar.gz")
        cls.scratch = tempfile.TemporaryDirectory()
        run("tar", "-xzf", tarball, "-C", cls.scratch.name)
        [cls.root] = Path(cls.scratch.name).iterdir()
        assert tarball.name == cls.root.name + ".tar.gz"
        cls.program = cls.root / "bin" / "rooftile"

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_predicts_with_nothing_but_what_was_unpacked(self):
        text = run(self.program, "predict", "resnet50", "--gpu", "titan-xp", env={"PATH": "/nowhere"}, cwd="/")
        self.assertRegex(text, r"resnet50 on titan-xp")

    def test_brings_every_library_but_the_runtimes(self):
        for line in run("ldd", self.program).splitlines():
            name, _, rest = line.strip().partition(" => ")
            if not OF_THE_SYSTEM.match(name):
                self.assertTrue(Path(rest.split()[0]).resolve().is_relative_to(self.root.resolve()), line)

    def test_needs_no_newer_runtime_than_the_oldest_system_has(self):
        for file in [self.program, *(self.root / "lib" / "rooftile").iterdir()]:
            for library, version in re.findall(r"\((GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\)", run("objdump", "-T", file)):
                self.assertLessEqual(tuple(map(int, version.split("."))), NEWEST[library], f"{file.name}: {library}")

    def test_holds_the_licence_of_each_library(self):
        licences = {path.name for path in self.root.glob("share/doc/*/licences/*")}
        self.assertIn("libnlopt-cxx0", licences)
        self.assertIn("libeigen3-dev", licences)


class DebianPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [cls.package] = FOLDER.glob("rooftile_*.deb")

    def test_depends_on_the_libraries_that_it_loads(self):
        depends = run("dpkg-deb", "--field", self.package, "Depends")
        for library in ("libc6 (>=", "libfmt9", "libmimalloc", "libonnx1", "libsqlite3-0", "libstdc++6 (>="):
            self.assertIn(library, depends)

    def test_holds_program_manual_completions_and_licence(self):
        held = run("dpkg-deb", "--contents", self.package)
        for path in ("bin/rooftile", "share/man/man1/rooftile.1.gz", "share/bash-completion/completions/rooftile",
                     "share/zsh/vendor-completions/_rooftile", "share/fish/vendor_completions.d/rooftile.fish",
                     "share/doc/rooftile/copyright"):
            self.assertIn(f" ./usr/{path}\n", held)
        self.assertNotIn("/include/", held)

    def test_unpacked_program_predicts(self):
        with tempfile.TemporaryDirectory() as scratch:
            run("dpkg-deb", "--extract", self.package, scratch)
            program = os.path.join(scratch, "usr/bin/rooftile")
            self.assertIn("titan-xp", run(program, "predict", "alexnet", "--gpu", "titan-xp"))


if __name__ == "__main__":
    unittest.main()
