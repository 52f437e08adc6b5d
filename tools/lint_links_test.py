#!/usr/bin/env python3
"""Tests of lint_links.py: it must find links that lead nowhere, and nothing else."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LINT = Path(__file__).with_name("lint_links.py")


class LintLinks(unittest.TestCase):
    def lint(self, text):
        """The output of the lint on a README of this text beside docs/page.md, which has a heading and a fenced one."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "docs/page.md").write_text("# Bytes, counted (once)\n```\n# no heading\n```\n", encoding="utf-8")
            (root / "README.md").write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, LINT, folder], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1 if done.stdout else 0)
            return done.stdout

    def test_what_exists(self):
        self.assertEqual(self.lint("# Top\n[a](docs/page.md) [b](docs/page.md#bytes-counted-once) [c](#top) [d](docs)"), "")

    def test_addresses_and_code_are_left_alone(self):
        self.assertEqual(self.lint("[a](https://example.org/none)\n```\n[b](nowhere.md)\n```\n"), "")

    def test_what_leads_nowhere(self):
        for link in ["none.md", "docs/page.md#no-heading", "#gone"]:
            self.assertEqual(self.lint(f"see [this]({link})"), f"README.md: {link} leads nowhere\n")


if __name__ == "__main__":
    unittest.main()
