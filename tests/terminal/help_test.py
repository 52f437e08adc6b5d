#!/usr/bin/env python3
"""Reads the help of every command: fewer than 14 options, a kind for each that takes a value, 80 columns; and that
docs/cli.md lists every command.

Usage: help_test.py --cli ROOFTILE.
"""
import argparse
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = None
OPTION = re.compile(r"  (?:-\w,)?(--[a-z-]+)")


def help_of(command, flag="--help"):
    result = subprocess.run([CLI, *command, flag], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def below(command):
    """The commands that its help lists."""
    lines = help_of(command)
    starts = [at for at, line in enumerate(lines) if line in ("Subcommands:", "Commands:")]
    names = [re.match(r"  ([a-z][a-z-]+)\b", line) for at in starts for line in lines[at + 1:]]
    return [command + [name[1]] for name in names if name]


def options(lines):
    return [found[1] for found in map(OPTION.match, lines) if found and not found[1].startswith("--help")]


class Help(unittest.TestCase):
    def test_each_command(self):
        commands = below([])
        self.assertGreater(len(commands), 20)
        for command in commands + [nested for command in commands for nested in below(command)]:
            with self.subTest(command=command):
                lines = help_of(command)
                self.assertLess(len(options(lines)), 14)
                for line in lines:
                    self.assertLessEqual(len(line), 80, line)
                    self.assertNotRegex(line, r"--\S+ (TEXT|INT|UINT|FLOAT|VALUE)\b")

    def test_what_few_runs_need(self):
        short, all_of_them = help_of(["predict"]), help_of(["predict"], "--help-all")
        self.assertNotIn("--memory-headroom", options(short))
        self.assertIn("--memory-headroom", options(all_of_them))
        self.assertTrue(any("--help-all" in line for line in short))


    def test_the_list_of_commands_in_the_docs(self):
        block = (ROOT / "docs/cli.md").read_text(encoding="utf-8").split("```")[1]
        listed = set(re.findall(r"^rooftile ([a-z-]+)", block, re.MULTILINE))
        self.assertEqual(listed, {name for [name] in below([])})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    arguments, rest = parser.parse_known_args()
    CLI = arguments.cli
    unittest.main(argv=[sys.argv[0], *rest])
